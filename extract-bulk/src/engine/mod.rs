//! The engine of a job: from the source to the journal.
//!
//! One task drives everything: it reads the source, asks about several documents at once, and
//! passes the results to the writer. Three rules uphold the guarantees:
//!
//! - A document is processed only after its intent is committed, so a crash leaves a trace of the
//!   documents in flight.
//! - A document keeps its slot among the [`concurrent`](super::Bulk::concurrent) ones until its
//!   outcome is committed, so a kill repeats at most one call per slot.
//! - Only committed outcomes are counted and delivered.

mod begin;
mod finish;
mod flight;
mod waves;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    convert::Infallible,
    future::poll_fn,
    hash::RandomState,
    mem,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, atomic::Ordering},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use extract::{ExtractionError, WithContext};
use futures_util::stream::FuturesUnordered;
use serde_json::Value;

use self::flight::DocsInFlight;
use super::{
    asking::{Asking, Finished, Task},
    batches::WaveEnd,
    clock::Sleep,
    error::BulkError,
    identity::{Hash, JobIdentity, hex},
    journal::{InFlight, Intent, JournalError, Write},
    options::Options,
    outcome::{DeadLetter, Outcome, Status},
    output::OutputError,
    partial::PartialOutput,
    progress::{ProgressMoment, Shown},
    report::{Ended, Report},
    source::{Source, SourceError},
    tally::JobTally,
    writer::JournalWriter,
};

/// Rounds in a row before other tasks of the thread get their turn.
const MOST_ROUNDS: usize = 8;

/// Maximum outcomes waiting to be taken from the stream.
const MOST_DELIVERED: usize = 256;

type RunningDoc<'a, T> = Pin<Box<dyn Future<Output = Result<Finished<T>, JournalError>> + Send + 'a>>;

/// Deserializes a value.
pub(super) type ReadValue<T> = fn(Value) -> Option<T>;

/// Outcomes waiting to be taken.
pub(super) type Feed<T> = Arc<Mutex<VecDeque<Outcome<T>>>>;

/// Sends waves and collects answers.
pub(super) type WaveDriver = Pin<Box<dyn Future<Output = Result<Infallible, WaveEnd>> + Send>>;

/// A job that is running.
pub(super) struct JobEngine<'a, T, C> {
    pub(super) asking: Asking<'a, T, C>,
    pub(super) writer: JournalWriter,
    pub(super) identity: JobIdentity,
    pub(super) source: Option<Source<'a>>,
    pub(super) options: Options<'a>,
    /// Set if outcomes are delivered to a stream.
    pub(super) feed: Option<Feed<T>>,
    /// Deserializes a value.
    pub(super) read: ReadValue<T>,
    pub(super) started: Instant,
    pub(super) shown: Shown<'a>,
    pub(super) partial: Option<PartialOutput>,
    /// Set if requests are sent in batches.
    pub(super) driver: Option<WaveDriver>,
    pub(super) state: EngineState<'a, T>,
}

/// The changing state of a job.
pub(super) struct EngineState<'a, T> {
    /// Tasks whose intents are on their way to the journal.
    admitted: VecDeque<(u64, Task)>,
    running: FuturesUnordered<RunningDoc<'a, T>>,
    /// Documents whose outcomes are on their way to the journal.
    committing: VecDeque<(u64, Committing<T>)>,
    /// Tasks that were in flight in a crashed run. They are processed at the end, few at a time, so
    /// that a crash identifies the culprit.
    suspects: Vec<Task>,
    /// Whether the source has more documents that can be read at once.
    is_reading: bool,
    /// Documents in flight of a job with batches.
    flight: DocsInFlight,
    /// Whether only suspects are in flight.
    are_suspects_asked: bool,
    /// Results refused before the agent gave its first answer.
    held: Vec<Finished<T>>,
    /// All documents in the fields above, by key.
    active: HashMap<String, Active>,
    /// Hashes of the keys read so far: eight bytes each, so that a million keys take little memory.
    seen: HashSet<u64>,
    hasher: RandomState,
    stop: Option<JobStop>,
    grace: Option<Sleep>,
    tick: Option<Sleep>,
    tally: JobTally,
}

impl<T> Default for EngineState<'_, T> {
    fn default() -> Self {
        Self {
            admitted: VecDeque::new(),
            running: FuturesUnordered::new(),
            committing: VecDeque::new(),
            suspects: Vec::new(),
            is_reading: false,
            flight: DocsInFlight::default(),
            are_suspects_asked: false,
            held: Vec::new(),
            active: HashMap::new(),
            seen: HashSet::new(),
            hasher: RandomState::new(),
            stop: None,
            grace: None,
            tick: None,
            tally: JobTally::default(),
        }
    }
}

/// A document in progress.
struct Active {
    question: Hash,
    crashes: u32,
    crowded: u32,
    /// Whether its intent is open in the journal.
    is_open: bool,
}

impl Active {
    /// The intent of a document that is in flight.
    fn open_intent(&self) -> Intent {
        let Self { question, crashes, crowded, .. } = self;
        Intent { question: hex(question), crashes: *crashes, crowded: *crowded, is_open: true }
    }

    /// The intent of a document that is in flight no more.
    fn closed_intent(&self) -> Intent {
        Intent { is_open: false, ..self.open_intent() }
    }
}

/// Why a document has its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutcomeCause {
    Processed,
    /// It crashed too many runs.
    Poison,
}

struct Committing<T> {
    key: String,
    status: Status,
    cause: OutcomeCause,
    is_in_conflict: bool,
    /// Set if outcomes are delivered to a stream.
    outcome: Option<Outcome<T>>,
    /// Set if there is a partial output.
    line: Option<Vec<u8>>,
    /// Set if it has no answer, and somebody wants to know.
    letter: Option<DeadLetter>,
}

/// Why a job stops early.
enum JobStop {
    TokenBudget,
    Shutdown,
    Waiting,
    Unreachable,
    Agent(String),
    Setup(ExtractionError),
    Source(SourceError),
    DuplicateKey(String),
}

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> JobEngine<'a, T, C> {
    pub(super) async fn run(mut self) -> Result<Report, BulkError> {
        self.state.tick = self.shown.interval().map(|time| self.asking.clock.sleep(time));
        if let Err(error) = poll_fn(|context| self.poll(context)).await {
            // If the journal cannot be written, the writer's error says more than a read's error.
            return Err(self.writer.finish().unwrap_or(error).into());
        }
        let stop = self.state.stop.take();
        if stop.is_none() {
            let last = self.writer.outbox().push(Write::Documents(self.state.tally.documents));
            self.writer.outbox().wait(last).await?;
        }
        self.show(ProgressMoment::AtEnd);
        let outputs = if stop.is_none() { self.write_outputs().await } else { Ok(Vec::new()) };
        let mut report = Box::new(self.report(stop.as_ref()));
        match stop {
            Some(JobStop::Agent(message)) => return Err(BulkError::Agent { message, report }),
            Some(JobStop::Setup(error)) => return Err(BulkError::Setup(error)),
            Some(JobStop::Source(error)) => return Err(BulkError::Source { error, report }),
            Some(JobStop::DuplicateKey(key)) => return Err(BulkError::DuplicateKey { key, report }),
            Some(JobStop::TokenBudget | JobStop::Shutdown | JobStop::Waiting | JobStop::Unreachable)
            | None => {}
        }
        match outputs {
            Ok(outputs) => {
                report.outputs = outputs;
                if let Some(partial) = self.partial.as_mut().filter(|_| report.is_complete()) {
                    partial.remove();
                }
            }
            Err((OutputError::Journal(error), _)) => return Err(error.into()),
            Err((OutputError::Io(error), path)) => return Err(BulkError::Output { path, error, report }),
        }
        Ok(*report)
    }

    /// Writes the outputs. Returns the files, or why one could not be written.
    async fn write_outputs(&mut self) -> Result<Vec<PathBuf>, (OutputError, PathBuf)> {
        let mut written = Vec::new();
        for output in mem::take(&mut self.options.outputs) {
            let path = output.path().clone();
            let (store, columns) = (Arc::clone(&self.asking.store), self.options.table_columns);
            let done = output.write(store, self.asking.contract.schema(), columns).await;
            match done {
                Ok(()) => written.push(path),
                Err(error) => return Err((error, path)),
            }
        }
        Ok(written)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), JournalError>> {
        let done = self.poll_rounds(context);
        self.writer.outbox().flush();
        done
    }

    fn poll_rounds(&mut self, context: &mut Context<'_>) -> Poll<Result<(), JournalError>> {
        self.poll_shutdown(context);
        self.poll_tick(context);
        for _ in 0..MOST_ROUNDS {
            let committed = self.writer.outbox().committed(context)?;
            let mut has_moved = self.deliver(committed);
            if self.is_feed_full() {
                // This task is polled again when they are taken.
                return Poll::Pending;
            }
            has_moved |= self.start(committed);
            let aside = self.aside();
            has_moved |= self.poll_running(context)?;
            // Documents that need no slot any more let others start.
            has_moved |= self.aside() != aside;
            self.judge_held()?;
            if self.asking.limits.tokens_left() == 0 {
                self.stop(JobStop::TokenBudget);
            }
            has_moved |= self.read_source(context)?;
            has_moved |= self.put_in_flight();
            self.settle_aside();
            if !has_moved {
                has_moved |= self.poll_waves(context)?;
            }
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

    /// Returns whether any document is left besides one that has just finished.
    fn has_others(&self) -> bool {
        let state = &self.state;
        self.source.is_some()
            || !(state.admitted.is_empty() && state.suspects.is_empty() && state.running.is_empty())
    }

    fn poll_shutdown(&mut self, context: &mut Context<'_>) {
        let shutdown = self.options.shutdown.as_mut();
        if shutdown.is_some_and(|shutdown| shutdown.as_mut().poll(context).is_ready()) {
            self.options.shutdown = None;
            self.stop(JobStop::Shutdown);
        }
    }

    fn poll_tick(&mut self, context: &mut Context<'_>) {
        while self.state.tick.as_mut().is_some_and(|tick| tick.as_mut().poll(context).is_ready()) {
            self.state.tick = self.shown.interval().map(|time| self.asking.clock.sleep(time));
            self.show(ProgressMoment::Meanwhile);
        }
    }

    fn show(&mut self, moment: ProgressMoment) {
        if self.shown.interval().is_none() {
            return;
        }
        let now = self.asking.clock.now();
        let in_flight = self.state.running.len();
        let elapsed = now.saturating_duration_since(self.started);
        let (spent, prices) = (self.asking.limits.spent(), self.options.prices.as_ref());
        let progress = self.state.tally.progress(self.options.expected, in_flight, spent, prices, elapsed);
        self.shown.show(&progress, now, moment);
    }

    /// Stops the job: no document is started any more, and those in flight get some time to finish.
    fn stop(&mut self, stop: JobStop) {
        if self.state.stop.is_some() {
            return;
        }
        let is_hopeless = matches!(stop, JobStop::Unreachable | JobStop::Agent(_) | JobStop::Setup(_));
        // Nothing is in flight that could be finished: documents wait for batches, or for the agent.
        let is_waiting = self.state.running.len() == self.parked() || self.asking.limits.is_parked();
        let grace = if is_hopeless || is_waiting { Duration::ZERO } else { self.options.grace };
        self.driver = None;
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

    /// Closes an intent without an outcome, so that the document does not count as in flight in a
    /// crash.
    fn release(&mut self, key: &str) {
        let Some(active) = self.state.active.remove(key).filter(|active| active.is_open) else { return };
        self.writer.outbox().push(Write::Intent(key.to_owned(), active.closed_intent()));
    }

    /// Drops the documents in flight when the grace is over.
    fn poll_grace(&mut self, context: &mut Context<'_>) {
        let is_over = self.state.grace.as_mut().is_some_and(|grace| grace.as_mut().poll(context).is_ready());
        if is_over {
            self.state.grace = None;
            self.state.running.clear();
            self.release_all();
        }
    }

    /// Releases all documents without an outcome on its way.
    fn release_all(&mut self) {
        let open = self.state.active.iter().filter(|(_, active)| active.is_open);
        let open: Vec<String> = open.map(|(key, _)| key.clone()).collect();
        for key in &open {
            self.release(key);
        }
    }

    /// Lets documents that were set aside go on when nothing else is left.
    fn settle_aside(&self) {
        let (state, limits) = (&self.state, &self.asking.limits);
        let aside = limits.aside();
        let is_quiet = self.source.is_none()
            && state.admitted.is_empty()
            && state.committing.is_empty()
            && state.running.len() == aside;
        if aside > 0 && is_quiet && !limits.is_quiet() {
            self.asking.has_answers.store(state.tally.done > 0, Ordering::Relaxed);
            limits.set_quiet();
        }
    }

    /// How many documents that are processed need no slot.
    fn aside(&self) -> usize {
        self.asking.limits.aside() + self.parked()
    }

    /// Starts documents whose intents are committed, while there are free slots. A document that is
    /// set aside needs none.
    fn start(&mut self, committed: u64) -> bool {
        let mut has_moved = self.wake(committed);
        while self.has_slot() {
            let is_next = |(number, _): &(u64, Task)| *number <= committed;
            if !self.state.admitted.front().is_some_and(is_next) {
                break;
            }
            let Some((_, task)) = self.state.admitted.pop_front() else { break };
            self.state.running.push(Box::pin(self.asking.clone().ask(task)));
            has_moved = true;
        }
        has_moved | self.admit_suspects()
    }

    fn has_slot(&self) -> bool {
        let state = &self.state;
        let taken = (state.running.len() + state.committing.len()).saturating_sub(self.asking.limits.aside());
        // With batches, it has its slot before its intent is committed.
        self.asking.waves.is_some() || taken < self.options.concurrent
    }

    fn report(&self, stop: Option<&JobStop>) -> Report {
        let ended = match stop {
            None => Ended::Complete,
            Some(JobStop::TokenBudget) => Ended::TokenBudget,
            Some(JobStop::Shutdown) => Ended::Shutdown,
            Some(JobStop::Waiting) => Ended::Waiting,
            Some(JobStop::Unreachable) => Ended::Unreachable,
            Some(JobStop::Agent(_) | JobStop::Setup(_) | JobStop::Source(_) | JobStop::DuplicateKey(_)) => {
                Ended::Failed
            }
        };
        let elapsed = self.asking.clock.now().saturating_duration_since(self.started);
        let (spent, prices) = (self.asking.limits.spent(), self.options.prices.as_ref());
        let journal = (self.options.journal.clone(), &self.asking.store);
        self.state.tally.report(ended, self.options.expected, spent, prices, elapsed, journal)
    }
}

/// Dropping a job is not a crash, so the documents in flight must not look like one.
impl<T, C> Drop for JobEngine<'_, T, C> {
    fn drop(&mut self) {
        // Their replies go to the journal before the writer ends.
        self.state.running.clear();
        if self.asking.waves.is_some() {
            self.writer.outbox().push(Write::InFlight(InFlight::default()));
        }
        for (key, active) in self.state.active.drain().filter(|(_, active)| active.is_open) {
            self.writer.outbox().push(Write::Intent(key, active.closed_intent()));
        }
    }
}
