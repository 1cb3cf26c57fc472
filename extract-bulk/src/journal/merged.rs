//! Merges one journal into another.

use serde::Serialize;

use super::{
    error::JournalError,
    record::{Record, RecordHead},
    store::Store,
    write::Write,
};
use crate::outcome::Status;

/// Counts of the other journal's outcomes; see [`Journal::merge`](super::Journal::merge).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// Outcomes of documents that this journal did not have.
    pub added: u64,
    /// Outcomes that replaced one of this journal.
    pub replaced: u64,
    /// Outcomes that were dropped in favour of this journal's.
    pub kept: u64,
}

pub(super) fn merge(into: &Store, from: &Store) -> Result<Merged, JournalError> {
    let mut merged = Merged::default();
    let mut number = into.documents()?;
    let mut last = None;
    loop {
        let batch = from.next_by_key(last.as_deref())?;
        let Some((key, _)) = batch.last() else { return Ok(merged) };
        last = Some(key.clone());
        let mut writes = Vec::new();
        for (key, theirs) in batch {
            match into.record(&key)? {
                None => {
                    merged.added += 1;
                    writes.push(Write::Order(number, key.clone()));
                    number += 1;
                }
                Some(ours) if is_better(&theirs, &ours) => merged.replaced += 1,
                Some(_) => {
                    merged.kept += 1;
                    continue;
                }
            }
            let bytes = theirs.bytes().map_err(|error| JournalError::damaged(from.shown_path(), &error))?;
            writes.push(Write::Outcome(key, bytes));
        }
        into.write(&writes)?;
    }
}

/// Prefers an outcome with an answer, and otherwise the later one.
fn is_better(theirs: &Record, ours: &Record) -> bool {
    let has_answer = |head: &RecordHead| head.status != Status::Failed;
    (has_answer(&theirs.head), theirs.body.at) > (has_answer(&ours.head), ours.body.at)
}
