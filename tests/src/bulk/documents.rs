//! Documents that are more than a text.

use std::{
    pin::pin,
    task::{Context, Waker},
};

use extract::agent::Part;
use extract::document::{Chunks, Document, Quote};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable, ExtractionError};
use extract_bulk::{BulkExt as _, ContractBulkExt as _, Doc, Journal};
use serde::Deserialize;
use serde_json::json;

use super::{Folder, docs, echo, integers, lines};

fn long() -> Doc {
    let document = Document::from_text("Ann met Bob.\n\nCleo came.\n\nDan left.");
    Doc::new("long", "All names.").document(&document).chunks(Chunks::chars(14))
}

#[test]
fn a_long_document_is_one_document_and_goes_on_chunk_by_chunk() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    // The third chunk is in flight when the job ends.
    let agent = ScriptedAgent::new([r#"["Ann", "Bob"]"#, r#"["Cleo"]"#]).then_hang();
    {
        let job = Vec::<String>::bulk(&agent, [long()]).journal(&journal);
        let mut job = pin!(IntoFuture::into_future(job));
        while agent.requests().len() < 3 {
            assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::thread::yield_now();
        }
    }
    let agent = ScriptedAgent::new([r#"["Dan"]"#]);
    let mut outcomes = Vec::<String>::bulk(&agent, [long()]).journal(&journal).outcomes();
    let outcome = block_on(outcomes.next()).unwrap().unwrap();
    assert_eq!(outcome.result.unwrap(), ["Ann", "Bob", "Cleo", "Dan"]);
    assert_eq!((outcome.metrics.chunks.len(), outcome.metrics.attempts), (3, 3));
    assert!(block_on(outcomes.next()).is_none());
    let report = outcomes.report().unwrap();
    assert_eq!((report.documents, report.done, report.calls), (1, 1, 1));
    agent.assert_finished();
}

#[test]
fn attempts_before_an_interruption_are_not_asked_again() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = ScriptedAgent::new(["one", "two"]).then_hang();
    {
        let mut job = pin!(IntoFuture::into_future(integers().bulk(&agent, docs(1)).journal(&journal)));
        while agent.requests().len() < 3 {
            assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::thread::yield_now();
        }
    }
    let agent = ScriptedAgent::new(["3"]).expecting("Attempt 3 of 3");
    let report = block_on(integers().bulk(&agent, docs(1)).journal(&journal)).unwrap();
    assert_eq!((report.done, report.calls), (1, 1));
    agent.assert_finished();
    let outcome = Journal::open(&journal).unwrap().get("0").unwrap().unwrap();
    assert_eq!(outcome.metrics.attempts, 3);
}

#[derive(Debug, Deserialize, Extractable, PartialEq)]
struct Finding {
    name: Quote,
}

#[test]
fn places_of_quotes_come_back_from_the_journal() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let documents = || {
        let document = Document::from_text("Yesterday Ann came.");
        [Doc::new("a", "Who?").document(&document)]
    };
    let agent = ScriptedAgent::new([r#"{"name": "Ann"}"#]);
    for _ in 0..2 {
        let mut outcomes = Finding::bulk(&agent, documents()).journal(&journal).outcomes();
        let finding = block_on(outcomes.next()).unwrap().unwrap().result.unwrap();
        assert_eq!(finding.name.span().unwrap().range(), 10..13);
        while block_on(outcomes.next()).is_some() {}
    }
    agent.assert_finished();
}

#[test]
fn another_image_is_another_question() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let doc = |bytes: &[u8]| Doc::new("scan", [Part::text("<1>"), Part::image(bytes, "image/png")]);
    let agent = echo();
    for (bytes, calls) in [(b"one", 1), (b"one", 0), (b"two", 1)] {
        let report = block_on(integers().bulk(&agent, [doc(bytes)]).journal(&journal)).unwrap();
        assert_eq!((report.done, report.calls), (1, calls));
    }
}

#[derive(Debug, Deserialize, Extractable, PartialEq)]
struct Patient {
    #[extract(sensitive)]
    name: String,
    age: u8,
}

#[test]
fn sensitive_values_stay_out_of_a_journal_that_is_redacted() {
    let folder = Folder::new();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let good = r#"{"name": "Ann Secretsmith", "age": 7}"#;
    let bad = r#"{"name": "Bob Secretsmith", "age": 700}"#;
    let agent = ScriptedAgent::new([good, bad, bad, bad]);
    let job = || Patient::bulk(&agent, docs(2)).concurrent(1).journal(&journal).redact_journal(true);
    let mut outcomes = job().into_jsonl(&output).outcomes();
    let first = block_on(outcomes.next()).unwrap().unwrap();
    assert_eq!(first.result.unwrap(), Patient { name: "Ann Secretsmith".to_owned(), age: 7 });
    while block_on(outcomes.next()).is_some() {}
    drop(outcomes);
    assert_eq!(lines(&output)[0]["value"], json!({"name": "(hidden)", "age": 7}));
    let opened = Journal::open(&journal).unwrap();
    let letter = opened.dead_letters().unwrap().next().unwrap().unwrap();
    assert_eq!(letter.failure.history.len(), 3);
    drop(opened);
    for file in [&journal, &output] {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"Secret"), "{}", file.display());
    }
}

#[test]
fn a_document_that_cannot_be_asked_about_is_a_dead_letter_and_not_the_end() {
    let agent = ScriptedAgent::new([r#"{"name": "Ann"}"#]);
    let document = Document::from_text("Ann came.");
    let documents = [Doc::new("a", "Who?").document(&document), Doc::new("b", "Who?")];
    let report = block_on(Finding::bulk(&agent, documents)).unwrap();
    assert_eq!((report.done, report.failed), (1, 1));
    let letter = report.dead_letters().unwrap().next().unwrap().unwrap();
    let settings = ExtractionError::Settings(extract::settings::SettingsError::NoDocument);
    assert_eq!((&*letter.key, &*letter.failure.name), ("b", settings.name()));
}
