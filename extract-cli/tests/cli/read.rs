//! `extractable read`.

use serde_json::{Value, json};

use crate::program::{GOOD, Place};

#[test]
fn a_value_that_conforms_is_the_output() {
    let place = Place::new();
    let reply = format!("Here it is:\n```json\n{}\n```", GOOD.replace("1064.4", "\"1,064.40\","));
    let ended = place.pipe(&reply, &["read", "-s", "invoice.json"]).code(0);
    assert_eq!(ended.json(), serde_json::from_str::<Value>(GOOD).unwrap());
    assert!(ended.err.contains("$.total: type, lossless: \"1,064.40\" → 1064.4"), "{}", ended.err);
    let quiet = place.pipe(&reply, &["read", "-s", "invoice.json", "--quiet"]).code(0);
    assert_eq!((quiet.json(), &*quiet.err), (ended.json(), ""));
}

#[test]
fn one_that_does_not_conform_is_no_output() {
    let place = Place::new();
    place.write("reply.txt", r#"{"number": "INV-7", "currency": "Euro"}"#);
    let ended = place.run(&["read", "-s", "invoice.json", "reply.txt"]).code(1);
    assert_eq!(ended.out, "");
    let ended = ended.says(r#"$.currency: not an allowed value; did you mean "EUR"?"#);
    ended.says("[MISSING_FIELD] $.total").says("read, but not accepted");
}

#[test]
fn json_has_value_receipt_and_violations() {
    let place = Place::new();
    let ended = place.pipe("{'number': 'INV-7'}", &["read", "-s", "invoice.json", "--json"]).code(1);
    let report = ended.json();
    assert_eq!(report["accepted"], false);
    assert_eq!(report["value"], json!({"number": "INV-7"}));
    assert_eq!(report["changes"][0]["kind"], "quote");
    let paths: Vec<_> = report["violations"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, ["$.currency", "$.number", "$.total"]);
    assert_eq!(ended.err, "");
}

#[test]
fn a_reply_that_was_cut_is_never_accepted() {
    let place = Place::new();
    let args = ["read", "-s", "invoice.json", "--json"];
    let cut = place.pipe(&GOOD[..GOOD.len() - 3], &args).code(1).json();
    assert_eq!((&cut["truncated"], &cut["violations"][0]["code"]), (&json!(true), &json!("TRUNCATED")));
    let prose = format!("{GOOD} and");
    place.pipe(&prose, &["read", "-s", "invoice.json", "--cut"]).code(1);
    let prose = format!("{GOOD}\n\nThe amount was taken from the");
    place.pipe(&prose, &["read", "-s", "invoice.json", "--cut"]).code(0);
}

#[test]
fn leniency_can_be_chosen() {
    let place = Place::new();
    place.write("list.json", r#"{"type": "array", "items": {"type": "integer"}}"#);
    let read = |reply: &str, how: &[&str]| place.pipe(reply, &[&["read", "-s", "list.json"], how].concat());
    read("[1, 2,]", &[]).code(0);
    read("[1, 2,]", &["--strict"]).code(1);
    read("[1, 2, ...]", &[]).code(1);
    assert_eq!(read("[1, 2, ...]", &["--lossy"]).code(0).json(), json!([1, 2]));
}

#[test]
fn quotes_have_to_stand_in_the_document() {
    let place = Place::new();
    place.write("denied.json", r#"{"type": "array", "items": {"type": "string", "x-quote": true}}"#);
    place.write("note.txt", "She denied chest pain.");
    let args = ["read", "-s", "denied.json", "--document", "note.txt"];
    place.pipe(r#"["chest pain"]"#, &args).code(0);
    place.pipe(r#"["no pain"]"#, &args).code(1).says("NOT_IN_SOURCE");
}

/// A number with a leading zero: its author makes a string of it, this library a number, with a change in the receipt.
const OF_ANOTHER_TASTE: [&str; 2] = ["jsonrepair/342", "jsonrepair/402"];

/// Broken texts that nobody here wrote: what is accepted is the value that their author expected.
#[test]
fn real_broken_texts_are_read_as_their_author_expects() {
    let place = Place::new();
    place.write("object.json", r#"{"type": "object"}"#);
    let rows = include_str!("../fixtures/replies.jsonl").lines();
    let mut accepted = 0;
    for row in rows {
        let row: Value = serde_json::from_str(row).unwrap();
        if row["id"].as_str().is_some_and(|id| OF_ANOTHER_TASTE.contains(&id)) {
            continue;
        }
        let ended = place.pipe(row["raw"].as_str().unwrap(), &["read", "-s", "object.json", "-q"]);
        if ended.code == Some(0) {
            assert_eq!(ended.json(), row["expected"], "{row}");
            accepted += 1;
        } else {
            let ended = ended.code(1);
            assert!(ended.out.is_empty() && !ended.err.is_empty(), "{row}: {ended:?}");
        }
    }
    assert!(accepted >= 90, "{accepted}");
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let place = Place::new();
    place.write("reply.txt", b"{\"number\": \"caf\xe9\"}");
    place.run(&["read", "-s", "invoice.json", "reply.txt"]).code(2).says("is not UTF-8 text: byte 16");
}

#[test]
fn what_is_sensitive_is_hidden_in_what_is_not_accepted() {
    let place = Place::new();
    place.write(
        "schema.json",
        r#"{"type": "object", "properties": {"iban": {"type": "string", "x-sensitive": true}, "n": {"type": "integer"}}}"#,
    );
    let ended = place.pipe(r#"{"iban": "DE44", "n": "x"}"#, &["read", "-s", "schema.json"]).code(1);
    let ended = ended.says(r#"read, but not accepted: {"iban":"(hidden)","n":"x"}"#);
    assert!(!ended.err.contains("DE44"), "{}", ended.err);
}
