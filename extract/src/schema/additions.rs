//! Adding to the keywords of a schema.

use serde_json::{Map, Value};

/// Returns the part of a schema under `name`. If absent, `new` makes it.
pub(super) fn part<'o>(
    object: &'o mut Map<String, Value>,
    name: &str,
    new: impl FnOnce() -> Value,
) -> &'o mut Value {
    object.entry(name).or_insert_with(new)
}

/// Adds to a list in a schema.
pub(super) fn push(object: &mut Map<String, Value>, name: &str, value: Value) {
    if let Value::Array(list) = part(object, name, || Value::Array(Vec::new())) {
        list.push(value);
    }
}
