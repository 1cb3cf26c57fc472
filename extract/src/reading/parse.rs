//! Strict JSON, from a place in a text on.

use std::ops::Range;

use serde_json::{Deserializer, Value};

/// Why no value starts at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The text ends inside the value that starts at this byte.
    Unfinished { start: usize },
    /// It is not JSON.
    Syntax { reason: String },
}

/// The value that starts at byte `start` of `text`, and the bytes it takes.
///
/// Depth is bounded by `serde_json`, at 128 levels.
pub(super) fn value_at(text: &str, start: usize) -> Result<(Value, Range<usize>), Failure> {
    let mut values = Deserializer::from_str(&text[start..]).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Ok((value, start..start + values.byte_offset())),
        Some(Err(error)) if error.is_eof() => Err(Failure::Unfinished { start }),
        Some(Err(error)) => Err(Failure::Syntax { reason: error.to_string() }),
        None => Err(Failure::Unfinished { start }),
    }
}
