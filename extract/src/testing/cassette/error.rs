//! Errors of cassettes.

use std::{error::Error, io, path::PathBuf};

/// Why a [`Cassette`](super::Cassette) cannot be used, or was not replayed as recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file cannot be read.
    #[error("the cassette `{}` cannot be read: {source}; `EXTRACT_CASSETTE=record` records it, where the test uses `Cassette::from_env`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not a cassette.
    #[error("`{}` is not a cassette: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem with the file.
        message: String,
    },
    /// The file is a cassette of another version.
    #[error("the cassette `{}` has the format {found}, this release reads {expected}; record it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u64,
        /// The version that this release reads.
        expected: u64,
    },
    /// The file cannot be written.
    #[error("the cassette `{}` cannot be written: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The agent to record could not be made.
    #[error("the agent to record could not be made: {0}")]
    Agent(#[source] Box<dyn Error + Send + Sync>),
    /// The variable `EXTRACT_CASSETTE` has an unknown value.
    #[error("`EXTRACT_CASSETTE` is `{0}`; expected `record` or `replay`")]
    Mode(String),
    /// A pattern to redact is not valid.
    #[error("the pattern of what to redact is not valid: {0}")]
    Pattern(String),
    /// The replay deviated from the recording, or nothing was recorded.
    #[error("the cassette `{}` was not used as recorded:\n- {}", path.display(), complaints.join("\n- "))]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The deviations, in the order in which they happened.
        complaints: Vec<String>,
    },
}
