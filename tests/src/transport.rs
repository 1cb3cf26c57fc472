//! Failures of the transport have their own limit, and are never attempts.

use std::time::{Duration, Instant};

use extract::agent::{AgentError, AgentErrorKind, AgentExt as _, MemoryStore, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, ExtractionError, TokenUsage, settings::TransportOptions};

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

/// Replies like a server that read `tokens` of the prompt.
fn server_that_reads(tokens: u64) -> ScriptedAgent {
    let reply = || Reply::new("8").with_usage(TokenUsage::new(tokens, 1));
    ScriptedAgent::new([reply(), reply()])
}

/// 26,000 characters, so more than 4,333 tokens.
fn long_prompt() -> String {
    "A spider has eight legs. \n".repeat(1_000)
}

#[test]
fn a_reply_to_a_prompt_that_was_cut_is_not_judged() {
    let agent = server_that_reads(2_051);
    let error = block_on(u8::extract(&agent, long_prompt())).unwrap_err();
    assert_eq!((kind(&error), error.attempts()), (AgentErrorKind::TooLong, 0));
    let text = error.to_string();
    assert!(text.contains("the prompt was cut") && text.contains("2051 input tokens of about 65"), "{text}");
    assert_eq!(agent.requests().len(), 1, "it would be cut again");
    let (legs, _) = block_on(u8::extract(&server_that_reads(5_000), long_prompt())).unwrap();
    assert_eq!(legs, 8);
}

#[test]
fn what_was_read_from_a_cache_was_not_cut() {
    let usage = TokenUsage::new(3, 1).cached(6_000).cache_written(400);
    let agent = ScriptedAgent::new([Reply::new("8").with_usage(usage)]);
    assert_eq!(block_on(u8::extract(&agent, long_prompt())).unwrap().0, 8);
}

#[test]
fn no_layer_keeps_a_reply_to_a_prompt_that_was_cut() {
    let cut = server_that_reads(2_051).cached(MemoryStore::new(10));
    for _ in 0..2 {
        let error = block_on(u8::extract(&cut, long_prompt())).unwrap_err();
        assert_eq!(kind(&error), AgentErrorKind::TooLong);
    }
    assert_eq!((cut.stats().hits, cut.stats().misses), (0, 2));
    let agent = server_that_reads(2_051).or(server_that_reads(5_000));
    assert_eq!(block_on(u8::extract(&agent, long_prompt())).unwrap().0, 8);
}
