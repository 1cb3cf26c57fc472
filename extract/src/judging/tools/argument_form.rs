//! The schema of a value in the form of a tool's arguments, which are an object.

use serde_json::{Map, Value, json};

use crate::schema::{REFERENCES, decoded, shown};

/// The argument for a value that cannot itself be the arguments.
pub(super) const KEY: &str = "value";

/// Keywords that Anthropic, OpenAI and Gemini refuse beside the `type` of a tool's arguments.
const NOT_AT_THE_ROOT: [&str; 8] = ["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"];

/// Keywords that hold values, not schemas.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// Keywords that hold schemas under the user's own names.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// How a value is passed in the arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArgumentForm {
    /// As the arguments: each field is one argument.
    Plain,
    /// As the argument [`KEY`].
    Wrapped,
}

impl ArgumentForm {
    pub(super) fn of(schema: &Value) -> Self {
        if is_plain(schema) { Self::Plain } else { Self::Wrapped }
    }

    /// The argument that contains the value; `None` if the value is all of the arguments.
    pub(super) fn argument(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Wrapped => Some(KEY),
        }
    }

    /// The schema of the arguments for a value of `schema`.
    pub(super) fn schema(self, schema: &Value) -> Value {
        match self {
            Self::Plain => without_noise(schema),
            Self::Wrapped => {
                let mut wrapped = with_part(json!({"type": "object", "properties": {}}), KEY, schema);
                wrapped["required"] = json!([KEY]);
                wrapped
            }
        }
    }
}

/// Returns whether every provider accepts `schema` for the arguments of a tool.
fn is_plain(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let is_object = object.get("type").is_some_and(|name| name == "object");
    let has_properties = object.get("properties").and_then(Value::as_object).is_some_and(|properties| {
        !properties.is_empty() && properties.keys().all(|name| is_plain_name(name))
    });
    is_object && has_properties && !NOT_AT_THE_ROOT.iter().any(|keyword| object.contains_key(*keyword))
}

/// Anthropic accepts `^[a-zA-Z0-9_.-]{1,64}$` as the name of an argument.
fn is_plain_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

fn without_noise(schema: &Value) -> Value {
    serde_json::from_str(&shown(schema)).unwrap_or_else(|_| schema.clone())
}

/// `object`, the schema of an object, with `schema` for its property `key`. Definitions move to the
/// root, where references to them point.
pub(super) fn with_part(mut object: Value, key: &str, schema: &Value) -> Value {
    let mut part = without_noise(schema);
    // A schema with an identifier is the root of its own references, wherever it is.
    if part.get("$id").is_none() {
        rebase(&mut part, &format!("#/properties/{key}"));
        if let Some(definitions) = part.as_object_mut().and_then(|part| part.shift_remove("$defs")) {
            object["$defs"] = definitions;
        }
    }
    object["properties"][key] = part;
    object
}

/// Redirects references from the root to `root`, except those to definitions.
fn rebase(schema: &mut Value, root: &str) {
    match schema {
        Value::Object(object) => rebase_object(object, root),
        Value::Array(list) => list.iter_mut().for_each(|schema| rebase(schema, root)),
        _ => {}
    }
}

fn rebase_object(object: &mut Map<String, Value>, root: &str) {
    for (keyword, value) in object {
        match value {
            Value::String(reference) if REFERENCES.contains(&keyword.as_str()) => {
                let pointer =
                    reference.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/'));
                if let Some(pointer) = pointer.filter(|pointer| !decoded(pointer).starts_with("/$defs/")) {
                    *reference = format!("{root}{pointer}");
                }
            }
            _ if VALUES.contains(&keyword.as_str()) => {}
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                named.values_mut().for_each(|schema| rebase(schema, root));
            }
            value => rebase(value, root),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(schema: &Value) -> Value {
        ArgumentForm::of(schema).schema(schema)
    }

    #[test]
    fn an_object_is_the_arguments_itself() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"total": {"type": "number"}},
        });
        assert_eq!(input(&schema), json!({"type": "object", "properties": {"total": {"type": "number"}}}));
    }

    #[test]
    fn what_providers_refuse_as_arguments_is_wrapped() {
        for schema in [
            json!(true),
            json!({"type": "integer"}),
            json!({"type": ["object", "null"], "properties": {"a": {}}}),
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "properties": {"größe": {}}}),
            json!({"type": "object", "properties": {"a": {}}, "oneOf": [{}, {}]}),
            json!({"type": "object", "properties": {"a": {}}, "$ref": "#/$defs/a", "$defs": {"a": {}}}),
        ] {
            let wrapped = input(&schema);
            assert_eq!(wrapped["type"], "object", "{schema}");
            assert_eq!(wrapped["required"], json!(["value"]), "{schema}");
            assert!(wrapped.get("oneOf").is_none() && wrapped.get("$ref").is_none(), "{wrapped}");
        }
    }

    #[test]
    fn references_still_point_to_what_they_did() {
        let schema = json!({
            "anyOf": [
                {"$ref": "#/$defs/leaf"},
                {
                    "type": "object",
                    "properties": {"left": {"$ref": "#"}, "default": {"$ref": "#"}, "named": {"$ref": "#leaf"}},
                    "default": {"$ref": "#"},
                },
            ],
            "$defs": {"leaf": {"$anchor": "leaf", "type": "integer"}, "root": {"$ref": "#"}},
        });
        let branch = json!({
            "type": "object",
            "properties": {
                "left": {"$ref": "#/properties/value"},
                "default": {"$ref": "#/properties/value"},
                "named": {"$ref": "#leaf"},
            },
            "default": {"$ref": "#"},
        });
        let wrapped = input(&schema);
        assert_eq!(wrapped["properties"]["value"], json!({"anyOf": [{"$ref": "#/$defs/leaf"}, branch]}));
        let leaf = json!({"$anchor": "leaf", "type": "integer"});
        assert_eq!(wrapped["$defs"], json!({"leaf": leaf, "root": {"$ref": "#/properties/value"}}));

        let validator = jsonschema::draft202012::new(&wrapped).unwrap();
        assert!(validator.is_valid(&json!({"value": {"left": {"left": 3}}})));
        assert!(!validator.is_valid(&json!({"value": {"left": {"left": "3"}}})));
    }

    #[test]
    fn a_schema_with_an_identifier_keeps_its_references() {
        let schema = json!({
            "$id": "https://example.com/tree",
            "type": "array",
            "items": {"$ref": "#/$defs/tree"},
            "$defs": {"tree": {"type": "array", "items": {"$ref": "#"}}},
        });
        let wrapped = input(&schema);
        assert_eq!(wrapped["properties"]["value"], schema);
        let validator = jsonschema::draft202012::new(&wrapped).unwrap();
        assert!(validator.is_valid(&json!({"value": [[[]]]})));
        assert!(!validator.is_valid(&json!({"value": [3]})));
    }
}
