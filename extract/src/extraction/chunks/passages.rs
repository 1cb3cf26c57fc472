//! The passages that a rejection is about.

use std::ops::Range;

use serde_json::Value;

use crate::{contract::Contract, document::Chunk, violation::Violation};

/// Maximum number of chunks that are shown again.
const MAX_CHUNKS: usize = 8;

/// All of a short document. Of a longer one the chunks in which the quotes of what is rejected stand: of the rejected
/// part of `value`, or of the nearest part around it that has quotes; without quotes the first ones. Chunks
/// that follow each other are one passage.
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

/// Adds a range, as one with the last if it follows at once.
pub(super) fn join(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut().filter(|last| last.end == range.start) {
        Some(last) => last.end = range.end,
        None => ranges.push(range),
    }
}
