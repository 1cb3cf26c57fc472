//! Values that are read and written again.

use serde::Serialize;
use serde_json::Value;

use crate::{contract::Contract, extractable::Extractable};

/// Reads a value and writes it again. `None` if serde does not read it, and why it cannot be
/// written.
pub(super) type RoundTrip = fn(&Value) -> Option<Result<Value, String>>;

/// Reads a `T` and writes it again.
pub(super) fn written<T: Extractable + Serialize>(value: &Value) -> Option<Result<Value, String>> {
    let read = T::deserialize(value).ok()?;
    Some(serde_json::to_value(read).map_err(|error| error.to_string()))
}

/// Returns the problem with `value` after it was read and written, if any.
pub(super) fn round_trip(contract: &Contract, write: RoundTrip, value: &Value) -> Option<String> {
    let json = match write(value)? {
        Ok(json) => json,
        Err(error) => return Some(format!("the example cannot be serialized again: {error}")),
    };
    if let Some(violation) = contract.validate(&json).iter().find(|violation| !violation.is_warning()) {
        return Some(format!("the example is rejected after a round trip: {violation}; it became {json}"));
    }
    let again = write(&json).and_then(Result::ok);
    (again.as_ref() != Some(&json))
        .then(|| format!("the example changes with every round trip; it became {json}"))
}
