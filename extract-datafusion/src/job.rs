//! Asks about each text once, however many queries need it.

use std::{
    collections::HashMap,
    fmt,
    future::{self, Future},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use extract::{Contract, ExtractionError, ExtractionMetrics, Extractor, Violation, agent::Agent};
use futures_util::{FutureExt as _, StreamExt as _, future::Shared, stream::FuturesUnordered};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

/// The hash of a text.
pub(crate) type Key = [u8; 32];

/// The answer to one text.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "shared", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JobAnswer {
    /// The value, if the text has one.
    pub value: Option<Value>,
    /// Whether the text has a value.
    pub status: JobStatus,
    /// The reason why the value is missing: the [name](ExtractionError::name) of the error.
    pub error: Option<String>,
    /// The error message.
    pub message: Option<String>,
    /// The violations of the last attempt if the value is missing, otherwise the warnings of the
    /// value.
    pub violations: Vec<Violation>,
    /// How often the agent was asked.
    pub attempts: u32,
    /// Input and output tokens.
    pub tokens: u64,
}

/// Whether a text has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "shared",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum JobStatus {
    /// There is a value.
    Done,
    /// There is a value without its broken items, or without some chunks.
    InPart,
    /// The agent refused.
    Refused,
    /// The text has no value.
    Failed,
}

impl JobStatus {
    /// `done`, `in_part`, `refused` or `failed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::InPart => "in_part",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

impl JobAnswer {
    fn of(result: Result<(Value, ExtractionMetrics), ExtractionError>) -> Self {
        match result {
            Ok((value, metrics)) => {
                let is_whole = metrics.left_out.is_empty() && metrics.gaps.is_empty();
                Self {
                    status: if is_whole { JobStatus::Done } else { JobStatus::InPart },
                    value: Some(value),
                    error: None,
                    message: None,
                    violations: metrics.warnings.clone(),
                    attempts: metrics.attempts,
                    tokens: tokens(&metrics),
                }
            }
            Err(error) => Self {
                status: if matches!(error, ExtractionError::Refused { .. }) {
                    JobStatus::Refused
                } else {
                    JobStatus::Failed
                },
                violations: error
                    .history()
                    .last()
                    .map(|attempt| attempt.violations.clone())
                    .unwrap_or_default(),
                attempts: error.metrics().attempts,
                tokens: tokens(error.metrics()),
                ..Self::failed(error.name(), error.to_string())
            },
        }
    }

    fn failed(error: &str, message: String) -> Self {
        Self {
            value: None,
            status: JobStatus::Failed,
            error: Some(error.to_owned()),
            message: Some(message),
            violations: Vec::new(),
            attempts: 0,
            tokens: 0,
        }
    }
}

fn tokens(metrics: &ExtractionMetrics) -> u64 {
    metrics.usage.input_tokens.saturating_add(metrics.usage.output_tokens)
}

type Flight = Shared<Pin<Box<dyn Future<Output = Arc<JobAnswer>> + Send>>>;

/// A contract, an agent, and every known answer. Clones are the same job.
///
/// An engine evaluates a function each time that a query names it: two fields of a struct are two
/// evaluations, and a filter is a third. A job therefore asks about each text only once. Queries
/// that need a text in flight wait for the same answer; later ones get it at once. Failures are
/// answers too, until [`forget_failures`](Self::forget_failures).
///
/// A text in flight is finished and its answer kept, even if nobody waits for it any more.
///
/// Answers stay in memory as long as the job. Another process asks again, unless both
/// [share](Self::shared) their answers on an object store.
#[derive(Clone)]
pub struct Job {
    inner: Arc<Inner>,
}

struct Inner {
    contract: Contract,
    agent: Arc<dyn Agent>,
    extractor: Extractor,
    permits: Arc<Semaphore>,
    flights: Mutex<HashMap<Key, Flight>>,
    #[cfg(feature = "shared")]
    segments: Option<crate::segments::Segments>,
}

impl Job {
    /// Creates a job that asks about at most `concurrent` texts at once, and at least one, across
    /// all queries and partitions of this process.
    pub fn new(
        contract: Contract,
        agent: impl Agent + 'static,
        extractor: Extractor,
        concurrent: usize,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(concurrent.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            inner: Arc::new(Inner {
                contract,
                agent: Arc::new(agent),
                extractor,
                permits,
                flights: Mutex::default(),
                #[cfg(feature = "shared")]
                segments: None,
            }),
        }
    }

    /// The same job, but it keeps every answer on `store` under `prefix`, and uses the answers of
    /// earlier runs and other processes there. Call it before the first query; an earlier clone has
    /// its own answers.
    ///
    /// A text has its answer once that is written; many answers at once become one object. If the
    /// process is killed, the next one repeats at most the texts in flight: `concurrent` for each
    /// process and kill. Two processes that ask about the same text at the same time both ask.
    ///
    /// Answers are shared between jobs with the same schema, settings and name of the agent
    /// ([`Extractor::fingerprint`](extract::Extractor::fingerprint)). Rules and checks are code:
    /// with different rules, use a different prefix. Failures are answers too. After
    /// [`forget_failures`](Self::forget_failures) the job asks about them again, and a value
    /// replaces them for everybody. Values are written as they are, including sensitive ones.
    ///
    /// If the store cannot be read, or has a damaged segment, texts without a known answer fail
    /// with the error `Store`. Nobody is asked, and the next query tries again. If the store cannot
    /// be written, queries still get their answers, which are written with the next one or by
    /// [`flush`](Self::flush).
    ///
    /// Segments are read as a whole and never deleted; at worst there is one for each answer.
    /// `LocalFileSystem` serves as a store on one machine.
    #[cfg(feature = "shared")]
    #[must_use]
    pub fn shared(
        &self,
        store: Arc<dyn object_store::ObjectStore>,
        prefix: &object_store::path::Path,
    ) -> Self {
        let Inner { contract, agent, extractor, permits, .. } = &*self.inner;
        let fingerprint = extractor.fingerprint(contract, agent);
        Self {
            inner: Arc::new(Inner {
                contract: contract.clone(),
                agent: Arc::clone(agent),
                extractor: extractor.clone(),
                permits: Arc::clone(permits),
                flights: Mutex::default(),
                segments: Some(crate::segments::Segments::new(store, prefix, &fingerprint)),
            }),
        }
    }

    /// Writes the answers that could not be written before.
    ///
    /// # Errors
    ///
    /// The error of the store. Unwritten answers are kept for the next time.
    #[cfg(feature = "shared")]
    pub async fn flush(&self) -> object_store::Result<()> {
        match &self.inner.segments {
            Some(segments) => segments.flush().await,
            None => Ok(()),
        }
    }

    /// Returns whether `other` is a clone of this one.
    #[cfg(feature = "datafusion")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// The contract.
    pub fn contract(&self) -> &Contract {
        &self.inner.contract
    }

    /// Returns the answers to texts, in their order. `None` is a missing text, which has no answer.
    ///
    /// The agent gets the texts in any order, so a slow one does not delay later ones. There is no
    /// error: an answer without a value has the reason.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn ask<'t>(
        &self,
        texts: impl IntoIterator<Item = Option<&'t str>>,
    ) -> Vec<Option<Arc<JobAnswer>>> {
        let unread = self.learn().await.err();
        let mut answers = Vec::new();
        let mut waiting = FuturesUnordered::new();
        for (index, text) in texts.into_iter().enumerate() {
            answers.push(None);
            if let Some(text) = text {
                let flight = self.flight(text, unread.as_deref());
                waiting.push(flight.map(move |answer| (index, answer)));
            }
        }
        while let Some((index, answer)) = waiting.next().await {
            answers[index] = Some(answer);
        }
        answers
    }

    /// Forgets the texts without a value, so that the next query asks about them again.
    pub fn forget_failures(&self) {
        let mut flights = self.inner.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.retain(|_, flight| flight.peek().is_none_or(|answer| answer.value.is_some()));
    }

    /// Returns the answer to `text`, possibly still in flight. `unread` is set if the store could
    /// not be read; then the agent is not asked.
    fn flight(&self, text: &str, unread: Option<&str>) -> Flight {
        let key = Sha256::digest(text).into();
        let mut flights = self.inner.flights.lock().unwrap_or_else(PoisonError::into_inner);
        match (flights.get(&key), unread) {
            (Some(flight), _) => flight.clone(),
            (None, Some(why)) => landed(JobAnswer::failed("Store", why.to_owned())),
            (None, None) => {
                let flight = self.start(key, text.to_owned());
                flights.insert(key, flight.clone());
                flight
            }
        }
    }

    /// Asks in a separate task: a future that is not polled would keep its permit and hold up all
    /// others.
    fn start(&self, key: Key, text: String) -> Flight {
        let inner = Arc::clone(&self.inner);
        let task = tokio::spawn(async move {
            // The semaphore is never closed.
            let permit = inner.permits.acquire().await;
            let result = inner.extractor.extract_untyped(&inner.contract, &*inner.agent, text).await;
            let answer = JobAnswer::of(result);
            inner.keep(&key, &answer).await;
            // Only after the answer is kept, so that a kill repeats no more than these texts.
            drop(permit);
            answer
        });
        let answer = task.map(|ended| {
            Arc::new(
                ended
                    .unwrap_or_else(|error| JobAnswer::failed("Stopped", format!("the call ended: {error}"))),
            )
        });
        answer.boxed().shared()
    }

    /// Takes over the answers that others have shared since the last time.
    #[cfg_attr(not(feature = "shared"), allow(clippy::unused_async))]
    async fn learn(&self) -> Result<(), String> {
        #[cfg(feature = "shared")]
        if let Some(segments) = &self.inner.segments {
            let news = segments.news().await.map_err(|error| error.to_string())?;
            let mut flights = self.inner.flights.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, answer) in news {
                let known =
                    flights.get(&key).map(|flight| flight.peek().is_some_and(|known| known.value.is_none()));
                // A value replaces a failure.
                if known.is_none_or(|has_failed| has_failed && answer.value.is_some()) {
                    flights.insert(key, landed(answer));
                }
            }
        }
        Ok(())
    }
}

impl Inner {
    #[cfg_attr(not(feature = "shared"), allow(clippy::unused_async, unused_variables))]
    async fn keep(&self, key: &Key, answer: &JobAnswer) {
        #[cfg(feature = "shared")]
        if let Some(segments) = &self.segments {
            segments.keep(key, answer).await;
        }
    }
}

/// An answer that is already complete, so that [`Shared::peek`] sees it.
fn landed(answer: JobAnswer) -> Flight {
    let flight = future::ready(Arc::new(answer)).boxed().shared();
    let _ = flight.clone().now_or_never();
    flight
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("agent", &self.inner.agent.name()).finish_non_exhaustive()
    }
}
