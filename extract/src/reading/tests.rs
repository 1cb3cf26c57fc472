use serde_json::json;

use super::*;
use crate::vocabulary::{change::Loss, violation::Code};

/// Rejects everything that the shapes do not allow.
#[derive(Debug)]
struct ShapesOnly;

impl Validity for ShapesOnly {
    fn is_valid(&self, _: &Value) -> bool {
        false
    }
}

fn read_as(schema: &Value, reply: &str) -> Reading {
    read(reply, &Shapes::compile(schema, 256), &ReadingOptions::default(), &ShapesOnly)
}

fn read_total(reply: &str) -> Reading {
    read_as(&json!({"type": "object", "properties": {"total": {}}, "required": ["total"]}), reply)
}

#[test]
fn nothing_but_json_is_read_without_a_change() {
    let reading = read_total(" {\"total\": 1}\n");
    assert_eq!(reading.value, Some(json!({"total": 1})));
    assert!(reading.changes.is_empty());
}

#[test]
fn finds_the_value_in_what_surrounds_it() {
    for reply in [
        "```json\n{\"total\": 1}\n```",
        "```\n{\"total\": 1}",
        "Sure! Here it is: {\"total\": 1} Anything else?",
        "The set {a, b} has a total: {\"total\": 1}",
        "<think>a {\"total\": 7} maybe</think>{\"total\": 1}",
        "<think>\none\n</think>\n<reasoning>{\"total\": 7}</reasoning>\n\n{\"total\": 1}",
        "so it is {\"total\": 7}?\n</think>\n{\"total\": 1}",
        "{\"example\": true} and now {\"total\": 1}",
        "{\"total\": 7} no, {\"total\": 1}",
        "\u{feff}{\"total\": 1}",
        "[see note] {\"total\": 1} [1]",
    ] {
        let reading = read_total(reply);
        assert_eq!(reading.value, Some(json!({"total": 1})), "{reply}");
        assert!(reading.changes.iter().all(|change| change.loss == Loss::Ignored), "{reply}");
        assert!(!reading.changes.is_empty(), "{reply}");
    }
}

#[test]
fn an_allowed_value_in_prose_is_looked_for_where_nothing_else_fits() {
    let schema = json!({"enum": ["goods", "service"]});
    assert_eq!(read_as(&schema, "The answer is goods.").value, Some(json!("goods")));
    assert_eq!(read_as(&schema, "\"service\"").value, Some(json!("service")));
}

#[test]
fn the_receipt_accounts_for_every_byte_that_is_not_the_value() {
    let reply = "Draft: {\"total\": 7}. Final: {\"total\": 1}. Done.";
    let reading = read_total(reply);
    let left_out: String = reading.changes.iter().map(|change| &reply[change.span.clone()]).collect();
    assert_eq!(left_out, "Draft: {\"total\": 7}. Final: . Done.");
}

#[test]
fn a_tag_inside_a_string_is_text() {
    for text in ["<think>x</think>", "a</think>b"] {
        let value = json!({"total": text});
        assert_eq!(read_total(&format!("Here: {value}")).value, Some(value));
    }
}

#[test]
fn a_cut_reply_is_never_taken_for_a_whole_one() {
    for reply in [
        "{\"total\": 1",
        "{\"total\": 1, \"lines\": [{\"qty\": 2}, {\"qty\"",
        "{\"total\": \"unfin",
        "```json\n{\"total\": 1,",
        "{\"draft\": 1} {\"total\": ",
        "{\"total\": 7} No: {\"total\": ",
    ] {
        let reading = read_total(reply);
        assert_eq!(reading.completeness, Completeness::Truncated { at: reply.len() }, "{reply}");
        assert_eq!(reading.violations[0].code, Code::Truncated);
    }
}

#[test]
fn says_what_is_wrong_when_there_is_no_value() {
    for (reply, message) in [
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ("I cannot do that.", "no JSON in the answer"),
        ("<think>hm", "no JSON in the answer"),
    ] {
        let reading = read_total(reply);
        assert_eq!(reading.violations[0].code, Code::NotJson, "{reply}");
        assert_eq!(reading.violations[0].message, message, "{reply}");
        assert!(!reading.completeness.is_truncated(), "{reply}");
    }
}

#[test]
fn hostile_replies_end_in_a_violation() {
    let mib = 1 << 17;
    for reply in [
        "[".repeat(mib),
        "{".repeat(mib),
        "{\"a\":".repeat(mib / 5),
        "[\"".repeat(mib / 2),
        "\\\"".repeat(mib / 2),
        "{} ".repeat(mib / 3),
        "[1,".repeat(mib / 3),
        "<think>".repeat(mib / 7),
    ] {
        let reading = read_total(&reply);
        assert!(reading.value.is_some() || !reading.violations.is_empty());
    }
}

#[test]
fn the_size_is_bounded() {
    let options = ReadingOptions { max_bytes: 8, ..ReadingOptions::default() };
    let reading = read("[1, 2, 3]", &Shapes::compile(&json!(true), 256), &options, &ShapesOnly);
    assert_eq!(
        reading.violations[0].to_string(),
        "[NOT_JSON] $: the answer is too long to be read (expected at most 8 bytes, got 9 bytes)"
    );
}
