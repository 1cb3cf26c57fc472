//! A job: from the source to the journal.
//!
//! One task drives everything: it reads the source, asks about several documents at once, and hands what
//! comes of them to the writer. Three rules make the promises true:
//!
//! - A document is asked about after its intent is committed, so a crash leaves a trace of what it was
//!   doing.
//! - A document keeps its place among the [`concurrent`](super::Bulk::concurrent) ones until its outcome is
//!   committed, so a kill costs no more calls than there are places.
//! - What is counted and delivered is committed.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    future::poll_fn,
    hash::{BuildHasher as _, RandomState},
    mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use serde_json::Value;

use super::{
    asked_agent::hex,
    asking::{Asking, Finished, NoAnswerKind, Task},
    clock::Sleep,
    doc::Doc,
    error::BulkError,
    identity::{Hash, Identity, JobIdentity},
    journal::{Body, Head, Intent, JournalError, Record, Write},
    lines::{OutputError, write_output},
    options::{Options, Retry},
    outcome::{Failure, Outcome, POISON, Status},
    progress::Shown,
    report::{Ended, Report},
    source::{Source, SourceError},
    tally::Tally,
    writer::Writer,
};
use crate::{described::Within, error::ExtractionError, metrics::ExtractionMetrics};

/// Documents that the agent refuses before it has answered any, after which the job ends.
const REFUSALS: usize = 10;

/// Documents, or rounds, after which other tasks of the thread get their turn.
const MOST_READ: usize = 256;
const MOST_ROUNDS: usize = 8;

/// Outcomes that wait to be taken from the stream.
const MOST_DELIVERED: usize = 256;

/// Writes that wait for the writer, beyond which nothing is read.
const MOST_WRITES: usize = 4096;

type Running<'a, T> = Pin<Box<dyn Future<Output = Result<Finished<T>, JournalError>> + Send + 'a>>;

/// Makes a value of its JSON.
pub(super) type ReadValue<T> = fn(Value) -> Option<T>;

/// The outcomes that wait to be taken.
pub(super) type Feed<T> = Arc<Mutex<VecDeque<Outcome<T>>>>;

/// A job that is running.
pub(super) struct Engine<'a, T, C> {
    pub(super) asking: Asking<'a, T, C>,
    pub(super) writer: Writer,
    pub(super) identity: JobIdentity,
    pub(super) source: Option<Source<'a>>,
    pub(super) options: Options<'a>,
    /// Set if outcomes are delivered.
    pub(super) feed: Option<Feed<T>>,
    /// Makes a value of its JSON.
    pub(super) read: ReadValue<T>,
    pub(super) started: Instant,
    pub(super) shown: Shown<'a>,
    pub(super) state: State<'a, T>,
}

/// What changes.
pub(super) struct State<'a, T> {
    /// Their intents are on the way to the journal.
    admitted: VecDeque<(u64, Task)>,
    running: FuturesUnordered<Running<'a, T>>,
    /// Their outcomes are on the way to the journal.
    committing: VecDeque<(u64, Committing<T>)>,
    /// Were in flight in so many crashed runs that the next crash would be one too many. They are asked about
    /// at the end, each alone, so that a crash tells which one it was.
    suspects: VecDeque<Task>,
    /// Refused before the agent has answered anything.
    held: Vec<Finished<T>>,
    /// Everything above by its key.
    active: HashMap<String, Active>,
    /// Hashes of the keys that were read: eight bytes each, so that a million take little.
    seen: HashSet<u64>,
    hasher: RandomState,
    stop: Option<Stop>,
    grace: Option<Sleep>,
    tick: Option<Sleep>,
    tally: Tally,
}

impl<T> Default for State<'_, T> {
    fn default() -> Self {
        Self {
            admitted: VecDeque::new(),
            running: FuturesUnordered::new(),
            committing: VecDeque::new(),
            suspects: VecDeque::new(),
            held: Vec::new(),
            active: HashMap::new(),
            seen: HashSet::new(),
            hasher: RandomState::new(),
            stop: None,
            grace: None,
            tick: None,
            tally: Tally::default(),
        }
    }
}

/// A document that is not finished.
struct Active {
    question: Hash,
    crashes: u32,
    /// Whether its intent is open in the journal.
    is_open: bool,
}

struct Committing<T> {
    key: String,
    status: Status,
    is_poison: bool,
    /// Set if outcomes are delivered.
    outcome: Option<Outcome<T>>,
}

/// Why a job ends before its source does.
enum Stop {
    TokenBudget,
    Shutdown,
    Unreachable,
    Agent(String),
    Setup(ExtractionError),
    Source(SourceError),
    DuplicateKey(String),
}

impl<'a, T: Within<C> + Send + 'a, C: 'a> Engine<'a, T, C> {
    pub(super) async fn run(mut self) -> Result<Report, BulkError> {
        self.state.tick = self.shown.interval().map(|time| self.asking.clock.sleep(time));
        if let Err(error) = poll_fn(|context| self.poll(context)).await {
            // A journal that cannot be written cannot be read either, and says less of it.
            return Err(self.writer.finish().unwrap_or(error).into());
        }
        let stop = self.state.stop.take();
        if stop.is_none() {
            let last = self.writer.outbox().push(Write::Documents(self.state.tally.documents));
            self.writer.outbox().wait(last).await?;
        }
        self.show(true);
        let output = match (&stop, self.options.output.take()) {
            (None, Some(path)) => {
                Some((write_output(Arc::clone(&self.asking.store), path.clone()).await, path))
            }
            _ => None,
        };
        let mut report = Box::new(self.report(stop.as_ref()));
        match stop {
            Some(Stop::Agent(message)) => return Err(BulkError::Agent { message, report }),
            Some(Stop::Setup(error)) => return Err(BulkError::Setup(error)),
            Some(Stop::Source(error)) => return Err(BulkError::Source { error, report }),
            Some(Stop::DuplicateKey(key)) => return Err(BulkError::DuplicateKey { key, report }),
            Some(Stop::TokenBudget | Stop::Shutdown | Stop::Unreachable) | None => {}
        }
        if let Some((result, path)) = output {
            match result {
                Ok(()) => report.output = Some(path),
                Err(OutputError::Journal(error)) => return Err(error.into()),
                Err(OutputError::Io(error)) => return Err(BulkError::Output { path, error, report }),
            }
        }
        Ok(*report)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), JournalError>> {
        self.poll_shutdown(context);
        self.poll_tick(context);
        for _ in 0..MOST_ROUNDS {
            let committed = self.writer.outbox().committed(context)?;
            let mut has_moved = self.deliver(committed);
            if self.is_feed_full() {
                // It is polled again when they are taken.
                return Poll::Pending;
            }
            has_moved |= self.start(committed);
            has_moved |= self.poll_running(context)?;
            self.judge_held();
            if self.options.token_budget.is_some_and(|budget| self.asking.limits.tokens() >= budget) {
                self.stop(Stop::TokenBudget);
            }
            has_moved |= self.read_source(context)?;
            self.poll_grace(context);
            if self.is_finished() {
                return Poll::Ready(Ok(()));
            }
            if !has_moved {
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn is_finished(&self) -> bool {
        let state = &self.state;
        let is_read = self.source.is_none() && state.admitted.is_empty() && state.suspects.is_empty();
        is_read && state.running.is_empty() && state.committing.is_empty() && state.held.is_empty()
    }

    /// Whether there are documents but one that has just finished.
    fn has_others(&self) -> bool {
        let state = &self.state;
        self.source.is_some()
            || !(state.admitted.is_empty() && state.suspects.is_empty() && state.running.is_empty())
    }

    fn poll_shutdown(&mut self, context: &mut Context<'_>) {
        let shutdown = self.options.shutdown.as_mut();
        if shutdown.is_some_and(|shutdown| shutdown.as_mut().poll(context).is_ready()) {
            self.options.shutdown = None;
            self.stop(Stop::Shutdown);
        }
    }

    fn poll_tick(&mut self, context: &mut Context<'_>) {
        while self.state.tick.as_mut().is_some_and(|tick| tick.as_mut().poll(context).is_ready()) {
            self.state.tick = self.shown.interval().map(|time| self.asking.clock.sleep(time));
            self.show(false);
        }
    }

    fn show(&mut self, is_last: bool) {
        if self.shown.interval().is_none() {
            return;
        }
        let now = self.asking.clock.now();
        let in_flight = self.state.running.len();
        let expected = self.options.expected.or(self.source.as_ref().and_then(|source| source.expected));
        let expected = if is_last { Some(self.state.tally.documents) } else { expected };
        let elapsed = now.saturating_duration_since(self.started);
        let (spent, prices) = (self.asking.limits.spent(), self.options.prices.as_ref());
        let progress = self.state.tally.progress(expected, in_flight, spent, prices, elapsed);
        self.shown.show(&progress, now, is_last);
    }

    /// Ends the job: nothing is begun any more, and what is in flight has some time left.
    fn stop(&mut self, stop: Stop) {
        if self.state.stop.is_some() {
            return;
        }
        let is_hopeless = matches!(stop, Stop::Unreachable | Stop::Agent(_) | Stop::Setup(_));
        let grace = if is_hopeless { Duration::ZERO } else { self.options.grace };
        self.state.grace = Some(self.asking.clock.sleep(grace));
        self.state.stop = Some(stop);
        self.source = None;
        self.state.suspects.clear();
        let admitted = mem::take(&mut self.state.admitted).into_iter().map(|(_, task)| task);
        let held = mem::take(&mut self.state.held).into_iter().map(|finished| finished.task);
        let given_up: Vec<_> = admitted.chain(held).map(|task| task.doc.key).collect();
        for key in &given_up {
            self.release(key);
        }
    }

    /// Ends an intent without an outcome: the document was not in flight in a crash.
    fn release(&mut self, key: &str) {
        let Some(active) = self.state.active.remove(key).filter(|active| active.is_open) else { return };
        let intent = Intent { question: hex(&active.question), crashes: active.crashes, is_open: false };
        self.writer.outbox().push(Write::Intent(key.to_owned(), intent));
    }

    /// Drops what is in flight after the grace.
    fn poll_grace(&mut self, context: &mut Context<'_>) {
        let is_over = self.state.grace.as_mut().is_some_and(|grace| grace.as_mut().poll(context).is_ready());
        if is_over {
            self.state.grace = None;
            self.state.running.clear();
            self.release_all();
        }
    }

    /// Of the documents that have no outcome on the way.
    fn release_all(&mut self) {
        let open = self.state.active.iter().filter(|(_, active)| active.is_open);
        let open: Vec<String> = open.map(|(key, _)| key.clone()).collect();
        for key in &open {
            self.release(key);
        }
    }

    /// Counts and delivers what is committed.
    fn deliver(&mut self, committed: u64) -> bool {
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

    fn is_feed_full(&self) -> bool {
        let delivered = |feed: &Feed<T>| feed.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.feed.as_ref().is_some_and(|feed| delivered(feed) >= MOST_DELIVERED)
    }

    /// Asks about documents whose intent is committed, as many as there are places.
    fn start(&mut self, committed: u64) -> bool {
        let mut has_moved = false;
        while self.state.running.len() + self.state.committing.len() < self.options.concurrent {
            let is_next = |(number, _): &(u64, Task)| *number <= committed;
            if !self.state.admitted.front().is_some_and(is_next) {
                break;
            }
            let Some((_, task)) = self.state.admitted.pop_front() else { break };
            self.state.running.push(Box::pin(self.asking.clone().ask(task)));
            has_moved = true;
        }
        let state = &self.state;
        let is_quiet = self.source.is_none()
            && state.admitted.is_empty()
            && state.running.is_empty()
            && state.committing.is_empty();
        if is_quiet && let Some(task) = self.state.suspects.pop_front() {
            self.admit(task);
            has_moved = true;
        }
        has_moved
    }

    fn poll_running(&mut self, context: &mut Context<'_>) -> Result<bool, JournalError> {
        let mut has_moved = false;
        while let Poll::Ready(Some(finished)) = self.state.running.poll_next_unpin(context) {
            self.finish(finished?)?;
            has_moved = true;
        }
        Ok(has_moved)
    }

    /// Decides what a document that was asked about says of the others.
    fn finish(&mut self, mut finished: Finished<T>) -> Result<(), JournalError> {
        let Err(none) = &mut finished.result else {
            self.record(finished);
            return Ok(());
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
            // Nothing can be kept of it, so it stays what it was.
            self.release(&finished.task.doc.key);
            return self.resume(finished.task.doc.key);
        }
        self.record(finished);
        Ok(())
    }

    /// Decides whether refusals are about documents or about all requests.
    fn judge_held(&mut self) {
        if self.state.held.is_empty() {
            return;
        }
        if self.asking.limits.spent().replies > 0 {
            for finished in mem::take(&mut self.state.held) {
                self.record(finished);
            }
        } else if self.state.held.len() >= REFUSALS || !self.has_others() {
            let first = self.state.held.first().and_then(|finished| finished.result.as_ref().err());
            let message = match first.map(|none| &none.kind) {
                Some(NoAnswerKind::Refused(message)) => message.clone(),
                _ => String::new(),
            };
            self.stop(Stop::Agent(message));
        }
    }

    fn record(&mut self, finished: Finished<T>) {
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
        self.commit(key, &record, Committing { key: String::new(), status, is_poison: false, outcome });
    }

    fn commit(&mut self, key: String, record: &Record, committing: Committing<T>) {
        if let Some(active) = self.state.active.get_mut(&key) {
            active.is_open = false;
        }
        // Everything in it came from JSON, or goes there.
        let bytes = record.bytes().unwrap_or_default();
        let number = self.writer.outbox().push(Write::Outcome(key.clone(), bytes));
        self.state.committing.push_back((number, Committing { key, ..committing }));
    }

    fn read_source(&mut self, context: &mut Context<'_>) -> Result<bool, JournalError> {
        let mut has_moved = false;
        for _ in 0..MOST_READ {
            let is_full = self.state.admitted.len() >= self.options.concurrent
                || self.writer.outbox().waiting() >= MOST_WRITES
                || self.is_feed_full();
            let Some(source) = self.source.as_mut().filter(|_| !is_full) else { break };
            let Poll::Ready(next) = source.poll_next(context) else { break };
            has_moved = true;
            match next {
                Some(Ok(doc)) => self.take(doc)?,
                Some(Err(error)) => self.stop(Stop::Source(error)),
                None => {
                    self.options.expected = Some(self.state.tally.documents);
                    self.source = None;
                }
            }
        }
        Ok(has_moved)
    }

    /// Decides what becomes of a document of the source.
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
                    self.stop(Stop::DuplicateKey(doc.key));
                    return Ok(());
                }
                // Two keys with the same hash.
                None => {}
            }
        }
        let number = self.state.tally.documents;
        self.state.tally.documents += 1;
        if !store.has_order(number, &doc.key)? {
            self.writer.outbox().push(Write::Order(number, doc.key.clone()));
        }
        let head = store.head(&doc.key)?;
        let retry = self.options.retry;
        if head.as_ref().is_some_and(|head| is_known(head, &identity, retry)) {
            return self.resume(doc.key);
        }
        let mut task =
            Task { doc, identity, stands_for: Vec::new(), is_interrupted: false, crashes: 0, replay: None };
        if let Some(head) = head {
            if head.question != identity.question || retry == Retry::Never {
                self.state.tally.changed += 1;
            } else {
                task.stands_for = head.askers;
                if retry == Retry::InPart {
                    let failure = store.record(&task.doc.key)?.and_then(|record| record.body.failure);
                    let attempts = failure.map(|failure| failure.history).unwrap_or_default();
                    if attempts.is_empty() || attempts.iter().any(|attempt| attempt.chunk.is_some()) {
                        return self.resume(task.doc.key);
                    }
                    task.replay = Some(attempts);
                }
            }
        }
        if let Some(intent) = store.intent(&task.doc.key)? {
            task.is_interrupted = true;
            let is_same = intent.question == hex(&identity.question);
            task.crashes = if is_same { intent.crashes } else { 0 };
        }
        self.begin(task);
        Ok(())
    }

    fn begin(&mut self, task: Task) {
        let poison_after = self.options.poison_after;
        let active = Active { question: task.identity.question, crashes: task.crashes, is_open: false };
        self.state.active.insert(task.doc.key.clone(), active);
        if poison_after > 0 && task.crashes >= poison_after {
            self.poison(task);
        } else if poison_after > 0 && task.crashes > 0 && task.crashes + 1 >= poison_after {
            self.state.suspects.push_back(task);
        } else {
            self.admit(task);
        }
    }

    fn admit(&mut self, task: Task) {
        let intent = Intent { question: hex(&task.identity.question), crashes: task.crashes, is_open: true };
        if let Some(active) = self.state.active.get_mut(&task.doc.key) {
            active.is_open = true;
        }
        let number = self.writer.outbox().push(Write::Intent(task.doc.key.clone(), intent));
        self.state.admitted.push_back((number, task));
    }

    /// A dead letter without another question.
    fn poison(&mut self, task: Task) {
        let Task { doc: Doc { key, meta, .. }, identity: Identity { question, asker }, crashes, .. } = task;
        let message = format!("it was being asked about in {crashes} runs that crashed");
        let failure = Failure::new(POISON, message);
        let (status, metrics) = (Status::Failed, ExtractionMetrics::default());
        let outcome = self.feed.is_some().then(|| Outcome {
            key: key.clone(),
            meta: meta.clone(),
            status,
            result: Err(failure.clone()),
            metrics: metrics.clone(),
            is_resumed: false,
        });
        let head = Head { question, askers: vec![asker], status };
        let body = Body { meta, value: None, failure: Some(failure), metrics, at: super::asking::now() };
        let committing = Committing { key: String::new(), status, is_poison: true, outcome };
        self.commit(key, &Record { head, body }, committing);
    }

    /// Takes the outcome that is in the journal.
    fn resume(&mut self, key: String) -> Result<(), JournalError> {
        let store = &self.asking.store;
        let Some(feed) = &self.feed else {
            if let Some(head) = store.head(&key)? {
                self.state.tally.resumed += 1;
                self.state.tally.add(head.status);
            }
            return Ok(());
        };
        if let Some(record) = store.record(&key)? {
            self.state.tally.resumed += 1;
            self.state.tally.add(record.head.status);
            let outcome = record.into_outcome(key, self.read);
            feed.lock().unwrap_or_else(PoisonError::into_inner).push_back(outcome);
        }
        Ok(())
    }

    fn report(&self, stop: Option<&Stop>) -> Report {
        let ended = match stop {
            None => Ended::Complete,
            Some(Stop::TokenBudget) => Ended::TokenBudget,
            Some(Stop::Shutdown) => Ended::Shutdown,
            Some(Stop::Unreachable) => Ended::Unreachable,
            Some(Stop::Agent(_) | Stop::Setup(_) | Stop::Source(_) | Stop::DuplicateKey(_)) => Ended::Failed,
        };
        let elapsed = self.asking.clock.now().saturating_duration_since(self.started);
        let (spent, prices) = (self.asking.limits.spent(), self.options.prices.as_ref());
        let journal = (self.options.journal.clone(), &self.asking.store);
        self.state.tally.report(ended, spent, prices, elapsed, journal)
    }
}

/// Whether the outcome in the journal is that of the document.
pub(super) fn is_known(head: &Head, identity: &Identity, retry: Retry) -> bool {
    match retry {
        Retry::Never => head.answers(identity),
        Retry::Failed | Retry::InPart => head.question == identity.question && head.status != Status::Failed,
    }
}

/// Whoever drops a job has not crashed, so what was in flight is no trace of a crash.
impl<T, C> Drop for Engine<'_, T, C> {
    fn drop(&mut self) {
        for (key, active) in self.state.active.drain().filter(|(_, active)| active.is_open) {
            let intent = Intent { question: hex(&active.question), crashes: active.crashes, is_open: false };
            self.writer.outbox().push(Write::Intent(key, intent));
        }
    }
}
