//! The passages that a rejection is about.

use std::ops::Range;

use serde_json::Value;

use crate::{contract::Contract, document::Chunk, vocabulary::violation::Violation};

/// Maximum number of chunks that are shown again.
const MAX_CHUNKS: usize = 8;

/// All of a short document. For a longer one, the chunks that contain the quotes of the rejected
/// parts of `value`. A rejected part without quotes counts as the nearest enclosing part that has
/// some; without any quotes, the first chunks are shown. Adjacent chunks form one passage.
pub(super) fn passages(
    contract: &Contract,
    value: &Value,
    violations: &[Violation],
    chunks: &[Chunk],
) -> Vec<Range<usize>> {
    let is_long = chunks.len() > MAX_CHUNKS;
    let rejected = violations.iter().filter(|violation| is_long && !violation.is_warning());
    let spans: Vec<_> =
        rejected.flat_map(|violation| contract.spans_around(value, &violation.path)).collect();
    let is_in_question = |chunk: &&Chunk| {
        let range = chunk.range();
        spans.is_empty() || spans.iter().any(|span| span.start() < range.end && range.start < span.end())
    };
    let mut passages = Vec::new();
    for chunk in chunks.iter().filter(is_in_question).take(MAX_CHUNKS) {
        join(&mut passages, chunk.range());
    }
    passages
}

/// Adds a range, and joins it with the last one if they are adjacent.
pub(super) fn join(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut().filter(|last| last.end == range.start) {
        Some(last) => last.end = range.end,
        None => ranges.push(range),
    }
}
