//! Tests with the last documents of a job, which the agent refuses.

use std::{
    fs,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use extract::{
    Contract,
    agent::{Agent, AgentError, Reply, ReplyFuture, Request},
    document::{Chunks, Document},
    testing::{ScriptedAgent, block_on},
};

use super::{
    disk::file,
    simulated::{Shared, SimulatedClock},
};
use crate::{
    ContractBulkExt as _,
    doc::Doc,
    error::BulkError,
    report::{Ended, Report},
};

/// Two documents are answered, and a run of all `count` is refused every other one.
fn last(count: usize, refusal: impl Fn() -> AgentError) -> Result<Report, BulkError> {
    let path = file(&format!("last-{count}-{}", refusal().is_of_request()));
    let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
    let docs =
        |count: usize| (0..count).map(|number| Doc::new(format!("d{number}"), format!("number {number}")));
    let first = ScriptedAgent::new(["1", "2"]);
    assert_eq!(block_on(contract.bulk(&first, docs(2)).journal(&path)).unwrap().done, 2);
    let agent = (2..count).fold(ScriptedAgent::default(), |agent, _| agent.then_fail(refusal()));
    let report = block_on(contract.bulk(&agent, docs(count)).journal(&path));
    if report.is_ok() {
        let none = ScriptedAgent::default();
        let again = block_on(contract.bulk(&none, docs(count)).journal(&path)).unwrap();
        assert_eq!((again.resumed, again.calls), (count as u64, 0), "every document has its outcome");
    }
    fs::remove_file(path).unwrap();
    report
}

#[test]
fn the_last_documents_are_dead_letters_if_the_agent_says_that_it_works() {
    for count in [3, 5, 30] {
        let report = last(count, || AgentError::refused("exit status: 66").of_request()).unwrap();
        assert_eq!((report.done, report.failed), (2, count as u64 - 2));
        assert!(report.is_complete());
    }
}

#[test]
fn the_last_documents_are_dead_letters_if_an_agent_that_worked_finds_them_malformed() {
    for status in [400, 413, 422] {
        let report = last(30, || AgentError::refused("malformed").with_status(status)).unwrap();
        assert_eq!((report.done, report.failed), (2, 28));
    }
    let report = last(3, || AgentError::refused("no credit").with_status(400).of_account());
    assert!(matches!(report, Err(BulkError::Agent { .. })));
}

#[test]
fn the_last_documents_wait_for_an_agent_that_may_be_wrong_itself() {
    for count in [3, 5, 30] {
        let error = last(count, || AgentError::refused("wrong key")).unwrap_err();
        assert!(matches!(error, BulkError::Agent { .. }), "{error}");
        assert_eq!(error.report().unwrap().failed, 0);
    }
}

/// A job whose documents all need the second agent, which refuses them.
fn taken_over(count: usize, refusal: impl Fn() -> AgentError) -> Result<Report, BulkError> {
    let path = file(&format!("taken-over-{count}-{:?}", refusal().status()));
    let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
    let docs = || (0..count).map(|number| Doc::new(format!("d{number}"), format!("number {number}")));
    let run = |first, second: &_| {
        let job = contract.bulk(first, docs()).journal(&path).concurrent(2);
        block_on(job.configure(|one| one.max_attempts(3).escalate_to(second)))
    };
    let first = ScriptedAgent::new(vec!["no idea"; 2 * count]);
    let second = (0..count).fold(ScriptedAgent::default(), |agent, _| agent.then_fail(refusal()));
    let report = run(&first, &second);
    if report.is_err() {
        assert!(second.requests().len() < 13, "the first ten decide");
        let again = run(&first, &ScriptedAgent::new(vec!["1"; count])).unwrap();
        assert_eq!((again.done, again.resumed, again.failed), (count as u64, 0, 0));
        assert_eq!(first.requests().len(), 2 * count, "nothing is paid for twice");
    }
    fs::remove_file(path).unwrap();
    report
}

#[test]
fn an_agent_that_takes_over_with_a_wrong_key_ends_the_job_and_no_document() {
    let no_key = || AgentError::unavailable("no key for `larger`: `LARGER_API_KEY` is not set");
    let wrong_key = || AgentError::refused("HTTP 401 Unauthorized").with_status(401);
    for count in [1, 3, 30] {
        for report in [taken_over(count, no_key), taken_over(count, wrong_key)] {
            let error = report.unwrap_err();
            assert!(matches!(error, BulkError::Agent { .. }), "{error}");
            assert_eq!(error.report().unwrap().failed, 0);
        }
    }
    // It refuses what it was asked, and not everything.
    let report = taken_over(3, || AgentError::refused("HTTP 400 Bad Request").with_status(400)).unwrap();
    assert_eq!(report.failed, 3);
}

#[test]
fn a_key_that_expires_ends_the_job_and_no_document() {
    let cases = [
        ("expires", 401, None),
        ("expires", 402, None),
        ("expires", 403, Some(3)),
        ("expires", 400, Some(3)),
        ("no credit", 400, None),
        ("no credit", 429, None),
    ];
    for (why, status, failed) in cases {
        let refusal = || {
            let error = AgentError::refused("no longer valid").with_status(status);
            if why == "no credit" { error.of_account() } else { error }
        };
        let path = file(&format!("{why}-{status}"));
        let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
        let docs = || (0..5).map(|number| Doc::new(format!("d{number}"), format!("number {number}")));
        let agent = (0..3).fold(ScriptedAgent::new(["1", "2"]), |agent, _| agent.then_fail(refusal()));
        let report = block_on(contract.bulk(&agent, docs()).journal(&path).concurrent(1));
        assert_eq!(report.as_ref().ok().map(|report| report.failed), failed, "{why} {status}");
        if let Err(error) = report {
            assert!(matches!(error, BulkError::Agent { .. }), "{error}");
            let renewed = ScriptedAgent::new(["3", "4", "5"]);
            let report = block_on(contract.bulk(&renewed, docs()).journal(&path)).unwrap();
            assert_eq!((report.done, report.resumed, report.failed), (5, 2, 0));
        }
        fs::remove_file(path).unwrap();
    }
}

/// An agent whose key expires while it works on the first document: it replies to that one after it refused others.
#[derive(Default)]
struct Expiring {
    refusals: AtomicUsize,
    is_renewed: AtomicBool,
}

impl Agent for Expiring {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        let is_first = request.conversation.to_text().contains("number 0");
        Box::pin(poll_fn(move |context| {
            if self.is_renewed.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(Reply::new("1")));
            }
            if !is_first {
                self.refusals.fetch_add(1, Ordering::Relaxed);
                return Poll::Ready(Err(AgentError::refused("HTTP 401 Unauthorized").with_status(401)));
            }
            context.waker().wake_by_ref();
            let is_late = self.refusals.load(Ordering::Relaxed) > 1;
            if is_late { Poll::Ready(Ok(Reply::new("0"))) } else { Poll::Pending }
        }))
    }
}

#[test]
fn a_reply_on_its_way_when_a_key_expires_does_not_show_that_the_key_is_right() {
    let path = file("on-its-way");
    let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
    let docs = || (0..4).map(|number| Doc::new(format!("d{number}"), format!("number {number}")));
    let agent = Expiring::default();
    let error = block_on(contract.bulk(&agent, docs()).journal(&path).concurrent(3)).unwrap_err();
    assert!(matches!(error, BulkError::Agent { .. }), "{error}");
    let report = error.report().unwrap();
    assert_eq!((report.done, report.failed), (1, 0));
    agent.is_renewed.store(true, Ordering::Relaxed);
    let report = block_on(contract.bulk(&agent, docs()).journal(&path)).unwrap();
    assert_eq!((report.done, report.resumed, report.failed), (4, 1, 0));
    fs::remove_file(path).unwrap();
}

/// A job whose documents are asked about in two chunks each, which the agent refuses.
fn in_chunks(accept_gaps: bool, refusal: impl Fn() -> AgentError) -> Result<Report, BulkError> {
    let path = file(&format!("in-chunks-{accept_gaps}-{:?}-{:?}", refusal().kind(), refusal().status()));
    let contract =
        Contract::from_schema(serde_json::json!({"type": "array", "items": {"type": "string"}})).unwrap();
    let text = Document::from_text("Ann met Bob.\n\nCleo came.");
    let docs = (0..3)
        .map(|number| Doc::new(format!("d{number}"), "All names.").document(&text).chunks(Chunks::chars(14)));
    let agent =
        (0..12).fold(ScriptedAgent::new([r#"["Ann", "Bob"]"#]), |agent, _| agent.then_fail(refusal()));
    let job = contract.bulk(&agent, docs).journal(&path).concurrent(1);
    let report = block_on(job.configure(move |one| one.accept_gaps(accept_gaps)));
    fs::remove_file(path).unwrap();
    report
}

#[test]
fn a_wrong_key_ends_the_job_although_documents_are_asked_about_in_chunks() {
    let wrong_key = || AgentError::refused("HTTP 401 Unauthorized").with_status(401);
    for accept_gaps in [false, true] {
        let error = in_chunks(accept_gaps, wrong_key).unwrap_err();
        assert!(matches!(error, BulkError::Agent { .. }), "{error}");
        let report = error.report().unwrap();
        assert_eq!((report.done, report.failed), (0, 0), "{accept_gaps}");
    }
    // It refuses what it was asked, and not everything.
    let refused = || AgentError::refused("HTTP 400 Bad Request").with_status(400);
    let (no_gaps, gaps) = (in_chunks(false, refused).unwrap(), in_chunks(true, refused).unwrap());
    assert_eq!(((no_gaps.done, no_gaps.failed), (gaps.done, gaps.failed)), ((0, 3), (1, 2)));
}

#[test]
fn a_job_that_ends_between_two_questions_about_a_document_keeps_the_first_reply() {
    let path = file("between-questions");
    let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new(["no idea", "1"]);
    let job = || contract.bulk(&agent, [Doc::new("a", "number 1")]).journal(&path);
    // With this clock the grace of zero is over in the same turn as the first reply.
    let clock = SimulatedClock::new();
    let first = job().token_budget(1).grace(Duration::ZERO).clock(Arc::new(Shared(Arc::clone(&clock))));
    let report = clock.block_on(first).unwrap();
    assert_eq!((report.ended, report.calls), (Ended::TokenBudget, 1));
    assert_eq!(block_on(job()).unwrap().done, 1);
    let turns: Vec<usize> =
        agent.requests().iter().map(|request| request.conversation.turns().len()).collect();
    assert_eq!(turns, [2, 4], "the second question was asked in the second run");
    fs::remove_file(path).unwrap();
}
