//! Replies, expectations and errors of scripted agents.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use extract::Extractable as _;
use extract::agent::AgentErrorKind;
use extract::testing::{ScriptedAgent, block_on};

use super::tools::ask;

fn complaint(agent: &ScriptedAgent) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| agent.assert_finished())).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn a_line_takes_its_time() {
    let delay = Duration::from_millis(80);
    let agent = ScriptedAgent::new(["1", "2"]).after(delay);
    let started = Instant::now();
    ask(&agent, "…").unwrap();
    assert!(started.elapsed() < delay);
    ask(&agent, "…").unwrap();
    assert!(started.elapsed() >= delay);
}

#[test]
fn a_question_as_expected_is_answered() {
    let agent = ScriptedAgent::new(["[\"eight\"]"])
        .expecting("How many legs?")
        .expecting_that("a schema", |request| request.schema.is_some())
        .then("[8]")
        .expecting("Attempt 2 of 3");
    assert_eq!(block_on(Vec::<u8>::extract(&agent, "How many legs?")).unwrap().0, [8]);
    agent.assert_finished();
}

#[test]
fn another_question_fails_permanently_and_the_test_reports_it() {
    let agent =
        ScriptedAgent::new(["8"]).expecting("legs").expecting_that("a temperature", |_| false).then("9");
    let error = ask(&agent, "How many eyes?").unwrap_err();
    let message = "the script expects request number 1 to have a conversation that contains `legs`, got:\nHow many eyes?";
    assert_eq!((error.kind(), error.message()), (AgentErrorKind::Unavailable, message));
    assert_eq!(
        complaint(&agent),
        format!("the script was not followed:\n- {message}\n- 1 line of the script left")
    );
}

#[test]
fn a_question_too_many_is_a_complaint() {
    let agent = ScriptedAgent::new(["8"]);
    ask(&agent, "…").unwrap();
    agent.assert_finished();
    ask(&agent, "…").unwrap_err();
    assert!(complaint(&agent).contains("no line for request number 2"));
}

#[test]
#[should_panic(expected = "the script has a line to say this about")]
fn there_must_be_a_line_to_expect_something_of() {
    drop(ScriptedAgent::default().expecting("legs"));
}
