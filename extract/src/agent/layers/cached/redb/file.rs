//! The file of a store, which may be damaged.

use std::{
    fs,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redb::{Database, DatabaseError, Error};

use super::super::StoreError;
use crate::text::panic_message;

/// What every file of `redb` starts with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// The flag in the byte after it that says that the file was not closed.
const RECOVERY_REQUIRED: u8 = 2;

/// Damaged files that are kept beside the one in use.
const MOST_ASIDE: u32 = 1_000;

/// A file with a database that is open, and is replaced when it turns out to be damaged.
pub(super) struct File {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    /// `None` when a damaged one could not be replaced.
    database: Option<Arc<Database>>,
    moved_aside: Vec<PathBuf>,
    /// What nobody was told yet.
    unreported: Option<String>,
}

/// Why something could not be done with a database.
enum Trouble {
    Damage(String),
    Other(StoreError),
}

impl File {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let opened = |error: &dyn std::fmt::Display| -> StoreError {
            format!("the cache `{}` cannot be opened: {error}", path.display()).into()
        };
        let start = start_of(path).map_err(|error| opened(&error))?;
        if start == Start::Foreign {
            return Err(opened(&"it is another kind of file; name another one, or delete it"));
        }
        let state = State { database: None, moved_aside: Vec::new(), unreported: None };
        let file = Self { path: path.to_owned(), state: Mutex::new(state) };
        let database = match start {
            Start::Damaged => Err(Trouble::Damage("its header makes no sense".to_owned())),
            _ => open(path),
        };
        match database {
            Ok(database) => file.locked().database = Some(Arc::new(database)),
            Err(Trouble::Other(error)) => return Err(opened(&error)),
            Err(Trouble::Damage(damage)) => {
                let mut state = file.locked();
                let report = file.replace(&mut state, &damage)?;
                state.unreported = Some(report);
            }
        }
        Ok(file)
    }

    pub(super) fn moved_aside(&self) -> Vec<PathBuf> {
        self.locked().moved_aside.clone()
    }

    /// Does `what` with the database. When that is damaged, another one takes its place, and the
    /// error says so.
    pub(super) fn with<T>(&self, what: impl FnOnce(&Database) -> Result<T, Error>) -> Result<T, StoreError> {
        let database = {
            let mut state = self.locked();
            if let Some(report) = state.unreported.take() {
                return Err(report.into());
            }
            let closed =
                || format!("the cache `{}` was damaged and could not be replaced", self.path.display());
            state.database.clone().ok_or_else(closed)?
        };
        let used = Arc::clone(&database);
        // The database is dropped inside: where this is the last of it, that writes.
        let damage = match guarded(move || what(&used)) {
            Ok(result) => return Ok(result),
            Err(Trouble::Other(error)) => return Err(error),
            Err(Trouble::Damage(damage)) => damage,
        };
        let mut state = self.locked();
        let is_current = state.database.as_ref().is_some_and(|current| Arc::ptr_eq(current, &database));
        dropped(database);
        if !is_current {
            return Err(format!("the cache is damaged: {damage}").into());
        }
        Err(self.replace(&mut state, &damage)?.into())
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the damaged file aside and starts another one; returns what to say of it.
    fn replace(&self, state: &mut State, damage: &str) -> Result<String, StoreError> {
        if let Some(database) = state.database.take() {
            dropped(database);
        }
        let path = self.path.display();
        let cannot = |error: &dyn std::fmt::Display| -> StoreError {
            format!("the cache `{path}` is damaged ({damage}), and cannot be moved aside: {error}").into()
        };
        let aside = free_name(&self.path).ok_or_else(|| cannot(&"there are too many beside it"))?;
        fs::rename(&self.path, &aside).map_err(|error| cannot(&error))?;
        let report = format!(
            "the cache `{path}` was damaged ({damage}); it is now `{}`, and a new one was started",
            aside.display()
        );
        state.moved_aside.push(aside);
        match open(&self.path) {
            Ok(database) => state.database = Some(Arc::new(database)),
            Err(Trouble::Damage(error)) => return Err(format!("{report}, but: {error}").into()),
            Err(Trouble::Other(error)) => return Err(format!("{report}, but: {error}").into()),
        }
        Ok(report)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if let Some(database) = self.locked().database.take() {
            dropped(database);
        }
    }
}

/// What the first bytes of a file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// There is nothing yet.
    Missing,
    Store,
    /// The pages would be of an impossible number or size. `redb` would make room for them before
    /// it looks further.
    Damaged,
    Foreign,
}

/// Looks at what has no checksum: the magic number, and at three numbers behind it, of 32 bits
/// each: the size of a page, pages of the header of a region, and pages in a region
/// (`src/tree_store/page_store/header.rs` of `redb` 2.6).
fn start_of(path: &Path) -> io::Result<Start> {
    let mut start = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(24).read_to_end(&mut start)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Start::Missing),
        Err(error) => return Err(error),
    };
    if start.is_empty() {
        return Ok(Start::Missing);
    }
    if !start.starts_with(MAGIC) {
        return Ok(Start::Foreign);
    }
    let number = |at: usize| {
        let bytes = start.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let is_sound = number(12) == Some(4096)
        && number(16).is_some_and(|pages| pages <= 1 << 12)
        && number(20).is_some_and(|pages| pages <= 1 << 20);
    Ok(if is_sound { Start::Store } else { Start::Damaged })
}

/// Opens the database and looks at all of it: what it does not notice now it would not notice when
/// it reads.
fn open(path: &Path) -> Result<Database, Trouble> {
    let is_marked = mark_as_unclean(path);
    is_marked.map_err(|error| Trouble::Other(error.into()))?;
    guarded(|| Database::create(path))
}

/// Marks the file as not closed, as every open file is. `redb` compares the checksums of all pages
/// of such a file, and rebuilds what it would otherwise trust without a checksum.
fn mark_as_unclean(path: &Path) -> io::Result<()> {
    let mut file = match fs::File::options().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut flags = [0];
    let at = MAGIC.len() as u64;
    file.seek(SeekFrom::Start(at))?;
    if file.read(&mut flags)? == 0 || flags[0] & RECOVERY_REQUIRED != 0 {
        return Ok(());
    }
    flags[0] |= RECOVERY_REQUIRED;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&flags)
}

/// What `what` returns; a panic in it is a damage.
fn guarded<T, E: Into<Error>>(what: impl FnOnce() -> Result<T, E>) -> Result<T, Trouble> {
    match catch_unwind(AssertUnwindSafe(what)) {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(Trouble::of(error.into())),
        Err(panic) => {
            let damage = panic_message(&*panic).to_owned();
            // What a panic holds may panic when it is dropped.
            mem::forget(panic);
            Err(Trouble::Damage(damage))
        }
    }
}

/// Closing a database writes to it, which may fail in any way.
fn dropped(database: impl Sized) {
    let _ = guarded(|| {
        drop(database);
        Ok::<_, DatabaseError>(())
    });
}

impl Trouble {
    fn of(error: Error) -> Self {
        match error {
            Error::Corrupted(_)
            | Error::LockPoisoned(_)
            | Error::PreviousIo
            | Error::TableTypeMismatch { .. }
            | Error::TableIsMultimap(_)
            | Error::TypeDefinitionChanged { .. }
            | Error::UpgradeRequired(_) => Self::Damage(error.to_string()),
            Error::Io(ref cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
                Self::Damage(error.to_string())
            }
            error => Self::Other(error.into()),
        }
    }
}

/// The first name beside `path` that is free.
fn free_name(path: &Path) -> Option<PathBuf> {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    (1..=MOST_ASIDE).map(name).find(|name| fs::symlink_metadata(name).is_err())
}
