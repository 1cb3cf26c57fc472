//! One call for each text, whoever asks for it.

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

/// What became of a text.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "shared", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JobAnswer {
    /// The value; `None` if there is none.
    pub value: Option<Value>,
    /// Whether there is a value.
    pub status: JobStatus,
    /// Why there is no value: the [name](ExtractionError::name) of the error.
    pub error: Option<String>,
    /// The error in words.
    pub message: Option<String>,
    /// Of the last attempt without a value, or the warnings of the value.
    pub violations: Vec<Violation>,
    /// How often the agent was asked.
    pub attempts: u32,
    /// Tokens in and out.
    pub tokens: u64,
}

/// Whether a text has an answer.
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
    /// There is one without its broken items, or without some chunks.
    InPart,
    /// The agent refused.
    Refused,
    /// There is none.
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

/// A contract, an agent, and every answer that is known. A clone is the same job.
///
/// An engine evaluates a function once for each place where a query names it, however often that is: two fields of a
/// struct are two evaluations, and a filter is a third. So a text is asked about once for each job: who asks for
/// it while it is in flight waits for the same answer, and who asks for it later gets it at once. Failures are answers
/// too, until [`forget_failures`](Self::forget_failures).
///
/// A text that is being asked about is finished, and kept, even if nobody waits for it any more.
///
/// Answers stay in memory as long as the job does. Another process asks again, unless both of them
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
    /// At most `concurrent` texts are asked about at once, and at least one, across all queries and partitions of this process.
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

    /// The same job, which keeps every answer on `store` under `prefix`, and takes those that are there already: of
    /// earlier runs, and of other processes. Call it before the first query; a clone from before has its own answers.
    ///
    /// A text gets its answer when that is written; many answers at once are one object. If the process is killed, at
    /// most the texts in flight are asked about again: `concurrent` for each process and kill. Two processes that ask
    /// about the same text at the same time both ask.
    ///
    /// Answers count for the same schema, settings and name of the agent
    /// ([`Extractor::fingerprint`](extract::Extractor::fingerprint)). Rules and checks are code: with other rules, take
    /// another prefix. Failures are answers too; after [`forget_failures`](Self::forget_failures) they are asked about
    /// again, and a value replaces them for everybody. Values are written as they are, sensitive ones too.
    ///
    /// If the store cannot be read, or has a damaged segment, texts whose answer is not known fail with the error
    /// `Store`, nobody is asked, and the next query tries again. If it cannot be written, queries get
    /// their answers, which are written with the next one or by [`flush`](Self::flush).
    ///
    /// Segments are read as a whole and stay, one for each answer at worst; `LocalFileSystem` serves as a store on one machine.
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

    /// Writes the answers that could not be written when they came.
    ///
    /// # Errors
    ///
    /// That of the store. What was not written stays for the next time.
    #[cfg(feature = "shared")]
    pub async fn flush(&self) -> object_store::Result<()> {
        match &self.inner.segments {
            Some(segments) => segments.flush().await,
            None => Ok(()),
        }
    }

    /// Whether `other` is a clone of this one.
    #[cfg(feature = "datafusion")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// The contract.
    pub fn contract(&self) -> &Contract {
        &self.inner.contract
    }

    /// What becomes of each text, in their order. `None` is no text: nobody is asked, and it has no answer.
    ///
    /// They are asked about in any order: a slow one holds up none behind it. There is no error: why a text has
    /// no value is in its answer.
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

    /// That of `text`. If it is `unread` whether there is an answer, nobody is asked.
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

    /// In a task of its own: a call that nobody polls would keep its permit, and hold up all others.
    fn start(&self, key: Key, text: String) -> Flight {
        let inner = Arc::clone(&self.inner);
        let task = tokio::spawn(async move {
            // It is never closed.
            let permit = inner.permits.acquire().await;
            let result = inner.extractor.extract_untyped(&inner.contract, &*inner.agent, text).await;
            let answer = JobAnswer::of(result);
            inner.keep(&key, &answer).await;
            // Not before it is kept, so that no more than these are asked about again if the process is killed.
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

    /// Takes the answers that others have shared since the last time.
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

/// An answer that is known already, also to [`Shared::peek`].
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
