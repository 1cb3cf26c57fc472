//! Wraps an answer that is not an object into one, for providers that take only schemas of objects.

use serde_json::{Map, Value, json};

use super::{projection::Projection, unenforced::UnenforcedConstraint};
use crate::path::{Path, Segment};

/// The only key of the wrapper.
const KEY: &str = "answer";

/// The tokens of the wrapper before the answer.
#[cfg(any(feature = "genai", feature = "rig", test))]
pub(crate) const TOKENS_BEFORE: [&str; 3] = ["{", "\"answer\"", ":"];

/// References with this prefix mean the same inside the wrapper.
const KEPT_REFERENCES: &str = "#/$defs/";

/// The schema of an object with the answer under [`KEY`]. `None` if a reference would change its
/// meaning inside it, or if the schema uses the same key, which would make a reply ambiguous.
pub(super) fn enveloped(schema: &Value) -> Option<Value> {
    if !may_be_inside(schema) {
        return None;
    }
    let mut inner = schema.as_object()?.clone();
    let definitions = inner.shift_remove("$defs");
    let mut outer = Map::new();
    outer.insert("type".to_owned(), json!("object"));
    outer.insert("properties".to_owned(), json!({KEY: inner}));
    outer.insert("required".to_owned(), json!([KEY]));
    outer.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
    Some(Value::Object(outer))
}

fn may_be_inside(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().all(|(key, value)| match (key.as_str(), value) {
            (KEY | "$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor", _) => false,
            ("$ref", Value::String(reference)) => reference.starts_with(KEPT_REFERENCES),
            (_, value) => may_be_inside(value),
        }),
        Value::Array(list) => list.iter().all(may_be_inside),
        _ => true,
    }
}

/// Rewrites the unenforced constraints of a wrapped schema to paths in the answer.
pub(super) fn opened(projection: Projection) -> Projection {
    let unenforced = projection.unenforced.into_iter().map(|constraint| {
        let path = match constraint.path.segments() {
            [Segment::Key(properties), Segment::Key(key), inside @ ..]
                if **properties == *"properties" && **key == *KEY =>
            {
                inside.iter().cloned().fold(Path::root(), Path::step)
            }
            _ => constraint.path,
        };
        UnenforcedConstraint { path, ..constraint }
    });
    Projection { unenforced: unenforced.collect(), is_enveloped: true, ..projection }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_are_those_of_the_key() {
        assert_eq!(TOKENS_BEFORE.concat() + "1}", json!({KEY: 1}).to_string());
    }

    #[test]
    fn references_into_definitions_stay_what_they_are() {
        let schema =
            json!({"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "string"}}});
        let expected = json!({
            "type": "object",
            "properties": {"answer": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
            "required": ["answer"],
            "$defs": {"A": {"type": "string"}},
        });
        assert_eq!(enveloped(&schema), Some(expected));
    }

    #[test]
    fn what_would_mean_something_else_stays_outside() {
        for schema in [
            json!({"type": "array", "items": {"$ref": "#"}}),
            json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/anyOf/0"}}]}),
            json!({"type": "array", "items": {"properties": {"answer": {"type": "string"}}}}),
            json!({"$anchor": "all", "type": "array"}),
            json!(true),
        ] {
            assert_eq!(enveloped(&schema), None, "{schema}");
        }
    }
}
