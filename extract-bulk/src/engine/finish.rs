//! Handles finished extractions of documents.

use std::{
    mem,
    sync::PoisonError,
    task::{Context, Poll},
};

use extract::WithContext;
use futures_util::StreamExt as _;

use super::{Committing, Feed, JobEngine, JobStop, MOST_DELIVERED, OutcomeCause};
use crate::{
    asking::{Finished, NoAnswerKind, Task},
    doc::Doc,
    journal::{JournalError, Record, Write, write_line},
    outcome::{DeadLetter, Outcome, Status},
};

/// How many documents the agent may refuse before its first answer; then the job ends.
const REFUSALS: usize = 10;

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> JobEngine<'a, T, C> {
    /// Counts and delivers committed outcomes.
    pub(super) fn deliver(&mut self, committed: u64) -> bool {
        let mut has_moved = false;
        while self.state.committing.front().is_some_and(|(number, _)| *number <= committed) {
            let Some((_, finished)) = self.state.committing.pop_front() else { break };
            self.state.active.remove(&finished.key);
            self.state.tally.add(finished.status);
            self.state.tally.in_conflict += u64::from(finished.is_in_conflict);
            self.state.tally.poisoned += u64::from(finished.cause == OutcomeCause::Poison);
            self.announce(finished.line.as_deref(), finished.letter.as_ref());
            if let (Some(feed), Some(outcome)) = (&self.feed, finished.outcome) {
                feed.lock().unwrap_or_else(PoisonError::into_inner).push_back(outcome);
            }
            has_moved = true;
        }
        if let Some(partial) = &mut self.partial {
            partial.flush();
        }
        has_moved
    }

    /// Passes on what is known of an outcome in the journal.
    pub(super) fn announce(&mut self, line: Option<&[u8]>, letter: Option<&DeadLetter>) {
        if let (Some(partial), Some(line)) = (&mut self.partial, line) {
            partial.add(line);
        }
        if let (Some(callback), Some(letter)) = (&mut self.options.on_dead_letter, letter) {
            callback(letter);
        }
    }

    /// The line of an outcome in the partial output.
    pub(super) fn line(&self, key: &str, record: &Record) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        // Writing to memory does not fail.
        self.partial.as_ref().and_then(|_| write_line(&mut line, key, record).ok())?;
        Some(line)
    }

    /// The outcome for whoever wants to know which documents have no answer.
    pub(super) fn letter(&self, key: &str, record: &Record) -> Option<DeadLetter> {
        let is_wanted = self.options.on_dead_letter.is_some() && record.head.status == Status::Failed;
        is_wanted.then(|| record.dead_letter(key))?
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
                self.stop(JobStop::Setup(error));
                self.release(&finished.task.doc.key);
                return Ok(());
            }
            NoAnswerKind::Transport if self.is_agent_down() => {
                self.stop(JobStop::Unreachable);
                self.release(&finished.task.doc.key);
                return Ok(());
            }
            NoAnswerKind::OfDocument | NoAnswerKind::Transport => {}
            NoAnswerKind::Refused { message, refusal, is_of_request } => {
                if self.state.stop.is_some() && !self.asking.limits.has_replied_since(refusal) {
                    self.release(&finished.task.doc.key);
                    return Ok(());
                }
                none.kind = NoAnswerKind::Refused { message, refusal, is_of_request };
                self.state.held.push(finished);
                return Ok(());
            }
        }
        if finished.task.replay.is_some() {
            // Nothing in it can be kept, so its outcome stays unchanged.
            self.release(&finished.task.doc.key);
            return self.resume(finished.task.doc, Status::Failed);
        }
        self.record(finished)
    }

    /// Returns whether a transport failure beyond the bound ends the job, and not the document: others
    /// would fail too, or nothing shows that the agent works, as no document was ever answered.
    fn is_agent_down(&self) -> bool {
        if self.has_others() {
            return self.asking.limits.is_down();
        }
        // A request that had no answer in a batch failed elsewhere.
        let spent = self.asking.limits.spent();
        spent.last_failure.is_some() && spent.replies == 0 && self.state.tally.done == 0
    }

    /// Takes the results that are known to be refused because of their documents: the agent answered
    /// others in this run, or some were answered in an earlier one, and it says itself that it works.
    fn take_held_of_documents(&mut self) -> Vec<Finished<T>> {
        let (state, limits) = (&mut self.state, &self.asking.limits);
        let refusal = |finished: &Finished<T>| match finished.result.as_ref().err().map(|none| &none.kind) {
            Some(NoAnswerKind::Refused { refusal, is_of_request, .. }) => {
                (limits.has_replied_since(*refusal), *is_of_request)
            }
            _ => (true, true),
        };
        let works = state.tally.done > 0 && state.held.iter().all(|finished| refusal(finished).1);
        state.held.extract_if(.., |finished| works || refusal(finished).0).collect()
    }

    /// Decides whether refusals are about documents or about all requests.
    pub(super) fn judge_held(&mut self) -> Result<(), JournalError> {
        if self.state.held.is_empty() {
            return Ok(());
        }
        for finished in self.take_held_of_documents() {
            self.record(finished)?;
        }
        let held = self.state.held.len();
        if held >= REFUSALS || held > 0 && !self.has_others() {
            let first = self.state.held.first().and_then(|finished| finished.result.as_ref().err());
            let message = match first.map(|none| &none.kind) {
                Some(NoAnswerKind::Refused { message, .. }) => message.clone(),
                _ => String::new(),
            };
            self.stop(JobStop::Agent(message));
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
            Outcome { key: key.clone(), meta, status, result, metrics, is_resumed: false, reviewed_by: None }
        });
        self.commit(key, &record, (OutcomeCause::Processed, outcome))
    }

    pub(super) fn commit(
        &mut self,
        key: String,
        record: &Record,
        (cause, outcome): (OutcomeCause, Option<Outcome<T>>),
    ) -> Result<(), JournalError> {
        let (status, line, letter) = (record.head.status, self.line(&key, record), self.letter(&key, record));
        if let Some(active) = self.state.active.get_mut(&key) {
            active.is_open = false;
        }
        let number = self.write(&key, record)?;
        let is_in_conflict = record.is_in_conflict();
        let committing = Committing { key, status, cause, is_in_conflict, outcome, line, letter };
        self.state.committing.push_back((number, committing));
        Ok(())
    }

    /// Hands a record to the writer, and returns the number of the write.
    pub(super) fn write(&self, key: &str, record: &Record) -> Result<u64, JournalError> {
        let path = || self.asking.store.shown_path().to_owned();
        let bytes = record.bytes().map_err(|error| JournalError::of_io(&error.into(), path()))?;
        Ok(self.writer.outbox().push(Write::Outcome(key.to_owned(), bytes)))
    }
}
