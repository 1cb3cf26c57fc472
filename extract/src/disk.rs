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

/// The flag in the byte after it that says that the file was not closed.
const RECOVERY_REQUIRED: u8 = 2;

/// Why something could not be done with a database.
pub(crate) enum Trouble {
    Damage(String),
    Other(Box<Error>),
}

/// What the first bytes of a file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
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

/// Opens the database and looks at all of it: what it does not notice now it would not notice when
/// it reads.
pub(crate) fn open(path: &Path, builder: &Builder) -> Result<Database, Trouble> {
    mark_as_unclean(path).map_err(|error| Trouble::Other(Box::new(error.into())))?;
    guarded(|| builder.create(path))
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
pub(crate) fn guarded<T, E: Into<Error>>(what: impl FnOnce() -> Result<T, E>) -> Result<T, Trouble> {
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
