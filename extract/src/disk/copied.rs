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

use super::{Trouble, guarded, verified};

/// Bytes that are copied at once.
const CHUNK: usize = 1 << 20;

/// Maximum temporary files with the same name that are passed over.
const MOST_LEFT: u32 = 1_000;

/// Copies the file at `path`, and opens the copy after it has compared the checksums of all its
/// pages. No lock is taken, and nothing is written to the file.
///
/// `redb` never writes over pages that the last commit uses, so a copy is most often that commit or
/// the one before. If it was changed too much meanwhile, the checksums do not match.
pub(crate) fn open_copy(path: &Path) -> Result<Database, Trouble> {
    let copy = guarded(|| copy(path))?;
    verified(guarded(|| FileBackend::new(copy))?)
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
