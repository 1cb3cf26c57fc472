//! Retries after transient failures.

use std::{
    error::Error as _,
    io,
    time::{Duration, Instant},
};

use extract::agent::{Agent, AgentError, AgentErrorKind, AgentExt as _, Retrying};
use extract::testing::ScriptedAgent;

use super::tools::{ask, poll, request};

const SHORT: Duration = Duration::from_millis(1);

fn quick(agent: ScriptedAgent) -> Retrying<ScriptedAgent> {
    agent.retrying().backoff(SHORT, Duration::from_secs(1))
}

fn down() -> AgentError {
    AgentError::transport("down").with_source(io::Error::other("cable"))
}

#[test]
fn transient_failures_are_asked_again() {
    let script = ScriptedAgent::default()
        .then_fail(down())
        .then_fail(AgentError::timeout("slow"))
        .then_fail(AgentError::garbled("?"))
        .then("8");
    assert_eq!(ask(&quick(script), "…").unwrap(), "8");
}

#[test]
fn the_last_failure_counts_the_failures_and_keeps_its_source() {
    let script = (0..9).fold(ScriptedAgent::default(), |script, _| script.then_fail(down()));
    let error = ask(&quick(script).times(2), "…").unwrap_err();
    assert_eq!(error.to_string(), "transport failure: down (asked 3 times)");
    assert_eq!(error.source().unwrap().to_string(), "cable");
    assert!(error.is_transient());
}

#[test]
fn permanent_failures_are_not_asked_again() {
    for error in [AgentError::refused("key"), AgentError::too_long("…"), AgentError::unavailable("…")] {
        let kind = error.kind();
        let error = ask(&quick(ScriptedAgent::default().then_fail(error).then("8")), "…").unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(!error.message().contains("asked"));
    }
}

#[test]
fn a_wait_that_is_asked_for_is_obeyed_and_one_too_long_is_refused() {
    let wait = Duration::from_millis(120);
    let limited = |wait| AgentError::rate_limited("429").with_retry_after(wait);
    let started = Instant::now();
    ask(&quick(ScriptedAgent::default().then_fail(limited(wait)).then("8")), "…").unwrap();
    assert!(started.elapsed() >= wait);
    let hour = Duration::from_secs(3600);
    let error = ask(&quick(ScriptedAgent::default().then_fail(limited(hour)).then("8")), "…").unwrap_err();
    assert_eq!(error.to_string(), "rate limited: 429 (it asked to wait 3600s; `backoff` allows 1s)");
    assert_eq!(error.retry_after(), Some(hour));
}

#[test]
fn dropped_while_it_waits_it_can_be_asked_again() {
    let agent = ScriptedAgent::default().then_fail(down()).then("8");
    let agent = agent.retrying().backoff(Duration::from_secs(60), Duration::from_secs(60));
    let request = request("…");
    let mut waiting = agent.respond(&request);
    assert!(poll(&mut waiting).is_pending());
    drop(waiting);
    assert_eq!(ask(&agent, "…").unwrap(), "8");
}

#[test]
fn without_retries_it_asks_once() {
    let error = ask(&quick(ScriptedAgent::default().then_fail(down()).then("8")).times(0), "…").unwrap_err();
    assert_eq!((error.kind(), error.message()), (AgentErrorKind::Transport, "down"));
}
