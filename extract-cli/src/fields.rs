//! A schema from a line, such as `name, age int, tags list`.

use serde_json::{Map, Value, json};

use crate::error::Failure;

/// The types, each with other words for it.
const TYPES: [(&str, &[&str]); 6] = [
    ("text", &["string", "str", "varchar"]),
    ("int", &["integer", "i64", "long"]),
    ("number", &["float", "double", "decimal", "f64"]),
    ("bool", &["boolean"]),
    ("date", &["datetime", "day"]),
    ("list", &["array", "texts", "strings"]),
];

const FORM: &str = "fields are names with commas between, each with a type if it is not text: 'name, age int, paid? bool'. \
                    The types are text, int, number, bool, date and list (of texts); `?` marks a field that may be missing";

/// The schema of objects with the fields of `line`.
pub(crate) fn schema(line: &str) -> Result<Value, Failure> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let mut column = 1;
    for field in line.split(',') {
        let (name, is_optional, schema) = one(field).map_err(|(at, why)| wrong(column + at, &why))?;
        if properties.insert(name.to_owned(), schema).is_some() {
            return Err(wrong(column + indent(field), &format!("the name `{name}` is there twice")));
        }
        if !is_optional {
            required.push(name.to_owned());
        }
        column += field.chars().count() + 1;
    }
    Ok(json!({
        "title": "Fields",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

fn wrong(column: usize, why: &str) -> Failure {
    Failure::usage(format!("`--fields`, column {column}: {why}")).help(FORM)
}

/// The characters before the first word.
fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).count()
}

/// The name of a field, whether it may be missing, and its schema. An error says how many characters
/// precede the mistake.
fn one(field: &str) -> Result<(&str, bool, Value), (usize, String)> {
    let at = indent(field);
    let words: Vec<&str> = field.split_whitespace().collect();
    let Some((name, types)) = words.split_first() else {
        return Err((at, "a name is missing".to_owned()));
    };
    let (name, is_optional) = name.strip_suffix('?').map_or((*name, false), |name| (name, true));
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Err((at, "a name is missing".to_owned()));
    }
    if let Some((before, c)) = name.chars().enumerate().find(|(_, c)| !is_name(*c)) {
        return Err((at + before, format!("`{c}` cannot be in a name, which has letters, digits, _ and -")));
    }
    match types {
        [] => Ok((name, is_optional, of_type("text"))),
        [word] if TYPES.iter().any(|(known, _)| known == word) => Ok((name, is_optional, of_type(word))),
        [word] => Err((place_of(field, 1), unknown(word))),
        _ => {
            let joined = words[..words.len() - 1].join("_");
            let last = words.last().copied().unwrap_or_default();
            Err((
                place_of(field, 2),
                format!("a field is one name and one type; is it `{joined} {last}`, or is a comma missing?"),
            ))
        }
    }
}

/// The characters before the word with this number, from 0.
fn place_of(field: &str, number: usize) -> usize {
    let mut is_between = true;
    let mut words = 0;
    for (at, c) in field.chars().enumerate() {
        if is_between && !c.is_whitespace() {
            if words == number {
                return at;
            }
            words += 1;
        }
        is_between = c.is_whitespace();
    }
    0
}

fn unknown(word: &str) -> String {
    let lower = word.to_lowercase();
    let meant = TYPES.iter().find(|(name, others)| *name == lower || others.contains(&&*lower));
    let meant = meant.map(|(name, _)| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!("`{word}` is not a type{meant}")
}

fn of_type(name: &str) -> Value {
    match name {
        "int" => json!({"type": "integer"}),
        "number" => json!({"type": "number"}),
        "bool" => json!({"type": "boolean"}),
        "date" => json!({"type": "string", "format": "date"}),
        "list" => json!({"type": "array", "items": {"type": "string"}}),
        _ => json!({"type": "string"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_name_and_a_type() {
        let found =
            schema(" name, age int,Größe number, paid? bool , due date, tags list, x-1 text").unwrap();
        let types: Vec<_> = found["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, schema)| format!("{name} {schema}"))
            .collect();
        assert_eq!(
            types,
            [
                r#"name {"type":"string"}"#,
                r#"age {"type":"integer"}"#,
                r#"Größe {"type":"number"}"#,
                r#"paid {"type":"boolean"}"#,
                r#"due {"type":"string","format":"date"}"#,
                r#"tags {"type":"array","items":{"type":"string"}}"#,
                r#"x-1 {"type":"string"}"#,
            ]
        );
        assert_eq!(found["required"], json!(["name", "age", "Größe", "due", "tags", "x-1"]));
    }

    #[test]
    fn a_mistake_is_named_with_its_column() {
        for (line, column, why) in [
            ("", 1, "a name is missing"),
            ("a,,b", 3, "a name is missing"),
            ("a, ", 4, "a name is missing"),
            ("a, ? int", 4, "a name is missing"),
            ("ä b, x strang", 3, "`b` is not a type"),
            ("a, b strang", 6, "`strang` is not a type"),
            ("a,  b  String", 8, "`String` is not a type; did you mean `text`?"),
            ("a INT", 3, "did you mean `int`?"),
            ("a: text", 2, "`:` cannot be in a name"),
            ("a, b.c int", 5, "`.` cannot be in a name"),
            ("a int, b, a list", 11, "the name `a` is there twice"),
            ("line items list", 12, "is it `line_items list`"),
        ] {
            let failure = schema(line).unwrap_err();
            let start = format!("`--fields`, column {column}: ");
            assert!(
                failure.message.starts_with(&start) && failure.message.contains(why),
                "{line}: {failure}"
            );
        }
    }
}
