//! Metrics of the chunks of a document: gaps, and differences and repetitions among their values.

use std::{ops::Range, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{document::Span, vocabulary::path::Path};

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

impl Gap {
    pub(crate) fn new(
        chunk: usize,
        range: Range<usize>,
        pass: u32,
        (error, message): (&str, String),
    ) -> Self {
        Self { chunk, range, pass, error: error.to_owned(), message }
    }
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

impl Conflict {
    pub(crate) fn new(path: Path, kept: Statement, others: Vec<Statement>) -> Self {
        Self { path, kept, others }
    }
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

impl Statement {
    pub(crate) fn new(value: Value, spans: Vec<Span>, chunk: usize) -> Self {
        Self { value, spans, chunk }
    }
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

impl Mentions {
    pub(crate) fn new(path: Path, spans: Vec<Span>) -> Self {
        Self { path, spans }
    }
}
