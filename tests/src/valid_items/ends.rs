//! When items are left out, and of which attempt.

use std::time::Duration;

use extract::agent::{AgentError, FinishReason, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, ExtractionResult, Feedback, TokenUsage};
use serde_json::{Value, json};

use super::{agent, naturals, told};

fn cut(text: &str) -> Reply {
    Reply::new(text).finished(FinishReason::Length)
}

fn ended(replies: impl IntoIterator<Item = Reply>, attempts: u32) -> ExtractionResult<Value> {
    let agent = ScriptedAgent::new(replies);
    let extraction = naturals().extract(&agent, "…").max_attempts(attempts).max_continuations(0);
    block_on(extraction.keep_valid_items(true))
}

#[test]
fn the_attempt_with_the_most_valid_items_is_taken_and_the_latest_of_equals() {
    for (replies, expected) in [
        ([json!([1, 2, -1]), json!([3, -1])], json!([1, 2])),
        ([json!([1, -1]), json!([3, 4, -1])], json!([3, 4])),
        ([json!([1, -1, -1]), json!([3, -1])], json!([3])),
        ([json!([1, -1]), json!("none")], json!([1])),
        ([json!([1, -1]), json!([-1])], json!([1])),
    ] {
        let agent = agent(replies);
        let (value, metrics) =
            block_on(naturals().extract(&agent, "…").max_attempts(2).keep_valid_items(true)).unwrap();
        assert_eq!((value, metrics.attempts), (expected, 2));
    }
}

#[test]
fn if_the_best_attempt_is_not_accepted_another_one_is_tried() {
    let contract =
        naturals().with_rule(|value: &Value| if value[0] == 1 { Err("never 1 first") } else { Ok(()) });
    let agent = agent([json!([1, 2, -1]), json!([3, -1])]);
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").max_attempts(2).keep_valid_items(true)).unwrap();
    assert_eq!((value, told(&metrics)), (json!([3]), vec!["$[1] INVALID_VALUE".to_owned()]));
}

#[test]
fn a_reply_that_was_cut_or_repeats_itself_is_not_taken_and_an_earlier_one_may_be() {
    let looping = format!("[1, {}", "\"Ann Ondricka\", ".repeat(200));
    for text in ["[1, 2, -", "[1, 2, -1", "[1, 2, -1, ", &looping] {
        assert!(ended([cut(text)], 1).is_err(), "{}", &text[..8]);
        assert_eq!(ended([Reply::new("[4, -1]"), cut(text)], 2).unwrap().0, json!([4]));
    }
}

#[test]
fn refusals_fatal_rejections_and_failures_of_the_agent_stay_errors() {
    let broken = || Reply::new("[1, -1]");
    let refused = ended([broken(), Reply::new("").with_refusal("no")], 3).unwrap_err();
    assert_eq!(refused.name(), "Refused");
    let agent = ScriptedAgent::new([broken()]);
    let failed = block_on(naturals().extract(&agent, "…").keep_valid_items(true)).unwrap_err();
    assert_eq!(failed.name(), "Agent");
    let agent = ScriptedAgent::new([broken()]);
    let fatal = naturals().extract(&agent, "…").keep_valid_items(true).fatal_codes(["INVALID_VALUE"]);
    assert_eq!(block_on(fatal).unwrap_err().name(), "Fatal");
}

#[test]
fn budgets_stalls_and_the_deadline_use_up_the_attempts_too() {
    let broken = || Reply::new("[1, -1]").with_usage(TokenUsage::new(50, 50));
    let agent = ScriptedAgent::new([broken()]);
    let (_, metrics) =
        block_on(naturals().extract(&agent, "…").token_budget(100).keep_valid_items(true)).unwrap();
    assert_eq!(metrics.attempts, 1);

    let agent = ScriptedAgent::new([broken(), broken()]);
    let (_, metrics) =
        block_on(naturals().extract(&agent, "…").stop_on_stall(true).keep_valid_items(true)).unwrap();
    assert_eq!(metrics.attempts, 2);

    let contract = naturals();
    let agent = |prompt: String| async move {
        if prompt.contains("Attempt 2") {
            std::future::pending::<()>().await;
        }
        Ok::<_, AgentError>("[1, -1]")
    };
    let extraction =
        contract.extract(&agent, "…").deadline(Duration::from_millis(100)).keep_valid_items(true);
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!((value, metrics.attempts), (json!([1]), 1));
}

#[test]
fn a_patched_submission_is_taken_as_a_whole() {
    let agent = agent([json!([1, -1, -2]), json!([{"op": "replace", "path": "/1", "value": 2}])]);
    let extraction = naturals().extract(&agent, "…").feedback(Feedback::Patch).max_attempts(2);
    let (value, metrics) = block_on(extraction.keep_valid_items(true)).unwrap();
    assert_eq!((value, told(&metrics)), (json!([1, 2]), vec!["$[2] INVALID_VALUE".to_owned()]));
}

#[test]
fn values_that_reading_rejects_count_as_broken_items() {
    let contract =
        Contract::from_schema(json!({"type": "array", "items": {"enum": ["refund", "order"]}})).unwrap();
    let agent = agent([json!(["order", "refunded"])]);
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true)).unwrap();
    assert_eq!((value, told(&metrics)), (json!(["order"]), vec!["$[1] INVALID_VALUE".to_owned()]));
}
