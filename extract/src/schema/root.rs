//! The type of a whole answer.

use serde_json::{Map, Value};

use super::view::{MAX_CHAIN, SchemaView, reference};

/// `object` or `array` if `schema` allows nothing else, else `value`.
pub(crate) fn root(schema: &Value) -> &'static str {
    only(&SchemaView::of(schema), schema, MAX_CHAIN).unwrap_or("value")
}

fn only<'s>(view: &SchemaView<'s>, schema: &'s Value, steps: usize) -> Option<&'static str> {
    let is_telling = |object: &Map<String, Value>| object.contains_key("type") || reference(object).is_none();
    let mut chain = view.chain(schema).filter_map(Value::as_object);
    let object = chain.find(|object| is_telling(object)).filter(|_| steps > 0)?;
    if let Some(name) = object.get("type") {
        return match name.as_str()? {
            "object" => Some("object"),
            "array" => Some("array"),
            _ => None,
        };
    }
    let branches = object.get("oneOf").or_else(|| object.get("anyOf"))?.as_array()?;
    let mut names = branches.iter().map(|branch| only(view, branch, steps - 1));
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
