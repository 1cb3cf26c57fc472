//! Metrics of the chunks of a document.

use std::{ops::Range, time::Duration};

use serde::{Deserialize, Serialize};

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
