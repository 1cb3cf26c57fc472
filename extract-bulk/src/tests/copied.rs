//! Tests of reading a journal while it is written.
#![cfg(unix)]

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use extract::{
    Contract,
    metrics::ExtractionMetrics,
    testing::{ScriptedAgent, block_on},
};

use super::disk::file;
use crate::{
    ContractBulkExt as _,
    doc::Doc,
    journal::{Journal, JournalError, Record, RecordBody, RecordHead, Store, Write},
    outcome::Status,
};

fn outcome(number: u64) -> Vec<u8> {
    let head = RecordHead { question: [7; 32], askers: vec![[8; 32]], status: Status::Done };
    let value = serde_json::value::to_raw_value(&number).unwrap();
    let meta = serde_json::Value::Null;
    let body = RecordBody {
        meta,
        value: Some(value),
        failure: None,
        metrics: ExtractionMetrics::default(),
        reviewed_by: None,
        at: number,
    };
    Record { head, body }.bytes().unwrap()
}

/// Documents of a journal, which then only changes and grows no more.
const MOST: u64 = 300;

/// Commits documents one at a time, each with its outcome, as fast as it can.
fn written(store: &Store, until: impl Fn(u64) -> bool) -> u64 {
    for number in 0.. {
        if until(number) {
            return number.min(MOST);
        }
        let number = number % MOST;
        let key = format!("{number:0>200}");
        store.write(&[Write::Order(number, key.clone()), Write::Outcome(key, outcome(number))]).unwrap();
    }
    0
}

#[test]
fn what_is_read_is_one_state_of_the_journal_however_fast_it_is_written() {
    let path = file("fast");
    let store = Store::open_or_create(&path).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let writer = thread::spawn(move || written(&store, |_| over.load(Ordering::Relaxed)));
    let (mut last, mut reads) = (0, 0);
    while reads < 20 {
        let journal = Journal::read(&path).unwrap();
        let summary = journal.inspect().unwrap();
        assert!(summary.is_running && summary.running.is_some());
        assert_eq!(summary.documents, summary.done, "a commit has both");
        assert!(summary.done >= last, "{} after {last}", summary.done);
        for (number, outcome) in journal.outcomes().enumerate() {
            assert_eq!(outcome.unwrap().result.unwrap(), serde_json::json!(number));
        }
        (last, reads) = (summary.done, reads + 1);
    }
    is_over.store(true, Ordering::Relaxed);
    let all = writer.join().unwrap();
    assert!(last > 0 && all >= last, "{last} of {all}");
    let summary = Journal::read(&path).unwrap().inspect().unwrap();
    assert_eq!((summary.done, summary.is_running), (all, false));
    fs::remove_file(path).unwrap();
}

#[test]
fn a_reader_does_not_hold_up_the_writer_and_changes_nothing() {
    let path = file("reader");
    let agent = ScriptedAgent::new(["8"]);
    let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
    block_on(contract.bulk(&agent, [Doc::new("spider", "Legs?")]).journal(&path)).unwrap();
    let before = fs::read(&path).unwrap();
    let mut read = Journal::read(&path).unwrap();
    assert_eq!((read.inspect().unwrap().done, fs::read(&path).unwrap() == before), (1, true));

    let store = Store::open(&path).unwrap();
    let again = Journal::read(&path).unwrap();
    assert_eq!(written(&store, |number| number == 20), 20);
    assert_eq!((read.inspect().unwrap().done, again.inspect().unwrap().done), (1, 1), "as it was");
    assert!(matches!(read.compact(), Err(JournalError::ReadOnly { .. })));
    let more = Journal::read(&path).unwrap();
    assert_eq!(more.inspect().unwrap().done, 21);
    assert!(matches!(read.merge(&more), Err(JournalError::ReadOnly { .. })));
    drop(store);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_journal_that_is_being_looked_at_can_be_opened() {
    let path = file("looked-at");
    drop(Store::open_or_create(&path).unwrap());
    let is_over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (over, path) = (Arc::clone(&is_over), path.clone());
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    Journal::read(&path).unwrap();
                }
            })
        })
        .collect();
    let end = Instant::now() + Duration::from_secs(2);
    while Instant::now() < end {
        drop(Store::open(&path).unwrap());
    }
    is_over.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.join().unwrap();
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_damaged_journal_is_never_read_as_another_one() {
    let path = file("torn");
    let store = Store::open_or_create(&path).unwrap();
    assert_eq!(written(&store, |number| number == 30), 30);
    drop(store);
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 20) {
        let mut torn = whole.clone();
        torn[at] ^= 0x55;
        fs::write(&path, &torn).unwrap();
        // A byte that no page uses does no harm.
        if let Ok(journal) = Journal::read(&path) {
            assert_eq!(journal.inspect().unwrap().done, 30, "byte {at}");
        }
        fs::write(&path, &whole[..at]).unwrap();
        if let Ok(journal) = Journal::read(&path) {
            assert_eq!(journal.inspect().unwrap().done, 30, "cut at {at}");
        }
    }
    fs::remove_file(path).unwrap();
}
