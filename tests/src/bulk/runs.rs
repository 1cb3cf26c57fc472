//! Which questions are asked, and which are not repeated.

use extract::agent::AgentError;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Extractable, Rejection};
use extract_bulk::{BulkError, BulkExt as _, ContractBulkExt as _, Retry, Status};
use serde::Deserialize;
use serde_json::json;

use super::{Answers, Folder, doc, docs, echo, integers, lines};

#[test]
fn the_same_job_run_again_asks_nothing_and_has_the_same_output() {
    let folder = Folder::new();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let agent = echo();
    let job = || integers().bulk(&agent, docs(50)).concurrent(8).journal(&journal).into_jsonl(&output);
    let first = block_on(job()).unwrap();
    assert_eq!((first.documents, first.done, first.resumed, first.calls), (50, 50, 0, 50));
    assert_eq!(first.outputs, std::slice::from_ref(&output));
    let written = std::fs::read(&output).unwrap();
    let all = lines(&output);
    // In the order of the source, not of the keys.
    assert_eq!((&all[2]["key"], &all[10]["value"], all.len()), (&json!("2"), &json!(10), 50));

    let again = block_on(job()).unwrap();
    assert_eq!((again.documents, again.done, again.resumed, again.calls), (50, 50, 50, 0));
    assert_eq!(std::fs::read(&output).unwrap(), written);
    assert_eq!(agent.take_asked().len(), 50);
}

#[test]
fn a_changed_schema_asks_again_and_says_how_many() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = echo();
    block_on(integers().bulk(&agent, docs(5)).journal(&journal)).unwrap();
    let other = Contract::from_schema(json!({"type": "integer", "minimum": 0})).unwrap();
    let report = block_on(other.bulk(&agent, docs(7)).journal(&journal)).unwrap();
    assert_eq!((report.changed, report.resumed, report.done, report.calls), (5, 0, 7, 7));
}

#[test]
fn what_changes_the_answer_asks_again_and_what_limits_it_does_not() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = echo();
    let run = |asks: u64, job: extract_bulk::Bulk<'_, serde_json::Value>| {
        let report = block_on(job.journal(&journal)).unwrap();
        assert_eq!((report.calls, report.done), (asks, 1));
    };
    let job = || integers().bulk(&agent, [doc(1)]);
    run(1, job());
    run(0, job().configure(|one| one.max_attempts(9).token_budget(99).max_continuations(1)));
    run(1, job().configure(|one| one.system("Count.")));
    run(0, job().configure(|one| one.system("Count.")));
    run(1, job().configure(|one| one.instructions(|parts| format!("{} Now.", parts.task()))));
    run(1, job().configure(|one| one.instructions(|parts| format!("{} Then.", parts.task()))));
    run(1, job().configure(|one| one.shot("two", &json!(2))));
    run(1, job().configure(|one| one.temperature(0.5)));
    run(1, job().version("rules-2"));
    run(0, job().version("rules-2").concurrent(3).requests_per_minute(1_000));
    let other = Answers { name: "other", ..echo() };
    run(1, integers().bulk(&other, [doc(1)]).version("rules-2"));
    let content = extract_bulk::Doc::new("1", "<1> and more");
    run(1, integers().bulk(&agent, [content]));
}

#[test]
fn a_document_without_an_answer_is_a_dead_letter_with_all_attempts() {
    let folder = Folder::new();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let agent = Answers::new(|name: &str| Ok(if name == "1" { "none".to_owned() } else { name.to_owned() }));
    let job = || integers().bulk(&agent, docs(3)).journal(&journal).into_jsonl(&output);
    let report = block_on(job()).unwrap();
    assert_eq!((report.done, report.failed, report.calls), (2, 1, 5));
    let letters: Vec<_> = report.dead_letters().unwrap().map(Result::unwrap).collect();
    assert_eq!((&*letters[0].key, letters.len()), ("1", 1));
    assert_eq!((&*letters[0].failure.name, letters[0].failure.history.len()), ("MaxRetriesExceeded", 3));
    assert_eq!(letters[0].failure.history[2].raw_output, "none");
    let line = &lines(&output)[1];
    assert_eq!((&line["status"], &line["error"]["name"]), (&json!("failed"), &json!("MaxRetriesExceeded")));
    // The failure is the document's outcome.
    assert_eq!(block_on(job()).unwrap().calls, 0);
}

#[test]
fn dead_letters_are_asked_again_by_another_agent_and_stay_answered_for_the_first() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let small = Answers::new(|name: &str| Ok(if name == "1" { "none".to_owned() } else { name.to_owned() }));
    block_on(integers().bulk(&small, docs(4)).journal(&journal)).unwrap();
    let large = Answers { name: "large", ..echo() };
    let again = integers().bulk(&large, docs(4)).journal(&journal).retry(Retry::Failed);
    let report = block_on(again.configure(|one| one.max_attempts(5).system("Think."))).unwrap();
    assert_eq!((report.done, report.failed, report.calls, report.resumed), (4, 0, 1, 3));
    assert_eq!(large.take_asked(), ["1"]);
    let report = block_on(integers().bulk(&small, docs(4)).journal(&journal)).unwrap();
    assert_eq!((report.done, report.calls, report.changed), (4, 0, 0));
}

#[test]
fn dead_letters_are_accepted_in_part_without_asking() {
    let folder = Folder::new();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let list = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let agent = Answers::new(|name: &str| {
        Ok(match name {
            "0" => "[0]",
            "1" => r#"[1, "one", 11]"#,
            _ => "no list",
        }
        .to_owned())
    });
    let report = block_on(list.bulk(&agent, docs(3)).journal(&journal)).unwrap();
    assert_eq!((report.done, report.failed), (1, 2));
    agent.take_asked();
    let job = || list.bulk(&agent, docs(3)).journal(&journal).retry(Retry::InPart).into_jsonl(&output);
    let report = block_on(job()).unwrap();
    assert_eq!((report.done, report.in_part, report.failed, report.calls), (2, 1, 1, 0));
    let all = lines(&output);
    assert_eq!((&all[1]["status"], &all[1]["value"]), (&json!("in_part"), &json!([1, 11])));
    assert_eq!(all[1]["left_out"][0]["value"], "one");
    assert_eq!(all[2]["status"], "failed");
    assert_eq!(agent.take_asked(), [""; 0]);
    // A later job finds the outcome in the journal.
    assert_eq!(block_on(list.bulk(&agent, docs(3)).journal(&journal)).unwrap().calls, 0);
}

#[derive(Debug, Deserialize, Extractable, PartialEq)]
#[extract(rule = is_even)]
struct Count {
    count: u32,
}

fn is_even(count: &Count) -> Result<(), Rejection> {
    if count.count.is_multiple_of(2) { Ok(()) } else { Err(Rejection::new("odd")) }
}

#[test]
fn typed_outcomes_come_once_each_and_come_back_from_the_journal() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = Answers::new(|name: &str| Ok(format!(r#"{{"count": {name}}}"#)));
    for is_resumed in [false, true] {
        let mut outcomes = Count::bulk(&agent, docs(600)).concurrent(300).journal(&journal).outcomes();
        let mut found = Vec::new();
        while let Some(outcome) = block_on(outcomes.next()) {
            let outcome = outcome.unwrap();
            assert_eq!(outcome.is_resumed, is_resumed);
            found.push((outcome.key.parse::<u32>().unwrap(), outcome));
        }
        let report = outcomes.report().unwrap();
        assert_eq!((report.done, report.failed), (300, 300));
        found.sort_by_key(|(number, _)| *number);
        assert_eq!(found.len(), 600);
        for (number, outcome) in found {
            match outcome.result {
                Ok(value) => assert_eq!((value, outcome.status), (Count { count: number }, Status::Done)),
                Err(failure) => assert_eq!((number % 2, failure.history.len()), (1, 3)),
            }
        }
    }
    assert_eq!(agent.take_asked().len(), 300 + 3 * 300);
}

#[test]
fn a_dry_run_says_what_would_be_asked_and_asks_nothing() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = echo();
    let prices = || {
        let price = extract::metrics::Price::per_million(1.0, 2.0);
        extract::metrics::Prices::new().model("answers", price).unwrap()
    };
    let estimate = block_on(integers().bulk(&agent, docs(10)).journal(&journal).prices(prices()).dry_run());
    let estimate = estimate.unwrap();
    assert_eq!((estimate.documents, estimate.to_ask, estimate.known), (10, 10, 0));
    assert!(estimate.cost.unwrap().amount > 0.0 && estimate.input_tokens > 0);
    assert!(!journal.exists());
    block_on(integers().bulk(&agent, docs(4)).journal(&journal)).unwrap();
    let estimate = block_on(integers().bulk(&agent, docs(10)).journal(&journal).dry_run()).unwrap();
    assert_eq!((estimate.to_ask, estimate.known, estimate.changed), (6, 4, 0));
    let job = integers().bulk(&agent, docs(10)).journal(&journal).version("2");
    assert_eq!(block_on(job.dry_run()).unwrap().changed, 4);
    assert_eq!(agent.take_asked().len(), 4);
}

#[test]
fn an_agent_that_refuses_everything_ends_the_job_and_leaves_no_dead_letters() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = Answers::new(|_: &str| Err(AgentError::refused("wrong key")));
    let error = block_on(integers().bulk(&agent, docs(1000)).journal(&journal)).unwrap_err();
    assert!(matches!(error, BulkError::Agent { .. }), "{error}");
    assert!(error.to_string().contains("wrong key"), "{error}");
    assert!(agent.take_asked().len() < 60);
    let report =
        block_on(integers().bulk(&Answers { name: "answers", ..echo() }, docs(20)).journal(&journal));
    assert_eq!(report.unwrap().done, 20);
}

#[test]
fn a_request_that_is_refused_among_others_is_a_dead_letter() {
    let agent = Answers::new(|name: &str| match name {
        "0" => Err(AgentError::refused("content policy")),
        name => Ok(name.to_owned()),
    });
    let report = block_on(integers().bulk(&agent, docs(20))).unwrap();
    assert_eq!((report.done, report.failed), (19, 1));
}

#[test]
fn a_setting_that_makes_no_sense_ends_the_job_before_it_begins() {
    let agent = ScriptedAgent::default();
    let job = integers().bulk(&agent, docs(3)).configure(|one| one.max_attempts(0));
    let error = block_on(job).unwrap_err();
    assert!(matches!(error, BulkError::Setup(_)), "{error}");
    assert!(agent.requests().is_empty());
}
