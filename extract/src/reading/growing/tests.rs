//! Tests of how an answer is shown, and that it agrees with the reader.

use serde_json::{Value, json};

use super::*;
use crate::{
    contract::Contract,
    reading::{PartState, parse},
};

fn contract(schema: Value) -> Contract {
    Contract::from_schema(schema).unwrap()
}

fn growing(contract: &Contract) -> GrowingAnswer {
    GrowingAnswer::new(Arc::clone(contract.shapes()), ReadingOptions::default())
}

#[allow(clippy::needless_pass_by_value, reason = "it is made where it is passed")]
fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn known(answer: &GrowingAnswer) -> Option<Value> {
    answer.snapshot()?.value("")
}

fn state(answer: &GrowingAnswer) -> PartState {
    answer.snapshot().map_or(PartState::Pending, |snapshot| snapshot.state(""))
}

/// Returns the value shown after `text`. Pushing it byte by byte and at once must give the same.
fn shown(schema: &Value, text: &str) -> Option<Value> {
    let contract = contract(schema.clone());
    let mut answer = growing(&contract);
    text.chars().for_each(|char| answer.push(char.encode_utf8(&mut [0; 4])));
    let mut at_once = growing(&contract);
    at_once.push(text);
    assert_eq!(known(&answer), known(&at_once), "{text}");
    assert_eq!(state(&answer), state(&at_once), "{text}");
    known(&answer)
}

#[test]
fn a_string_is_shown_as_soon_as_it_says_what_it_will_be() {
    let text = |more: Value| {
        let mut schema = json!({"type": "string"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        object(json!({"a": schema}))
    };
    let nullable = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    let referred = json!({"$ref": "#/$defs/A"});
    for (schema, reply, value) in [
        (text(json!({})), r#"{"a": "n"#, Some("n")),
        (text(json!({"minLength": 9})), r#"{"a": "n"#, Some("n")),
        (text(json!({"enum": ["no", "yes"]})), r#"{"a": "no"#, None),
        (text(json!({"enum": ["no", "yes"]})), r#"{"a": "no","#, Some("no")),
        (text(json!({"const": "no"})), r#"{"a": "n"#, None),
        (text(json!({"pattern": "^n"})), r#"{"a": "n"#, None),
        (text(json!({"pattern": "^n"})), r#"{"a": "n" }"#, Some("n")),
        (text(json!({"format": "date"})), r#"{"a": "2"#, None),
        (object(json!({"a": nullable})), r#"{"a": "null"#, None),
        (object(json!({"a": nullable})), r#"{"a": "null","#, None),
        (object(json!({"a": nullable})), r#"{"a": "nul","#, Some("nul")),
        (object(json!({"a": nullable})), r#"{"a": "nulls"#, Some("nulls")),
        (
            json!({"properties": {"a": referred}, "$defs": {"A": {"type": "string", "pattern": "n"}}}),
            r#"{"a": "n"#,
            None,
        ),
        (
            json!({"properties": {"a": {"allOf": [{"type": "string"}, {"format": "date"}]}}}),
            r#"{"a": "2"#,
            None,
        ),
        (json!({"type": "object"}), r#"{"a": "n"#, Some("n")),
        (json!({"type": "object", "additionalProperties": {"enum": ["no"]}}), r#"{"a": "n"#, None),
    ] {
        assert_eq!(
            shown(&schema, reply),
            Some(value.map_or_else(|| json!({}), |value| json!({"a": value}))),
            "{schema} {reply}"
        );
    }
}

/// The state of the whole, and its value, after a complete reply.
fn done(schema: &Value, reply: &str) -> (PartState, Option<Value>) {
    let mut answer = growing(&contract(schema.clone()));
    answer.push(reply);
    answer.finish();
    (state(&answer), known(&answer))
}

#[test]
fn what_is_done_is_what_the_reader_reads() {
    let line = object(json!({"qty": {"type": "integer"}, "kind": {"enum": ["goods", "service"]}}));
    let schema = object(json!({
        "number": {"type": "string"},
        "note": {"type": ["string", "null"]},
        "total": {"type": "number"},
        "lines": {"type": "array", "items": line},
        "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
    }));
    let contract = contract(schema.clone());
    for (member, is_done) in [
        (r#""total": 12"#, true),
        (r#""total": "12""#, false),
        (r#""total": 12345678901234567890123"#, false),
        (r#""note": "None""#, false),
        (r#""note": "Nobody""#, true),
        (r#""note": null"#, true),
        (r#""number": 7"#, false),
        (r#""lines": [{"qty": 1, "kind": "goods"}]"#, true),
        (r#""lines": [{"qty": 1.0, "kind": "goods"}]"#, false),
        (r#""lines": [{"qty": 1, "kind": "Goods"}]"#, false),
        (r#""lines": {"qty": 1, "kind": "goods"}"#, false),
        (r#""lines": [{"quantity": 1}]"#, false),
        (r#""either": true"#, true),
        (r#""either": "true""#, false),
        (r#""Total": 12"#, false),
        (r#""remark": "more""#, true),
    ] {
        let reply = format!(r#"{{"number": "INV-7", {member}}}"#)
            .replace(r#""INV-7", "number""#, r#""a", "total": 1, "number""#);
        let reply =
            if member.starts_with(r#""number""#) { format!("{{{member}, \"total\": 1}}") } else { reply };
        let (state, value) = done(&schema, &reply);
        assert_eq!(state == PartState::Done, is_done, "{reply}");
        let read = contract.read(&reply).value.unwrap();
        let mut answer = growing(&contract);
        answer.push(&reply);
        assert!(answer.snapshot().unwrap().agrees_with(&read), "{reply}: {value:?} {read}");
    }
}

#[test]
fn a_wrapper_is_not_taken_for_the_answer() {
    let schema = object(json!({"number": {"type": "string"}}));
    assert_eq!(done(&schema, r#"{"invoice": {"number": "a"}}"#), (PartState::Writing, Some(json!({}))));
    assert_eq!(done(&schema, "{}"), (PartState::Done, Some(json!({}))));
}

#[test]
fn nothing_is_shown_before_the_answer_begins() {
    let schema = object(json!({"number": {"type": "string"}}));
    let number = Some(json!({"number": "a"}));
    let answer = r#"{"number": "a"}"#;
    for (reply, value) in [
        (format!("\n {answer}"), number.clone()),
        (format!("```json\n{answer}\n```"), number.clone()),
        (format!("Sure!\n```json\n{answer}\n```"), number.clone()),
        (format!("<think>Maybe {{\"number\": \"b\"}}?</think>{answer}"), number.clone()),
        (format!("<THINK>a</think>\n<reasoning>{{\"number\": 1}}</reasoning> {answer}"), number.clone()),
        ("<think>Maybe {\"number\": \"b\"}?".to_owned(), None),
        ("<thi".to_owned(), None),
        (format!("As [1] says, {{a}} {{}} {{\"x\": 1}} is: {answer} {{\"number\": \"c\"}}"), number.clone()),
        ("It is {\"number".to_owned(), None),
        ("{\"num".to_owned(), Some(json!({}))),
        (format!("[{answer}]"), None),
        (format!("[[{answer}]]"), None),
        // A draft, and what comes after it.
        (format!("Draft: {answer}\nFinal: {answer}"), None),
        (format!("My first draft:\n```json\n{answer}\n```\nFinal: {answer}"), None),
        (format!("The previous answer was:\n{answer}"), None),
        ("no".to_owned(), None),
        (String::new(), None),
    ] {
        assert_eq!(shown(&schema, &reply), value, "{reply}");
    }
}

#[test]
fn the_answer_is_of_the_type_that_is_asked_for() {
    let lines = json!({"type": "array", "items": object(json!({"qty": {"type": "integer"}}))});
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    for (schema, reply, value) in [
        (&lines, r#"[{"qty": 1}"#, Some(json!([{"qty": 1}]))),
        (&lines, r#"[{"op": "add"}"#, None),
        (&lines, r#"{"lines": [{"qty": 1}"#, None),
        (&lines, "[", None),
        (&lines, "[]", Some(json!([]))),
        (&numbers, "They are [1, 2, 3", Some(json!([1, 2]))),
        (&numbers, "[\"1\", 2", None),
        (&json!({"type": "integer"}), "8", Some(json!(8))),
        (&json!({"type": "integer"}), "It is 8", None),
        (&json!({"type": "string"}), "\"a", Some(json!("a"))),
        (&json!({"type": "string"}), "a", None),
        (&json!({"type": "boolean"}), "true", Some(json!(true))),
    ] {
        let mut answer = growing(&contract(schema.clone()));
        reply.chars().for_each(|char| answer.push(char.encode_utf8(&mut [0; 4])));
        answer.finish();
        assert_eq!(known(&answer), value, "{reply}");
    }
}

#[test]
fn a_reply_that_is_too_long_to_be_read_is_not_shown_on() {
    let contract = contract(json!({"type": "array"}));
    let options = ReadingOptions::new().max_bytes(8);
    let mut answer = GrowingAnswer::new(Arc::clone(contract.shapes()), options);
    answer.push("[1, 2, ");
    answer.push("3, 4, ");
    answer.push("5");
    assert_eq!(known(&answer), Some(json!([1, 2])));
}

#[test]
fn unclear_places_show_whole_strings_only() {
    let branches: Vec<_> =
        (0..200).map(|n| object(json!({"a": {"type": "string", "minLength": n}}))).collect();
    let schema = json!({"anyOf": branches});
    assert_eq!(shown(&schema, r#"{"a": "x"#), Some(json!({})));
    assert_eq!(shown(&schema, r#"{"a": "x","#), Some(json!({"a": "x"})));
}

#[test]
fn space_before_the_answer_is_not_looked_at_twice() {
    let mut answer = growing(&contract(json!({"type": "array"})));
    (0..200_000).for_each(|_| answer.push("\n"));
    answer.push("[1, ");
    assert_eq!(known(&answer), Some(json!([1])));
}

#[test]
fn alternatives_that_multiply_are_not_followed_for_every_part() {
    let mut definitions = json!({"L10": {"enum": ["no"]}});
    for level in 0..10 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        definitions[format!("L{level}")] = json!({"anyOf": [next, {"allOf": [next]}]});
    }
    let many = json!({"anyOf": [{"$ref": "#/$defs/L0"}, {"const": "yes"}]});
    let schema = json!({"type": "array", "items": many, "$defs": definitions});
    assert_eq!(done(&schema, r#"["no"]"#), (PartState::Done, Some(json!(["no"]))));
    assert_eq!(done(&schema, r#"["yes"]"#).0, PartState::Writing, "that would take too many looks");
}

/// Splits `text` into deltas of `bytes` bytes or a little more.
fn in_deltas(text: &str, bytes: usize) -> Vec<&str> {
    let mut deltas = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = (bytes.min(rest.len())..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap();
        deltas.push(&rest[..end]);
        rest = &rest[end..];
    }
    deltas
}

fn recorded() -> Vec<String> {
    [
        include_str!("../../../../tests/fixtures/replies/jsonrepair_js.jsonl"),
        include_str!("../../../../tests/fixtures/replies/vercel_fix_json.jsonl"),
        include_str!("../../../../tests/fixtures/replies/partialjson_py.jsonl"),
    ]
    .iter()
    .flat_map(|rows| rows.lines())
    .filter_map(|row| serde_json::from_str::<Value>(row).unwrap()["raw"].as_str().map(str::to_owned))
    .collect()
}

/// A list of numbered objects in Python's notation.
fn python_rows(count: usize) -> String {
    let rows: Vec<_> =
        (0..count).map(|n| format!("{{'qty': {n}, 'what': 'row {n}', 'paid': True}}")).collect();
    format!("[{}]", rows.join(",\n "))
}

#[test]
fn what_is_not_strict_is_shown_on_by_the_tolerant_reader() {
    let line =
        object(json!({"qty": {"type": "integer"}, "what": {"type": "string"}, "paid": {"type": "boolean"}}));
    let contract = contract(json!({"type": "array", "items": line}));
    let text = python_rows(100);
    let read = contract.read(&text).value.unwrap();
    let mut answer = growing(&contract);
    let mut lengths = Vec::new();
    for delta in in_deltas(&text, 3) {
        answer.push(delta);
        let Some(shown) = answer.snapshot() else { continue };
        assert!(shown.agrees_with(&read));
        let length = shown.len("").unwrap();
        lengths.extend((lengths.last() != Some(&length)).then_some(length));
        if let Some(before) = length.checked_sub(2) {
            assert_eq!(shown.state(&format!("/{before}")), PartState::Done);
        }
    }
    assert!(lengths.is_sorted() && lengths.len() > 3, "{lengths:?}");
    assert!(*lengths.last().unwrap() > 50, "{lengths:?}");
}

#[test]
fn a_string_that_is_not_strict_grows() {
    let contract = contract(object(json!({"text": {"type": "string"}})));
    let line = "Some words, \\\"quoted\\\" \\ud83d\\ude00 and a line break\n";
    let text = format!("{{\"text\": \"{}", line.repeat(100));
    let mut answer = growing(&contract);
    let mut lengths = Vec::new();
    for delta in in_deltas(&text, 5) {
        answer.push(delta);
        let shown = known(&answer).and_then(|value| value["text"].as_str().map(str::len)).unwrap_or_default();
        lengths.extend((lengths.last() != Some(&shown)).then_some(shown));
    }
    assert!(lengths.is_sorted() && *lengths.last().unwrap() > 2_000, "{lengths:?}");
    assert_eq!(state(&answer), PartState::Writing);
}

#[test]
fn garbage_is_read_a_bounded_number_of_times() {
    let bytes = |unit| if unit == "{'" { 1_000_000 } else { 100_000 };
    for unit in ["{'", "[", "'", "a: ", "[1 ", "{x: \"", "\"\n", "/*", "a\u{300}“", "{a:'b,", "\\"] {
        let text = format!("{{\"a\": 1, {}", unit.repeat(bytes(unit) / unit.len()));
        let mut answer = growing(&contract(json!({})));
        for delta in in_deltas(&text, 1) {
            answer.push(delta);
        }
        let Stage::Value(Written { tolerant: Some(tolerant), .. }) = &answer.stage else {
            panic!("{unit:?} is not strict")
        };
        assert!(tolerant.passed <= 3 * text.len() + 4_096, "{unit:?} {}", tolerant.passed);
    }
}

/// Returns whether the final view of `text` equals what the tolerant reader makes of the whole
/// text. Everything shown before has to be kept.
fn agrees(contract: &Contract, text: &str) -> bool {
    let mut answer = growing(contract);
    let mut before: Option<crate::reading::Snapshot> = None;
    for delta in in_deltas(text, 1) {
        answer.push(delta);
        let shown = answer.snapshot();
        if let Some(before) = &before {
            let shown = shown.as_ref().expect("what is shown stays");
            assert!(shown.has_all_of(before), "{text}: {:?} {:?}", before.value(""), shown.value(""));
        }
        before = shown;
    }
    let read = parse::bracketed(text, 0, 128, false, Some(contract.shapes().keys()))
        .map(|read| read.node.into_value());
    before.is_none_or(|shown| read.is_ok_and(|read| shown.agrees_with(&read)))
}

#[test]
fn what_is_shown_stays_and_is_what_is_read_of_all_recorded_replies_together() {
    let anything = contract(json!({}));
    let recorded = recorded();
    for start in (0..recorded.len()).step_by(4) {
        let parts = &recorded[start..recorded.len().min(start + 24)];
        let members: Vec<_> = parts.iter().enumerate().map(|(n, part)| format!("k{n}: {part}")).collect();
        for text in [
            format!("['x', {}]", parts.join(", ")),
            format!("{{'a': [{}]}}", parts.join(",\n")),
            format!("{{a: {{{}}}}}", members.join(", ")),
        ] {
            assert!(agrees(&anything, &text), "{text}");
        }
    }
}

#[test]
fn a_string_that_may_go_on_is_not_done_where_a_key_follows() {
    let mut schema = object(json!({"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}));
    schema["required"] = json!(["b"]);
    let words = "words ".repeat(100);
    let mut answer = growing(&contract(schema));
    answer.push("{'c': 1, ");
    answer.push(&format!("\"a\": \"He wrote,\nb: 5, and more {words} }}"));
    assert_eq!(answer.snapshot().unwrap().state("/a"), PartState::Writing);
    let more = (0..100).map(|n| format!("\"k{n}\": 1, ")).collect::<Vec<_>>().concat();
    answer.push(&format!(" and so on\", \"b\": 7, {more}"));
    let shown = answer.snapshot().unwrap();
    assert_eq!((shown.state("/a"), shown.value("/b")), (PartState::Done, Some(json!(7))));
}
