//! Tests with a machine clock that was set back between two runs, so that outcomes seem to be from
//! the future.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use extract::{
    Contract,
    testing::{ScriptedAgent, block_on},
};
use serde_json::{Value, json};

use crate::{
    ContractBulkExt as _, Doc, Holder, Journal, Report,
    asking::now,
    journal::{Store, Write},
};

const YEAR: Duration = Duration::from_secs(365 * 86_400);

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("extract-bulk-clock-{name}-{}.redb", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Runs the job over one document with this answer.
fn run(journal: &Path, version: &str, answer: &str) -> Report {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new([answer]);
    let job = contract.bulk(&agent, [Doc::new("a", "How many?")]).journal(journal).version(version);
    block_on(job).unwrap()
}

/// Dates the outcome as if the clock had been a year ahead when it was written.
fn date_from_the_future(journal: &Path) {
    let store = Store::open(journal).unwrap();
    let mut record = store.record("a").unwrap().unwrap();
    assert!(record.body.at <= now());
    record.body.at += u64::try_from(YEAR.as_millis()).unwrap();
    store.write(&[Write::Outcome("a".to_owned(), record.bytes().unwrap())]).unwrap();
}

fn value(journal: &Path) -> Value {
    Journal::open(journal).unwrap().get("a").unwrap().unwrap().result.unwrap()
}

#[test]
fn an_outcome_from_the_future_is_found_and_replaced_like_any_other() {
    let path = file("future");
    assert_eq!(run(&path, "1", "1").calls, 1);
    date_from_the_future(&path);
    // It answers the question, whenever it was written.
    assert_eq!((run(&path, "1", "7").calls, value(&path)), (0, json!(1)));
    // A changed document is asked again, and the new outcome counts although the clock says it is
    // older.
    assert_eq!((run(&path, "2", "2").calls, value(&path)), (1, json!(2)));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_merge_goes_by_the_clocks_that_wrote_the_outcomes() {
    let (path, other) = (file("ours"), file("theirs"));
    run(&path, "1", "1");
    run(&other, "1", "2");
    date_from_the_future(&path);
    let merged = Journal::open(&path).unwrap().merge(&Journal::open(&other).unwrap()).unwrap();
    assert_eq!((merged.kept, merged.replaced, value(&path)), (1, 0, json!(1)));
    for path in [path, other] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn who_holds_a_journal_since_tomorrow_holds_it_since_now() {
    let holder: Holder = serde_json::from_value(json!({
        "process": 7,
        "program": "invoices",
        "since": std::time::SystemTime::now() + YEAR,
    }))
    .unwrap();
    assert_eq!(holder.to_string(), "process 7 (invoices), for 0 s");
}
