//! Tests with journals that cannot be written or read.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use redb::{StorageBackend, backends::InMemoryBackend};

use crate::bulk::journal::{Journal, JournalError, Store, Write};

/// A disk of limited size.
#[derive(Debug)]
struct Disk {
    inner: InMemoryBackend,
    size: Arc<AtomicU64>,
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.inner.read(offset, len)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if len > self.size.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.inner.set_len(len)
    }

    fn sync_data(&self, eventual: bool) -> io::Result<()> {
        self.inner.sync_data(eventual)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)
    }
}

#[test]
fn a_full_disk_is_said_and_what_was_committed_stays() {
    let size = Arc::new(AtomicU64::new(3 << 20));
    let store = Store::with_backend(Disk { inner: InMemoryBackend::new(), size }).unwrap();
    let mut written = 0;
    let error = loop {
        let order = Write::Order(written, format!("{written:0>2000}"));
        match store.write(&[order]) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 10_000, "the disk is never full");
    };
    assert!(matches!(error, JournalError::Full { .. }), "{error}");
    assert!(error.to_string().contains("make room"), "{error}");
    assert!(written > 100, "{written}");
}

fn file(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("extract-bulk-{name}-{}.redb", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_newer_journal_is_refused_with_both_versions() {
    let path = file("newer");
    Store::open(&path, true).unwrap().set_format(7).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Newer { found: 7, known: 1, .. }), "{error}");
    assert!(error.to_string().contains("newer version of `extractable`"), "{error}");
    std::fs::remove_file(path).unwrap();
}
