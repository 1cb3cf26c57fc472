//! The outcome of a document.

use extract::{AttemptRecord, ExtractionError, metrics::ExtractionMetrics};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The status of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// There is an answer.
    Done,
    /// There is an answer, but without its [broken items](extract::Extraction::keep_valid_items) or
    /// without [some chunks](extract::Extraction::accept_gaps).
    InPart,
    /// There is no answer: the document is a dead letter.
    Failed,
}

impl Status {
    pub(super) fn of(metrics: &ExtractionMetrics) -> Self {
        if metrics.left_out.is_empty() && metrics.gaps.is_empty() { Self::Done } else { Self::InPart }
    }
}

/// The outcome of one document, with all its data.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome<T = Value> {
    /// The key of the document.
    pub key: String,
    /// The document's [metadata](super::Doc::meta).
    pub meta: Value,
    /// Whether there is an answer.
    pub status: Status,
    /// The answer, or the failure.
    pub result: Result<T, Failure>,
    /// Metrics, with the warnings and changes of the accepted value.
    pub metrics: ExtractionMetrics,
    /// Whether it was in the journal before this run, so that no question was needed.
    pub is_resumed: bool,
    /// Who reviewed the answer, if it is [not the extracted one](super::Bulk::reviewed).
    pub reviewed_by: Option<String>,
}

/// Why a document has no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The name of the reason: the name of the [`ExtractionError`](extract::ExtractionError::name),
    /// such as `MaxRetriesExceeded`, or one of three others. `Transport`: the agent gave no reply
    /// within the [bound](super::Bulk::transport_bound), or failed only at this document. `Poison`:
    /// the document was in flight in several runs that crashed. `Unreadable`: the answer in the
    /// journal no longer deserializes as the type.
    pub name: String,
    /// The message, for people.
    pub message: String,
    /// Every attempt, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<AttemptRecord>,
}

impl Failure {
    pub(super) fn new(name: &str, message: String) -> Self {
        Self { name: name.to_owned(), message, history: Vec::new() }
    }

    pub(super) fn of(error: &ExtractionError) -> Self {
        let name = match error.agent_error() {
            Some(source) if source.is_transient() => TRANSPORT,
            _ => error.name(),
        };
        Self { history: error.history().to_vec(), ..Self::new(name, error.to_string()) }
    }
}

pub(super) const TRANSPORT: &str = "Transport";
pub(super) const POISON: &str = "Poison";

pub(super) type OnDeadLetter<'a> = Box<dyn FnMut(&DeadLetter) + Send + 'a>;

/// A document without an answer, with all its attempts.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct DeadLetter {
    /// The key of the document.
    pub key: String,
    /// The document's [metadata](super::Doc::meta).
    pub meta: Value,
    /// The failure.
    pub failure: Failure,
    /// The metrics of the attempts.
    pub metrics: ExtractionMetrics,
}
