//! One bracket or comma too many, too few or of the wrong kind.
//!
//! A reply of four elements gets one slip at every structural position, in each way of ending. It
//! is read as it was meant, or not at all.

use extract::{Contract, Violation, reading::ReplyEnd};
use serde_json::{Value, json};

const SIGNS: [char; 5] = ['{', '}', '[', ']', ','];

/// A contract and a value for it, nested up to four levels deep.
fn cases() -> Vec<(Value, Value)> {
    let optional = json!({"type": ["string", "null"]});
    let person = json!({"type": "object", "properties": {"id": {"type": "integer"}, "name": optional}, "required": ["id"]});
    let line = json!({"type": "object", "properties": {"name": {"type": "string"}, "qty": {"type": ["integer", "null"]}},
        "required": ["name"]});
    let tagged = json!({"type": "object", "properties": {"name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["name"]});
    let deep = json!({"type": "object", "properties": {"id": {"type": "integer"}, "a": {"type": "object", "properties": {
        "b": {"type": "object", "properties": {"c": {"type": ["integer", "null"]}}}}}}, "required": ["id"]});
    let free = json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}});
    let grid = json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}});
    let object = |key: &str, item: Value, more: Value| {
        let mut properties = json!({key: {"type": "array", "items": item}});
        properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"type": "object", "properties": properties, "required": [key]})
    };
    vec![
        (
            json!({"type": "array", "items": person}),
            json!([{"id": 0, "name": "A"}, {"id": 1, "name": "B"}, {"id": 2, "name": "C"}, {"id": 3, "name": "D"}]),
        ),
        (
            object("items", line, json!({})),
            json!({"items": [{"name": "A", "qty": 1}, {"name": "B", "qty": 2}, {"name": "C", "qty": 3}, {"name": "D", "qty": 4}]}),
        ),
        (
            object(
                "items",
                tagged,
                json!({"title": {"type": "string"}, "total": {"type": ["number", "null"]}}),
            ),
            json!({"title": "T", "items": [{"name": "A", "tags": ["x", "y"]}, {"name": "B", "tags": []},
                {"name": "C", "tags": ["z"]}, {"name": "D", "tags": ["w"]}], "total": 4}),
        ),
        (
            json!({"type": "array", "items": deep}),
            json!([{"id": 0, "a": {"b": {"c": 1}}}, {"id": 1, "a": {"b": {"c": 2}}}, {"id": 2, "a": {"b": {"c": 3}}}, {"id": 3}]),
        ),
        (
            json!({"type": "array", "items": free}),
            json!([{"x": 0, "y": 1}, {"x": 2, "y": 3}, {"x": 4, "y": 5}, {"x": 6, "y": 7}]),
        ),
        (grid, json!([[1, 2], [3, 4], [], [5]])),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            json!(["one", "two, three", "four}", "{five"]),
        ),
    ]
}

/// Returns the structural positions of `text`: its brackets and commas outside of strings.
fn places(text: &str) -> Vec<usize> {
    let (mut places, mut is_in_string, mut is_escaped) = (Vec::new(), false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_in_string => is_escaped = true,
            '"' => is_in_string = !is_in_string,
            _ if !is_in_string && SIGNS.contains(&c) => places.push(at),
            _ => {}
        }
    }
    places
}

/// `text` with one slip, in every way.
fn slips(text: &str) -> Vec<String> {
    let places = places(text);
    let mut slips = Vec::new();
    for at in places.iter().copied() {
        let (before, sign, after) = (&text[..at], &text[at..=at], &text[at + 1..]);
        slips.push(format!("{before}{after}"));
        for other in SIGNS {
            slips.push(format!("{before}{sign}{other}{after}"));
            if !sign.starts_with(other) {
                slips.push(format!("{before}{other}{after}"));
            }
        }
    }
    for pair in places.windows(2) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.swap(pair[0], pair[1]);
        slips.push(String::from_utf8(bytes).unwrap());
    }
    // A slip that is strict JSON again has another meaning: `[1,2]` without its comma is `[12]`.
    slips.retain(|slip| serde_json::from_str::<Value>(slip).is_err());
    slips
}

fn accepted(contract: &Contract, reply: &str, end: ReplyEnd) -> Option<Value> {
    let reading = contract.reader().reply_end(end).read(reply);
    let value = reading.value.filter(|_| reading.violations.is_empty())?;
    contract.validate(&value).iter().all(Violation::is_warning).then_some(value)
}

#[test]
fn a_slip_is_repaired_as_it_was_meant_or_not_at_all() {
    let (mut right, mut all, mut wrong) = (0, 0, Vec::new());
    for (schema, value) in cases() {
        let contract = Contract::from_schema(schema).unwrap();
        assert_eq!(contract.validate(&value), []);
        for text in [value.to_string(), format!("{value:#}")] {
            for slip in slips(&text) {
                for end in [ReplyEnd::Whole, ReplyEnd::Unknown, ReplyEnd::Cut] {
                    all += 1;
                    match accepted(&contract, &slip, end) {
                        Some(found) if found == value => right += 1,
                        Some(found) => wrong.push(format!("{end:?} {slip}\n  {found}")),
                        None => {}
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    assert!(right * 100 > all * 60, "{right} of {all} are read");
}

/// After prose, in a fence and with another value's text around it, a slip is the same slip.
#[test]
fn what_stands_around_a_slip_changes_nothing() {
    let (schema, value) = cases().swap_remove(0);
    let contract = Contract::from_schema(schema).unwrap();
    for slip in slips(&value.to_string()) {
        let bare = accepted(&contract, &slip, ReplyEnd::Whole);
        for reply in [
            format!("Here it is:\n{slip}"),
            format!("```json\n{slip}\n```"),
            format!("{slip}\n\nThat is all."),
        ] {
            let found = accepted(&contract, &reply, ReplyEnd::Whole);
            assert!(
                found.is_none() || found == bare || found.as_ref() == Some(&value),
                "{reply}\n{found:?} {bare:?}"
            );
        }
    }
}

#[test]
fn a_long_reply_with_a_slip_is_repaired_too_and_an_endless_one_ends() {
    let items: Vec<Value> =
        (0..1_000).map(|id| json!({"id": id, "name": "A", "more": {"a": [1, 2]}})).collect();
    let (schema, value) = (cases().swap_remove(0).0, Value::from(items));
    let contract = Contract::from_schema(schema).unwrap();
    let slip = value.to_string().replacen("{\"id\":500", "{{\"id\":500", 1);
    let found = accepted(&contract, &slip, ReplyEnd::Whole);
    assert!(found.is_none() || found == Some(value.clone()), "{found:?}");
    for piece in ["{]", "[}", "}{", "{\"a\":", "[1,", "[]", "{}", ":"] {
        let endless = format!("[{}]", piece.repeat(50_000));
        assert_eq!(accepted(&contract, &endless, ReplyEnd::Whole), None, "{piece}");
    }
}
