//! Tests with journals that cannot be written or read.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use extract::{
    Contract,
    testing::{ScriptedAgent, block_on},
};
use redb::{StorageBackend, backends::InMemoryBackend};
use serde_json::json;

use crate::{
    ContractBulkExt as _,
    doc::Doc,
    journal::{Journal, JournalError, Store, Write},
};

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

pub(super) fn file(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("extract-bulk-{name}-{}.redb", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_newer_journal_is_refused_with_both_versions() {
    let path = file("newer");
    Store::open_or_create(&path).unwrap().set_format(7).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Newer { found: 7, known: 3, .. }), "{error}");
    assert!(error.to_string().contains("newer version of `extractable`"), "{error}");
    std::fs::remove_file(path).unwrap();
}

/// A journal of documents whose answers are easy to find in the file.
fn with_answers(path: &std::path::Path, count: usize) {
    let contract = Contract::from_schema(json!({"type": "string"})).unwrap();
    let agent = ScriptedAgent::new((0..count).map(|number| format!("\"answer-{number:03}\"")));
    let documents = (0..count).map(|number| Doc::new(format!("{number:03}"), "Which?"));
    block_on(contract.bulk(&agent, documents).concurrent(1).journal(path)).unwrap();
}

/// The documents with their answers, as every way of reading gives them.
fn answers(path: &std::path::Path) -> Result<Vec<(String, String)>, JournalError> {
    let journal = Journal::open(path)?;
    let mut found = Vec::new();
    for outcome in journal.outcomes() {
        let outcome = outcome?;
        found.push((outcome.key, outcome.result.unwrap().as_str().unwrap().to_owned()));
    }
    journal.inspect()?;
    journal.export(io::sink())?;
    Ok(found)
}

/// Where three digits are: in the answers, in the keys, and in the order of the documents.
fn digits(bytes: &[u8]) -> Vec<usize> {
    let is_digits = |(_, part): &(usize, &[u8])| part.iter().all(u8::is_ascii_digit);
    bytes.windows(3).enumerate().filter(is_digits).map(|(at, _)| at).collect()
}

#[test]
fn one_flipped_bit_is_an_error_and_the_file_stays_as_it_is() {
    let path = file("flipped");
    with_answers(&path, 57);
    // Most of the file would be pages of earlier commits.
    Journal::open(&path).unwrap().compact().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let expected = answers(&path).unwrap();
    let (mut damaged, mut wrong) = (0, Vec::new());
    // Opening takes a while without optimization.
    for at in digits(&whole).into_iter().step_by(11) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        match answers(&path) {
            // The bit is in a page that is not in use any more.
            Ok(found) if found == expected => {}
            Ok(_) => wrong.push(at),
            Err(JournalError::Damaged { .. }) => {
                damaged += 1;
                assert!(std::fs::read(&path).unwrap() == bytes, "the file was changed, {at}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(wrong.is_empty(), "{} are wrong, {damaged} are errors: {wrong:?}", wrong.len());
    assert!(damaged >= 16, "{damaged}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_journal_without_checksums_is_refused_with_both_versions() {
    let path = file("older");
    Store::open_or_create(&path).unwrap().set_format(1).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Older { found: 1, known: 2, .. }), "{error}");
    assert!(error.to_string().contains("move it away to start again"), "{error}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn an_outcome_that_does_not_match_its_checksum_is_an_error_wherever_it_is_read() {
    let path = file("replaced");
    with_answers(&path, 3);
    let store = Arc::new(Store::open(&path).unwrap());
    let journal = Journal::of_store(Arc::clone(&store));
    // The outcome of another document, as it is in the journal, and one without a checksum.
    let other = store.outcome_bytes("002").unwrap();
    for bytes in [&other[..], &other[16..], b""] {
        store.set_outcome("001", bytes).unwrap();
        for error in [
            journal.get("001").unwrap_err(),
            journal.outcomes().find_map(Result::err).unwrap(),
            journal.dead_letters().unwrap().find_map(Result::err).unwrap(),
            journal.inspect().unwrap_err(),
            journal.export(io::sink()).unwrap_err(),
        ] {
            assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains("the outcome of `001`"), "{error}");
        }
        assert!(journal.get("000").is_ok() && journal.get("002").is_ok());
    }
    drop((journal, store));
    std::fs::remove_file(path).unwrap();
}

#[cfg(unix)]
#[test]
fn files_beside_a_journal_are_not_written_through_links_and_not_over_others() {
    let (path, target) = (file("links"), file("target"));
    let owner = path.with_extension("redb.owner");
    let output = path.with_extension("jsonl");
    let temporary = std::path::PathBuf::from(format!("{}.{}.0.tmp", output.display(), std::process::id()));
    for link in [&owner, &temporary] {
        let _ = std::fs::remove_file(link);
        std::os::unix::fs::symlink(&target, link).unwrap();
    }
    with_answers(&path, 1);
    assert_eq!(Journal::open(&path).unwrap().write_jsonl(&output).unwrap(), 1);
    assert!(!target.exists() && owner.is_symlink() && temporary.is_symlink());
    for link in [&owner, &temporary] {
        std::fs::remove_file(link).unwrap();
    }
    std::fs::write(&owner, "mine").unwrap();
    drop(Journal::open(&path).unwrap());
    assert_eq!(std::fs::read_to_string(&owner).unwrap(), "mine");
    for left in [owner, output, path] {
        std::fs::remove_file(left).unwrap();
    }
}
