//! How a download ends.

use std::path::PathBuf;

use crate::error::LocalModelError;

/// A whole and verified file that still has to be moved to its place.
pub(super) struct Download {
    pub(super) path: PathBuf,
    pub(super) sha256: String,
}

/// Why a source did not deliver.
pub(super) enum Failure {
    /// It could not be reached, broke off, or does not have the file; in words for the user.
    Unreachable(String),
    /// It delivered something that is not the published file, or there is no room for it.
    Wrong(LocalModelError),
}

impl From<LocalModelError> for Failure {
    fn from(error: LocalModelError) -> Self {
        Self::Wrong(error)
    }
}
