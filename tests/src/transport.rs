//! Failures of the transport have their own limit, and are never attempts.

use std::time::{Duration, Instant};

use extract::agent::{AgentError, AgentErrorKind, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, ExtractionError, settings::TransportOptions};

use crate::domain::{Invoice, good};

const SHORT: Duration = Duration::from_millis(1);

fn short() -> TransportOptions {
    TransportOptions::new().backoff(SHORT, SHORT)
}

fn kind(error: &ExtractionError) -> AgentErrorKind {
    match error {
        ExtractionError::Agent { source, .. } => source.kind(),
        other => panic!("{other}"),
    }
}

#[test]
fn a_transient_failure_is_retried_and_is_not_an_attempt() {
    let agent = ScriptedAgent::default()
        .then_fail(AgentError::transport("connection reset"))
        .then_fail(AgentError::rate_limited("429"))
        .then("no")
        .then_fail(AgentError::timeout("…"))
        .then(good().to_string());
    let (_, metrics) =
        block_on(Invoice::extract(&agent, "…").max_attempts(2).transport_options(short())).unwrap();
    assert_eq!((metrics.attempts, metrics.transport_retries), (2, 3));
}

#[test]
fn the_retries_of_one_request_are_bounded() {
    let agent =
        (0..10).fold(ScriptedAgent::default(), |agent, _| agent.then_fail(AgentError::transport("down")));
    let error = block_on(Invoice::extract(&agent, "…").transport_options(short().retries(4))).unwrap_err();
    assert_eq!(kind(&error), AgentErrorKind::Transport);
    assert_eq!(agent.requests().len(), 5);
    assert_eq!(error.metrics().attempts, 0);
    assert_eq!(error.metrics().transport_retries, 4);
    assert_eq!(
        error.to_string(),
        "the agent gave no reply to attempt 1 of 3 (4 transport retries): transport failure: down"
    );
}

#[test]
fn a_permanent_failure_is_not_tried_again() {
    let agent = ScriptedAgent::default().then_fail(AgentError::refused("wrong key")).then(good().to_string());
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(kind(&error), AgentErrorKind::Refused);
    assert_eq!(agent.requests().len(), 1);
}

#[test]
fn retry_after_is_obeyed() {
    let asked = Duration::from_millis(120);
    let agent = ScriptedAgent::default()
        .then_fail(AgentError::rate_limited("429").with_retry_after(asked))
        .then(good().to_string());
    let started = Instant::now();
    block_on(Invoice::extract(&agent, "…").transport_options(short().backoff(SHORT, Duration::from_secs(1))))
        .unwrap();
    assert!(started.elapsed() >= asked);
}

#[test]
fn a_retry_after_beyond_the_longest_wait_fails_instead_of_hanging() {
    let agent = ScriptedAgent::default()
        .then_fail(AgentError::rate_limited("429").with_retry_after(Duration::from_secs(3600)))
        .then(good().to_string());
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(kind(&error), AgentErrorKind::RateLimited);
    assert!(error.to_string().contains("it asked to wait 3600s"), "{error}");
}

#[test]
fn an_agent_that_never_answers_runs_into_the_time_limit() {
    let agent = ScriptedAgent::default().then_hang().then_hang();
    let limit = Duration::from_millis(20);
    let extraction = Invoice::extract(&agent, "…").timeout(limit).transport_options(short().retries(1));
    let error = block_on(extraction).unwrap_err();
    assert_eq!(kind(&error), AgentErrorKind::Timeout);
    assert_eq!(agent.requests().len(), 2);
}

#[test]
fn invalid_utf8_is_a_failure_of_the_transport() {
    let error = Reply::from_utf8(b"{\"a\": \xff}".to_vec()).unwrap_err();
    assert!(error.is_transient());
    assert_eq!(error.to_string(), "garbled reply: the reply is not UTF-8 from byte 6 on");
    let agent = ScriptedAgent::default().then_fail(error).then(good().to_string());
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").transport_options(short())).unwrap();
    assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1));
}

#[test]
fn the_error_of_a_closure_may_be_an_agent_error() {
    let agent = |_: String| async { Err::<String, _>(AgentError::too_long("9000 tokens, 8192 fit")) };
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(kind(&error), AgentErrorKind::TooLong);
}
