//! The cost of a continuation, and where it ends.

use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Event, ExtractionError, TokenUsage};
use serde_json::json;

use super::{CUT, REST, asked, cut, table, verdicts, whole};

/// The next row, with the reply cut right after it.
fn row(index: usize) -> extract::agent::Reply {
    cut(format!(r#"{{"from": {index}, "rest": [{{"id": {index}, "name": "x"}}, {{"id": "#))
}

#[test]
fn replies_that_are_continued_take_no_attempt() {
    let agent = ScriptedAgent::new([cut(CUT), row(2), row(3), row(4)])
        .then(r#"{"from": 5, "rest": [{"id": 5, "name": "f"}], "after": {"total": 6}}"#);
    let mut allowed = Vec::new();
    let extraction = table().extract(&agent, "…").max_attempts(1).observe(|event| {
        if let Event::Asked { attempt, max_attempts, continuation, .. } = event {
            allowed.push((
                *attempt,
                *max_attempts,
                continuation.map(|going| (going.path.to_string(), going.from)),
            ));
        }
    });
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!(value["rows"].as_array().unwrap().len(), 6);
    assert_eq!((metrics.attempts, metrics.continuations), (5, 4));
    let going = |from| Some(("$.rows".to_owned(), from));
    assert_eq!(
        allowed,
        [(1, 1, None), (2, 2, going(2)), (3, 3, going(3)), (4, 4, going(4)), (5, 5, going(5))]
    );
}

#[test]
fn more_continuations_than_allowed_are_a_cut_like_any_other() {
    let agent = ScriptedAgent::new([cut(CUT), row(2), row(3)]);
    let extraction = table().extract(&agent, "…").max_attempts(1).max_continuations(2);
    let error = block_on(extraction).unwrap_err();
    assert!(matches!(error, ExtractionError::Truncated { .. }), "{error}");
    assert_eq!((error.attempts(), error.max_attempts()), (3, 3));
    let going: Vec<_> =
        error.history().iter().map(|record| record.continuation.as_ref().map(|going| going.from)).collect();
    assert_eq!(going, [None, Some(2), Some(3)]);
    // The rows at the end.
    assert_eq!(error.history()[2].submitted().unwrap()["rows"].as_array().unwrap().len(), 4);
}

#[test]
fn none_are_made_if_none_are_wanted() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(whole().to_string());
    let extraction = table().extract(&agent, "…").max_continuations(0).max_output_tokens(50);
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!((metrics.attempts, metrics.continuations), (2, 0));
    assert!(
        asked(&agent, 1)
            .contains("Attempt 2 of 3. Your answer was cut off before its end. Give the whole answer")
    );
    assert_eq!(agent.requests()[1].max_output_tokens, Some(100));
}

#[test]
fn a_reply_that_adds_nothing_ends_it_and_all_is_asked_for_with_more_room() {
    for nothing in [
        "",
        r#"{"fr"#,
        r#"{"from": 2, "rest": [{"id": 2"#,
        r#"{"from": 1, "rest": [{"id": 1, "name": "b"}, "#,
    ] {
        let agent = ScriptedAgent::new([cut(CUT), cut(nothing)]).then(whole().to_string());
        let (value, metrics) =
            block_on(table().extract(&agent, "…").max_output_tokens(50).max_attempts(2)).unwrap();
        assert_eq!(value, whole());
        assert_eq!(
            verdicts(&metrics),
            [AttemptStatus::Truncated, AttemptStatus::Truncated, AttemptStatus::Accepted],
            "{nothing}"
        );
        assert!(asked(&agent, 2).contains("Give the whole answer again"), "{}", asked(&agent, 2));
        let room: Vec<_> = agent.requests().iter().map(|request| request.max_output_tokens).collect();
        assert_eq!(room, [Some(50), Some(50), Some(100)]);
    }
}

#[test]
fn all_tokens_count_and_the_token_budget_ends_it() {
    let used = |reply: extract::agent::Reply| reply.with_usage(TokenUsage::new(100, 50));
    let agent = ScriptedAgent::new([used(cut(CUT)), used(row(2)), used(row(3))]);
    let error = block_on(table().extract(&agent, "…").token_budget(400)).unwrap_err();
    assert!(matches!(error, ExtractionError::TokenBudgetExceeded { .. }), "{error}");
    assert_eq!(error.metrics().usage.total(), 450);
}

#[test]
fn the_record_says_what_an_attempt_went_on_with() {
    let rejected = |_: &serde_json::Value| Err::<(), _>("never");
    let agent = ScriptedAgent::new([cut(CUT)]).then(REST);
    let error = block_on(table().extract(&agent, "…").max_attempts(1).on_submit(rejected)).unwrap_err();
    let record = error.history().last().unwrap();
    let going = record.continuation.as_ref().unwrap();
    assert_eq!((going.path.to_string(), going.from), ("$.rows".to_owned(), 2));
    assert_eq!(record.submitted(), Some(&whole()));
    assert_eq!(record.raw_output, REST);
    let written = serde_json::to_value(record).unwrap();
    assert_eq!(written["continuation"], json!({"path": "$.rows", "from": 2}));
}
