//! Errors of a job.

use std::{io, path::PathBuf};

use extract::{ExtractionError, schema::SchemaError};

use super::{journal::JournalError, report::Report, source::SourceError};

/// Why a job ends early. A document without an answer does not end it, but becomes a [dead
/// letter](super::DeadLetter).
///
/// All outcomes so far are in the journal, including those of documents in flight that finished
/// within the [grace](super::Bulk::grace). Running the same job again continues from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BulkError {
    /// The journal cannot be opened, read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The source failed.
    #[error("the source of documents failed after {}: {error}; {report}", report.documents)]
    #[non_exhaustive]
    Source {
        /// Why.
        error: SourceError,
        /// The report until then.
        report: Box<Report>,
    },
    /// Two documents with different content share a key, so an outcome could belong to either.
    #[error("two different documents have the key `{key}`; give each its own; {report}")]
    #[non_exhaustive]
    DuplicateKey {
        /// The key.
        key: String,
        /// The report until then.
        report: Box<Report>,
    },
    /// No document can be processed: the schema does not compile, or a setting is invalid.
    #[error(transparent)]
    Setup(ExtractionError),
    /// The agent refuses every request, for example because of a wrong key or an unknown model.
    /// None of the refusals is recorded in the journal.
    #[error("the agent refuses every request: {message}")]
    #[non_exhaustive]
    Agent {
        /// The agent's message.
        message: String,
        /// The report until then.
        report: Box<Report>,
    },
    /// Batches of an earlier run are open, or have answers about documents without an outcome. Without
    /// [batches](super::Bulk::batches) these requests would be paid for twice.
    #[error(
        "{}; run the job with batches, and with `ask_directly_below(usize::MAX)` to send no more of them",
        left_by_batches(*open)
    )]
    #[non_exhaustive]
    OpenBatches {
        /// How many are open.
        open: usize,
    },
    /// The output cannot be written. All outcomes are in the journal.
    #[error("the output `{}` cannot be written: {error}", path.display())]
    #[non_exhaustive]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
        /// The report.
        report: Box<Report>,
    },
}

impl BulkError {
    /// Returns the report on what was done before, if the job had started.
    pub fn report(&self) -> Option<&Report> {
        match self {
            Self::Source { report, .. }
            | Self::DuplicateKey { report, .. }
            | Self::Agent { report, .. }
            | Self::Output { report, .. } => Some(report),
            Self::Journal(_) | Self::Setup(_) | Self::OpenBatches { .. } => None,
        }
    }
}

impl From<SchemaError> for BulkError {
    fn from(error: SchemaError) -> Self {
        Self::Setup(error.into())
    }
}

fn left_by_batches(open: usize) -> String {
    match open {
        0 => "answers of batches of an earlier run are not used yet".to_owned(),
        1 => "a batch of an earlier run is open".to_owned(),
        open => format!("{open} batches of an earlier run are open"),
    }
}
