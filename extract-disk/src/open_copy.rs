//! A copy of a file of `redb`, also of one that another process is writing.

use std::{
    env,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use redb::{Database, backends::FileBackend};

use crate::{DiskError, catch_damage, verified};

/// Bytes that are copied at once.
const CHUNK: usize = 1 << 20;

/// Maximum temporary files with the same name that are passed over.
const MOST_LEFT: u32 = 1_000;

/// Copies the file at `path`, and opens the copy after comparing the checksums of all its pages. No
/// lock is taken, and nothing is written to the file, so another process may be writing it.
///
/// The copy is a temporary file without a name, which only this process can read, and which ends
/// with the database. `redb` never writes over pages that the last commit uses, so a copy is most
/// often that commit or the one before.
///
/// # Errors
///
/// As [`open`](crate::open), and if the temporary file cannot be written. [`DiskError::Damaged`]
/// also if the file was changed too much while it was copied; try again.
///
/// ```
/// use extract_disk::redb::{Builder, ReadableTableMetadata as _, TableDefinition};
///
/// const LEGS: TableDefinition<'_, &str, u64> = TableDefinition::new("legs");
///
/// let path = std::env::temp_dir().join(format!("extract-disk-copy-{}", std::process::id()));
/// let database = extract_disk::open(&path, &Builder::new())?;
/// let writing = database.begin_write()?;
/// writing.open_table(LEGS)?.insert("spider", 8)?;
/// writing.commit()?;
///
/// let copy = extract_disk::open_copy(&path)?;
/// assert_eq!(copy.begin_read()?.open_table(LEGS)?.len()?, 1);
/// # drop(database);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_copy(path: &Path) -> Result<Database, DiskError> {
    let copy = catch_damage(|| copy(path))?;
    verified(catch_damage(|| FileBackend::new(copy))?)
}

/// A copy in a temporary file without a name.
fn copy(path: &Path) -> io::Result<File> {
    let from = File::open(path)?;
    let mut to = temporary().map_err(|error| {
        let folder = env::temp_dir();
        // Its kind would say something of the journal.
        io::Error::other(format!("no file for a copy in `{}`: {error}", folder.display()))
    })?;
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut size = 0;
    loop {
        chunk.clear();
        let read = (&from).take(CHUNK as u64).read_to_end(&mut chunk)?;
        if read == 0 {
            break;
        }
        size += read as u64;
        // Half of a file may be room for later, which takes no space.
        if chunk.iter().all(|byte| *byte == 0) {
            to.seek(SeekFrom::Start(size))?;
        } else {
            to.write_all(&chunk)?;
        }
    }
    to.set_len(size)?;
    Ok(to)
}

/// A file that only this process can read, and that is removed with its handle.
fn temporary() -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    {
        /// `FILE_FLAG_DELETE_ON_CLOSE`
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, DELETE_ON_CLOSE);
    }
    let mut tries = 0;
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("extract-{}-{number}.tmp", process::id()));
        match options.open(&path) {
            Ok(file) => {
                if !cfg!(windows) {
                    fs::remove_file(&path)?;
                }
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MOST_LEFT => tries += 1,
            Err(error) => return Err(error),
        }
    }
}
