//! The questions about one document.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, value::to_raw_value};

use super::{
    asked_agent::{AskedAgent, Calls, DocumentCalls},
    clock::Clock,
    doc::Doc,
    identity::{Hash, Identity},
    journal::{Body, Head, JournalError, Record, Store},
    limits::Limits,
    outcome::{Failure, Status},
    writer::Outbox,
};
use crate::{
    agent::{Agent, AgentError, AgentErrorKind, Reply, ReplyFuture, Request},
    attempt::AttemptRecord,
    contract::Contract,
    derive_support::WithContext,
    error::{ExtractionError, SettingsError},
    extraction::Extraction,
    judging::{KeptValue, ValueChecks},
    metrics::ExtractionMetrics,
    path::Path,
    redaction::VALUE_MARKER,
};

/// The user's configuration of each document's extraction.
pub(super) type Configure<'a, T, C> =
    Arc<dyn Fn(Extraction<'a, T>) -> Extraction<'a, T, C> + Send + Sync + 'a>;

/// The settings shared by the questions about all documents of a job.
pub(super) struct Asking<'a, T, C> {
    pub(super) contract: Contract,
    pub(super) checks: ValueChecks<T>,
    pub(super) agent: Arc<dyn Agent + 'a>,
    pub(super) configure: Configure<'a, T, C>,
    pub(super) limits: Arc<Limits>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) store: Arc<Store>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) bound: Duration,
    pub(super) redacts: bool,
    /// Whether any document of the job has an answer.
    pub(super) has_answers: Arc<AtomicBool>,
}

impl<T, C> Clone for Asking<'_, T, C> {
    fn clone(&self) -> Self {
        Self {
            contract: self.contract.clone(),
            checks: self.checks,
            agent: Arc::clone(&self.agent),
            configure: Arc::clone(&self.configure),
            limits: Arc::clone(&self.limits),
            clock: Arc::clone(&self.clock),
            store: Arc::clone(&self.store),
            outbox: Arc::clone(&self.outbox),
            has_answers: Arc::clone(&self.has_answers),
            ..*self
        }
    }
}

/// A document whose extraction is about to start.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) doc: Doc,
    pub(super) identity: Identity,
    /// The askers of earlier outcomes that this outcome replaces.
    pub(super) stands_for: Vec<Hash>,
    /// Whether an earlier run was processing it.
    pub(super) is_interrupted: bool,
    /// How many of those runs crashed while it was in flight among few.
    pub(super) crashes: u32,
    /// How many crashed while it was in flight among more.
    pub(super) crowded: u32,
    /// Recorded attempts that are judged again instead of asking.
    pub(super) replay: Option<Vec<AttemptRecord>>,
}

/// The result for a document.
pub(super) struct Finished<T> {
    pub(super) task: Task,
    pub(super) result: Result<Answer<T>, Box<NoAnswer>>,
}

pub(super) struct Answer<T> {
    pub(super) value: T,
    pub(super) json: Value,
    pub(super) metrics: ExtractionMetrics,
}

pub(super) struct NoAnswer {
    pub(super) failure: Failure,
    pub(super) metrics: ExtractionMetrics,
    pub(super) kind: NoAnswerKind,
}

/// The implication of a failure for other documents.
pub(super) enum NoAnswerKind {
    OfDocument,
    /// The transport failed for longer than allowed.
    Transport,
    /// The agent refuses the request, and perhaps all requests.
    Refused {
        message: String,
        /// Whether the agent says that it works, and failed at this request.
        is_of_request: bool,
    },
    /// No document can be processed.
    Setup(ExtractionError),
}

impl<'a, T, C> Asking<'a, T, C> {
    pub(super) fn extraction(&self, doc: &Doc) -> Extraction<'a, T, C> {
        let agent = Box::new(Arc::clone(&self.agent));
        let prompt = doc.prompt.clone();
        let extraction = Extraction::of_job(self.contract.clone(), self.checks, agent, prompt);
        let extraction = (self.configure)(extraction);
        match (&doc.document, &doc.chunks) {
            (Some(document), Some(chunks)) => extraction.document(document).chunks(chunks.clone()),
            (Some(document), None) => extraction.document(document),
            (None, Some(chunks)) => extraction.chunks(chunks.clone()),
            (None, None) => extraction,
        }
    }

    fn calls(&self, task: &Task) -> Result<DocumentCalls, JournalError> {
        let keeps_replies = !(self.redacts && self.contract.sensitive().is_some());
        let known = if task.is_interrupted && keeps_replies {
            self.store.replies(&task.doc.key)?
        } else {
            std::collections::HashMap::new()
        };
        Ok(DocumentCalls {
            key: task.doc.key.clone(),
            limits: Arc::clone(&self.limits),
            clock: Arc::clone(&self.clock),
            bound: self.bound,
            has_answers: Arc::clone(&self.has_answers),
            outbox: keeps_replies.then(|| Arc::clone(&self.outbox)),
            state: Mutex::new(Calls::after(known)),
        })
    }
}

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> Asking<'a, T, C> {
    /// Asks about a document until it is known whether there is an answer.
    pub(super) async fn ask(self, task: Task) -> Result<Finished<T>, JournalError> {
        if let Some(attempts) = &task.replay {
            let result = self.judge_again(&task.doc, attempts.clone()).await;
            return Ok(Finished { task, result });
        }
        let started = self.clock.now();
        let calls = Arc::new(self.calls(&task)?);
        loop {
            let kept = KeptValue::default();
            let extraction = self.extraction(&task.doc).in_job(Arc::clone(&kept), |agent, timeout| {
                Box::new(AskedAgent { agent, timeout, calls: Arc::clone(&calls) })
            });
            let result = extraction.await;
            let is_late = matches!(&result, Err(ExtractionError::DeadlineExceeded { .. }));
            let waited = self.clock.now().saturating_duration_since(started);
            // The document is not to blame for an outage.
            if is_late && calls.has_failures() && waited < self.bound {
                calls.take_failures();
                continue;
            }
            let mut result = finished(result, &kept);
            if let Err(none) = &mut result
                && calls.is_blamed()
                && matches!(none.kind, NoAnswerKind::Transport)
            {
                none.kind = NoAnswerKind::OfDocument;
            }
            let metrics = match &mut result {
                Ok(answer) => &mut answer.metrics,
                Err(none) => &mut none.metrics,
            };
            let (failures, count) = calls.take_failures();
            metrics.transport_retries = metrics.transport_retries.saturating_add(count);
            metrics.transport_failures.extend(failures);
            return Ok(Finished { task, result });
        }
    }

    /// Judges the recorded attempts again, and keeps their valid items.
    async fn judge_again(&self, doc: &Doc, attempts: Vec<AttemptRecord>) -> Result<Answer<T>, Box<NoAnswer>> {
        let kept = KeptValue::default();
        let count = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
        let agent = Box::new(Replay { attempts, next: AtomicUsize::new(0) });
        let result = self.extraction(doc).replaying(agent, count.max(1), Arc::clone(&kept)).await;
        finished(result, &kept)
    }
}

fn finished<T>(
    result: Result<(T, ExtractionMetrics), ExtractionError>,
    kept: &KeptValue,
) -> Result<Answer<T>, Box<NoAnswer>> {
    match result {
        Ok((value, metrics)) => {
            let json = kept.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
            Ok(Answer { value, json, metrics })
        }
        Err(error) => {
            let (failure, metrics) = (Failure::of(&error), error.metrics().clone());
            Err(Box::new(NoAnswer { failure, metrics, kind: kind(error) }))
        }
    }
}

fn kind(error: ExtractionError) -> NoAnswerKind {
    match &error {
        ExtractionError::Agent { source, .. } if source.is_transient() => NoAnswerKind::Transport,
        ExtractionError::Agent { source, record, .. }
            if source.kind() != AgentErrorKind::TooLong && record.attempts == 0 =>
        {
            NoAnswerKind::Refused { message: source.to_string(), is_of_request: source.is_of_request() }
        }
        ExtractionError::Settings(
            SettingsError::NothingAsked { .. } | SettingsError::NoDocument | SettingsError::Chunks(_),
        ) => NoAnswerKind::OfDocument,
        ExtractionError::Settings(_) | ExtractionError::Schema(_) | ExtractionError::Narrowing(_) => {
            NoAnswerKind::Setup(error)
        }
        _ => NoAnswerKind::OfDocument,
    }
}

/// An agent that repeats the replies of recorded attempts.
struct Replay {
    attempts: Vec<AttemptRecord>,
    next: AtomicUsize,
}

impl Agent for Replay {
    fn respond<'r>(&'r self, _: &'r Request) -> ReplyFuture<'r> {
        Box::pin(async {
            let attempt = self.attempts.get(self.next.fetch_add(1, Ordering::Relaxed));
            let attempt = attempt.ok_or_else(|| AgentError::unavailable("no attempt is left"))?;
            Ok(Reply::new(&*attempt.raw_output)
                .finished(attempt.finish_reason.clone())
                .with_usage(attempt.usage))
        })
    }
}

impl<T> Finished<T> {
    /// The record for the journal.
    pub(super) fn record(&self, contract: &Contract, redacts: bool) -> Record {
        let Self { task, result } = self;
        let (status, value, failure, metrics) = match result {
            Ok(answer) => (Status::of(&answer.metrics), Some(&answer.json), None, &answer.metrics),
            Err(none) => (Status::Failed, None, Some(none.failure.clone()), &none.metrics),
        };
        let (mut value, mut failure, mut metrics) = (value.cloned(), failure, metrics.clone());
        if redacts {
            redact(contract, value.as_mut(), failure.as_mut(), &mut metrics);
        }
        let mut askers = task.stands_for.clone();
        askers.retain(|asker| *asker != task.identity.asker);
        askers.push(task.identity.asker);
        let head = Head { question: task.identity.question, askers, status };
        // A value that was read from JSON is JSON.
        let value = value.and_then(|value| to_raw_value(&value).ok());
        let meta = task.doc.meta.clone();
        Record { head, body: Body { meta, value, failure, metrics, at: now() } }
    }
}

/// Redacts values at `sensitive` paths, and everything that may quote them. Nothing else contains
/// such values.
fn redact(
    contract: &Contract,
    value: Option<&mut Value>,
    failure: Option<&mut Failure>,
    metrics: &mut ExtractionMetrics,
) {
    let Some(sensitive) = contract.sensitive() else { return };
    if let Some(value) = value {
        let values = sensitive.values_in(value);
        sensitive.redact_at(&Path::root(), value, &values);
    }
    for attempt in failure.into_iter().flat_map(|failure| &mut failure.history) {
        VALUE_MARKER.clone_into(&mut attempt.raw_output);
        (attempt.submitted, attempt.patch, attempt.refusal) = (None, None, None);
    }
    for item in &mut metrics.left_out {
        item.value = VALUE_MARKER.into();
    }
    for conflict in &mut metrics.conflicts {
        for statement in std::iter::once(&mut conflict.kept).chain(&mut conflict.others) {
            statement.value = VALUE_MARKER.into();
        }
    }
}

pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
