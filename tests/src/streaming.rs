//! Extractions with streaming agents.

use std::time::Duration;

use extract::agent::{AgentError, AgentErrorKind};
use extract::testing::{ScriptedAgent, block_on};
use extract::{
    Contract, Event, Extractable as _, ExtractionError, ExtractionMetrics, Extractor,
    settings::TransportOptions,
};
use serde_json::json;

/// A short form of each event.
fn line(event: &Event<'_>) -> Option<String> {
    Some(match event {
        Event::Asked { attempt, .. } => format!("asked {attempt}"),
        Event::Delta { attempt, text, is_first: true, .. } => format!("first {attempt} {text}"),
        Event::Delta { attempt, text, is_first: false, .. } => format!("then {attempt} {text}"),
        Event::TransportFailed { attempt, .. } => format!("failed {attempt}"),
        Event::Replied { attempt, reply, .. } => format!("replied {attempt} {}", reply.text()),
        Event::Done { .. } => "done".to_owned(),
        _ => return None,
    })
}

fn watched(agent: &ScriptedAgent) -> (Vec<String>, Result<ExtractionMetrics, ExtractionError>) {
    let mut lines = Vec::new();
    let extraction = Vec::<u8>::extract(agent, "How many legs?")
        .stream(true)
        .timeout(Duration::from_millis(60))
        .transport_options(TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::ZERO))
        .observe(|event| lines.extend(line(event)));
    let result = block_on(extraction).map(|(legs, metrics)| {
        assert_eq!(legs, [8]);
        metrics
    });
    (lines, result)
}

#[test]
fn deltas_are_sent_in_order_before_the_reply() {
    let agent = ScriptedAgent::new(["[8]"]).streaming(["[", "8"]);
    let (lines, result) = watched(&agent);
    assert_eq!(lines, ["asked 1", "first 1 [", "then 1 8", "then 1 ]", "replied 1 [8]", "done"]);
    assert_eq!(result.unwrap().attempts, 1);
}

#[test]
fn nothing_is_streamed_by_default() {
    let mut deltas = 0;
    let agent = ScriptedAgent::new(["[8]"]).streaming(["["]);
    let extraction = Vec::<u8>::extract(&agent, "How many legs?");
    let extraction = extraction.observe(|event| deltas += usize::from(matches!(event, Event::Delta { .. })));
    block_on(extraction).unwrap();
    assert_eq!(deltas, 0);
}

#[test]
fn an_extractor_can_ask_for_it() {
    let mut deltas = 0;
    let agent = ScriptedAgent::new(["[8]"]).streaming(["["]);
    let extractor = Extractor::new().stream(true);
    let extraction = Vec::<u8>::extract(&agent, "How many legs?").with(&extractor);
    let extraction = extraction.observe(|event| deltas += usize::from(matches!(event, Event::Delta { .. })));
    block_on(extraction).unwrap();
    assert_eq!(deltas, 2);
}

#[test]
fn each_attempt_has_its_own_events() {
    let agent = ScriptedAgent::new(["no"]).then("[8]").streaming(["["]);
    let (lines, result) = watched(&agent);
    assert_eq!(
        lines,
        [
            "asked 1",
            "first 1 no",
            "replied 1 no",
            "asked 2",
            "first 2 [",
            "then 2 8]",
            "replied 2 [8]",
            "done"
        ]
    );
    assert_eq!(result.unwrap().attempts, 2);
}

#[test]
fn an_interrupted_reply_is_distinguished_and_is_not_an_attempt() {
    let reset = AgentError::transport("connection reset");
    let agent = ScriptedAgent::default().then_fail(reset).streaming(["[9"]).then("[8]").streaming(["["]);
    let (lines, result) = watched(&agent);
    assert_eq!(
        lines,
        ["asked 1", "first 1 [9", "failed 1", "first 1 [", "then 1 8]", "replied 1 [8]", "done"]
    );
    let metrics = result.unwrap();
    assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1));
}

#[test]
fn a_reply_that_stalls_runs_into_the_time_limit() {
    let agent = ScriptedAgent::default().then_hang().streaming(["["]).then_hang().streaming(["["]);
    let (lines, result) = watched(&agent);
    assert_eq!(lines, ["asked 1", "first 1 [", "failed 1", "first 1 [", "done"]);
    let error = result.unwrap_err();
    let ExtractionError::Agent { source, .. } = &error else { panic!("{error}") };
    assert_eq!(error.attempts(), 0);
    assert_eq!(source.kind(), AgentErrorKind::Timeout);
}

#[test]
fn a_reply_is_not_logged_by_accident() {
    let agent = ScriptedAgent::new([json!("my secret").to_string()]).streaming(["\"my secret\""]);
    let contract = Contract::from_schema(json!({"type": "string"})).unwrap();
    let mut lines = Vec::new();
    let extraction = contract.extract(&agent, "…").stream(true);
    block_on(extraction.observe(|event| lines.push(format!("{event:?}")))).unwrap();
    assert!(lines.contains(&"Delta { attempt: 1, chars: 11, is_first: true, .. }".to_owned()), "{lines:?}");
    assert!(!lines.concat().contains("my secret"), "{lines:?}");
}
