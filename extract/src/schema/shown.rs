//! The schema as an agent sees it: without parts that cost tokens but do not help a model.

use serde_json::Value;

use super::{aliases::drop_aliases, each, marks};

/// The bounds of integer types of 32 bits and more. Like the bounds of `f32`, they are still
/// enforced, but nobody exceeds them by mistake.
const WIDE: [i128; 6] = [
    i32::MIN as i128,
    i32::MAX as i128,
    u32::MAX as i128,
    i64::MIN as i128,
    i64::MAX as i128,
    u64::MAX as i128,
];

/// The largest number that rounds to a finite `f32`: one double below the middle between `f32::MAX`
/// and the next power of two. serde reads larger numbers as infinity.
pub(crate) const F32_MAX: f64 = 3.402_823_567_797_336_2e38;

/// `schema` as compact JSON, without `$schema`, without the bounds of wide number types, and with
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
            if let Some(name) = object.get("type").cloned() {
                object.retain(|key, value| !is_wide_bound(&name, key, value));
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

/// Returns whether `type_`, the `type` of a schema, includes `name`.
fn includes(type_: &Value, name: &str) -> bool {
    type_ == name || type_.as_array().is_some_and(|names| names.iter().any(|one| one == name))
}

/// Returns whether the keyword of a number only repeats the width of its Rust type. `type_` is the
/// `type` beside it.
pub(super) fn is_wide_bound(type_: &Value, keyword: &str, bound: &Value) -> bool {
    if !matches!(keyword, "minimum" | "maximum") {
        return false;
    }
    let whole = bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
    let is_of_integer = || whole.is_some_and(|bound| WIDE.contains(&bound));
    let is_of_f32 = || bound.as_f64().is_some_and(|bound| bound.abs() == F32_MAX);
    includes(type_, "integer") && is_of_integer() || includes(type_, "number") && is_of_f32()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    #[allow(clippy::cast_possible_truncation, reason = "the rounding is what is tested")]
    fn the_bound_of_f32_is_the_last_number_that_is_not_infinite() {
        assert_eq!((F32_MAX as f32, -F32_MAX as f32), (f32::MAX, f32::MIN));
        assert!((F32_MAX.next_up() as f32).is_infinite());
    }

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
    fn drops_the_bounds_of_wide_numbers_and_nothing_else() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                "small": {"type": "integer", "minimum": 0, "maximum": 255},
                "wide": {"type": "integer", "minimum": 1, "maximum": u32::MAX},
                "optional": {"type": ["integer", "null"], "minimum": i64::MIN, "maximum": i64::MAX},
                "amount": {"type": "number", "maximum": u32::MAX},
                "share": {"type": ["number", "null"], "minimum": 0, "maximum": F32_MAX},
                "word": {"const": {"type": "integer", "maximum": u32::MAX}},
            },
        });
        let expected = json!({
            "properties": {
                "small": {"type": "integer", "minimum": 0, "maximum": 255},
                "wide": {"type": "integer", "minimum": 1},
                "optional": {"type": ["integer", "null"]},
                "amount": {"type": "number", "maximum": u32::MAX},
                "share": {"type": ["number", "null"], "minimum": 0},
                "word": {"const": {"type": "integer", "maximum": u32::MAX}},
            },
        });
        assert_eq!(shown(&schema), expected.to_string());
    }
}
