//! Handles documents that were asked about.

use std::{
    mem,
    sync::PoisonError,
    task::{Context, Poll},
};

use futures_util::StreamExt as _;

use super::{Committing, Engine, Feed, MOST_DELIVERED, Stop};
use crate::{
    bulk::{
        asking::{Finished, NoAnswerKind, Task},
        doc::Doc,
        journal::{JournalError, Record, Write},
        outcome::{Outcome, Status},
    },
    described::Within,
};

/// How many documents the agent may refuse before its first answer; then the job ends.
const REFUSALS: usize = 10;

impl<'a, T: Within<C> + Send + 'a, C: 'a> Engine<'a, T, C> {
    /// Counts and delivers committed outcomes.
    pub(super) fn deliver(&mut self, committed: u64) -> bool {
        let mut has_moved = false;
        while self.state.committing.front().is_some_and(|(number, _)| *number <= committed) {
            let Some((_, finished)) = self.state.committing.pop_front() else { break };
            self.state.active.remove(&finished.key);
            self.state.tally.add(finished.status);
            self.state.tally.poisoned += u64::from(finished.is_poison);
            if let (Some(feed), Some(outcome)) = (&self.feed, finished.outcome) {
                feed.lock().unwrap_or_else(PoisonError::into_inner).push_back(outcome);
            }
            has_moved = true;
        }
        has_moved
    }

    pub(super) fn is_feed_full(&self) -> bool {
        let delivered = |feed: &Feed<T>| feed.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.feed.as_ref().is_some_and(|feed| delivered(feed) >= MOST_DELIVERED)
    }

    pub(super) fn poll_running(&mut self, context: &mut Context<'_>) -> Result<bool, JournalError> {
        let mut has_moved = false;
        while let Poll::Ready(Some(finished)) = self.state.running.poll_next_unpin(context) {
            self.finish(finished?)?;
            has_moved = true;
        }
        Ok(has_moved)
    }

    /// Decides what the result of a document implies for the others.
    fn finish(&mut self, mut finished: Finished<T>) -> Result<(), JournalError> {
        let Err(none) = &mut finished.result else {
            return self.record(finished);
        };
        match mem::replace(&mut none.kind, NoAnswerKind::OfDocument) {
            NoAnswerKind::Setup(error) => {
                self.stop(Stop::Setup(error));
                self.release(&finished.task.doc.key);
                return Ok(());
            }
            NoAnswerKind::Transport if self.asking.limits.is_parked() && self.has_others() => {
                self.stop(Stop::Unreachable);
                self.release(&finished.task.doc.key);
                return Ok(());
            }
            NoAnswerKind::OfDocument | NoAnswerKind::Transport => {}
            NoAnswerKind::Refused(message) => {
                if self.state.stop.is_some() && self.asking.limits.spent().replies == 0 {
                    self.release(&finished.task.doc.key);
                    return Ok(());
                }
                none.kind = NoAnswerKind::Refused(message);
                self.state.held.push(finished);
                return Ok(());
            }
        }
        if finished.task.replay.is_some() {
            // None of it can be kept, so its outcome stays unchanged.
            self.release(&finished.task.doc.key);
            return self.resume(finished.task.doc.key, Status::Failed);
        }
        self.record(finished)
    }

    /// Decides whether refusals are about documents or about all requests.
    pub(super) fn judge_held(&mut self) -> Result<(), JournalError> {
        if self.state.held.is_empty() {
            return Ok(());
        }
        if self.asking.limits.spent().replies > 0 {
            for finished in mem::take(&mut self.state.held) {
                self.record(finished)?;
            }
        } else if self.state.held.len() >= REFUSALS || !self.has_others() {
            let first = self.state.held.first().and_then(|finished| finished.result.as_ref().err());
            let message = match first.map(|none| &none.kind) {
                Some(NoAnswerKind::Refused(message)) => message.clone(),
                _ => String::new(),
            };
            self.stop(Stop::Agent(message));
        }
        Ok(())
    }

    fn record(&mut self, finished: Finished<T>) -> Result<(), JournalError> {
        let record = finished.record(&self.asking.contract, self.asking.redacts);
        let Finished { task, result } = finished;
        let Task { doc: Doc { key, meta, .. }, .. } = task;
        let status = record.head.status;
        let outcome = self.feed.is_some().then(|| {
            let (result, metrics) = match result {
                Ok(answer) => (Ok(answer.value), answer.metrics),
                Err(none) => (Err(none.failure), none.metrics),
            };
            Outcome { key: key.clone(), meta, status, result, metrics, is_resumed: false }
        });
        self.commit(key, &record, Committing { key: String::new(), status, is_poison: false, outcome })
    }

    pub(super) fn commit(
        &mut self,
        key: String,
        record: &Record,
        committing: Committing<T>,
    ) -> Result<(), JournalError> {
        if let Some(active) = self.state.active.get_mut(&key) {
            active.is_open = false;
        }
        let path = || self.asking.store.shown_path().to_owned();
        let bytes = record.bytes().map_err(|error| JournalError::of_io(&error.into(), path()))?;
        let number = self.writer.outbox().push(Write::Outcome(key.clone(), bytes));
        self.state.committing.push_back((number, Committing { key, ..committing }));
        Ok(())
    }
}
