//! Schemas whose strings are quotes of the document, and their answers without the quotes.

use serde_json::{Map, Value, json};

/// How to ask for strings that the schema does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// As they are.
    #[default]
    Plain,
    /// As quotes of the document.
    Quotes,
    /// As values, each with a quote that supports it.
    Grounded,
}

const COPIED: &str = "words copied from the text exactly as they stand there";

impl Quoting {
    /// `schema` with its strings in this form.
    pub(crate) fn schema(self, schema: &Value) -> Value {
        let mut quoted = self.part(schema);
        if self == Self::Grounded
            && let Value::Object(root) = &mut quoted
        {
            root.entry("$defs").or_insert_with(|| json!({}))["Grounded"] = json!({
                "type": "object",
                "properties": {
                    "value": {"type": "string"},
                    "quote": {
                        "type": "string",
                        "minLength": 1,
                        "description": format!("{COPIED}, that show the value"),
                        "x-quote": true,
                    },
                },
                "required": ["value", "quote"],
                "additionalProperties": false,
                "x-grounded": true,
            });
        }
        quoted
    }

    /// The right answer `gold` to `schema` in this form, for a worked example. Its strings must be
    /// words of the document.
    pub(crate) fn answer(self, schema: &Value, gold: &Value) -> Value {
        match (gold, schema) {
            (Value::String(words), Value::Object(object))
                if self == Self::Grounded && is_free_string(object) =>
            {
                json!({"value": words, "quote": words})
            }
            (Value::Object(members), _) => members
                .iter()
                .map(|(key, member)| (key.clone(), self.answer(&schema["properties"][key], member)))
                .collect(),
            (Value::Array(list), _) => list.iter().map(|item| self.answer(&schema["items"], item)).collect(),
            (scalar, _) => scalar.clone(),
        }
    }

    fn part(self, schema: &Value) -> Value {
        match schema {
            Value::Object(object) if self != Self::Plain && is_free_string(object) => self.string(object),
            Value::Object(object) => {
                object.iter().map(|(key, part)| (key.clone(), self.part(part))).collect()
            }
            Value::Array(list) => list.iter().map(|part| self.part(part)).collect(),
            scalar => scalar.clone(),
        }
    }

    fn string(self, schema: &Map<String, Value>) -> Value {
        let mut schema = schema.clone();
        if self == Self::Quotes {
            schema.entry("description").or_insert_with(|| COPIED.into());
            schema.insert("x-quote".to_owned(), true.into());
            return schema.into();
        }
        let mut branches = vec![json!({"$ref": "#/$defs/Grounded"})];
        if schema["type"].as_array().is_some_and(|types| types.contains(&"null".into())) {
            branches.push(json!({"type": "null"}));
        }
        schema.shift_remove("type");
        schema.insert("anyOf".to_owned(), branches.into());
        schema.into()
    }
}

/// Whether a schema is that of any string, or null.
fn is_free_string(schema: &Map<String, Value>) -> bool {
    let is_string = |kind: &Value| kind == "string" || kind == "null";
    let is_listed = schema.contains_key("enum") || schema.contains_key("const");
    !is_listed
        && match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.contains(&"string".into()) && kinds.iter().all(is_string),
            Some(kind) => kind == "string",
            None => false,
        }
}

/// `value` without the places of its quotes and the quotes of its values.
pub(crate) fn plain(value: Value) -> Value {
    match value {
        Value::Object(mut object) if object.contains_key("words") && object.contains_key("span") => {
            object.shift_remove("words").unwrap_or_default()
        }
        Value::Object(mut object) if object.contains_key("value") && object.contains_key("quote") => {
            object.shift_remove("value").unwrap_or_default()
        }
        Value::Object(object) => object.into_iter().map(|(key, part)| (key, plain(part))).collect(),
        Value::Array(list) => list.into_iter().map(plain).collect(),
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_not_listed_become_quotes() {
        let schema = json!({"type": "object", "properties": {
            "city": {"type": ["string", "null"], "description": "where"},
            "intent": {"type": "string", "enum": ["a"]},
        }});
        let quotes = Quoting::Quotes.schema(&schema);
        assert_eq!(quotes["properties"]["city"]["x-quote"], true);
        assert_eq!(quotes["properties"]["intent"], schema["properties"]["intent"]);
        let grounded = Quoting::Grounded.schema(&schema);
        assert_eq!(
            grounded["properties"]["city"],
            json!({"description": "where", "anyOf": [{"$ref": "#/$defs/Grounded"}, {"type": "null"}]})
        );
        let gold = json!({"city": "Rome", "intent": "a"});
        let grounded = json!({"city": {"value": "Rome", "quote": "Rome"}, "intent": "a"});
        assert_eq!(Quoting::Grounded.answer(&schema, &gold), grounded);
        assert_eq!(Quoting::Quotes.answer(&schema, &gold), gold);
        assert_eq!(Quoting::Plain.schema(&schema), schema);
        assert_eq!(
            plain(
                json!({"a": {"value": 1, "quote": {"words": "1", "span": 0}}, "b": [{"words": "x", "span": 0}]})
            ),
            json!({"a": 1, "b": ["x"]})
        );
    }
}
