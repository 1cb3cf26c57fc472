//! Errors of a journal.

use std::{
    io,
    path::{Path, PathBuf},
};

use extract_disk::DiskError;
use redb::Error;

use super::owner::Holder;

/// Why a journal cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// Another process has it open, or this process has it open elsewhere.
    #[error("the journal `{}` is in use{}; wait for it, or end it", path.display(), held_by(by.as_ref()))]
    #[non_exhaustive]
    Held {
        /// The file.
        path: PathBuf,
        /// Who has it open, if known.
        by: Option<Holder>,
    },
    /// A newer version of this library wrote it.
    #[error(
        "the journal `{}` has format {found}, this version reads up to {known}; use a newer version of `extractable`",
        path.display()
    )]
    #[non_exhaustive]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest known format.
        known: u32,
    },
    /// An older version of this library wrote it, in a format without checksums.
    #[error(
        "the journal `{}` has format {found}, this version reads {known} and later; move it away to start again",
        path.display()
    )]
    #[non_exhaustive]
    Older {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The oldest known format.
        known: u32,
    },
    /// It is damaged: cut, overwritten or partly copied. It was not changed.
    #[error(
        "the journal `{}` is damaged ({reason}); restore a copy, or move it away to start again",
        path.display()
    )]
    #[non_exhaustive]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        reason: String,
    },
    /// It is another kind of file.
    #[error("`{}` is not a journal; name another file", path.display())]
    #[non_exhaustive]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// The file does not exist.
    #[error("there is no journal `{}`", path.display())]
    #[non_exhaustive]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// It was being written so fast that no copy was sound; see [`Journal::read`].
    ///
    /// [`Journal::read`]: super::Journal::read
    #[error("the journal `{}` changes too fast to be read; try again", path.display())]
    #[non_exhaustive]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// It was opened only [to be read](super::Journal::read).
    #[error("the journal `{}` was opened to be read; open it with `Journal::open` to change it", path.display())]
    #[non_exhaustive]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full. Everything that was committed is in the journal.
    #[error(
        "no space is left for `{}`; everything that was committed is kept, so make room and run it again",
        path.display()
    )]
    #[non_exhaustive]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file system failed.
    #[error("`{}`: {message}", path.display())]
    #[non_exhaustive]
    Io {
        /// The file.
        path: PathBuf,
        /// The error, in words.
        message: String,
    },
}

fn held_by(holder: Option<&Holder>) -> String {
    holder.map_or_else(String::new, |holder| format!(" by {holder}"))
}

impl JournalError {
    pub(super) fn of(trouble: DiskError, path: &Path) -> Self {
        let path = path.to_owned();
        let error = match trouble {
            DiskError::Damaged(reason) => return Self::Damaged { path, reason },
            DiskError::Other(error) => *error,
        };
        match error {
            Error::Io(error) => Self::of_io(&error, path),
            Error::DatabaseAlreadyOpen => Self::Held { path, by: None },
            Error::TableDoesNotExist(_) => Self::NotAJournal { path },
            error => Self::Io { path, message: error.to_string() },
        }
    }

    pub(crate) fn of_io(error: &io::Error, path: PathBuf) -> Self {
        // On Windows a locked file cannot even be read: a sharing or lock violation.
        if cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33)) {
            return Self::Held { path, by: None };
        }
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full { path }
            }
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Io { path, message: error.to_string() },
        }
    }

    /// Returns whether it says that the file is not a sound journal.
    pub(super) fn is_about_content(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::NotAJournal { .. })
    }

    pub(super) fn damaged(path: &Path, reason: &dyn ToString) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
