//! Reading a journal without its lock, also while a job writes it.
//!
//! A reader copies the file and looks at the copy, so it never holds anything that the writer
//! waits for, and nothing that it does reaches the journal. A copy that was made while pages were
//! written again does not match its checksums and is made again. So that this seldom happens, the
//! writer [pins](super::pinned) the state that is being copied.

use std::{env, path::Path, thread, time::Duration};

use extract_disk::FileStart;

use super::{
    error::JournalError,
    owner::{Copying, OwnerFile},
    pinned::Copied,
    store::{JournalFile, Store},
};

/// How often a copy is made, and the time between two tries.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(50);

impl Store {
    /// Opens a copy of the journal at `path`, which may be open elsewhere.
    pub(crate) fn open_copy(path: &Path) -> Result<Self, JournalError> {
        let _copying = Copying::start(path);
        let mut tries = 0;
        loop {
            let was_running = extract_disk::is_locked(path);
            match Self::try_copy(path) {
                Ok(store) => return Ok(store),
                // Only a writer can be the reason that a sound file seems not to be one.
                Err(error) if error.is_about_content() && (was_running || extract_disk::is_locked(path)) => {
                    tries += 1;
                    if tries == TRIES {
                        return Err(JournalError::Busy { path: path.to_owned() });
                    }
                    thread::sleep(BETWEEN);
                }
                // The writer may just have ended.
                Err(error) if error.is_about_content() && tries == 0 => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn try_copy(path: &Path) -> Result<Self, JournalError> {
        let io = |error: std::io::Error| JournalError::of_io(&error, path.to_owned());
        match extract_disk::file_start(path).map_err(io)? {
            FileStart::Missing => return Err(JournalError::Missing { path: path.to_owned() }),
            FileStart::Foreign => return Err(JournalError::NotAJournal { path: path.to_owned() }),
            FileStart::Damaged => return Err(JournalError::damaged(path, &"its header makes no sense")),
            FileStart::Database => {}
        }
        let database =
            extract_disk::open_copy(path).map_err(|trouble| match JournalError::of(trouble, path) {
                // It is not the journal for which there is no room.
                JournalError::Full { path } => {
                    let folder = env::temp_dir();
                    let message = format!("no space is left for a copy of it in `{}`", folder.display());
                    JournalError::Io { path, message }
                }
                error => error,
            })?;
        let is_running = extract_disk::is_locked(path);
        let by = if is_running { OwnerFile::read(path) } else { None };
        Self::checked(database, Some(path), None, Some(Copied { is_running, by }), JournalFile::Existing)
    }
}
