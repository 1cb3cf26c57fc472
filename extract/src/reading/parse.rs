//! Strict JSON, from a place in a text on.

use std::ops::Range;

use serde_json::{Deserializer, Value};

/// Why no value starts at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// Bytes that were looked at to find out.
    pub(super) cost: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The text ends inside the value that starts at this byte.
    Unfinished { start: usize },
    /// It is not JSON.
    Syntax { reason: String },
}

/// The value that starts at byte `start` of `text`, and the bytes it takes.
///
/// Depth is bounded by `serde_json`, at 128 levels.
pub(super) fn value_at(text: &str, start: usize) -> Result<(Value, Range<usize>), Failure> {
    let rest = &text[start..];
    let mut values = Deserializer::from_str(rest).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Ok((value, start..start + values.byte_offset())),
        Some(Err(error)) if !error.is_eof() => {
            let cost = offset(rest, error.line(), error.column());
            Err(Failure { kind: FailureKind::Syntax { reason: error.to_string() }, cost })
        }
        _ => Err(Failure { kind: FailureKind::Unfinished { start }, cost: rest.len() }),
    }
}

/// The byte at `line` and `column`, both from 1, as `serde_json` counts them.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    before + column
}
