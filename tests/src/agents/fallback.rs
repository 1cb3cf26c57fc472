//! Fallback to another agent.

use std::{error::Error as _, io, time::Duration};

use extract::agent::{Agent as _, AgentError, AgentErrorKind, AgentExt as _};
use extract::testing::ScriptedAgent;

use super::tools::ask;

fn failing(error: AgentError) -> ScriptedAgent {
    ScriptedAgent::default().then_fail(error)
}

fn spare() -> ScriptedAgent {
    ScriptedAgent::new(["8"])
}

#[test]
fn the_second_is_asked_when_the_first_fails() {
    for error in [
        AgentError::transport("…"),
        AgentError::rate_limited("…"),
        AgentError::timeout("…"),
        AgentError::garbled("…"),
        AgentError::too_long("…"),
        AgentError::unavailable("…"),
    ] {
        assert_eq!(ask(&failing(error).or(spare()), "…").unwrap(), "8");
    }
}

#[test]
fn the_second_is_not_asked_without_need() {
    let agent = ScriptedAgent::new(["1", "2"]).or(ScriptedAgent::default());
    assert_eq!((ask(&agent, "…").unwrap().as_str(), ask(&agent, "…").unwrap().as_str()), ("1", "2"));
}

#[test]
fn a_mistake_is_shown_and_not_worked_around() {
    let error = ask(&failing(AgentError::refused("wrong key")).or(spare()), "…").unwrap_err();
    assert_eq!(error.to_string(), "request refused: wrong key");
}

#[test]
fn the_failures_can_be_chosen() {
    let on_refusal = |error: &AgentError| error.kind() == AgentErrorKind::Refused;
    let agent = failing(AgentError::refused("no credit")).then_fail(AgentError::transport("down"));
    let agent = agent.or(spare()).when(on_refusal);
    assert_eq!(ask(&agent, "…").unwrap(), "8");
    assert_eq!(ask(&agent, "…").unwrap_err().to_string(), "transport failure: down");
}

#[test]
fn when_both_fail_the_error_names_both() {
    let first = failing(AgentError::transport("down"));
    let limited = AgentError::rate_limited("429").with_retry_after(Duration::from_secs(2));
    let error = ask(&first.or(failing(limited.with_source(io::Error::other("cable")))), "…").unwrap_err();
    assert_eq!(
        error.to_string(),
        "rate limited: `scripted` failed: 429; before it, `scripted` failed: transport failure: down"
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(error.source().unwrap().source().unwrap().to_string(), "cable");
}

#[test]
fn a_failure_that_may_pass_leads() {
    let first = failing(AgentError::transport("down"));
    let error = ask(&first.or(failing(AgentError::refused("wrong key"))), "…").unwrap_err();
    assert!(error.is_transient());
    assert_eq!(
        error.to_string(),
        "transport failure: `scripted` failed: down; after it, `scripted` failed: request refused: wrong key"
    );
}

#[test]
fn they_can_be_chained_and_have_the_first_name() {
    let down = || failing(AgentError::transport("down"));
    let agent = down().or(down()).or(spare());
    assert_eq!(agent.name(), "scripted");
    assert_eq!(ask(&agent, "…").unwrap(), "8");
}
