//! Journals as files.

use std::fs;

use extract::testing::block_on;
use extract_bulk::{BulkError, ContractBulkExt as _, Journal, JournalError, Status};
use extract_disk::redb::{Builder, TableDefinition};
use serde_json::{Value, json};

use super::{Answers, Folder, doc, docs, echo, integers};

#[test]
fn what_the_source_says_of_a_document_now_counts() {
    let folder = Folder::new();
    let (path, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let agent = Answers::new(|name: &str| Ok(name.to_owned()));
    for row in [7, 8, 8] {
        let documents = docs(2).map(|doc| doc.meta(json!({"row": row})));
        block_on(integers().bulk(&agent, documents).journal(&path).into_jsonl(&output)).unwrap();
        let lines = fs::read_to_string(&output).unwrap();
        assert_eq!(lines.matches(&format!(r#""meta":{{"row":{row}}}"#)).count(), 2, "{lines}");
    }
    assert_eq!(Journal::open(&path).unwrap().get("1").unwrap().unwrap().meta["row"], 8);
    assert_eq!(agent.take_asked().len(), 2);
}

#[test]
fn a_journal_says_what_is_in_it() {
    let folder = Folder::new();
    let path = folder.file("j.redb");
    let agent = Answers::new(|name: &str| Ok(if name == "1" { "none".to_owned() } else { name.to_owned() }));
    let documents = docs(3).map(|doc| doc.meta(json!({"row": 7})));
    block_on(integers().bulk(&agent, documents).journal(&path)).unwrap();
    let journal = Journal::open(&path).unwrap();
    let summary = journal.inspect().unwrap();
    assert_eq!((summary.documents, summary.done, summary.failed, summary.runs), (3, 2, 1, 1));
    assert_eq!(summary.failures["MaxRetriesExceeded"], 1);
    assert_eq!((&*summary.per_model[0].agent, summary.per_model[0].replies), ("answers", 5));
    let outcome = journal.get("2").unwrap().unwrap();
    assert_eq!(
        (outcome.result.unwrap(), outcome.status, &outcome.meta["row"]),
        (json!(2), Status::Done, &json!(7))
    );
    assert!(journal.get("9").unwrap().is_none());
    let keys: Vec<_> = journal.outcomes().map(|outcome| outcome.unwrap().key).collect();
    assert_eq!(keys, ["0", "1", "2"]);
    assert_eq!(journal.dead_letters().unwrap().count(), 1);

    let mut exported = Vec::new();
    assert_eq!(journal.export(&mut exported).unwrap(), 3);
    let exported: Vec<Value> = String::from_utf8(exported)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(exported[1]["history"].as_array().unwrap().len(), 3);
    assert_eq!(exported[2]["metrics"]["attempts"], 1);
    let output = folder.file("o.jsonl");
    assert_eq!(journal.write_jsonl(&output).unwrap(), 3);
    assert!(fs::read_to_string(output).unwrap().starts_with(
        r#"{"key":"0","status":"done","value":0,"meta":{"row":7},"attempts":1,"input_tokens":"#
    ));
}

#[test]
fn a_journal_belongs_to_one_at_a_time() {
    let folder = Folder::new();
    let path = folder.file("j.redb");
    block_on(integers().bulk(&echo(), docs(1)).journal(&path)).unwrap();
    let journal = Journal::open(&path).unwrap();
    let error = block_on(integers().bulk(&echo(), docs(1)).journal(&path)).unwrap_err();
    let BulkError::Journal(JournalError::Held { by: Some(holder), .. }) = &error else { panic!("{error}") };
    assert_eq!(holder.process, std::process::id());
    assert!(error.to_string().contains(&format!("in use by process {}", holder.process)), "{error}");
    drop(journal);
    Journal::open(&path).unwrap();
    assert!(!folder.file("j.redb.owner").exists());
}

#[test]
fn what_is_no_journal_is_refused_and_left_alone() {
    let folder = Folder::new();
    let missing = Journal::open(folder.file("none.redb")).unwrap_err();
    assert!(matches!(missing, JournalError::Missing { .. }), "{missing}");
    assert!(!folder.file("none.redb").exists());
    let notes = folder.file("notes.txt");
    fs::write(&notes, "not a journal, but long enough to be looked at. ".repeat(200)).unwrap();
    for error in [
        Journal::open(&notes).unwrap_err(),
        match block_on(integers().bulk(&echo(), docs(1)).journal(&notes)).unwrap_err() {
            BulkError::Journal(error) => error,
            error => panic!("{error}"),
        },
    ] {
        assert!(matches!(error, JournalError::NotAJournal { .. }), "{error}");
    }
    assert!(fs::read_to_string(&notes).unwrap().starts_with("not a journal"));
    // A store of another kind in the same format of files.
    let cache = folder.file("cache.redb");
    let database = extract_disk::open(&cache, &Builder::new()).unwrap();
    let writing = database.begin_write().unwrap();
    writing.open_table(TableDefinition::<'_, &str, &str>::new("replies")).unwrap().insert("a", "b").unwrap();
    writing.commit().unwrap();
    drop(database);
    let error = Journal::open(&cache).unwrap_err();
    assert!(matches!(error, JournalError::NotAJournal { .. }), "{error}");
}

#[test]
fn a_torn_journal_is_an_error_that_says_so_and_never_a_wrong_result() {
    let folder = Folder::new();
    let path = folder.file("j.redb");
    block_on(integers().bulk(&echo(), docs(300)).journal(&path)).unwrap();
    let whole = fs::read(&path).unwrap();
    let (mut damaged, mut read) = (0, 0);
    for number in 1..24 {
        let torn = folder.file("torn.redb");
        let length = whole.len() * number / 24;
        let mut bytes = whole.clone();
        if number % 2 == 0 {
            bytes.truncate(length);
        } else {
            let end = (length + 6000).min(bytes.len());
            bytes[length..end].fill(0x5a);
        }
        fs::write(&torn, &bytes).unwrap();
        let result = Journal::open(&torn).and_then(|journal| {
            for outcome in journal.outcomes() {
                let outcome = outcome?;
                assert_eq!(outcome.result.unwrap().to_string(), outcome.key);
            }
            journal.inspect()
        });
        match result {
            Ok(_) => read += 1,
            Err(JournalError::Damaged { .. }) => damaged += 1,
            Err(error) => panic!("{number}: {error}"),
        }
    }
    assert!(damaged >= 8, "{damaged} damaged, {read} read");
}

#[test]
fn journals_are_merged_and_the_better_outcome_counts() {
    let folder = Folder::new();
    let paths = ["a.redb", "b.redb"].map(|name| folder.file(name));
    let weak = Answers::new(|name: &str| Ok(if name == "1" { "none".to_owned() } else { name.to_owned() }));
    block_on(integers().bulk(&weak, docs(3)).journal(&paths[0])).unwrap();
    block_on(integers().bulk(&echo(), (1..5).map(doc)).journal(&paths[1])).unwrap();
    let mut journal = Journal::open(&paths[0]).unwrap();
    let merged = journal.merge(&Journal::open(&paths[1]).unwrap()).unwrap();
    // Of the equals, the later one.
    assert_eq!((merged.added, merged.replaced + merged.kept), (2, 2));
    assert!(merged.replaced >= 1);
    let summary = journal.inspect().unwrap();
    assert_eq!((summary.documents, summary.done, summary.failed), (5, 5, 0));
    drop(journal);
    let agent = echo();
    let report = block_on(integers().bulk(&agent, docs(5)).journal(&paths[0])).unwrap();
    assert_eq!((report.done, report.calls), (5, 0));
}

#[test]
fn a_compacted_journal_is_smaller_and_has_everything() {
    let folder = Folder::new();
    let path = folder.file("j.redb");
    let agent = echo();
    for version in ["1", "2", "3"] {
        let job = integers().bulk(&agent, docs(400)).concurrent(50).journal(&path).version(version);
        block_on(job).unwrap();
    }
    let mut journal = Journal::open(&path).unwrap();
    let compacted = journal.compact().unwrap();
    assert!(compacted.after < compacted.before, "{compacted:?}");
    assert_eq!(journal.inspect().unwrap().done, 400);
}
