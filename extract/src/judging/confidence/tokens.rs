//! Aligns the tokens of a reply with the leaves that were read from it.

use std::ops::Range;

use serde_json::Value;

use crate::{
    agent::TokenProbability, attempt::AttemptRecord, metrics::TokenEvidence, reading::LeafSpans,
    vocabulary::path::Path,
};

/// The tokens of one reply, and where the leaves of its value are.
pub(super) struct RecordTokens {
    /// In order, and without overlaps.
    tokens: Vec<TokenProbability>,
    spans: LeafSpans,
}

impl RecordTokens {
    pub(super) fn new(record: &AttemptRecord, spans: LeafSpans) -> Self {
        Self { tokens: in_order(&record.token_probabilities, record.raw_output.len()), spans }
    }

    /// Returns the tokens of the leaf at `path`, if it has the value `leaf` there and tokens cover
    /// all of its bytes.
    pub(super) fn at(&self, path: &Path, leaf: &Value) -> Option<TokenEvidence> {
        let (span, read) = self.spans.get(path)?;
        if read != leaf {
            return None;
        }
        let tokens = self.within(span);
        if !is_covered(span, tokens) {
            return None;
        }
        let chosen = || tokens.iter().filter(|token| !token.is_forced);
        let evidence = TokenEvidence::of(chosen().map(TokenProbability::choice))?;
        if chosen().all(|token| token.constrained.is_none()) {
            return Some(evidence);
        }
        Some(evidence.with_among_all(chosen().map(|token| token.log_probability).sum()))
    }

    /// The tokens with bytes in `span`.
    fn within(&self, span: &Range<usize>) -> &[TokenProbability] {
        let from = self.tokens.partition_point(|token| token.range.end <= span.start);
        let to = self.tokens.partition_point(|token| token.range.start < span.end);
        self.tokens.get(from..to).unwrap_or_default()
    }
}

fn is_covered(span: &Range<usize>, tokens: &[TokenProbability]) -> bool {
    let reached = tokens.iter().try_fold(span.start, |reached, token| {
        (token.range.start <= reached).then(|| token.range.end.max(reached))
    });
    span.start < span.end && reached.is_some_and(|reached| reached >= span.end)
}

/// The tokens with bytes in a text of `len` bytes, in order. Agents may report anything: of tokens
/// that overlap, the first one counts.
fn in_order(tokens: &[TokenProbability], len: usize) -> Vec<TokenProbability> {
    let is_inside = |token: &&TokenProbability| token.range.start < token.range.end && token.range.end <= len;
    let mut tokens: Vec<_> = tokens.iter().filter(is_inside).cloned().collect();
    tokens.sort_by_key(|token| token.range.start);
    let mut end = 0;
    tokens.retain(|token| {
        let is_after = token.range.start >= end;
        end = if is_after { token.range.end } else { end };
        is_after
    });
    tokens
}
