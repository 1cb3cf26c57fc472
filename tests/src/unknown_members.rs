//! Members that a type does not know take no part in comparisons.

use std::collections::BTreeSet;

use extract::agent::{FinishReason, Reply};
use extract::document::{Chunks, Document, Grounded};
use extract::reading::ChangeKind;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Code, Confidence, Contract, Extractable};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Extractable)]
struct Row {
    v: i64,
    w: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Table {
    n: i64,
    rows: Vec<Row>,
}

fn row(v: i64) -> Row {
    Row { v, w: None }
}

#[test]
fn they_are_not_merged_from_chunks() {
    let document = Document::from_text("aaa.\n\nbbb.");
    let agent = ScriptedAgent::new([
        r#"{"n": 1, "rows": [{"v": 1, "x": {"y": 1}}], "extra": 1}"#,
        r#"{"n": 1, "rows": [{"v": 1, "x": 2}, {"v": 2}], "extra": 2}"#,
    ]);
    let extraction = Table::extract(&agent, "…").document(&document).chunks(Chunks::chars(6));
    let (table, metrics) = block_on(extraction).unwrap();
    assert_eq!(table, Table { n: 1, rows: vec![row(1), row(2)] });
    assert_eq!(metrics.conflicts, []);
    let unknown = metrics.changes.iter().filter(|change| change.kind == ChangeKind::UnknownKey);
    let unknown: Vec<_> = unknown.map(|change| (change.chunk, change.path.to_string())).collect();
    let expected = [(0, "$.extra"), (0, "$.rows[0].x"), (1, "$.extra"), (1, "$.rows[0].x")];
    assert_eq!(unknown, expected.map(|(chunk, path)| (Some(chunk), path.to_owned())));
}

#[test]
fn the_spans_of_quotes_are_not_unknown() {
    #[derive(Debug, Deserialize, Extractable)]
    struct Found {
        #[extract(key)]
        name: Grounded<String>,
    }
    let document = Document::from_text("Ann met Bob.\n\nAnn left.");
    let found =
        |name: &str| json!([{"name": {"value": name, "quote": name, "why": "?"}, "x": 1}]).to_string();
    let agent = ScriptedAgent::new([found("Ann"), found("Ann")]);
    let extraction = Vec::<Found>::extract(&agent, "…").document(&document).chunks(Chunks::chars(14));
    let (names, metrics) = block_on(extraction).unwrap();
    assert_eq!((names.len(), names[0].name.span().unwrap().range()), (1, 0..3));
    assert_eq!(metrics.mentions[0].spans.len(), 2);
}

#[test]
fn a_value_of_a_schema_known_at_run_time_keeps_them() {
    let contract = Contract::from_schema(json!({
        "type": "array",
        "items": {"type": "object", "properties": {"v": {"type": "integer"}}},
        "uniqueItems": true,
    }));
    let contract = contract.unwrap();
    let value = json!([{"v": 1, "x": 1}, {"v": 1, "x": 2}]);
    assert_eq!(contract.validate(&value), []);
    let document = Document::from_text("aaa.\n\nbbb.");
    let agent = ScriptedAgent::new([json!([value[0]]).to_string(), json!([value[1]]).to_string()]);
    let extraction = contract.extract(&agent, "…").document(&document).chunks(Chunks::chars(6));
    assert_eq!(block_on(extraction).unwrap().0, value);
}

#[test]
fn elements_that_differ_in_nothing_else_are_repeated() {
    #[derive(Debug, PartialEq, Deserialize, Extractable)]
    struct Unique {
        #[extract(unique)]
        rows: Vec<Row>,
    }
    let rows = r#"[{"v": 1, "x": 1}, {"v": 1, "x": 2}]"#;
    for error in [
        Unique::from_reply(format!(r#"{{"rows": {rows}}}"#)).unwrap_err(),
        BTreeSet::<Row>::from_reply(rows).unwrap_err(),
    ] {
        assert_eq!(error.violations()[0].keyword.as_deref(), Some("uniqueItems"), "{error}");
    }
    let (unique, _) = Unique::from_reply(r#"{"rows": [{"v": 1, "x": 1}, {"v": 2, "x": 1}]}"#).unwrap();
    assert_eq!(unique.rows, [row(1), row(2)]);
}

#[test]
fn they_have_no_confidence() {
    let agent = ScriptedAgent::new([
        r#"{"n": 1, "rows": [{"v": 1, "e": 1}], "x": 1}"#,
        r#"{"n": 1, "rows": [{"v": 1, "e": 2}], "x": 2}"#,
        r#"{"n": 1, "rows": [{"v": 1}]}"#,
    ]);
    let (_, metrics) = block_on(Table::extract(&agent, "…").confidence(Confidence::Samples(3))).unwrap();
    let paths: Vec<_> = metrics.confidences.leaves.iter().map(|leaf| leaf.path.to_string()).collect();
    assert_eq!(paths, ["$.n", "$.rows[0].v"]);
    assert!(metrics.unsure(0.8).is_empty());
}

#[test]
fn a_continuation_lists_each_once_and_where_it_is() {
    let cut = |text: &str| Reply::new(text).finished(FinishReason::Length);
    let first = r#"Rows: {"n": "1", "rows": [{"v": 1, "x": 1}, {"v": 2, "x": 2}, {"v": 3, "#;
    // The repeated element lacks the member, and another one has it.
    let rest = r#"{"from": 1, "rest": [{"v": 2}, {"v": 3, "x": 3}]}"#;
    let agent = ScriptedAgent::new([cut(first), Reply::new(rest)]);
    let (table, metrics) = block_on(Table::extract(&agent, "…")).unwrap();
    assert_eq!(table, Table { n: 1, rows: vec![row(1), row(2), row(3)] });
    let changes = metrics.changes.iter().filter(|change| change.kind != ChangeKind::Overlap);
    let found: Vec<_> = changes.map(|change| (change.path.to_string(), change.span.clone())).collect();
    let at = |reply: &str, text: &str| {
        let start = reply.find(text).unwrap();
        start..start + text.len()
    };
    let expected = [
        ("$.n", at(first, "\"1\"")),
        ("$.rows[0].x", at(first, "\"x\": 1")),
        ("$.rows[1].x", at(first, "\"x\": 2")),
        ("$.rows[2].x", at(rest, "\"x\": 3")),
    ];
    assert_eq!(found, expected.map(|(path, span)| (path.to_owned(), span)));

    // Of a schema known at run time they are part of the value.
    let contract = Contract::from_schema(Contract::of::<Table>().unwrap().schema().clone()).unwrap();
    let agent =
        ScriptedAgent::new([cut(first), Reply::new(rest.replace("{\"v\": 2}", "{\"v\": 2, \"x\": 2}"))]);
    let (value, metrics) = block_on(contract.extract(&agent, "…")).unwrap();
    assert_eq!(value["rows"][1], json!({"v": 2, "x": 2}));
    let unknown = metrics.changes.iter().filter(|change| change.kind == ChangeKind::UnknownKey).count();
    assert_eq!(unknown, 3);
    let differs = ScriptedAgent::new([cut(first), Reply::new(rest)]);
    let error = block_on(contract.extract(&differs, "…").max_attempts(1)).unwrap_err();
    assert!(error.violations().iter().any(|violation| violation.code == Code::Continuation), "{error}");
    let _: Value = value;
}
