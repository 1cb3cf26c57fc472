//! A file of `redb` whose lock outlives one database, and a copy of it that is not written.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redb::{StorageBackend, backends::FileBackend};

/// Size of the parts in which changes are kept.
const PART: u64 = PART_LEN as u64;
const PART_LEN: usize = 4096;

/// Maximum changed parts, 256 MiB. Checking a sound file changes its header and the list of its
/// pages, which is a few bits for each page.
const MOST_PARTS: usize = (256 << 20) / PART_LEN;

/// The file itself. It stays locked as long as anything holds it.
#[derive(Debug)]
pub(super) struct Locked(pub(super) Arc<FileBackend>);

impl StorageBackend for Locked {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.0.read(offset, len)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self, eventual: bool) -> io::Result<()> {
        self.0.sync_data(eventual)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}

/// A file as it would be after the writes, which stay in memory.
#[derive(Debug)]
pub(super) struct Unwritten {
    file: Arc<FileBackend>,
    changes: Mutex<Changes>,
}

#[derive(Debug)]
struct Changes {
    len: u64,
    /// Bytes of the file that are in use; all others are zero.
    of_file: u64,
    /// By their number in the file.
    parts: HashMap<u64, Vec<u8>>,
}

impl Unwritten {
    pub(super) fn new(file: Arc<FileBackend>) -> io::Result<Self> {
        let len = file.len()?;
        Ok(Self { file, changes: Mutex::new(Changes { len, of_file: len, parts: HashMap::new() }) })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of the file, and zeros after its end.
    fn unchanged(&self, changes: &Changes, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let in_file = changes.of_file.saturating_sub(offset).min(len as u64);
        let in_file = usize::try_from(in_file).unwrap_or(len);
        let mut bytes = if in_file > 0 { self.file.read(offset, in_file)? } else { Vec::new() };
        bytes.resize(len, 0);
        Ok(bytes)
    }
}

/// The parts that `len` bytes from `offset` touch, and in each: where it is in these bytes, and
/// where these bytes are in it.
fn touched(offset: u64, len: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>, usize)> {
    let end = offset + len as u64;
    (offset / PART..end.div_ceil(PART)).map(move |part| {
        let (from, to) = (offset.max(part * PART), end.min((part + 1) * PART));
        // Both are less than the length of the bytes, or than that of a part.
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        (part, small(from - offset)..small(to - offset), small(from - part * PART))
    })
}

/// Fails if the bytes are not in the file.
fn check_end(offset: u64, len: usize, end: u64) -> io::Result<()> {
    let is_inside = offset.checked_add(len as u64).is_some_and(|to| to <= end);
    if is_inside { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

impl StorageBackend for Unwritten {
    fn len(&self) -> io::Result<u64> {
        Ok(self.changes().len)
    }

    fn read(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let changes = self.changes();
        check_end(offset, len, changes.len)?;
        let mut bytes = self.unchanged(&changes, offset, len)?;
        for (part, range, at) in touched(offset, len) {
            if let Some(changed) = changes.parts.get(&part) {
                let end = at + range.len();
                bytes[range].copy_from_slice(&changed[at..end]);
            }
        }
        Ok(bytes)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut changes = self.changes();
        changes.of_file = changes.of_file.min(len);
        changes.len = len;
        changes.parts.retain(|part, _| part * PART < len);
        if let Some(last) = changes.parts.get_mut(&(len / PART)) {
            last[usize::try_from(len % PART).unwrap_or_default()..].fill(0);
        }
        Ok(())
    }

    fn sync_data(&self, _eventual: bool) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changes = self.changes();
        check_end(offset, data.len(), changes.len)?;
        for (part, range, at) in touched(offset, data.len()) {
            if !changes.parts.contains_key(&part) {
                if changes.parts.len() >= MOST_PARTS {
                    return Err(io::Error::other("checking it takes too much memory"));
                }
                let bytes = self.unchanged(&changes, part * PART, PART_LEN)?;
                changes.parts.insert(part, bytes);
            }
            if let Some(changed) = changes.parts.get_mut(&part) {
                let end = at + range.len();
                changed[at..end].copy_from_slice(&data[range]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_copy_reads_like_a_file_that_was_written() {
        let path = |name: &str| {
            std::env::temp_dir().join(format!("extract-unwritten-{name}-{}", std::process::id()))
        };
        let (whole, changed) = (path("whole"), path("changed"));
        let bytes: Vec<u8> = (0..10_000_u32).map(|number| u8::try_from(number % 251).unwrap()).collect();
        let backend = |path: &std::path::Path| {
            std::fs::write(path, &bytes).unwrap();
            FileBackend::new(File::options().read(true).write(true).open(path).unwrap()).unwrap()
        };
        let written = backend(&changed);
        let copy = Unwritten::new(Arc::new(backend(&whole))).unwrap();
        let same = || {
            let len = written.len().unwrap();
            assert_eq!(copy.len().unwrap(), len);
            for (offset, len) in [(0, len), (1, len - 1), (4095, 2), (5000, 100)] {
                let len = usize::try_from(len).unwrap();
                assert!(copy.read(offset, len).unwrap() == written.read(offset, len).unwrap(), "{offset}");
            }
        };
        for (offset, len, byte) in [(0, 3, 1), (4090, 12, 2), (9_990, 10, 3), (100, 9_000, 4)] {
            copy.write(offset, &vec![byte; len]).unwrap();
            written.write(offset, &vec![byte; len]).unwrap();
            same();
        }
        for len in [6_001, 20_000, 8_192, 9_000] {
            copy.set_len(len).unwrap();
            written.set_len(len).unwrap();
            same();
        }
        assert!(copy.read(8_999, 2).is_err() && copy.write(8_999, &[0, 0]).is_err());
        assert!(copy.read(u64::MAX, 2).is_err());
        assert!(std::fs::read(&whole).unwrap() == bytes);
        std::fs::remove_file(whole).unwrap();
        std::fs::remove_file(changed).unwrap();
    }
}
