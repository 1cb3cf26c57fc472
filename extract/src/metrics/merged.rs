//! Differences and repetitions among the values of several chunks.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{document::Span, vocabulary::path::Path};

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
