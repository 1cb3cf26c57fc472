//! States that a journal keeps while it is being copied.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use redb::{Error, Savepoint, WriteTransaction};

use super::owner::Holder;

/// How long a state stays pinned. A reader that hangs must not make the file grow forever.
const LONGEST_PIN: Duration = Duration::from_secs(60);

/// The state of the journal when it was copied.
#[derive(Debug)]
pub(super) struct Copied {
    /// Whether a process had it open.
    pub(super) is_running: bool,
    /// That process, if known.
    pub(super) by: Option<Holder>,
}

/// A state whose pages are not written again as long as it is being copied. A read transaction is
/// not enough: it has no part in the pages that `redb` needs for itself.
#[derive(Default)]
pub(super) struct Pinned(Mutex<Option<(Savepoint, Instant)>>);

impl Pinned {
    /// Pins the last commit, or an earlier one that already is. Called at the beginning of each
    /// transaction.
    pub(super) fn set(&self, transaction: &WriteTransaction, is_copied: bool) -> Result<(), Error> {
        if !is_copied {
            self.clear();
            return Ok(());
        }
        let mut pinned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pinned.as_ref().is_some_and(|(_, since)| since.elapsed() > LONGEST_PIN) {
            *pinned = None;
        }
        if pinned.is_none() {
            *pinned = Some((transaction.ephemeral_savepoint()?, Instant::now()));
        }
        Ok(())
    }

    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
