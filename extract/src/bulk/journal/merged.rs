//! One journal into another.

use serde::Serialize;

use super::{
    error::JournalError,
    record::{Head, Record},
    store::Store,
    write::Write,
};
use crate::bulk::outcome::Status;

/// What became of the outcomes of the other journal; see [`Journal::merge`](super::Journal::merge).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// Of documents that this one did not know.
    pub added: u64,
    /// They took the place of one in this journal.
    pub replaced: u64,
    /// The one in this journal stays.
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

/// An answer is better than none; of two, the later one counts.
fn is_better(theirs: &Record, ours: &Record) -> bool {
    let has_answer = |head: &Head| head.status != Status::Failed;
    (has_answer(&theirs.head), theirs.body.at) > (has_answer(&ours.head), ours.body.at)
}
