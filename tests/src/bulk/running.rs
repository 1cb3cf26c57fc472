//! Looking at a job while it runs.

use std::{fs, sync::Mutex};

use extract::{agent::AgentError, testing::block_on};
use extract_bulk::{ContractBulkExt as _, Ended, Journal};
use serde_json::json;

use super::{Answers, Folder, docs, echo, integers, lines};

#[test]
fn partial_results_grow_and_are_those_of_the_journal() {
    let folder = Folder::new();
    let (journal, partial, output) =
        (folder.file("j.redb"), folder.file("o.partial.jsonl"), folder.file("o.jsonl"));
    let seen = Mutex::new(Vec::new());
    let agent = Answers::new(|name: &str| {
        // The results committed before this question.
        let there = fs::read_to_string(&partial).unwrap();
        assert!(there.is_empty() || there.ends_with('\n'), "{there}");
        seen.lock().unwrap().push(there.lines().count());
        Ok(if name == "3" { "three".to_owned() } else { name.to_owned() })
    });
    let job = |budget| {
        let job = integers().bulk(&agent, docs(8)).journal(&journal).concurrent(1);
        job.partial_jsonl(&partial).into_jsonl(&output).token_budget(budget)
    };
    let report = block_on(job(300)).unwrap();
    assert_eq!(report.ended, Ended::TokenBudget);
    let before = lines(&partial);
    assert_eq!(
        (before.len() as u64, output.exists()),
        (report.documents.min(report.done + report.failed), false)
    );
    let counts = seen.lock().unwrap().clone();
    assert!(counts.is_sorted() && counts.last() > counts.first(), "{counts:?}");

    let read = Journal::read(&journal).unwrap();
    read.write_jsonl(&output).unwrap();
    assert_eq!(lines(&output), before, "the order is the same with one at a time");
    fs::remove_file(&output).unwrap();

    block_on(job(1_000_000)).unwrap();
    assert_eq!((lines(&output).len(), partial.exists()), (8, false));
    assert_eq!(lines(&output)[..before.len()], before);
}

#[test]
fn a_partial_output_that_is_a_link_is_not_followed() {
    let folder = Folder::new();
    let (partial, other) = (folder.file("o.partial.jsonl"), folder.file("mine.txt"));
    fs::write(&other, "mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&other, &partial).unwrap();
    #[cfg(not(unix))]
    fs::create_dir(&partial).unwrap();
    let error = block_on(integers().bulk(&echo(), docs(1)).partial_jsonl(&partial)).unwrap_err();
    assert!(error.to_string().contains("o.partial.jsonl"), "{error}");
    assert_eq!(fs::read_to_string(other).unwrap(), "mine");
}

#[test]
fn dead_letters_are_told_as_they_come_and_again_by_the_next_run() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent =
        Answers::new(|name: &str| Ok(if name.ends_with('2') { "none".to_owned() } else { name.to_owned() }));
    for resumed in [0, 25] {
        let told = Mutex::new(Vec::new());
        let job = integers().bulk(&agent, docs(25)).journal(&journal);
        let report = block_on(job.on_dead_letter(|letter| {
            told.lock().unwrap().push((letter.key.clone(), letter.failure.name.clone()));
        }));
        assert_eq!((report.as_ref().unwrap().failed, report.unwrap().resumed), (3, resumed));
        let mut told = told.into_inner().unwrap();
        told.sort();
        assert_eq!(json!(told), json!(["12", "2", "22"].map(|key| (key, "MaxRetriesExceeded"))));
    }
}

#[test]
fn a_report_counts_the_whole_job() {
    let documents = || docs(100).collect::<Vec<_>>();
    let report = block_on(integers().bulk(&echo(), documents()).token_budget(1).concurrent(1)).unwrap();
    assert_eq!(report.expected, Some(100));
    let text = report.to_string();
    assert!(text.starts_with(&format!("{} of 100 documents: ", report.documents)), "{text}");
    let report = block_on(integers().bulk(&echo(), docs(3).chain(docs(2)))).unwrap();
    assert_eq!((report.expected, report.repeated), (Some(3), 2), "the source was read to its end");

    let failing = Answers::new(|_: &str| Err(AgentError::refused("wrong key")));
    let error = block_on(integers().bulk(&failing, documents())).unwrap_err();
    assert_eq!(error.report().unwrap().expected, Some(100));
}
