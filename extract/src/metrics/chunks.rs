//! What the chunks of a document took.

use std::{ops::Range, time::Duration};

use serde::{Deserialize, Serialize};

/// What one chunk of a document took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChunkMetrics {
    /// Its bytes in the document.
    pub range: Range<usize>,
    /// Attempts made, of all passes together.
    pub attempts: u32,
    /// Passes that were answered; 0 if the chunk was not.
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
    /// The pass that failed, from 1. What the passes before it found is in the value.
    pub pass: u32,
    /// The [name](crate::ExtractionError::name) of the error, such as `MaxRetriesExceeded`. `NotAsked` for a
    /// chunk that was not asked about, because another one had failed.
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
