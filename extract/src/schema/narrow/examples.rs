//! Examples of the values around a narrowed part.

use serde_json::Value;

use crate::vocabulary::path::PatternStep;

/// Returns whether `allows` accepts every value at `steps` in `value`.
pub(super) fn conforms(value: &Value, steps: &[PatternStep], allows: &dyn Fn(&Value) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return allows(value) };
    let conforms = |value: &Value| conforms(value, rest, allows);
    match (step, value) {
        (PatternStep::Key(key), Value::Object(object)) => object.get(key.as_str()).is_none_or(conforms),
        (PatternStep::Index(index), Value::Array(list)) => list.get(*index).is_none_or(conforms),
        (PatternStep::Each, Value::Array(list)) => list.iter().all(conforms),
        (PatternStep::Each, Value::Object(object)) => object.values().all(conforms),
        _ => true,
    }
}
