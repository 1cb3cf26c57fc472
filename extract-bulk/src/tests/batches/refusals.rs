//! Files that the provider refuses as a whole.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Folder, HOURS, Scripted, When, ordinary, outcomes, run, run_at};
use crate::{Batches, Ended, Journal};

fn has(text: &str, number: u32) -> bool {
    text.contains(&format!("<{number}>"))
}

/// Requests about these two documents make the provider refuse the file that they are in.
fn has_invalid(texts: &[&str]) -> bool {
    texts.iter().any(|text| has(text, 14) || has(text, 41))
}

/// The outcomes of a job of so many documents, of which the two have none.
fn expected(count: u32, folder: &Folder) -> Vec<(String, Value, Value)> {
    let mut expected = ordinary(count, folder);
    for outcome in expected.iter_mut().filter(|outcome| outcome.0 == "14" || outcome.0 == "41") {
        (outcome.1, outcome.2) = (Value::Null, json!("Agent"));
    }
    expected
}

/// Asserts that no request is in two files that were accepted.
pub(super) fn nothing_is_paid_twice(remote: &Scripted) {
    let provider = remote.provider();
    let accepted = provider.batches.values().filter(|batch| !batch.is_refused);
    let mut ids: Vec<_> = accepted.flat_map(|batch| batch.lines.iter().map(|line| &line.id)).collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn a_request_that_makes_the_provider_refuse_a_file_fails_its_document_alone() {
    for when in [When::Sent, When::Validated] {
        let folder = Folder::new(&format!("refused-{when:?}"));
        let remote = Scripted::answering();
        remote.provider().refuses = Some((when, has_invalid));
        let report = run(&remote, 60, &folder, |batches| batches).unwrap();
        assert_eq!((report.done, report.failed, report.ended), (52, 8, Ended::Complete), "{when:?}");
        assert_eq!(outcomes(&folder.file("o.jsonl")), expected(60, &folder), "{when:?}");
        let text = std::fs::read_to_string(folder.file("o.jsonl")).unwrap();
        assert_eq!(text.matches("a line is not valid").count(), 2, "the words of the provider: {text}");
        nothing_is_paid_twice(&remote);
        // Each of the two halves its file six times, and is sent once more if its file had an id.
        let refused = remote.provider().refused;
        assert!(refused <= 2 * 7 + 2, "{refused}");
        let journal = Journal::open(folder.file("j.redb")).unwrap();
        assert!(journal.inspect().unwrap().batches.is_empty());
        drop(journal);
        let again = run(&remote, 60, &folder, |batches| batches).unwrap();
        assert_eq!((again.calls, again.resumed, remote.provider().refused), (0, 60, refused));
    }
}

#[test]
fn a_job_that_does_not_wait_finds_the_request_over_several_runs() {
    let folder = Folder::new("refused-later");
    let remote = Scripted::answering();
    remote.provider().refuses = Some((When::Validated, has_invalid));
    let mut runs = 0;
    loop {
        let report = run_at(runs * HOURS, &remote, 60, &folder, Batches::come_back_later).unwrap();
        if report.ended == Ended::Complete {
            break;
        }
        assert_eq!(report.ended, Ended::Waiting);
        runs += 1;
        assert!(runs < 40);
        remote.provider().batches.values_mut().for_each(|batch| batch.end = Duration::ZERO);
    }
    assert_eq!(outcomes(&folder.file("o.jsonl")), expected(60, &folder));
    nothing_is_paid_twice(&remote);
}

#[test]
fn a_provider_that_refuses_every_file_ends_the_job_and_the_next_run_goes_on() {
    for when in [When::Sent, When::Validated] {
        let folder = Folder::new(&format!("refuses-all-{when:?}"));
        let remote = Scripted::answering();
        remote.provider().refuses = Some((when, |_| true));
        let error = run(&remote, 100, &folder, |batches| batches).unwrap_err();
        assert!(error.to_string().contains("a line is not valid"), "{error}");
        let journal = Journal::open(folder.file("j.redb")).unwrap();
        assert_eq!(journal.inspect().unwrap().failed, 0, "{when:?}");
        drop(journal);
        remote.provider().refuses = None;
        let report = run(&remote, 100, &folder, |batches| batches).unwrap();
        assert_eq!((report.done, report.failed), (90, 10), "{when:?}");
        nothing_is_paid_twice(&remote);
    }
}

#[test]
fn a_file_that_is_too_large_for_the_queue_is_sent_in_parts() {
    let folder = Folder::new("refused-size");
    let remote = Scripted::answering();
    remote.provider().refuses = Some((When::Validated, |texts| texts.len() > 30));
    let report = run(&remote, 100, &folder, |batches| batches).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (90, 10, Ended::Complete));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(100, &folder));
    assert!(remote.sizes().iter().all(|size| *size <= 30), "{:?}", remote.sizes());
    nothing_is_paid_twice(&remote);
}
