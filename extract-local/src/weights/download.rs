//! The result of a download.

use std::path::PathBuf;

use crate::error::LocalModelError;

/// A complete and verified file that has to be moved to its destination.
pub(super) struct Download {
    pub(super) path: PathBuf,
    pub(super) sha256: String,
}

/// Why a source failed.
pub(super) enum SourceFailure {
    /// It could not be reached, broke off, or does not have the file. The message is for the user.
    Unreachable(String),
    /// Its file is not the published one, or the disk has no space for it.
    Wrong(LocalModelError),
}

impl From<LocalModelError> for SourceFailure {
    fn from(error: LocalModelError) -> Self {
        Self::Wrong(error)
    }
}
