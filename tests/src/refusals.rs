//! Agents that refuse, and content filters: neither cut replies nor wrong ones.

use std::convert::Infallible;

use extract::agent::{AgentError, AgentExt as _, FinishReason, MemoryStore, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract::toolkit::{ReceivedCall, ToolCall, Toolkit};
use extract::{
    AttemptRecord, AttemptStatus, Code, Contract, Event, Extractable, ExtractionError, Severity, TokenUsage,
    feedback::should_retry,
};
use serde::Deserialize;
use serde_json::json;

use crate::domain::{Invoice, good, with};

fn refusal() -> Reply {
    Reply::new("").finished(FinishReason::Stop).with_refusal("I must not read invoices.")
}

fn filtered(text: impl Into<String>) -> Reply {
    Reply::new(text).finished(FinishReason::ContentFilter)
}

fn refused(error: &ExtractionError) -> &str {
    let ExtractionError::Refused { message, .. } = error else { panic!("{error}") };
    message
}

#[test]
fn a_refusal_ends_the_extraction_with_the_words_of_the_agent() {
    let agent = ScriptedAgent::new([refusal(), Reply::new(good().to_string())]);
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(refused(&error), "I must not read invoices.");
    assert_eq!(error.name(), "Refused");
    assert_eq!(error.to_string(), "the agent refused to answer in attempt 1 of 3: I must not read invoices.");
    assert_eq!(agent.requests().len(), 1, "the same agent is not asked again");
    assert_eq!((error.attempts(), error.max_attempts()), (1, 3));
    let [record] = error.history() else { panic!("{error:?}") };
    assert_eq!(record.refusal.as_deref(), Some("I must not read invoices."));
    assert_eq!(record.finish_reason, FinishReason::Stop);
    assert_eq!(
        record.violations[0].to_string(),
        "[REFUSED] $: the agent refused to answer (got \"I must not read invoices.\")"
    );
    assert_eq!(record.violations[0].severity, Severity::Fatal);
    assert!(!should_retry(&record.violations));
    assert_eq!(error.metrics().per_attempt[0].verdict, AttemptStatus::Refused);
}

#[test]
fn a_content_filter_is_a_refusal_and_no_cut() {
    for text in ["", "I'm sorry, but I can't.", r#"{"number": "INV-0007", "curr"#, "{}", "[1]", "null"] {
        let agent = ScriptedAgent::new([filtered(text)]);
        let error = block_on(Invoice::extract(&agent, "…").max_output_tokens(100)).unwrap_err();
        assert_eq!(refused(&error), "a content filter withheld the answer", "{text}");
        assert_eq!(error.violations()[0].code, Code::Refused, "{text}");
        assert_eq!(error.raw_output(), Some(text));
        assert_eq!(agent.requests().len(), 1, "{text}");
    }
}

#[test]
fn a_value_that_was_complete_before_the_filter_counts() {
    let agent = ScriptedAgent::new([filtered(good().to_string())]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.per_attempt[0].verdict, AttemptStatus::Accepted);

    // It satisfies the schema, so a rule that rejects it is worth another attempt.
    let agent = ScriptedAgent::new([filtered(with("/total", json!(90))), filtered(good().to_string())]);
    assert_eq!(block_on(Invoice::extract(&agent, "…")).unwrap().1.attempts, 2);
}

#[test]
fn digits_before_a_filter_may_not_be_all_of_them() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new([filtered("12")]);
    refused(&block_on(contract.extract(&agent, "…")).unwrap_err());
}

#[test]
fn a_refusal_is_never_the_value_of_a_string() {
    let contract = Contract::from_schema(json!({"type": "string"})).unwrap();
    for reply in [
        filtered("I can't help with that."),
        Reply::new("I can't.").finished(FinishReason::Stop).with_refusal("I can't."),
    ] {
        let agent = ScriptedAgent::new([reply]);
        refused(&block_on(contract.extract(&agent, "…")).unwrap_err());
    }
}

#[test]
fn a_refusal_in_plain_text_is_an_attempt_like_any_other() {
    let agent = ScriptedAgent::new([
        Reply::new("I'm sorry, I can't help with that.").finished(FinishReason::Stop),
        Reply::new(good().to_string()),
    ]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.per_attempt[0].verdict, AttemptStatus::Rejected);
    let feedback = agent.requests()[1].conversation.turns().last().unwrap().text().to_owned();
    assert!(feedback.contains("NOT_JSON"), "{feedback}");
}

#[test]
fn a_closure_can_refuse() {
    let agent = async |_: String| Ok::<_, Infallible>(Reply::new("").with_refusal("No."));
    assert_eq!(refused(&block_on(Invoice::extract(&agent, "…")).unwrap_err()), "No.");
    // Without words.
    let agent = async |_: String| Ok::<_, Infallible>(Reply::new("").with_refusal(""));
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(refused(&error), "a content filter withheld the answer");
}

#[test]
fn a_reply_that_exists_already_can_be_a_refusal() {
    assert_eq!(refused(&Invoice::from_reply(refusal()).unwrap_err()), "I must not read invoices.");
}

#[test]
fn the_next_agent_is_asked_the_first_question() {
    let first = ScriptedAgent::new([Reply::new("no JSON"), refusal()]);
    let second = ScriptedAgent::new([good().to_string()]);
    let (mut asked, mut deltas) = (Vec::new(), Vec::new());
    let extraction = Invoice::extract(&first, "…").escalate_to(&second).stream(true).stop_on_stall(true);
    let extraction = extraction.observe(|event| match event {
        Event::FeedingBack { agent, request, .. } => {
            asked.push((agent.len(), request.conversation.to_text()));
        }
        Event::Delta { attempt, is_first, .. } => deltas.push((*attempt, *is_first)),
        _ => {}
    });
    let (_, metrics) = block_on(extraction).unwrap();
    let verdicts: Vec<_> = metrics.per_attempt.iter().map(|attempt| attempt.verdict).collect();
    assert_eq!(verdicts, [AttemptStatus::Rejected, AttemptStatus::Refused, AttemptStatus::Accepted]);
    let opening = first.requests()[0].conversation.to_text();
    assert_eq!(second.requests()[0].conversation.to_text(), opening);
    assert_eq!(asked[1].1, opening);
    assert_eq!(deltas, [(1, true), (3, true)]);
}

#[test]
fn an_escalation_ends_where_attempts_tokens_or_agents_end() {
    let paid = || refusal().with_usage(TokenUsage::new(90, 10));
    let agents = || [ScriptedAgent::new([paid()]), ScriptedAgent::new([paid()])];
    let [first, second] = agents();
    let error = block_on(Invoice::extract(&first, "…").escalate_to(&second)).unwrap_err();
    refused(&error);
    assert_eq!((error.attempts(), error.metrics().usage.total()), (2, 200));
    let [first, second] = agents();
    refused(&block_on(Invoice::extract(&first, "…").escalate_to(&second).max_attempts(1)).unwrap_err());
    assert_eq!(second.remaining(), 1);
    let [first, second] = agents();
    let error = block_on(Invoice::extract(&first, "…").escalate_to(&second).token_budget(100)).unwrap_err();
    assert!(matches!(error, ExtractionError::TokenBudgetExceeded { .. }), "{error}");
}

#[test]
fn the_same_refusal_of_two_agents_is_no_stall() {
    let agents = || ScriptedAgent::new([refusal()]);
    let (first, second, third) = (agents(), agents(), ScriptedAgent::new([good().to_string()]));
    let extraction = Invoice::extract(&first, "…").escalate_to(&second).escalate_to(&third);
    assert_eq!(block_on(extraction.stop_on_stall(true)).unwrap().1.attempts, 3);
}

#[test]
fn a_fallback_asks_the_second_agent_and_counts_both() {
    let first = ScriptedAgent::new([refusal().with_usage(TokenUsage::new(90, 10))]).streaming([""; 0]);
    let second = Reply::new(good().to_string()).with_usage(TokenUsage::new(50, 20));
    let agent = first.or(ScriptedAgent::new([second]));
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!((metrics.attempts, metrics.usage), (1, TokenUsage::new(140, 30)));
    assert_eq!(metrics.per_attempt[0].notes, ["before it, `scripted` refused: I must not read invoices."]);
}

#[test]
fn the_stream_restarts_with_the_second_agent_of_a_fallback() {
    let first = ScriptedAgent::new([filtered(r#"{"number": "INV"#)]);
    let agent = first.or(ScriptedAgent::new([good().to_string()]));
    let (mut text, mut starts) = (String::new(), 0);
    let extraction = Invoice::extract(&agent, "…").stream(true).observe(|event| {
        if let Event::Delta { text: delta, is_first, .. } = event {
            if *is_first {
                starts += 1;
                text.clear();
            }
            text.push_str(delta);
        }
    });
    block_on(extraction).unwrap();
    assert_eq!((starts, text), (2, good().to_string()));
}

#[test]
fn a_fallback_is_not_asked_where_the_first_agent_has_an_answer() {
    for text in [r#"{"a": 1}"#, " [1, 2]\n", "\"twelve\""] {
        let agent = ScriptedAgent::new([filtered(text)]).or(ScriptedAgent::default());
        assert_eq!(respond(&agent).unwrap().text(), text);
    }
    let call = filtered("").with_calls([ToolCall::new("submit", json!({}))]);
    let agent = ScriptedAgent::new([call]).or(ScriptedAgent::default());
    assert_eq!(respond(&agent).unwrap().calls().len(), 1);
    for text in ["12", "{\"a\": 1", "I can't help with [that].", "{} and then"] {
        let agent = ScriptedAgent::new([filtered(text)]).or(ScriptedAgent::new(["8"]));
        assert_eq!(respond(&agent).unwrap().text(), "8");
    }
}

fn respond(agent: &impl extract::Agent) -> Result<Reply, AgentError> {
    let conversation = extract::agent::Conversation::new().with(extract::agent::Role::User, "…");
    block_on(agent.respond(&extract::agent::Request::new(conversation)))
}

#[test]
fn when_both_refuse_the_last_refusal_is_the_reply() {
    let other = Reply::new("").with_refusal("Me neither.");
    let agent = ScriptedAgent::new([refusal()]).or(ScriptedAgent::new([other]));
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(refused(&error), "Me neither.");
    let notes = &error.history()[0].notes;
    assert_eq!(notes, &["before it, `scripted` refused: I must not read invoices."]);
}

#[test]
fn when_the_second_fails_the_error_tells_of_the_refusal() {
    let second = ScriptedAgent::default().then_fail(AgentError::refused("wrong key"));
    let error = respond(&ScriptedAgent::new([refusal()]).or(second)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "request refused: wrong key (before it, `scripted` refused: I must not read invoices.)"
    );
}

#[test]
fn a_fallback_can_leave_refusals_to_the_extraction() {
    let agent = ScriptedAgent::new([refusal()]).or(ScriptedAgent::default()).on_refusal(false);
    refused(&block_on(Invoice::extract(&agent, "…")).unwrap_err());
}

#[test]
fn a_refusal_is_not_cached() {
    let agent = ScriptedAgent::new([refusal(), Reply::new("8")]).cached(MemoryStore::new(10));
    assert_eq!(respond(&agent).unwrap().refusal(), Some("I must not read invoices."));
    assert_eq!(respond(&agent).unwrap().text(), "8");
}

#[derive(Debug, Deserialize, Extractable)]
struct Patient {
    #[extract(sensitive)]
    #[allow(dead_code, reason = "only asked for")]
    number: String,
}

#[test]
fn words_that_may_quote_sensitive_values_are_not_shown() {
    let words = "I must not store 123-45-6789.";
    let error = || {
        let agent = ScriptedAgent::new([Reply::new("").with_refusal(words)]);
        block_on(Patient::extract(&agent, "…")).unwrap_err()
    };
    assert_eq!(refused(&error()), words);
    let shown = format!("{0} {0:?} {1:?}", error(), error().history());
    assert!(!shown.contains("6789") && shown.contains("(hidden)"), "{shown}");

    let agent = ScriptedAgent::new([Reply::new("").with_refusal(words)])
        .or(ScriptedAgent::new([r#"{"number": "123-45-6789"}"#]));
    let (_, metrics) = block_on(Patient::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.per_attempt[0].notes, ["before it, `scripted` refused"]);
}

#[test]
fn a_long_refusal_is_shown_in_part() {
    let agent = ScriptedAgent::new([Reply::new("").with_refusal("no\n".repeat(100_000))]);
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert!(error.to_string().len() < 1_200 && !error.to_string().contains('\n'), "{error}");
    assert_eq!(refused(&error).len(), 300_000);
}

#[test]
fn a_record_keeps_its_refusal_and_reads_those_that_have_none() {
    let agent = ScriptedAgent::new([refusal()]);
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    let mut stored = serde_json::to_value(&error.history()[0]).unwrap();
    assert_eq!(
        (&stored["verdict"], &stored["refusal"]),
        (&json!("refused"), &json!("I must not read invoices."))
    );
    assert_eq!(serde_json::from_value::<AttemptRecord>(stored.clone()).unwrap(), error.history()[0]);
    let fields = stored.as_object_mut().unwrap();
    fields.remove("verdict");
    fields.remove("refusal");
    let older: AttemptRecord = serde_json::from_value(stored).unwrap();
    assert_eq!((older.verdict, older.refusal), (AttemptStatus::Rejected, None));
}

#[test]
fn a_toolkit_ends_with_a_call_that_a_filter_cut() {
    let mut toolkit = Toolkit::<Invoice>::new().unwrap();
    let call = ReceivedCall::from(ToolCall::new("submit", json!({"number": "INV"})));
    let result = block_on(toolkit.call(call.finished(FinishReason::ContentFilter)));
    assert!(result.text.contains("Attempt 1 of 3 was a refusal."), "{}", result.text);
    refused(&toolkit.finish().unwrap_err());
}
