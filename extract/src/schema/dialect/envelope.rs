//! Wraps an answer that is not an object into one, for providers that take only schemas of objects.

use serde_json::Value;

/// The only key of the wrapper.
pub(super) const KEY: &str = "answer";

/// The tokens of the wrapper before the answer.
pub(crate) const TOKENS_BEFORE: [&str; 3] = ["{", "\"answer\"", ":"];

/// Returns whether a schema uses the wrapper's key, which would make a reply ambiguous.
pub(super) fn uses_key(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, value)| key == KEY || uses_key(value)),
        Value::Array(list) => list.iter().any(uses_key),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::dialect::{Dialect, Projection};

    fn offered(schema: &Value) -> Projection {
        Dialect::OpenAi.offer(schema).unwrap()
    }

    #[test]
    fn the_tokens_are_those_of_the_key() {
        assert_eq!(TOKENS_BEFORE.concat() + "1}", json!({KEY: 1}).to_string());
    }

    #[test]
    fn references_mean_the_same_inside_the_wrapper() {
        let definitions =
            json!({"A": {"$anchor": "a", "type": "array", "items": {"$ref": "#"}}, "B": {"type": "string"}});
        for reference in ["#/$defs/A", "#a"] {
            let root = json!({"anyOf": [{"$ref": reference}, {"$ref": "#/$defs/B"}], "$defs": definitions});
            let offered = offered(&root);
            assert!(offered.is_enveloped);
            let validator = jsonschema::draft202012::new(&offered.schema).unwrap();
            assert!(validator.is_valid(&json!({"answer": [["a"], "b"]})), "{}", offered.schema);
            assert!(!validator.is_valid(&json!({"answer": [[1], "b"]})), "{}", offered.schema);
        }
    }

    #[test]
    fn a_schema_with_the_same_key_stays_outside() {
        let schema = json!({"type": "array", "items": {"properties": {"answer": {"type": "string"}}}});
        assert_eq!(
            Dialect::OpenAi.offer(&schema).unwrap_err().to_string(),
            "$: the root is not an object, and it uses the key of the object around it"
        );
        assert!(uses_key(&schema) && !uses_key(&json!({"items": [{"enum": ["answer"]}]})));
    }

    #[test]
    fn the_reason_is_that_of_the_answer() {
        let values: Vec<_> = (0..1_200).map(|n| n.to_string()).collect();
        for (schema, reason) in [
            (json!({"enum": values}), "$: 1200 values of enums, of which there may be 1000"),
            (
                json!({"type": "array", "items": {"enum": values}}),
                "$: 1200 values of enums, of which there may be 1000",
            ),
            (
                json!({"type": "array", "items": {"type": "object", "properties": {"answer": {"enum": values}}, "required": ["answer"]}}),
                "$: 1200 values of enums, of which there may be 1000",
            ),
            (
                json!({"anyOf": [{"type": "object", "properties": {"a": {"enum": values}}, "required": ["a"]}, {"type": "null"}]}),
                "$: 1200 values of enums, of which there may be 1000",
            ),
            (json!({"type": "array"}), "$: a value of any type"),
        ] {
            assert_eq!(Dialect::OpenAi.offer(&schema).unwrap_err().to_string(), reason);
        }
    }
}
