//! Takes documents from the source.

use std::{
    cmp::Reverse,
    hash::BuildHasher as _,
    mem,
    sync::{Arc, PoisonError},
    task::{Context, Poll},
};

use extract::{WithContext, metrics::ExtractionMetrics};

use super::{Active, JobEngine, JobStop, OutcomeCause, flight::UNWRITTEN};
use crate::{
    asking::{Task, now},
    doc::Doc,
    identity::{Identity, hex},
    journal::{JournalError, Record, RecordBody, RecordHead, Write},
    known::is_known,
    options::Retry,
    outcome::{Failure, Outcome, POISON, Status},
};

/// Documents read in a row before other tasks of the thread get their turn.
const MOST_READ: usize = 256;

/// Maximum writes that wait for the writer before reading from the source pauses.
const MOST_WRITES: usize = 4096;

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> JobEngine<'a, T, C> {
    pub(super) fn read_source(&mut self, context: &mut Context<'_>) -> Result<bool, JournalError> {
        let mut has_moved = false;
        self.state.is_reading = true;
        for _ in 0..MOST_READ {
            let is_full = self.state.admitted.len() >= self.most_in_flight()
                || self.writer.outbox().waiting() >= MOST_WRITES
                || self.is_feed_full();
            let next = self.source.as_mut().filter(|_| !is_full).map(|source| source.poll_next(context));
            let Some(Poll::Ready(next)) = next else {
                self.state.is_reading = false;
                break;
            };
            has_moved = true;
            match next {
                Some(Ok(doc)) => self.take(doc)?,
                Some(Err(error)) => self.stop(JobStop::Source(error)),
                None => {
                    self.options.expected = Some(self.state.tally.documents);
                    self.source = None;
                }
            }
        }
        Ok(has_moved)
    }

    /// Decides what to do with a document of the source.
    fn take(&mut self, doc: Doc) -> Result<(), JournalError> {
        let store = Arc::clone(&self.asking.store);
        let identity = self.identity.of(&doc);
        if !self.state.seen.insert(self.state.hasher.hash_one(&doc.key)) {
            let active = self.state.active.get(&doc.key).map(|active| active.question);
            let question = match active {
                Some(question) => Some(question),
                None => store.head(&doc.key)?.map(|head| head.question),
            };
            match question {
                Some(question) if question == identity.question => {
                    self.state.tally.repeated += 1;
                    return Ok(());
                }
                Some(_) => {
                    self.stop(JobStop::DuplicateKey(doc.key));
                    return Ok(());
                }
                // Two keys share a hash.
                None => {}
            }
        }
        let number = self.state.tally.documents;
        self.state.tally.documents += 1;
        let (head, has_number) = store.known(number, &doc.key)?;
        if !has_number {
            self.writer.outbox().push(Write::Order(number, doc.key.clone()));
        }
        let retry = self.options.retry;
        if let Some(head) = head.as_ref().filter(|head| is_known(head, &identity, retry)) {
            return self.resume(doc, head.status);
        }
        let mut task = Task { doc, identity, stands_for: Vec::new(), crashes: 0, crowded: 0, replay: None };
        if let Some(head) = head {
            if head.question != identity.question || retry == Retry::Never {
                self.state.tally.changed += 1;
            } else {
                task.stands_for = head.askers;
                if retry == Retry::InPart {
                    let failure = store.record(&task.doc.key)?.and_then(|record| record.body.failure);
                    let attempts = failure.map(|failure| failure.history).unwrap_or_default();
                    if attempts.is_empty() || attempts.iter().any(|attempt| attempt.chunk.is_some()) {
                        return self.resume(task.doc, Status::Failed);
                    }
                    task.replay = Some(attempts);
                }
            }
        }
        let intent = store.intent(&task.doc.key)?;
        if let Some(intent) = intent.filter(|intent| intent.question == hex(&identity.question)) {
            (task.crashes, task.crowded) = (intent.crashes, intent.crowded);
        }
        self.begin(task)
    }

    fn begin(&mut self, task: Task) -> Result<(), JournalError> {
        let poison_after = self.options.poison_after;
        let Task { identity: Identity { question, .. }, crashes, crowded, .. } = task;
        let active = Active { question, crashes, crowded, is_open: false };
        self.state.active.insert(task.doc.key.clone(), active);
        if poison_after > 0 && task.crashes >= poison_after {
            self.poison(task)?;
        } else if poison_after > 0 && (crashes > 0 || crowded > 0) {
            self.state.suspects.push(task);
        } else {
            self.admit(task);
        }
        Ok(())
    }

    /// Admits documents that may have crashed a run, after all others. Returns whether there were
    /// any.
    pub(super) fn admit_suspects(&mut self) -> bool {
        let parked = self.parked();
        let state = &mut self.state;
        let in_flight = state.admitted.len() + state.running.len() + state.committing.len() - parked;
        if self.source.is_some() || state.suspects.is_empty() || in_flight > 0 && !state.are_suspects_asked {
            return false;
        }
        if !mem::replace(&mut state.are_suspects_asked, true) {
            // From the back. If each run is killed soon, this spreads the crashes evenly.
            state.suspects.reverse();
            state.suspects.sort_by_key(|task| Reverse(task.crashes));
        }
        // One more crash is too many for it, so it must be alone.
        let is_last = |task: &Task| task.crashes.saturating_add(1) >= self.options.poison_after;
        let most = if state.suspects.last().is_some_and(is_last) { 1 } else { self.options.poison_among };
        let Some(task) = state.suspects.pop_if(|_| in_flight < most) else { return false };
        self.admit(task);
        true
    }

    pub(super) fn admit(&mut self, task: Task) {
        if self.asking.waves.is_some() {
            self.state.admitted.push_back((UNWRITTEN, task));
            return;
        }
        let Some(active) = self.state.active.get_mut(&task.doc.key) else { return };
        active.is_open = true;
        let intent = active.open_intent();
        let number = self.writer.outbox().push(Write::Intent(task.doc.key.clone(), intent));
        self.state.admitted.push_back((number, task));
    }

    /// Makes the document a dead letter without asking again.
    fn poison(&mut self, task: Task) -> Result<(), JournalError> {
        let Task { doc: Doc { key, meta, .. }, identity: Identity { question, asker }, crashes, .. } = task;
        let message = format!("it was being asked about, among few, in {crashes} runs that crashed");
        let failure = Failure::new(POISON, message);
        let (status, metrics) = (Status::Failed, ExtractionMetrics::default());
        let outcome = self.feed.is_some().then(|| Outcome {
            key: key.clone(),
            meta: meta.clone(),
            status,
            result: Err(failure.clone()),
            metrics: metrics.clone(),
            is_resumed: false,
            reviewed_by: None,
        });
        let head = RecordHead { question, askers: vec![asker], status };
        let body =
            RecordBody { meta, value: None, failure: Some(failure), metrics, reviewed_by: None, at: now() };
        self.commit(key, &Record { head, body }, (OutcomeCause::Poison, outcome))
    }

    /// Uses the outcome in the journal, with what the source says of the document now.
    pub(super) fn resume(&mut self, doc: Doc, status: Status) -> Result<(), JournalError> {
        let Doc { key, meta, .. } = doc;
        self.state.tally.resumed += 1;
        self.state.tally.add(status);
        let is_letter = status == Status::Failed && self.options.on_dead_letter.is_some();
        if self.feed.is_none() && self.partial.is_none() && !is_letter && meta.is_null() {
            return Ok(());
        }
        let Some(mut record) = self.asking.store.record(&key)? else { return Ok(()) };
        if !meta.is_null() && record.body.meta != meta {
            record.body.meta = meta;
            self.write(&key, &record)?;
        }
        let (line, letter) = (self.line(&key, &record), self.letter(&key, &record));
        self.announce(line.as_deref(), letter.as_ref());
        if let Some(feed) = &self.feed {
            let outcome = record.into_outcome(key, self.read);
            feed.lock().unwrap_or_else(PoisonError::into_inner).push_back(outcome);
        }
        Ok(())
    }
}
