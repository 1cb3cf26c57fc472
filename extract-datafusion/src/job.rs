//! One call for each text, whoever asks for it.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use extract::{Contract, ExtractionError, ExtractionMetrics, Extractor, Violation, agent::Agent};
use futures_util::{FutureExt as _, StreamExt as _, future::Shared, stream::FuturesUnordered};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

/// What became of a text.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JobAnswer {
    /// The value; `None` if there is none.
    pub value: Option<Value>,
    /// `done`, `in_part` (a value without its broken items or some chunks), `refused` or `failed`.
    pub status: &'static str,
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

impl JobAnswer {
    fn of(result: Result<(Value, ExtractionMetrics), ExtractionError>) -> Self {
        match result {
            Ok((value, metrics)) => {
                let is_whole = metrics.left_out.is_empty() && metrics.gaps.is_empty();
                Self {
                    status: if is_whole { "done" } else { "in_part" },
                    value: Some(value),
                    error: None,
                    message: None,
                    violations: metrics.warnings.clone(),
                    attempts: metrics.attempts,
                    tokens: tokens(&metrics),
                }
            }
            Err(error) => Self {
                status: if matches!(error, ExtractionError::Refused { .. }) { "refused" } else { "failed" },
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
            status: "failed",
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
/// Answers stay in memory as long as the job does. They are not on disk: another process asks again.
#[derive(Clone)]
pub struct Job {
    inner: Arc<Inner>,
}

struct Inner {
    contract: Contract,
    agent: Arc<dyn Agent>,
    extractor: Extractor,
    permits: Arc<Semaphore>,
    flights: Mutex<HashMap<[u8; 32], Flight>>,
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
        let flights = Mutex::default();
        Self { inner: Arc::new(Inner { contract, agent: Arc::new(agent), extractor, permits, flights }) }
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
        let mut answers = Vec::new();
        let mut waiting = FuturesUnordered::new();
        for (index, text) in texts.into_iter().enumerate() {
            answers.push(None);
            if let Some(text) = text {
                let flight = self.flight(text);
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

    fn flight(&self, text: &str) -> Flight {
        let key = Sha256::digest(text).into();
        let mut flights = self.inner.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.entry(key).or_insert_with(|| self.start(text.to_owned())).clone()
    }

    /// In a task of its own: a call that nobody polls would keep its permit, and hold up all others.
    fn start(&self, text: String) -> Flight {
        let Inner { contract, agent, extractor, permits, .. } = &*self.inner;
        let (contract, agent) = (contract.clone(), Arc::clone(agent));
        let (extractor, permits) = (extractor.clone(), Arc::clone(permits));
        let task = tokio::spawn(async move {
            // It is never closed.
            let _permit = permits.acquire_owned().await.ok();
            JobAnswer::of(extractor.extract_untyped(&contract, &*agent, text).await)
        });
        let answer = task.map(|ended| {
            Arc::new(
                ended
                    .unwrap_or_else(|error| JobAnswer::failed("Stopped", format!("the call ended: {error}"))),
            )
        });
        answer.boxed().shared()
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("agent", &self.inner.agent.name()).finish_non_exhaustive()
    }
}
