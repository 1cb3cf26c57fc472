//! Lists that are continued.

use extract::reading::ChangeKind;
use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Contract, Extractable};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{BETWEEN, CUT, REST, asked, cut, table, verdicts, whole, writer::Writer};

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Row {
    id: u32,
    name: String,
    price: f64,
}

/// The case on which AWS reported that documents with long tables cannot be extracted in one reply.
#[test]
fn a_table_of_1200_rows_comes_in_five_replies() {
    let rows: Vec<_> =
        (0..1_200).map(|id| json!({"id": id, "name": format!("part {id}"), "price": 0.5})).collect();
    let whole = Value::Array(rows);
    let limit = whole.to_string().len() * 22 / 100;
    let writer = Writer::new(whole.clone(), 0, move |_| limit);
    let (rows, metrics) = block_on(Vec::<Row>::extract(&writer, "…").max_attempts(1)).unwrap();
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    assert_eq!(ids, (0..1_200).collect::<Vec<_>>());
    assert_eq!((metrics.attempts, metrics.continuations), (5, 4));
    let asked = writer.asked.into_inner().unwrap();
    assert!(asked[1..].iter().all(|question| question.len() < 1_500), "{}", asked[1]);
}

#[test]
fn what_is_complete_stays_and_the_members_behind_the_list_are_asked_for() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(REST);
    let (value, metrics) =
        block_on(table().extract(&agent, "The table of May").max_output_tokens(50)).unwrap();
    assert_eq!(value, whole());
    assert_eq!(verdicts(&metrics), [AttemptStatus::Truncated, AttemptStatus::Accepted]);
    let question = asked(&agent, 1);
    for part in [
        "The table of May\n\nAttempt 2 of 4. Your answer was cut off before its end.",
        "The list $.rows has 2 elements so far. The last of them, from index 0 on:\n```json\n[{\"id\":0,\"name\":\"a\"},",
        "Go on with index 2, in this form: {\"from\": 2, \"rest\": […], \"after\": {…}}.",
        "with the members that follow: `total`; `note`, if the text gives it. Answer with this JSON object only",
    ] {
        assert!(question.contains(part), "{part}\n---\n{question}");
    }
    assert!(!question.contains("\"id\":2"), "what was cut is not shown: {question}");
    assert_eq!(agent.requests()[1].max_output_tokens, Some(50), "no more room");
}

/// Small models claim that nothing is missing in order to finish early.
#[test]
fn an_element_that_had_begun_is_not_given_up() {
    for nothing_new in [
        r#"{"from": 2, "rest": [], "after": {"total": 2}}"#,
        r#"{"from": 1, "rest": [{"id": 1, "name": "b"}], "after": {"total": 2}}"#,
    ] {
        let agent = ScriptedAgent::new([cut(CUT)]).then(nothing_new).then(REST);
        let (value, metrics) = block_on(table().extract(&agent, "…").max_continuations(2)).unwrap();
        assert_eq!(value, whole());
        assert_eq!(
            verdicts(&metrics),
            [AttemptStatus::Truncated, AttemptStatus::Rejected, AttemptStatus::Accepted]
        );
        assert_eq!(agent.requests()[1].schema.as_ref().unwrap()["properties"]["rest"]["minItems"], 1);
        assert!(asked(&agent, 1).contains("at least one, because it had begun when the answer was cut off"));
        assert!(asked(&agent, 2).contains("index 2 had begun"), "{}", asked(&agent, 2));
    }
}

#[test]
fn between_two_elements_the_list_may_be_at_its_end() {
    let agent = ScriptedAgent::new([cut(BETWEEN)]).then(r#"{"from": 2, "rest": [], "after": {"total": 2}}"#);
    let (value, _) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!(value["rows"].as_array().unwrap().len(), 2);
    assert!(asked(&agent, 1).contains("it is empty if there are no more"));
}

#[test]
fn the_reply_has_a_schema_of_its_own() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(REST);
    block_on(table().extract(&agent, "…")).unwrap();
    let schema = agent.requests()[1].schema.clone().unwrap();
    assert_eq!(schema["properties"]["rest"]["items"], table().schema()["properties"]["rows"]["items"]);
    assert_eq!(
        schema["properties"]["after"],
        json!({
            "type": "object",
            "properties": {"total": {"type": "integer"}, "note": {"type": "string"}},
            "required": ["total"],
        })
    );
}

#[test]
fn what_is_repeated_at_the_seam_is_dropped_with_a_receipt() {
    let again = r#"{"from": 1, "rest": [{"id": 1, "name": "b"}, {"id": 2, "name": "c"}], "after": {"total": 3, "title": "May"}}"#;
    let agent = ScriptedAgent::new([cut(CUT)]).then(again);
    let (value, metrics) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!(value, whole());
    let dropped = metrics.changes.iter().filter(|change| change.kind == ChangeKind::Overlap);
    let dropped: Vec<_> = dropped.map(|change| (change.path.to_string(), &*change.before)).collect();
    assert_eq!(
        dropped,
        [("$.rows[1]".to_owned(), r#"[{"id":1,"name":"b"}]"#), ("$.title".to_owned(), "\"May\"")]
    );
}

#[test]
fn receipts_of_all_replies_are_kept() {
    let text = r#"{"title": "May", "rows": [{"id": "0", "name": "a"}, {"id": 1, "na"#;
    let agent = ScriptedAgent::new([cut(text)])
        .then(r#"{"from": 1, "rest": [{"id": "1", "name": "b"}], "after": {"total": "2"}}"#);
    let (value, metrics) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!((&value["rows"][1]["id"], &value["total"]), (&json!(1), &json!(2)));
    let paths: Vec<_> = metrics.changes.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(paths, ["$.rows[0].id", "$.rows[1].id", "$.total"]);
}

#[test]
fn equal_elements_stay_as_often_as_the_index_says() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    for (rest, ones) in [(r#"{"from": 3, "rest": [1, 1]}"#, 5), (r#"{"from": 1, "rest": [1, 1, 1]}"#, 4)] {
        let agent = ScriptedAgent::new([cut("[1, 1, 1, ")]).then(rest);
        let (value, _) = block_on(contract.extract(&agent, "…")).unwrap();
        assert_eq!(value, json!(vec![1; ones]));
    }
}

#[test]
fn a_list_inside_of_an_element_goes_on_and_then_the_list_around_it() {
    let page = json!({
        "type": "object",
        "properties": {"words": {"type": "array", "items": {"type": "string"}}, "number": {"type": "integer"}},
        "required": ["words", "number"],
    });
    let schema = json!({"type": "object", "properties": {"pages": {"type": "array", "items": page}, "end": {"type": "boolean"}}});
    let contract = Contract::from_schema(schema).unwrap();
    let first = r#"{"pages": [{"words": ["a"], "number": 1}, {"words": ["b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"#;
    let agent = ScriptedAgent::new([cut(first)])
        .then(r#"{"from": 10, "rest": ["l", "m"], "after": {"number": 2}}"#)
        .then(r#"{"from": 2, "rest": [{"words": [], "number": 3}], "after": {"end": true}}"#);
    let (value, metrics) = block_on(contract.extract(&agent, "…").max_attempts(1)).unwrap();
    let words: Vec<_> = "bcdefghijklm".chars().map(String::from).collect();
    let expected = json!({
        "pages": [{"words": ["a"], "number": 1}, {"words": words, "number": 2}, {"words": [], "number": 3}],
        "end": true,
    });
    assert_eq!(value, expected);
    assert_eq!(
        verdicts(&metrics),
        [AttemptStatus::Truncated, AttemptStatus::Truncated, AttemptStatus::Accepted]
    );
    assert!(asked(&agent, 2).contains("The list $.pages has 2 elements so far."), "{}", asked(&agent, 2));
}

#[test]
fn a_broken_element_stays_and_is_corrected_in_the_whole_value() {
    let text = r#"{"title": "May", "rows": [{"id": "zero", "name": "a"}, {"id": 1, "na"#;
    let rest = r#"{"from": 1, "rest": [{"id": 1, "name": "b"}], "after": {"total": 2}}"#;
    let right = json!({"title": "May", "rows": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}], "total": 2});
    let agent = ScriptedAgent::new([cut(text)]).then(rest).then(right.to_string());
    let (value, metrics) = block_on(table().extract(&agent, "…").max_attempts(2)).unwrap();
    assert_eq!(value, right);
    assert_eq!(
        verdicts(&metrics),
        [AttemptStatus::Truncated, AttemptStatus::Rejected, AttemptStatus::Accepted]
    );
    let feedback = asked(&agent, 2);
    assert!(feedback.contains("Attempt 3 of 3.") && feedback.contains("path: $.rows[0].id"), "{feedback}");
}

#[test]
fn a_rule_sees_the_whole_value_only() {
    let rule = |value: &Value| {
        if value["rows"].as_array().map(Vec::len) == Some(3) { Ok(()) } else { Err("three rows") }
    };
    let agent = ScriptedAgent::new([cut(CUT)]).then(REST);
    let (value, _) = block_on(table().with_rule(rule).extract(&agent, "…").max_attempts(1)).unwrap();
    assert_eq!(value, whole());
}

#[test]
fn a_tagged_element_has_the_schema_of_its_alternative() {
    let schema = json!({
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "numbers"}, "list": {"type": "array", "items": {"type": "integer"}}}},
            {"type": "object", "properties": {"kind": {"const": "words"}, "list": {"type": "array", "items": {"type": "string"}}}},
        ],
    });
    let contract = Contract::from_schema(schema).unwrap();
    let agent = ScriptedAgent::new([cut(r#"{"kind": "words", "list": ["a", "b", "c"#)])
        .then(r#"{"from": 2, "rest": ["c"]}"#);
    let (value, _) = block_on(contract.extract(&agent, "…")).unwrap();
    assert_eq!(value, json!({"kind": "words", "list": ["a", "b", "c"]}));
    assert_eq!(
        agent.requests()[1].schema.as_ref().unwrap()["properties"]["rest"]["items"],
        json!({"type": "string"})
    );
}
