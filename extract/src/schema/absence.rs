//! How a schema allows an answer to leave something out.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::view::keywords::{named, required};

/// Maximum depth of nested schemas that are searched.
const MAX_DEPTH: usize = 32;

/// Whether any value may be null, and whether any key may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AbsenceRules {
    pub(crate) as_null: bool,
    pub(crate) as_missing_key: bool,
}

/// Returns how `schema` allows parts of an answer to be absent.
pub(crate) fn absence(schema: &Value) -> AbsenceRules {
    let mut found = AbsenceRules::default();
    search(schema, MAX_DEPTH, &mut found);
    found
}

fn search(schema: &Value, depth: usize, found: &mut AbsenceRules) {
    let Some(object) = schema.as_object().filter(|_| depth > 0) else { return };
    found.as_null |= says_of_null(object) == Some(true);
    let required: HashSet<&str> = required(object).collect();
    found.as_missing_key |= named(object, "properties").any(|(key, _)| !required.contains(key.as_str()));
    for (keyword, part) in object {
        match (keyword.as_str(), part) {
            // These do not describe the value of a key.
            ("const" | "enum" | "default" | "examples" | "not" | "if" | "propertyNames", _) => {}
            ("properties" | "$defs" | "patternProperties", Value::Object(named)) => {
                named.values().for_each(|part| search(part, depth - 1, found));
            }
            (_, Value::Array(parts)) => parts.iter().for_each(|part| search(part, depth - 1, found)),
            (_, part) => search(part, depth - 1, found),
        }
    }
}

/// Returns whether `object` itself, without its parts, allows null; `None` if it does not say.
pub(crate) fn says_of_null(object: &Map<String, Value>) -> Option<bool> {
    let takes = |keyword: &str, value: &Value| match (keyword, value) {
        ("enum", Value::Array(values)) => values.iter().any(Value::is_null),
        ("type", Value::Array(names)) => names.iter().any(|name| name == "null"),
        ("type", name) => name == "null",
        (_, value) => value.is_null(),
    };
    let said = ["type", "enum", "const"].into_iter();
    said.filter_map(|keyword| Some(takes(keyword, object.get(keyword)?))).reduce(|one, other| one && other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value) -> (bool, bool) {
        let AbsenceRules { as_null, as_missing_key } = absence(schema);
        (as_null, as_missing_key)
    }

    #[test]
    fn null_is_found_in_types_unions_and_lists_of_values() {
        for nullable in [
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}),
            json!({"enum": ["a", null]}),
            json!({"const": null}),
            json!({"type": "array", "items": {"additionalProperties": {"type": ["integer", "null"]}}}),
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": ["integer", "null"]}}}),
        ] {
            assert_eq!(of(&nullable), (true, false), "{nullable}");
        }
    }

    #[test]
    fn null_may_stand_where_every_keyword_takes_it() {
        for (schema, expected) in [
            (json!({"type": ["string", "null"], "enum": ["a", null]}), Some(true)),
            (json!({"type": "null", "const": null}), Some(true)),
            (json!({"type": "string", "enum": ["a", null]}), Some(false)),
            (json!({"type": ["string", "null"], "enum": ["a"]}), Some(false)),
            (json!({"type": ["string", "null"], "const": "a"}), Some(false)),
            (json!({"minLength": 1}), None),
        ] {
            assert_eq!(says_of_null(schema.as_object().unwrap()), expected, "{schema}");
        }
    }

    #[test]
    fn a_key_that_is_not_required_may_be_missing() {
        let schema =
            |required: &[&str]| json!({"properties": {"a": {"type": "string"}}, "required": required});
        assert_eq!(of(&schema(&[])), (false, true));
        assert_eq!(of(&schema(&["a"])), (false, false));
        assert_eq!(of(&json!({"oneOf": [{"type": "string"}, schema(&[])]})), (false, true));
    }

    #[test]
    fn schemas_of_other_values_are_ignored() {
        let silent = json!({
            "enum": [{"properties": {"a": {"type": "null"}}}],
            "not": {"type": "null"},
            "default": {"type": ["null"]},
        });
        assert_eq!(of(&silent), (false, false));
        assert_eq!(of(&json!({"type": "object", "properties": {"const": {"type": "null"}}})), (true, true));
        let mut deep = json!({"type": "null"});
        for _ in 0..200 {
            deep = json!({"items": deep});
        }
        assert_eq!(of(&deep), (false, false));
    }
}
