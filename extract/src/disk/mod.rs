//! Opening a file of `redb` that may be damaged.

#[cfg(feature = "bulk")]
mod copied;
mod unwritten;

use std::{
    fs,
    io::{self, Read as _},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use redb::{Builder, Database, DatabaseError, Error, StorageBackend, backends::FileBackend};

#[cfg(feature = "bulk")]
pub(crate) use self::copied::open_copy;
use self::unwritten::{Locked, Unwritten};
use crate::text::panic_message;

/// What every file of `redb` starts with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// Size of the page cache while a file is checked.
const VERIFY_CACHE_BYTES: usize = 16 << 20;

/// Why an operation on a database failed.
pub(crate) enum Trouble {
    Damage(String),
    Other(Box<Error>),
}

/// What the first bytes of a file show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// There is nothing yet.
    Missing,
    Store,
    /// The number or size of the pages is impossible. `redb` would allocate room for them before it
    /// checks anything else.
    Damaged,
    Foreign,
}

/// Checks the bytes without a checksum: the magic number, and three 32-bit numbers behind it, which
/// are the size of a page, the header pages of a region, and the pages in a region
/// (`src/tree_store/page_store/header.rs` of `redb` 2.6).
pub(crate) fn start_of(path: &Path) -> io::Result<Start> {
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

/// How often a file that is locked is tried again, and the time between two tries. Whoever
/// [looks whether it is locked](is_locked) holds the lock for a moment.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);

/// Opens the database, or creates it, after it has compared the checksums of all its pages. Damage
/// that is not noticed now would not be noticed by later reads. A damaged file is not changed.
pub(crate) fn open(path: &Path, builder: &Builder) -> Result<Database, Trouble> {
    let file = Arc::new(locked(path)?);
    if guarded(|| file.len())? > 0 {
        verify(&file)?;
    }
    guarded(|| builder.create_with_backend(Locked(file)))
}

/// Opens the file as `Builder::create` does, which takes the lock, too.
fn locked(path: &Path) -> Result<FileBackend, Trouble> {
    for _ in 1..TRIES {
        let file = fs::File::options().read(true).write(true).create(true).truncate(false).open(path);
        match guarded(|| FileBackend::new(file?)) {
            Err(Trouble::Other(error)) if matches!(*error, Error::DatabaseAlreadyOpen) => {
                thread::sleep(BETWEEN);
            }
            done => return done,
        }
    }
    let file = fs::File::options().read(true).write(true).create(true).truncate(false).open(path);
    guarded(|| FileBackend::new(file?))
}

/// Whether anybody holds the lock on the file at `path`.
#[cfg(feature = "bulk")]
pub(crate) fn is_locked(path: &Path) -> bool {
    let locked = fs::File::open(path).map(FileBackend::new);
    matches!(locked, Ok(Err(DatabaseError::DatabaseAlreadyOpen)))
}

/// Compares the checksums of all pages, without a write to the file.
fn verify(file: &Arc<FileBackend>) -> Result<(), Trouble> {
    let copy = Unwritten::new(Arc::clone(file)).map_err(|error| Trouble::Other(Box::new(error.into())))?;
    verified(copy).map(dropped)
}

/// Opens the database after it has compared the checksums of all pages.
///
/// `redb` does so only for a file that was not closed, and repairs it on the way. Its check of the
/// others repairs too. So both write to `backend`, which must be a copy.
fn verified(backend: impl StorageBackend) -> Result<Database, Trouble> {
    let was_repaired = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&was_repaired);
    let mut builder = Builder::new();
    builder.set_cache_size(VERIFY_CACHE_BYTES);
    builder.set_repair_callback(move |_| seen.store(true, Ordering::Relaxed));
    let mut database = guarded(|| builder.create_with_backend(backend))?;
    let is_sound = if was_repaired.load(Ordering::Relaxed) {
        // Repairing begins with the checksums.
        Ok(true)
    } else {
        guarded(|| database.check_integrity())
    };
    match is_sound {
        Ok(true) => Ok(database),
        unsound => {
            dropped(database);
            unsound?;
            Err(Trouble::Damage("the list of its pages does not match them".to_owned()))
        }
    }
}

/// Runs `what`, and treats a panic in it as damage.
pub(crate) fn guarded<T, E: Into<Error>>(what: impl FnOnce() -> Result<T, E>) -> Result<T, Trouble> {
    match catch_unwind(AssertUnwindSafe(what)) {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(Trouble::of(error.into())),
        Err(panic) => {
            let damage = panic_message(&*panic).to_owned();
            // Dropping the payload of a panic may panic, too.
            mem::forget(panic);
            Err(Trouble::Damage(damage))
        }
    }
}

/// Closing a database writes to it, which may fail in any way.
pub(crate) fn dropped(database: impl Sized) {
    let _ = guarded(|| {
        drop(database);
        Ok::<_, DatabaseError>(())
    });
}

impl Trouble {
    fn of(error: Error) -> Self {
        match error {
            Error::Corrupted(damage) => Self::Damage(damage),
            Error::LockPoisoned(_)
            | Error::PreviousIo
            | Error::TableTypeMismatch { .. }
            | Error::TableIsMultimap(_)
            | Error::TypeDefinitionChanged { .. }
            | Error::UpgradeRequired(_) => Self::Damage(error.to_string()),
            Error::Io(ref cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
                Self::Damage(error.to_string())
            }
            error => Self::Other(Box::new(error)),
        }
    }
}
