//! Metrics of an extraction: attempts, origins of replies, chunks, time, tokens and their cost.

mod confidence;
mod cost;

use std::{fmt, ops::Range, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::confidence::{is_copied, searched};
pub use self::{
    confidence::{
        ConfidenceCalibration, Confidences, Escalation, LeafConfidence, LeafEvidence, TokenEvidence,
    },
    cost::{Cost, ModelUsage, Price, PriceError, PriceKind, Prices},
};
use crate::{
    document::Span,
    vocabulary::{
        attempt_status::AttemptStatus,
        change::Change,
        path::Path,
        redaction::VALUE_MARKER,
        text::counted,
        usage::TokenUsage,
        violation::{LeftOutItem, Violation},
    },
};

/// Metrics of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptMetrics {
    /// Its number, from 1. Each pass over a [chunk](Self::chunk) starts at 1 again.
    pub number: u32,
    /// The chunk of the document, counted from 0; `None` if the question was not about a chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
    /// Name of the agent that replied.
    #[serde(default)]
    pub agent: String,
    /// Where the reply came from: model, request id and more, if the provider reported it.
    #[serde(default, skip_serializing_if = "ReplyOrigin::is_empty")]
    pub origin: ReplyOrigin,
    /// Tokens.
    pub usage: TokenUsage,
    /// Wall time, from sending the question to the judgement.
    pub elapsed: Duration,
    /// How many violations its answer had, warnings included.
    pub violations: usize,
    /// The outcome.
    #[serde(default)]
    pub verdict: AttemptStatus,
    /// The agent's notes on how it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Metrics of an extraction, on success and on failure.
///
/// Every attempt counts, including failed ones. Transport failures are not attempts;
/// [`transport_retries`](Self::transport_retries) counts them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExtractionMetrics {
    /// Attempts made: questions to which the agent replied.
    pub attempts: u32,
    /// How many attempts continued a reply that was cut; see
    /// [`max_continuations`](crate::Extraction::max_continuations).
    #[serde(default)]
    pub continuations: u32,
    /// Wall time from the start to the end.
    pub elapsed: Duration,
    /// Tokens of all attempts, and of replies that do not count as attempts, such as a call of
    /// `example`.
    pub usage: TokenUsage,
    /// The same tokens by model, in the order in which the models replied first. Their sum is
    /// [`usage`](Self::usage).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_model: Vec<ModelUsage>,
    /// Each attempt, in order.
    pub per_attempt: Vec<AttemptMetrics>,
    /// How often a request was repeated because there was no reply at all.
    pub transport_retries: u32,
    /// The failures after which a request was repeated, in order. Failures that a
    /// [layer](crate::agent::layers) handled are not included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transport_failures: Vec<TransportFailure>,
    /// Warnings about the accepted value.
    pub warnings: Vec<Violation>,
    /// The changes and omissions of reading in the accepted value. A change in the answer to a
    /// [chunk](crate::Extraction::chunks) has that chunk's number.
    pub changes: Vec<Change>,
    /// The broken items that were left out of the accepted value, if the caller asked to [keep the
    /// valid ones](crate::Extraction::keep_valid_items).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutItem>,
    /// The chunks of the document, if it was extracted in chunks. Changes and left out items then
    /// cover all chunks, in the order of the document, with paths in the answer to the chunk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<ChunkMetrics>,
    /// Values that chunks state in different ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// All spans of values that were found more than once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mentions>,
    /// The chunks without an acceptable answer, if the caller [accepts
    /// gaps](crate::Extraction::accept_gaps) or the extraction failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
    /// How sure each leaf of the value is, if [asked for](crate::Extraction::confidence).
    #[serde(default, skip_serializing_if = "Confidences::is_empty")]
    pub confidences: Confidences,
    /// What a larger agent was asked about, if leaves were not [sure
    /// enough](crate::Extraction::escalate_below).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
}

impl ExtractionMetrics {
    /// Returns how sure a leaf is, by its JSON Pointer (RFC 6901), if [asked
    /// for](crate::Extraction::confidence). `None` where the value has no leaf.
    ///
    /// ```
    /// use extract::{Confidence, Contract, agent::{Reply, TokenProbability}, testing::{ScriptedAgent, block_on}};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "array", "items": {"type": "integer"}}))?;
    /// let tokens = [TokenProbability::new(1..2, -0.01), TokenProbability::new(4..6, -1.2)];
    /// let agent = ScriptedAgent::new([Reply::new("[8, 20]").with_token_probabilities(tokens)])
    ///     .reporting_log_probabilities();
    /// let (_, metrics) = block_on(contract.extract(&agent, "legs and eyes").confidence(Confidence::Auto))?;
    ///
    /// let eyes = metrics.confidence("/1").unwrap();
    /// assert!((eyes.confidence.unwrap() - (-1.2_f64).exp()).abs() < 1e-12);
    /// assert_eq!(eyes.evidence.tokens.unwrap().tokens, 1);
    /// assert_eq!(metrics.unsure(0.8)[0].path.to_string(), "$[1]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn confidence(&self, pointer: &str) -> Option<&LeafConfidence> {
        self.confidences.at(pointer)
    }

    /// Returns the leaves below a confidence from 0 to 1, the least sure first. Leaves of which
    /// nothing is known come before all others.
    pub fn unsure(&self, below: f64) -> Vec<&LeafConfidence> {
        self.confidences.unsure(below)
    }

    /// Returns the cost of the tokens of all replies.
    ///
    /// ```
    /// # use extract::{ExtractionMetrics, metrics::{Price, Prices}};
    /// # let metrics = ExtractionMetrics::default();
    /// let prices = Prices::new().model("gpt-6-luna", Price::per_million(0.25, 2.0).cached(0.025))?;
    /// println!("{} USD", metrics.cost(&prices));
    /// # Ok::<(), extract::metrics::PriceError>(())
    /// ```
    pub fn cost(&self, prices: &Prices) -> Cost {
        Cost::of(&self.per_model, prices)
    }

    /// Adds the tokens of a reply, by model, such as those of
    /// [`Reply::tokens_by_model`](crate::agent::Reply::tokens_by_model).
    ///
    /// ```
    /// use extract::{ExtractionMetrics, TokenUsage, metrics::ModelUsage};
    ///
    /// let mut metrics = ExtractionMetrics::default();
    /// for tokens in [7, 9] {
    ///     metrics.spend(vec![ModelUsage::of_reply("small".to_owned(), None, TokenUsage::new(100, tokens))]);
    /// }
    /// assert_eq!((metrics.usage.total(), metrics.per_model[0].replies), (216, 2));
    /// ```
    pub fn spend(&mut self, used: Vec<ModelUsage>) {
        for used in &used {
            self.usage.add(used.usage);
        }
        if let ([_], []) = (&*used, &*self.per_model) {
            // Most extractions have one reply, so its list becomes the list.
            self.per_model = used;
        } else {
            for used in used {
                used.add_to(&mut self.per_model);
            }
        }
    }

    /// Adds an attempt, whose reply took `used`.
    pub(crate) fn record(&mut self, attempt: AttemptMetrics, used: Vec<ModelUsage>) {
        self.attempts += 1;
        self.spend(used);
        if self.per_attempt.is_empty() {
            // Most extractions have one attempt. Room for four would exceed the size that
            // allocators serve quickly.
            self.per_attempt.reserve_exact(1);
        }
        self.per_attempt.push(attempt);
    }

    /// Adds the metrics of another question about the same document.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.spend(other.per_model);
        self.per_attempt.extend(other.per_attempt);
        self.transport_retries += other.transport_retries;
        self.transport_failures.extend(other.transport_failures);
        self.warnings.extend(other.warnings);
        self.changes.extend(other.changes);
        self.left_out.extend(other.left_out);
    }

    /// Redacts everything that may quote a sensitive value: items that were left out, statements that
    /// contradict each other, and what other samples have.
    ///
    /// ```
    /// let mut metrics = extract::ExtractionMetrics::default();
    /// metrics.redact_values();
    /// assert_eq!(metrics, extract::ExtractionMetrics::default());
    /// ```
    pub fn redact_values(&mut self) {
        for item in &mut self.left_out {
            item.value = VALUE_MARKER.into();
        }
        for conflict in &mut self.conflicts {
            for statement in std::iter::once(&mut conflict.kept).chain(&mut conflict.others) {
                statement.value = VALUE_MARKER.into();
            }
        }
        self.confidences.redact_values();
    }

    /// Adds a failure after which the request is repeated.
    pub(crate) fn record_failure(&mut self, failure: TransportFailure) {
        self.transport_retries += 1;
        self.transport_failures.push(failure);
    }
}

/// A failure of the transport after which the request was repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TransportFailure {
    /// Number of the attempt that had no reply yet.
    pub attempt: u32,
    /// The failure, such as `rate limited: HTTP 429 Too Many Requests`.
    pub error: String,
    /// The HTTP status, if there was a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The provider's id of the request, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

pub(crate) fn counted_retries(retries: u32) -> String {
    match retries {
        1 => "1 transport retry".to_owned(),
        several => format!("{several} transport retries"),
    }
}

/// `2 attempts, 3.1 s, 812 tokens in, 97 out (reported)`
impl fmt::Display for ExtractionMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = counted(self.attempts as usize, "attempt");
        let (seconds, usage) = (self.elapsed.as_secs_f64(), self.usage);
        write!(f, "{attempts}, {seconds:.1} s, {usage}")?;
        if self.transport_retries > 0 {
            write!(f, ", {}", counted_retries(self.transport_retries))?;
        }
        if !self.left_out.is_empty() {
            write!(f, ", {} left out", counted(self.left_out.len(), "item"))?;
        }
        let of_chunks = [(self.conflicts.len(), "conflict"), (self.gaps.len(), "gap")];
        for (count, what) in of_chunks.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {}", counted(count, what))?;
        }
        Ok(())
    }
}

/// Where a reply came from. Anything the provider did not report is `None`; nothing is guessed.
///
/// | agent | model | response id | request id | status |
/// |---|---|---|---|---|
/// | `ProviderAgent` of `extractable-agents` | if the response names it | the `id` of the response | the header `x-request-id`, `request-id` or the provider's own, or the body | yes |
/// | models of rig | if the response names it | the `id` of the response | the header `x-request-id`, `request-id` or the provider's own | yes |
/// | agents of rig | of the last turn | of the last turn | of the last turn | not of a success, which rig does not pass on |
/// | others | what they set with [`Reply::with_origin`](crate::agent::Reply::with_origin) | | | |
///
/// For a failure, [`AgentError::status`](crate::agent::AgentError::status) and
/// [`AgentError::request_id`](crate::agent::AgentError::request_id) have what the response
/// reported.
///
/// ```
/// use extract::metrics::ReplyOrigin;
///
/// let origin = ReplyOrigin::default().with_model("gpt-6-luna-2026-05-01").with_status(200);
/// assert_eq!(origin.model.as_deref(), Some("gpt-6-luna-2026-05-01"));
/// assert_eq!(origin.request_id, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReplyOrigin {
    /// The model, as the provider names it in its response. It may differ from the requested one,
    /// such as `gpt-6-luna-2026-05-01` for `gpt-6-luna`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's id of the response, such as `chatcmpl-…` or `msg_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// The provider's id of the request, which its support asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The HTTP status of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Name of the agent that replied, if another one was asked, such as for the second agent of a
    /// [`Fallback`](crate::agent::Fallback).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl ReplyOrigin {
    /// Sets the model, as the provider names it.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the provider's id of the response.
    #[must_use]
    pub fn with_response_id(mut self, id: impl Into<String>) -> Self {
        self.response_id = Some(id.into());
        self
    }

    /// Sets the provider's id of the request.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// Sets the HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Metrics of one chunk of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChunkMetrics {
    /// Its bytes in the document.
    pub range: Range<usize>,
    /// Attempts made in all passes together.
    pub attempts: u32,
    /// Passes that were answered; 0 if none was.
    pub passes: u32,
    /// Wall time from the first question to the last answer.
    pub elapsed: Duration,
}

impl ChunkMetrics {
    pub(crate) fn new(range: Range<usize>, attempts: u32, passes: u32, elapsed: Duration) -> Self {
        Self { range, attempts, passes, elapsed }
    }
}

/// A chunk without an acceptable answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// The chunk, counted from 0.
    pub chunk: usize,
    /// Its bytes in the document.
    pub range: Range<usize>,
    /// The pass that failed, from 1. The value contains what earlier passes found.
    pub pass: u32,
    /// The [name](crate::ExtractionError::name) of the error, such as `MaxRetriesExceeded`.
    /// `NotAsked` for a chunk that was skipped because another one had failed.
    pub error: String,
    /// Why.
    pub message: String,
}

/// A value that the chunks of a document state in different ways.
///
/// The merged value has one of the statements: the first, unless `#[extract(merge = ...)]` chooses
/// another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Conflict {
    /// Where the value is in the merged value.
    pub path: Path,
    /// The statement that counts.
    pub kept: Statement,
    /// The other statements, in the order of the document. Never empty.
    pub others: Vec<Statement>,
}

/// A value that a chunk states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statement {
    /// The value, redacted if it is sensitive. For a quote, its words; for a value with a quote,
    /// the value alone.
    pub value: Value,
    /// The spans of its quotes, in the order of the document; empty without quotes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// The first chunk that states it, counted from 0.
    pub chunk: usize,
}

/// All spans of a value that was found more than once. The value itself has only the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mentions {
    /// Where the value is in the merged value.
    pub path: Path,
    /// The value's spans, in the order of the document; two or more.
    pub spans: Vec<Span>,
}
