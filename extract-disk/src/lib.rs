#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod open_copy;
mod unwritten;

use std::{
    any::Any,
    cell::Cell,
    error, fmt, fs,
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

/// The database, whose types are in the signatures of this crate.
pub use redb;
use redb::{Builder, Database, DatabaseError, Error, StorageBackend, backends::FileBackend};

pub use self::open_copy::open_copy;
use self::unwritten::{Locked, Unwritten};

/// What every file of `redb` starts with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// Size of the page cache while a file is checked.
const VERIFY_CACHE_BYTES: usize = 16 << 20;

/// Why an operation on a database failed.
#[derive(Debug)]
pub enum DiskError {
    /// The file is damaged; the text says how that was noticed.
    Damaged(String),
    /// Any other error: the file cannot be read or written, or is open elsewhere.
    Other(Box<Error>),
}

/// What the first bytes of a file show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStart {
    /// There is no file, or it is empty.
    Missing,
    /// The file begins like a database of `redb`.
    Database,
    /// The number or size of the pages is impossible. `redb` would allocate room for them before it
    /// checks anything else.
    Damaged,
    /// The file is not a database of `redb`.
    Foreign,
}

/// Reads the first 24 bytes of the file at `path`, before anything else is done with it.
///
/// They have no checksum: the magic number, and three 32-bit numbers after it, which are the size
/// of a page, the header pages of a region, and the pages in a region
/// (`src/tree_store/page_store/header.rs` of `redb` 2.6).
///
/// # Errors
///
/// If the file cannot be read.
///
/// ```
/// use extract_disk::{FileStart, file_start};
///
/// let path = std::env::temp_dir().join(format!("extract-disk-start-{}", std::process::id()));
/// assert_eq!(file_start(&path)?, FileStart::Missing);
/// std::fs::write(&path, "a letter")?;
/// assert_eq!(file_start(&path)?, FileStart::Foreign);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn file_start(path: &Path) -> io::Result<FileStart> {
    let mut start = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(24).read_to_end(&mut start)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileStart::Missing),
        Err(error) => return Err(error),
    };
    if start.is_empty() {
        return Ok(FileStart::Missing);
    }
    if !start.starts_with(MAGIC) {
        return Ok(FileStart::Foreign);
    }
    let number = |at: usize| {
        let bytes = start.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let is_sound = number(12) == Some(4096)
        && number(16).is_some_and(|pages| pages <= 1 << 12)
        && number(20).is_some_and(|pages| pages <= 1 << 20);
    Ok(if is_sound { FileStart::Database } else { FileStart::Damaged })
}

/// How often a file that is locked is tried again, and the time between two tries. Whoever
/// [looks whether it is locked](is_locked) holds the lock for a moment.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);

/// Opens the database at `path`, or creates it, after comparing the checksums of all its pages.
///
/// Damage that is not noticed now would not be noticed by later reads. A damaged file is not
/// changed. Look at its [start](file_start) before.
///
/// # Errors
///
/// [`DiskError::Damaged`], or any other error of `redb`. A file that is open elsewhere is tried for
/// a fifth of a second.
///
/// ```
/// use extract_disk::redb::Builder;
///
/// let path = std::env::temp_dir().join(format!("extract-disk-open-{}", std::process::id()));
/// let database = extract_disk::open(&path, &Builder::new())?;
/// # extract_disk::close(database);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(path: &Path, builder: &Builder) -> Result<Database, DiskError> {
    let file = Arc::new(locked(path)?);
    if catch_damage(|| file.len())? > 0 {
        verify(&file)?;
    }
    catch_damage(|| builder.create_with_backend(Locked(file)))
}

/// Opens the file as `Builder::create` does, which takes the lock, too.
fn locked(path: &Path) -> Result<FileBackend, DiskError> {
    for _ in 1..TRIES {
        let file = fs::File::options().read(true).write(true).create(true).truncate(false).open(path);
        match catch_damage(|| FileBackend::new(file?)) {
            Err(DiskError::Other(error)) if matches!(*error, Error::DatabaseAlreadyOpen) => {
                thread::sleep(BETWEEN);
            }
            done => return done,
        }
    }
    let file = fs::File::options().read(true).write(true).create(true).truncate(false).open(path);
    catch_damage(|| FileBackend::new(file?))
}

/// Returns whether any process has the database at `path` open for writing.
///
/// ```
/// use extract_disk::{is_locked, redb::Builder};
///
/// let path = std::env::temp_dir().join(format!("extract-disk-locked-{}", std::process::id()));
/// let database = extract_disk::open(&path, &Builder::new())?;
/// assert!(is_locked(&path));
/// drop(database);
/// assert!(!is_locked(&path));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_locked(path: &Path) -> bool {
    let locked = fs::File::open(path).map(FileBackend::new);
    matches!(locked, Ok(Err(DatabaseError::DatabaseAlreadyOpen)))
}

/// Compares the checksums of all pages, without a write to the file.
fn verify(file: &Arc<FileBackend>) -> Result<(), DiskError> {
    let copy = Unwritten::new(Arc::clone(file)).map_err(|error| DiskError::Other(Box::new(error.into())))?;
    verified(copy).map(close)
}

/// Opens the database after it has compared the checksums of all pages.
///
/// `redb` does so only for a file that was not closed, and repairs it on the way. Its check of the
/// others repairs too. So both write to `backend`, which must be a copy.
fn verified(backend: impl StorageBackend) -> Result<Database, DiskError> {
    let was_repaired = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&was_repaired);
    let mut builder = Builder::new();
    builder.set_cache_size(VERIFY_CACHE_BYTES);
    builder.set_repair_callback(move |_| seen.store(true, Ordering::Relaxed));
    let mut database = catch_damage(|| builder.create_with_backend(backend))?;
    let is_sound = if was_repaired.load(Ordering::Relaxed) {
        // Repairing begins with the checksums.
        Ok(true)
    } else {
        catch_damage(|| database.check_integrity())
    };
    match is_sound {
        Ok(true) => Ok(database),
        unsound => {
            close(database);
            unsound?;
            Err(DiskError::Damaged("the list of its pages does not match them".to_owned()))
        }
    }
}

/// Runs `what`, and treats a panic in it as damage. Use it around every use of a database.
///
/// # Errors
///
/// The error of `what`, or the message of its panic as [`DiskError::Damaged`].
///
/// ```
/// use extract_disk::{DiskError, catch_damage, redb::Error};
///
/// let read = catch_damage(|| -> Result<(), Error> { panic!("no such page") });
/// assert!(matches!(read, Err(DiskError::Damaged(message)) if message == "no such page"));
/// ```
pub fn catch_damage<T, E: Into<Error>>(what: impl FnOnce() -> Result<T, E>) -> Result<T, DiskError> {
    let was_catching = IS_CATCHING.replace(true);
    let caught = catch_unwind(AssertUnwindSafe(what));
    IS_CATCHING.set(was_catching);
    match caught {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(DiskError::of(error.into())),
        Err(panic) => {
            let damage = panic_message(&*panic).to_owned();
            // Dropping the payload of a panic may panic, too.
            mem::forget(panic);
            Err(DiskError::Damaged(damage))
        }
    }
}

thread_local! {
    static IS_CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether [`catch_damage`] catches a panic of this thread, which its error tells then. The panic
/// hook of a program can leave the message out.
///
/// ```
/// use extract_disk::{catch_damage, is_catching_damage, redb::Error};
///
/// assert!(!is_catching_damage());
/// assert!(catch_damage(|| Ok::<_, Error>(is_catching_damage()))?);
/// # Ok::<(), extract_disk::DiskError>(())
/// ```
pub fn is_catching_damage() -> bool {
    IS_CATCHING.get()
}

/// Drops a database, or a handle of one. Closing it writes to the file, which may fail in any way;
/// nothing committed is lost then.
///
/// ```
/// use extract_disk::redb::{Database, backends::InMemoryBackend};
///
/// let database = Database::builder().create_with_backend(InMemoryBackend::new())?;
/// extract_disk::close(database);
/// # Ok::<(), extract_disk::redb::DatabaseError>(())
/// ```
pub fn close(database: impl Sized) {
    let _ = catch_damage(|| {
        drop(database);
        Ok::<_, DatabaseError>(())
    });
}

impl DiskError {
    fn of(error: Error) -> Self {
        match error {
            Error::Corrupted(damage) => Self::Damaged(damage),
            Error::LockPoisoned(_)
            | Error::PreviousIo
            | Error::TableTypeMismatch { .. }
            | Error::TableIsMultimap(_)
            | Error::TypeDefinitionChanged { .. }
            | Error::UpgradeRequired(_) => Self::Damaged(error.to_string()),
            Error::Io(ref cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
                Self::Damaged(error.to_string())
            }
            error => Self::Other(Box::new(error)),
        }
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(damage) => write!(f, "the file is damaged: {damage}"),
            Self::Other(error) => error.fmt(f),
        }
    }
}

impl error::Error for DiskError {}

/// The message of a caught panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
