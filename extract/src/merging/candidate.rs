//! The inputs of merging, and its result.

use serde_json::Value;

use crate::metrics::{Conflict, Mentions};

/// One value from several answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MergedValue {
    pub(crate) value: Value,
    /// Where the answers differ, in the order of the value.
    pub(crate) conflicts: Vec<Conflict>,
    /// The spans of equal values, in the order of the value.
    pub(crate) mentions: Vec<Mentions>,
}

/// One answer's value at one position.
#[derive(Clone, Copy)]
pub(super) struct MergeCandidate<'v> {
    /// The chunk that the answer is from.
    pub(super) chunk: usize,
    /// The position of the answer among all.
    pub(super) answer: usize,
    pub(super) value: &'v Value,
}
