//! Replies to the question for the rest that are not the rest.

use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Code, Contract, ExtractionError};
use serde_json::{Value, json};

use super::{BETWEEN, CUT, REST, asked, cut, table, verdicts, whole};

/// Returns the outcome of `reply` to the question for the rest, or the violations if it does not
/// fit.
fn after(reply: &str) -> (ScriptedAgent, Result<Value, Vec<String>>) {
    let agent = ScriptedAgent::new([cut(CUT)]).then(reply).then(REST);
    let mut found = Vec::new();
    let extraction = table().extract(&agent, "…").max_attempts(2);
    let extraction = extraction.observe(|event| {
        if let extract::Event::Judged { record, .. } = event
            && record.number == 2
            && record.verdict != AttemptStatus::Accepted
        {
            assert_eq!(record.verdict, AttemptStatus::Rejected, "{:?}", record.violations);
            assert!(record.violations.iter().any(|violation| violation.code == Code::Continuation));
            found = record.violations.iter().map(ToString::to_string).collect();
        }
    });
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!(value["rows"], whole()["rows"], "{reply}");
    let result = if metrics.attempts == 2 { Ok(value) } else { Err(found) };
    (agent, result)
}

#[test]
fn a_rest_that_does_not_fit_is_never_merged_and_asked_for_again() {
    for (reply, words) in [
        (
            r#"{"from": 1, "rest": [{"id": 1, "name": "B"}, {"id": 2, "name": "c"}], "after": {"total": 3}}"#,
            "$.rows[1]: this element is there already",
        ),
        (r#"{"from": 3, "rest": [{"id": 3, "name": "d"}], "after": {"total": 3}}"#, "got 3"),
        (r#"{"from": 18446744073709551615, "rest": [], "after": {"total": 3}}"#, "got 18446744073709551615"),
        (r#"{"from": 99999999999999999999999999, "rest": [], "after": {"total": 3}}"#, "$.rows"),
        (r#"{"from": -1, "rest": [{"id": 2, "name": "c"}], "after": {"total": 3}}"#, "got -1"),
        (r#"{"rest": [{"id": 2, "name": "c"}], "after": {"total": 3}}"#, "got nothing"),
        (r#"{"from": 2, "after": {"total": 3}}"#, "has no `rest`"),
        (r#"{"from": 2}"#, "has no `rest`"),
        (r#"{"from": 0, "rest": [], "after": {"total": 3}}"#, "`rest` ends before"),
        (
            r#"{"from": 2, "rest": [{"id": 1, "name": "b"}, {"id": 2, "name": "c"}], "after": {"total": 3}}"#,
            "starts with the 1 element from index 1 on",
        ),
        (r#"{"from": 2, "rest": [{"id": 2, "name": "c"}, ...], "after": {"total": 3}}"#, "$.rows"),
        (
            r#"{"from": 2, "rest": [{"id": 2, "name": "c"}], "after": {"total": 3, "title": "June"}}"#,
            "$.title: this is there already",
        ),
        (r#"[{"id": 2, "name": "c"}]"#, "$.rows"),
        ("I have nothing to add.", "$.rows"),
        (
            r#"{"title": "June", "rows": [{"id": 0, "name": "a"}], "total": 1}"#,
            "$.title: the whole answer was written again",
        ),
        (
            r#"{"title": "May", "rows": [{"id": 0, "name": "a"}], "total": 1}"#,
            "$.rows[1]: the whole answer was written again",
        ),
    ] {
        let (agent, result) = after(reply);
        let violations = result.expect_err(reply);
        assert!(violations.iter().any(|violation| violation.contains(words)), "{reply}: {violations:?}");
        let question = asked(&agent, 2);
        assert!(question.contains("Your answer was not accepted:"), "{question}");
        assert!(question.contains("The list $.rows has 2 elements so far."), "{question}");
    }
}

#[test]
fn the_whole_value_again_counts_if_it_is_what_was_there_and_more() {
    let again = whole().to_string();
    assert_eq!(after(&again).1, Ok(whole()));
}

#[test]
fn members_beside_the_rest_and_none_at_all_are_read() {
    let (_, beside) = after(r#"{"from": 2, "rest": [{"id": 2, "name": "c"}], "total": 3}"#);
    assert_eq!(beside, Ok(whole()));
    let agent = ScriptedAgent::new([cut(BETWEEN)]).then(r#"{"from": 2, "rest": [], "after": {"total": 2}}"#);
    let (value, _) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!(value["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_missing_behind_the_list_is_missed() {
    let agent = ScriptedAgent::new([cut(BETWEEN)]).then(r#"{"from": 2, "rest": []}"#);
    let error = block_on(table().extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert!(matches!(error, ExtractionError::MaxRetriesExceeded { .. }), "{error}");
    assert_eq!(
        error.violations()[0].to_string(),
        "[MISSING_FIELD] $.total: required, but absent (expected an integer)"
    );
}

#[test]
fn the_same_misfit_again_ends_it_and_all_is_asked_for() {
    let gap = r#"{"from": 9, "rest": [], "after": {"total": 3}}"#;
    let agent = ScriptedAgent::new([cut(CUT)]).then(gap).then(gap).then(whole().to_string());
    let (value, metrics) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!((value, metrics.attempts), (whole(), 4));
    assert!(!asked(&agent, 3).contains("Go on with"), "{}", asked(&agent, 3));
    assert!(agent.requests()[3].schema.as_ref().unwrap()["properties"].get("rows").is_some());
}

#[test]
fn a_value_that_lacks_its_rest_is_not_kept_for_its_valid_items() {
    let schema =
        json!({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}});
    let contract = Contract::from_schema(schema).unwrap();
    let changed = r#"{"from": 1, "rest": [{"n": 9}]}"#;
    let agent = ScriptedAgent::new([cut(r#"[{"n": 0}, {"n": 1}, {"n"#)]).then(changed);
    let extraction = contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true);
    let error = block_on(extraction).unwrap_err();
    assert_eq!(error.violations()[0].path.to_string(), "$[1]");
}

#[test]
fn a_rest_that_repeats_itself_is_not_continued() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "string"}})).unwrap();
    let looping = format!(r#"{{"from": 2, "rest": [{}"#, "\"Ann Ondricka\", ".repeat(200));
    let agent = ScriptedAgent::new([cut(r#"["a", "b", "#)]).then(cut(looping)).then(r#"["a", "b", "c"]"#);
    let (value, metrics) = block_on(contract.extract(&agent, "…")).unwrap();
    assert_eq!(value, json!(["a", "b", "c"]));
    assert_eq!(
        verdicts(&metrics),
        [AttemptStatus::Truncated, AttemptStatus::Repeated, AttemptStatus::Accepted]
    );
    assert!(asked(&agent, 2).contains("repeated itself"), "{}", asked(&agent, 2));
}

#[test]
fn a_broken_start_is_not_continued() {
    for text in ["[1, 2, ..., 4, 5", "['a', 'b', 'c", "[1, 2,, 3, ", r#"[{"a": 1, "a": 2}, {"a": 3}, "#] {
        let contract = Contract::from_schema(json!({"type": "array"})).unwrap();
        let agent = ScriptedAgent::new([cut(text)]).then("[1]");
        let (value, metrics) = block_on(contract.extract(&agent, "…")).unwrap();
        assert_eq!((value, metrics.continuations), (json!([1]), 0), "{text}");
        assert!(asked(&agent, 1).contains("Give the whole answer again"), "{text}");
    }
}

#[test]
fn a_value_in_a_wrapper_is_asked_for_as_a_whole() {
    let agent = ScriptedAgent::new([cut(format!("{{\"table\": {CUT}"))]).then(whole().to_string());
    let (value, metrics) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!((value, metrics.continuations), (whole(), 0));
    assert!(asked(&agent, 1).contains("Give the whole answer again"), "{}", asked(&agent, 1));
}
