//! `type`, where the value alone decides.

use serde_json::Value;

/// Whether a value is of a type; `None` if the validator has to decide.
pub(super) type TypeTest = fn(&Value) -> Option<bool>;

/// The type of `schema`, if it names one.
pub(super) fn of(schema: &Value) -> Option<TypeTest> {
    Some(match schema.get("type")?.as_str()? {
        "null" => |value| Some(value.is_null()),
        "boolean" => |value| Some(value.is_boolean()),
        "string" => |value| Some(value.is_string()),
        "array" => |value| Some(value.is_array()),
        "object" => |value| Some(value.is_object()),
        "number" => |value| Some(value.is_number()),
        "integer" => |value| match value {
            // It may be written as `1.0`.
            Value::Number(number) => (!number.is_f64()).then_some(true),
            _ => Some(false),
        },
        _ => return None,
    })
}

/// Returns whether `schema` names one type and `value` has another. This rules out most of a
/// thousand alternatives.
pub(crate) fn is_plainly_wrong(value: &Value, schema: &Value) -> bool {
    of(schema).and_then(|type_| type_(value)) == Some(false)
}
