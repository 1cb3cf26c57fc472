//! Opening a file of `redb` that may be damaged.

use std::{
    fs,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use redb::{Builder, Database, DatabaseError, Error};

use crate::text::panic_message;

/// What every file of `redb` starts with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// The flag for a file that was not closed, in the byte after the magic number.
const RECOVERY_REQUIRED: u8 = 2;

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

/// Opens the database and checks all of it. Damage that `redb` does not notice now would not be
/// noticed by later reads.
pub(crate) fn open(path: &Path, builder: &Builder) -> Result<Database, Trouble> {
    mark_as_unclean(path).map_err(|error| Trouble::Other(Box::new(error.into())))?;
    guarded(|| builder.create(path))
}

/// Marks the file as not closed, as every open file is. For such a file, `redb` compares the
/// checksums of all pages, and rebuilds the parts that it would otherwise trust without a checksum.
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
            error => Self::Other(Box::new(error)),
        }
    }
}
