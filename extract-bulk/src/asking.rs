//! The questions about one document.

use std::{
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use extract::{
    AcceptedJson, AttemptRecord, Contract, Extraction, ExtractionError, WithContext,
    agent::{AgentExt as _, Prompt},
    document::ChunkError,
    metrics::ExtractionMetrics,
    settings::SettingsError,
};
use serde_json::{Value, value::to_raw_value};

use super::{
    asked_agent::{AskedAgent, Calls, DigestedSchema, DocumentCalls},
    batches::Waves,
    clock::Clock,
    doc::Doc,
    identity::{Hash, Identity},
    journal::{JournalError, Record, RecordBody, RecordHead, Store},
    limits::{JobLimits, RequestRefusal},
    outcome::{Failure, Status},
    writer::Outbox,
};

/// Begins the extraction of one document.
pub(super) type Extract<'a, T> = Arc<dyn Fn(Prompt) -> Extraction<'a, T> + Send + Sync + 'a>;

/// The user's configuration of each document's extraction.
pub(super) type ConfigureDoc<'a, T, C> =
    Arc<dyn Fn(Extraction<'a, T>) -> Extraction<'a, T, C> + Send + Sync + 'a>;

/// The settings shared by the questions about all documents of a job.
pub(super) struct Asking<'a, T, C> {
    pub(super) contract: Contract,
    pub(super) extract: Extract<'a, T>,
    pub(super) configure: ConfigureDoc<'a, T, C>,
    pub(super) limits: Arc<JobLimits>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) store: Arc<Store>,
    pub(super) outbox: Arc<Outbox>,
    /// Set if requests are sent in batches.
    pub(super) waves: Option<Arc<Waves>>,
    pub(super) bound: Duration,
    pub(super) redacts: bool,
    /// Whether any document of the job has an answer.
    pub(super) has_answers: Arc<AtomicBool>,
    pub(super) schemas: Arc<DigestedSchema>,
    /// Whether the journal has replies about documents of earlier runs.
    pub(super) has_replies: bool,
}

impl<T, C> Clone for Asking<'_, T, C> {
    fn clone(&self) -> Self {
        Self {
            contract: self.contract.clone(),
            extract: Arc::clone(&self.extract),
            configure: Arc::clone(&self.configure),
            limits: Arc::clone(&self.limits),
            clock: Arc::clone(&self.clock),
            store: Arc::clone(&self.store),
            outbox: Arc::clone(&self.outbox),
            has_answers: Arc::clone(&self.has_answers),
            schemas: Arc::clone(&self.schemas),
            waves: self.waves.clone(),
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
    pub(super) result: Result<AcceptedAnswer<T>, Box<NoAnswer>>,
}

pub(super) struct AcceptedAnswer<T> {
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
        refusal: RequestRefusal,
        /// Whether the agent says that it works, and failed at this request.
        is_of_request: bool,
    },
    /// No document can be processed.
    Setup(ExtractionError),
}

impl<'a, T: Send + 'a, C> Asking<'a, T, C> {
    pub(super) fn extraction(&self, doc: &Doc) -> Extraction<'a, T, C> {
        let mut extraction = (self.extract)(doc.prompt.clone());
        if self.waves.is_some() {
            // One after the other, each chunk would take a batch.
            extraction = extraction.concurrent_chunks(usize::MAX);
        }
        let extraction = (self.configure)(extraction);
        match (&doc.document, &doc.chunks) {
            (Some(document), Some(chunks)) => extraction.document(document).chunks(chunks.clone()),
            (Some(document), None) => extraction.document(document),
            (None, Some(chunks)) => extraction.chunks(chunks.clone()),
            (None, None) => extraction,
        }
    }

    fn calls(&self, task: &Task) -> Result<DocumentCalls, JournalError> {
        let keeps_replies = !(self.redacts && self.contract.has_sensitive_values());
        let known = if self.has_replies && keeps_replies {
            self.store.replies(&task.doc.key)?
        } else {
            std::collections::HashMap::new()
        };
        Ok(DocumentCalls {
            key: task.doc.key.as_str().into(),
            limits: Arc::clone(&self.limits),
            clock: Arc::clone(&self.clock),
            bound: self.bound,
            has_answers: Arc::clone(&self.has_answers),
            schemas: Arc::clone(&self.schemas),
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
            let json = AcceptedJson::default();
            // The first agent is the job's own. Batches are sent to its provider and no other.
            let mut waves = self.waves.clone();
            let mut numbers = 0..;
            let extraction = self.extraction(&task.doc).keep_json(&json).wrap_agents(|agent, timeout| {
                let agent = match timeout {
                    Some(limit) => Box::new(agent.time_limited(limit)),
                    None => agent,
                };
                let (calls, waves) = (Arc::clone(&calls), waves.take());
                Box::new(AskedAgent { agent, number: numbers.next().unwrap_or_default(), calls, waves })
            });
            let result = extraction.await;
            let is_late = matches!(&result, Err(ExtractionError::DeadlineExceeded { .. }));
            let waited = self.clock.now().saturating_duration_since(started);
            // The document is not to blame for an outage.
            if is_late && calls.has_failures() && waited < self.bound {
                calls.take_failures();
                continue;
            }
            calls.forget_unsaved();
            let mut result = finished(result, &json, calls.refusal());
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
    async fn judge_again(
        &self,
        doc: &Doc,
        attempts: Vec<AttemptRecord>,
    ) -> Result<AcceptedAnswer<T>, Box<NoAnswer>> {
        let json = AcceptedJson::default();
        let result = self.extraction(doc).keep_valid_items(true).keep_json(&json).replay(attempts).await;
        finished(result, &json, RequestRefusal::default())
    }
}

fn finished<T>(
    result: Result<(T, ExtractionMetrics), ExtractionError>,
    json: &AcceptedJson,
    refusal: RequestRefusal,
) -> Result<AcceptedAnswer<T>, Box<NoAnswer>> {
    match result {
        Ok((value, metrics)) => Ok(AcceptedAnswer { value, json: json.take().unwrap_or_default(), metrics }),
        Err(error) => {
            let (failure, metrics) = (Failure::of(&error), error.metrics().clone());
            Err(Box::new(NoAnswer { failure, metrics, kind: kind(error, refusal) }))
        }
    }
}

fn kind(error: ExtractionError, refusal: RequestRefusal) -> NoAnswerKind {
    let error = match error {
        // Of a chunk.
        ExtractionError::Incomplete { source, .. } => *source,
        error => error,
    };
    // Also by an agent that takes over, after the replies of another one.
    let refused = error.agent_error().filter(|source| source.is_of_agent()).or_else(|| error.unasked());
    if let Some(source) = refused.filter(|source| !source.is_transient()) {
        // It found the request malformed or too long, and would answer others.
        let is_about_it = matches!(source.status(), Some(400 | 413 | 422)) && !source.is_of_account();
        let (message, is_of_request) = (source.to_string(), source.is_of_request() || is_about_it);
        return NoAnswerKind::Refused { message, refusal, is_of_request };
    }
    match &error {
        // It fits no document.
        ExtractionError::Settings(SettingsError::Chunks(ChunkError::NoRoom)) => NoAnswerKind::Setup(error),
        ExtractionError::Agent { source, .. } if source.is_transient() => NoAnswerKind::Transport,
        ExtractionError::Settings(
            SettingsError::NothingAsked { .. } | SettingsError::NoDocument | SettingsError::Chunks(_),
        ) => NoAnswerKind::OfDocument,
        ExtractionError::Settings(_) | ExtractionError::Schema(_) | ExtractionError::Narrowing(_) => {
            NoAnswerKind::Setup(error)
        }
        _ => NoAnswerKind::OfDocument,
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
        let head = RecordHead { question: task.identity.question, askers, status };
        // A value that was read from JSON is JSON.
        let value = value.and_then(|value| to_raw_value(&value).ok());
        let meta = task.doc.meta.clone();
        Record { head, body: RecordBody { meta, value, failure, metrics, reviewed_by: None, at: now() } }
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
    if !contract.has_sensitive_values() {
        return;
    }
    if let Some(value) = value {
        contract.redact(value);
    }
    failure.into_iter().flat_map(|failure| &mut failure.history).for_each(AttemptRecord::redact_reply);
    metrics.redact_values();
}

pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
