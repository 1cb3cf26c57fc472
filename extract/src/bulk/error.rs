//! Why a job ends early.

use std::{io, path::PathBuf};

use super::{journal::JournalError, report::Report, source::SourceError};
use crate::{error::ExtractionError, schema::SchemaError};

/// Why a job ends early. A document without an answer is no reason: it is a
/// [dead letter](super::DeadLetter).
///
/// What was finished until then is in the journal, and so is what was in flight and finished within the
/// [grace](super::Bulk::grace). The same job run again goes on from there.
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
        /// What was done until then.
        report: Box<Report>,
    },
    /// Two documents with different content have the same key, so an outcome could be that of either.
    #[error("two different documents have the key `{key}`; give each its own; {report}")]
    #[non_exhaustive]
    DuplicateKey {
        /// The key.
        key: String,
        /// What was done until then.
        report: Box<Report>,
    },
    /// No document can be asked about: the schema does not compile, or a setting makes no sense.
    #[error(transparent)]
    Setup(ExtractionError),
    /// The agent refuses every request, as with a wrong key or an unknown model. Nothing of that is in the
    /// journal.
    #[error("the agent refuses every request: {message}")]
    #[non_exhaustive]
    Agent {
        /// What it says.
        message: String,
        /// What was done until then.
        report: Box<Report>,
    },
    /// The output cannot be written. All outcomes are in the journal.
    #[error("the output `{}` cannot be written: {error}", path.display())]
    #[non_exhaustive]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
        /// What was done.
        report: Box<Report>,
    },
}

impl BulkError {
    /// What was done until then, if the job had begun.
    pub fn report(&self) -> Option<&Report> {
        match self {
            Self::Source { report, .. }
            | Self::DuplicateKey { report, .. }
            | Self::Agent { report, .. }
            | Self::Output { report, .. } => Some(report),
            Self::Journal(_) | Self::Setup(_) => None,
        }
    }
}

impl From<SchemaError> for BulkError {
    fn from(error: SchemaError) -> Self {
        Self::Setup(error.into())
    }
}
