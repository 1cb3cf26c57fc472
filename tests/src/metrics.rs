//! Metrics, on success and on failure.

use extract::agent::{AgentError, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, TokenUsage};

use crate::domain::{Invoice, good};

#[test]
fn reported_tokens_are_added_up_over_all_attempts() {
    let agent = ScriptedAgent::new([Reply::new("no").with_usage(TokenUsage::new(100, 1))])
        .then(Reply::new(good().to_string()).with_usage(TokenUsage::new(130, 40)));
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!((metrics.usage.input_tokens, metrics.usage.output_tokens), (230, 41));
    assert!(!metrics.usage.is_estimated);
    let each: Vec<_> =
        metrics.per_attempt.iter().map(|attempt| (attempt.number, attempt.usage.total())).collect();
    assert_eq!(each, [(1, 101), (2, 170)]);
}

#[test]
fn tokens_of_failed_attempts_count_on_failure_too() {
    let agent = ScriptedAgent::new([Reply::new("no").with_usage(TokenUsage::new(100, 1))])
        .then(Reply::new("nope").with_usage(TokenUsage::new(110, 2)));
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(2)).unwrap_err();
    assert_eq!(error.metrics().usage.total(), 213);
    assert_eq!(error.history()[1].usage.total(), 112);
}

#[test]
fn unreported_tokens_are_estimated_from_characters() {
    let agent = ScriptedAgent::new(["größer"]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(1)).unwrap_err();
    let usage = error.metrics().usage;
    let asked: usize =
        agent.requests()[0].conversation.turns().iter().map(|turn| turn.text().chars().count()).sum();
    assert!(usage.is_estimated);
    assert_eq!(usage.output_tokens, 2, "six characters, not eight bytes, over four, rounded up");
    assert_eq!(usage.input_tokens, asked.div_ceil(4) as u64);
}

#[test]
fn an_agent_that_fails_later_keeps_the_history() {
    let agent = ScriptedAgent::new([Reply::new("no").with_usage(TokenUsage::new(100, 1))])
        .then_fail(AgentError::refused("no credit"));
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(error.metrics().usage.total(), 101);
    assert_eq!(error.raw_output(), Some("no"));
    assert_eq!(error.history().len(), 1);
    assert_eq!(error.to_string(), "the agent gave no reply to attempt 2 of 3: request refused: no credit");
}

#[test]
fn metrics_read_well() {
    let agent = ScriptedAgent::new([Reply::new(good().to_string()).with_usage(TokenUsage::new(100, 20))]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.to_string(), "1 attempt, 0.0 s, 100 tokens in, 20 out (reported)");
}
