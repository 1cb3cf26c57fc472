//! The values inside a value.

use std::iter::from_fn;

use serde_json::Value;

/// Returns `value` and all values inside it, in no certain order.
pub(crate) fn all_values(value: &Value) -> impl Iterator<Item = &Value> {
    let mut left = vec![value];
    from_fn(move || {
        let value = left.pop()?;
        match value {
            Value::Array(list) => left.extend(list),
            Value::Object(object) => left.extend(object.values()),
            _ => {}
        }
        Some(value)
    })
}
