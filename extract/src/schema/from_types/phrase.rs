//! The constraints in comments, in the words in which [`types`](super::super::types) writes them.
//!
//! Comments are cut into pieces at semicolons and behind sentences. A piece that is a phrase as a whole is a constraint, such
//! as `at least 1` or `format date`; what is no phrase is the description. So "at least 18 years old" stays one.

use serde_json::{Map, Value, json};

const PATTERN: &str = "matches ";
/// What JSON follows.
const JSON: [&str; 5] = ["default ", "such as ", "other than ", "and by JSON Schema ", "by JSON Schema "];
/// How often the pieces of one line are put together to find the end of a JSON text.
const MAX_TRIES: usize = 1_000;

/// Finds the reference to the type of a name.
pub(super) type Named<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Adds what the lines of comments say about a value to its schema.
pub(super) fn apply(lines: &[String], schema: &mut Map<String, Value>, named: Named<'_>) {
    let mut description = Vec::new();
    for line in lines {
        let said = line_of(line, schema, named);
        if !said.is_empty() {
            description.push(said);
        }
    }
    if !description.is_empty() {
        schema.insert("description".to_owned(), Value::from(description.join("\n")));
    }
}

/// Adds the phrases of one line; the rest of it.
fn line_of(line: &str, schema: &mut Map<String, Value>, named: Named<'_>) -> String {
    let pieces = pieces(line);
    let mut said = String::new();
    // The member that phrases are about, behind `"value":`.
    let mut member: Option<String> = None;
    let (mut next, mut tries) = (0, MAX_TRIES);
    while let Some(&(start, end)) = pieces.get(next) {
        let piece = &line[start..end];
        next += 1;
        if let Some(name) = member_of(piece) {
            member = Some(name);
            continue;
        }
        // A pattern and a JSON text may have the marks between pieces inside.
        let more = if piece.starts_with(PATTERN) {
            let is_part = |(start, end): &&(usize, usize)| !begins_phrase(&line[*start..*end]);
            pieces[next..].iter().take_while(is_part).count()
        } else if JSON.iter().any(|head| piece.starts_with(head)) {
            let rest = pieces[next - 1..].iter().take(tries);
            tries = tries.saturating_sub(1);
            let is_whole = |(_, end): &(usize, usize)| phrase(&line[start..*end]).is_some();
            let found = rest.clone().position(is_whole);
            tries = tries.saturating_sub(found.unwrap_or_else(|| rest.count()));
            found.unwrap_or(0)
        } else {
            0
        };
        let end = if more > 0 { pieces[next + more - 1].1 } else { end };
        match (phrase(&line[start..end]), &member) {
            (Some(phrase), None) => phrase.add(schema, named),
            (Some(phrase), Some(name)) => phrase.add_to_member(schema, name, named),
            (None, _) => {
                if !said.is_empty() {
                    said.push_str(if said.ends_with(['.', '!', '?', ':']) { " " } else { "; " });
                }
                said.push_str(piece);
            }
        }
        next += more;
    }
    said
}

/// Whether a phrase starts here, which may go on in the pieces behind it.
fn begins_phrase(piece: &str) -> bool {
    phrase(piece).is_some() || JSON.iter().any(|head| piece.starts_with(head))
}

/// Where the pieces of a line start and end.
fn pieces(line: &str) -> Vec<(usize, usize)> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == ' ' && matches!(before, ';' | '.' | '!' | '?' | ':') {
            let end = if before == ';' { at - 1 } else { at };
            pieces.push((start, end));
            start = at + 1;
        }
        before = c;
    }
    pieces.push((start, line.len()));
    pieces.retain(|(start, end)| start < end);
    pieces
}

/// The key in `"key":`.
fn member_of(piece: &str) -> Option<String> {
    serde_json::from_str(piece.strip_suffix(':')?).ok()
}

/// A constraint.
enum Phrase {
    Keywords(Vec<(&'static str, Value)>),
    ExactlyOne,
    JsonSchema(Map<String, Value>),
}

impl Phrase {
    fn add(self, schema: &mut Map<String, Value>, named: Named<'_>) {
        match self {
            Self::Keywords(keywords) => {
                schema.extend(keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)));
            }
            Self::ExactlyOne => {
                if let Some(branches) = schema.remove("anyOf") {
                    schema.insert("oneOf".to_owned(), branches);
                }
            }
            Self::JsonSchema(mut keywords) => {
                keywords.values_mut().for_each(|value| rename(value, named));
                schema.extend(keywords);
            }
        }
    }

    /// Adds it to the schema of the member `name`.
    fn add_to_member(self, schema: &mut Map<String, Value>, name: &str, named: Named<'_>) {
        let mut members = taken(schema, "properties");
        let mut member = taken(&mut members, name);
        self.add(&mut member, named);
        members.insert(name.to_owned(), Value::Object(member));
        schema.insert("properties".to_owned(), Value::Object(members));
    }
}

/// A schema that may be no object yet.
fn taken(schemas: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match schemas.remove(key) {
        Some(Value::Object(schema)) => schema,
        _ => Map::new(),
    }
}

/// Replaces names of types by references.
fn rename(schema: &mut Value, named: Named<'_>) {
    match schema {
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value.as_str().and_then(named)) {
                    ("const" | "enum" | "default" | "examples", _) => {}
                    ("$ref" | "$dynamicRef", Some(target)) => *value = Value::String(target),
                    _ => rename(value, named),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename(value, named)),
        _ => {}
    }
}

/// The constraint that the whole of `words` is.
fn phrase(words: &str) -> Option<Phrase> {
    let keyword = |keyword, value| Some(Phrase::Keywords(vec![(keyword, value)]));
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    match words {
        "no item twice" => return keyword("uniqueItems", Value::Bool(true)),
        "deprecated" => return keyword("deprecated", Value::Bool(true)),
        "exactly one of these" => return Some(Phrase::ExactlyOne),
        _ => {}
    }
    for (head, name) in [
        ("more than ", "exclusiveMinimum"),
        ("less than ", "exclusiveMaximum"),
        ("a multiple of ", "multipleOf"),
    ] {
        if let Some(bound) = words.strip_prefix(head) {
            return keyword(name, number(bound)?);
        }
    }
    if let Some(pattern) = words.strip_prefix(PATTERN) {
        // One that spans lines is written as JSON.
        let written = serde_json::from_str::<String>(pattern).ok().filter(|text| text.contains(['\n', '\r']));
        return keyword("pattern", Value::from(written.unwrap_or_else(|| pattern.to_owned())));
    }
    if let Some(format) = words.strip_prefix("format ") {
        return keyword("format", Value::from(Some(format).filter(|format| !format.contains(' '))?));
    }
    if let Some(value) = words.strip_prefix("default ") {
        return keyword("default", json(value)?);
    }
    for (head, is_not) in [("such as ", false), ("other than ", true)] {
        if let Some(values) = words.strip_prefix(head) {
            let values = json(&format!("[{values}]"))?;
            return if is_not {
                keyword("not", json!({"enum": values}))
            } else {
                keyword("examples", values)
            };
        }
    }
    if let Some(schema) = words.strip_prefix("and by JSON Schema ").or(words.strip_prefix("by JSON Schema "))
    {
        return serde_json::from_str(schema).ok().map(Phrase::JsonSchema);
    }
    bounds(words).map(Phrase::Keywords)
}

/// `at least 1`, `1 to 20 characters`
fn bounds(words: &str) -> Option<Vec<(&'static str, Value)>> {
    let (range, [least, most]) = UNITS
        .iter()
        .find_map(|(units, keywords)| {
            units.iter().find_map(|unit| Some((words.strip_suffix(unit)?, *keywords)))
        })
        .unwrap_or((words, ["minimum", "maximum"]));
    if let Some(bound) = range.strip_prefix("at least ") {
        return Some(vec![(least, number(bound)?)]);
    }
    if let Some(bound) = range.strip_prefix("at most ") {
        return Some(vec![(most, number(bound)?)]);
    }
    if let Some(bound) = range.strip_prefix("exactly ") {
        let bound = number(bound)?;
        return Some(vec![(least, bound.clone()), (most, bound)]);
    }
    let (from, to) = range.split_once(" to ")?;
    Some(vec![(least, number(from)?), (most, number(to)?)])
}

const UNITS: [([&str; 2], [&str; 2]); 3] = [
    ([" characters", " character"], ["minLength", "maxLength"]),
    ([" items", " item"], ["minItems", "maxItems"]),
    ([" keys", " key"], ["minProperties", "maxProperties"]),
];

fn number(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_number)
}
