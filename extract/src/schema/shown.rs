//! The schema as an agent sees it: without parts that cost tokens but do not help a model.

use serde_json::Value;

use super::{aliases::drop_aliases, each::each, marks};

/// The bounds of integer types of 32 bits and more. They are still enforced, but nobody exceeds
/// them by mistake.
const WIDE: [i128; 6] = [
    i32::MIN as i128,
    i32::MAX as i128,
    u32::MAX as i128,
    i64::MIN as i128,
    i64::MAX as i128,
    u64::MAX as i128,
];

/// `schema` as compact JSON, without `$schema`, without the bounds of wide integer types, and with
/// only one name for each field.
pub(crate) fn shown(schema: &Value) -> String {
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("$schema");
    }
    drop_marks(&mut schema);
    drop_aliases(&mut schema);
    drop_wide_bounds(&mut schema);
    schema.to_string()
}

/// Removes the keywords of this library.
pub(crate) fn drop_marks(schema: &mut Value) {
    each(schema, &mut |object| {
        for mark in marks::ALL {
            object.shift_remove(mark);
        }
    });
}

fn drop_wide_bounds(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("type").is_some_and(is_integer) {
                object.retain(|key, value| !is_wide_bound(key, value));
            }
            object
                .iter_mut()
                .filter(|(key, _)| !matches!(key.as_str(), "const" | "enum" | "examples" | "default"))
                .for_each(|(_, value)| drop_wide_bounds(value));
        }
        Value::Array(list) => list.iter_mut().for_each(drop_wide_bounds),
        _ => {}
    }
}

/// Whether `schema`'s `type` allows integers.
pub(super) fn is_integer(name: &Value) -> bool {
    name == "integer" || name.as_array().is_some_and(|names| names.iter().any(|name| name == "integer"))
}

/// Whether the keyword of an integer only repeats the width of its type.
pub(super) fn is_wide_bound(keyword: &str, bound: &Value) -> bool {
    if !matches!(keyword, "minimum" | "maximum") {
        return false;
    }
    let bound = bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
    bound.is_some_and(|bound| WIDE.contains(&bound))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn drops_marks_and_not_what_has_their_name() {
        let mut schema = json!({
            "x-sensitive": true,
            "properties": {"x-sensitive": true, "pin": {"type": "string", "x-sensitive": true}},
            "examples": [{"x-sensitive": true}],
            "anyOf": [{"x-sensitive": true}],
        });
        drop_marks(&mut schema);
        let expected = json!({
            "properties": {"x-sensitive": true, "pin": {"type": "string"}},
            "examples": [{"x-sensitive": true}],
            "anyOf": [{}],
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn drops_the_bounds_of_wide_integers_and_nothing_else() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                "small": {"type": "integer", "minimum": 0, "maximum": 255},
                "wide": {"type": "integer", "minimum": 1, "maximum": u32::MAX},
                "optional": {"type": ["integer", "null"], "minimum": i64::MIN, "maximum": i64::MAX},
                "amount": {"type": "number", "maximum": u32::MAX},
                "word": {"const": {"type": "integer", "maximum": u32::MAX}},
            },
        });
        let expected = json!({
            "properties": {
                "small": {"type": "integer", "minimum": 0, "maximum": 255},
                "wide": {"type": "integer", "minimum": 1},
                "optional": {"type": ["integer", "null"]},
                "amount": {"type": "number", "maximum": u32::MAX},
                "word": {"const": {"type": "integer", "maximum": u32::MAX}},
            },
        });
        assert_eq!(shown(&schema), expected.to_string());
    }
}
