//! The passages that a rejection is about.

use std::ops::Range;

use serde_json::Value;

use crate::{contract::Contract, document::Chunk, violation::Violation};

/// Maximum number of chunks that are shown again.
const MAX_CHUNKS: usize = 8;

/// All of a short document. Of a longer one the chunks in which the quotes of what is rejected stand: of the rejected
/// part of `value`, or of the nearest part around it that has quotes; without quotes the first ones.
pub(super) fn passages(
    contract: &Contract,
    value: &Value,
    violations: &[Violation],
    chunks: &[Chunk],
) -> Vec<Range<usize>> {
    if chunks.len() <= MAX_CHUNKS {
        return chunks.iter().map(Chunk::range).collect();
    }
    let rejected = violations.iter().filter(|violation| !violation.is_warning());
    let spans: Vec<_> =
        rejected.flat_map(|violation| contract.spans_around(value, &violation.path)).collect();
    let is_in_question = |chunk: &&Chunk| {
        let range = chunk.range();
        spans.is_empty() || spans.iter().any(|span| span.start() < range.end && range.start < span.end())
    };
    chunks.iter().filter(is_in_question).map(Chunk::range).take(MAX_CHUNKS).collect()
}
