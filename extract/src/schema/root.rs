//! What the whole of an answer is.

use serde_json::Value;

/// References and unions inside each other that are followed.
const MAX_STEPS: usize = 16;

/// `object` or `array` where `schema` takes nothing else, else `value`.
pub(crate) fn root(schema: &Value) -> &'static str {
    only(schema, schema, MAX_STEPS).unwrap_or("value")
}

fn only(root: &Value, schema: &Value, steps: usize) -> Option<&'static str> {
    let object = schema.as_object().filter(|_| steps > 0)?;
    if let Some(name) = object.get("type") {
        return match name.as_str()? {
            "object" => Some("object"),
            "array" => Some("array"),
            _ => None,
        };
    }
    if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
        return only(root, root.pointer(reference.strip_prefix('#')?)?, steps - 1);
    }
    let branches = object.get("oneOf").or_else(|| object.get("anyOf"))?.as_array()?;
    let mut names = branches.iter().map(|branch| only(root, branch, steps - 1));
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_what_every_answer_is() {
        let (object, array) = (json!({"type": "object"}), json!({"type": "array"}));
        assert_eq!((root(&object), root(&array)), ("object", "array"));
        assert_eq!(
            root(&json!({"anyOf": [object, {"$ref": "#/$defs/A"}], "$defs": {"A": object}})),
            "object"
        );
        for other in [
            json!({"oneOf": [object, array]}),
            json!({"anyOf": [object, {"type": "null"}]}),
            json!({"type": ["object", "null"]}),
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/missing"}),
            json!({"anyOf": []}),
            json!(true),
        ] {
            assert_eq!(root(&other), "value", "{other}");
        }
    }
}
