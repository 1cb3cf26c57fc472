//! The answers of a batch, as they are read.

use std::collections::HashMap;

use super::record::{BatchLine, OpenBatch};
use crate::{journal::AnswerPack, request_name::RequestId};

/// How many lines about a request are kept whose document has not asked for it yet. The first ones may be errors.
pub(super) const MOST_UNREAD: u32 = 4;

/// The answers of a batch, as they are read.
pub(super) struct CollectedAnswers<'b> {
    /// The requests of the batch, and how many lines about each were taken.
    pub(super) lines: HashMap<RequestId, (&'b BatchLine, u32)>,
    /// The last answers, which the journal does not have yet.
    pub(super) pack: AnswerPack,
}

impl<'b> CollectedAnswers<'b> {
    pub(super) fn of(batch: &'b OpenBatch) -> Self {
        let lines = batch.record.lines.iter().map(|line| (line.id, (line, 0))).collect();
        Self { lines, pack: AnswerPack::default() }
    }
}
