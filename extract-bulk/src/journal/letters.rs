//! Iterators over the outcomes of a journal.

use std::{collections::VecDeque, fmt, sync::Arc};

use super::{
    error::JournalError,
    record::Record,
    store::{BATCH, Store},
};
use crate::outcome::{DeadLetter, Outcome, Status};

/// All records, in the order of the last source.
pub(super) struct Records {
    store: Arc<Store>,
    batch: VecDeque<(String, Record)>,
    /// The number of the next document; `None` at the end.
    next: Option<u64>,
}

impl Records {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, batch: VecDeque::with_capacity(BATCH), next: Some(0) }
    }
}

impl Iterator for Records {
    type Item = Result<(String, Record), JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(found) = self.batch.pop_front() {
                return Some(Ok(found));
            }
            match self.store.next_in_order(self.next?) {
                Ok(Some((next, batch))) => (self.next, self.batch) = (Some(next), batch.into()),
                Ok(None) => self.next = None,
                Err(error) => {
                    self.next = None;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// The outcomes of a journal, in the order of the last source; see
/// [`Journal::outcomes`](super::Journal::outcomes).
pub struct JournalOutcomes(pub(super) Records);

impl Iterator for JournalOutcomes {
    type Item = Result<Outcome, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(|(key, record)| record.into_outcome(key, Some)))
    }
}

/// The documents without an answer, in the order of the last source. They are read one at a time,
/// so there may be many.
pub struct DeadLetters(pub(super) Records);

impl Iterator for DeadLetters {
    type Item = Result<DeadLetter, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.0.next()? {
                Err(error) => return Some(Err(error)),
                Ok((_, record)) if record.head.status != Status::Failed => {}
                Ok((key, record)) => {
                    if let Some(letter) = record.into_dead_letter(key) {
                        return Some(Ok(letter));
                    }
                }
            }
        }
    }
}

impl fmt::Debug for JournalOutcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalOutcomes").finish_non_exhaustive()
    }
}

impl fmt::Debug for DeadLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetters").finish_non_exhaustive()
    }
}
