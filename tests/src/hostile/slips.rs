//! One bracket, comma, colon or quote too many, too few or of the wrong kind.
//!
//! A reply gets one slip at every structural position, in each way of ending. It is read as it was
//! meant, or not at all.

use std::collections::BTreeSet;

use extract::{Contract, reading::ReplyEnd};
use serde_json::{Value, json};

use super::{is_same, read_and_valid};

const SIGNS: [char; 5] = ['{', '}', '[', ']', ','];

/// A contract and a value for it, nested up to four levels deep.
pub(super) fn cases() -> Vec<(Value, Value)> {
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

/// The signs of the second test, which slips at quotes and colons, too.
const MORE_SIGNS: [&str; 10] = ["{", "}", "[", "]", ",", ":", "\"", "'", "”", ";"];

/// Strings that end with digits or hold signs and quotes, maps, numbers beside strings, and what is empty.
pub(super) fn cases_with_more_signs() -> Vec<(Value, Value)> {
    let (string, integer) = (json!({"type": "string"}), json!({"type": "integer"}));
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let list = |items: &Value| json!({"type": "array", "items": items});
    let map = |values: &Value| json!({"type": "object", "additionalProperties": values});
    let line = object(
        json!({"sku": string, "qty": integer, "note": {"type": ["string", "null"]}}),
        json!(["sku", "qty"]),
    );
    let person = object(
        json!({"name": string, "age": {"type": ["integer", "null"]}, "email": string}),
        json!(["name"]),
    );
    vec![
        (
            object(
                json!({"no": string, "date": string, "lines": list(&line), "total": {"type": "number"}}),
                json!(["no", "lines"]),
            ),
            json!({"no": "R-2024-118", "date": "2024-03-18", "lines": [{"sku": "A-17", "qty": 2, "note": "6\" pipe, blue"},
                {"sku": "B 3", "qty": 1, "note": null}], "total": 44.3}),
        ),
        (
            object(
                json!({"targets": list(&json!({"type": ["string", "integer"]})), "mode": string}),
                json!(["targets"]),
            ),
            json!({"targets": [17, "router-2", 9, "gw"], "mode": "any"}),
        ),
        (
            object(json!({"lang": string, "terms": map(&string)}), json!(["lang", "terms"])),
            json!({"lang": "de", "terms": {"house": "Haus 1", "tree": "Baum", "a b": ""}}),
        ),
        (
            object(
                json!({"from": list(&integer), "rows": list(&list(&json!({"type": "number"})))}),
                json!(["from"]),
            ),
            json!({"from": [0, 3], "rows": [[0.5, 1.25], [2, 3], []]}),
        ),
        (list(&string), json!(["one 1", "two, three", "", "Al", "12"])),
        (
            object(
                json!({"name": string, "aliases": list(&string), "meta": map(&integer), "ok": {"type": "boolean"}}),
                json!(["name"]),
            ),
            json!({"name": "", "aliases": [], "meta": {"a": 1, "b": 20}, "ok": true}),
        ),
        (list(&person), json!([{"name": "Ann", "age": 31, "email": "a@b.c"}, {"name": "Bo 2", "age": null}])),
        (map(&list(&string)), json!({"fruit": ["apple", "pear"], "veg": ["leek"], "nuts": []})),
        (
            object(json!({"title": string, "text": string, "tags": list(&string)}), json!(["title", "text"])),
            json!({"title": "A: B, C", "text": "He said \"no\".\nThen left {x}, [y].", "tags": ["a, b", "c: d"]}),
        ),
    ]
}

/// Returns the structural positions of `text`: its brackets and commas outside of strings.
fn places(text: &str) -> Vec<usize> {
    signs(text).filter(|(_, sign)| SIGNS.contains(sign)).map(|(at, _)| at).collect()
}

/// The signs of `text` that are not inside of strings: brackets, commas, colons and quotes.
fn signs(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut is_in_string, mut is_escaped) = (false, false);
    text.char_indices().filter(move |(_, c)| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        is_escaped = is_in_string && *c == '\\';
        is_in_string ^= *c == '"';
        *c == '"' || !is_in_string && "{}[],:".contains(*c)
    })
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

/// `text` with one slip at each sign.
fn slips_at_all_signs(text: &str) -> BTreeSet<String> {
    let places: Vec<_> = signs(text).collect();
    let mut slips = BTreeSet::new();
    for (at, sign) in places.iter().copied() {
        let (before, after) = (&text[..at], &text[at + 1..]);
        slips.insert(format!("{before}{after}"));
        slips.extend((sign == ',').then(|| format!("{before}.{after}")));
        for other in MORE_SIGNS {
            slips.insert(format!("{before}{sign}{other}{after}"));
            slips.insert(format!("{before}{other}{sign}{after}"));
            slips.insert(format!("{before}{other}{after}"));
        }
    }
    for pair in places.windows(2) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.swap(pair[0].0, pair[1].0);
        slips.insert(String::from_utf8(bytes).unwrap());
    }
    slips.retain(|slip| serde_json::from_str::<Value>(slip).is_err());
    slips
}

/// Reads the values of `cases` with every one of their `slips`. None may be read as another value. Returns
/// how many are read, and how many there are.
fn read_right<S: IntoIterator<Item = String>>(
    cases: Vec<(Value, Value)>,
    slips: impl Fn(&str) -> S,
) -> (usize, usize) {
    let (mut right, mut all, mut wrong) = (0, 0, Vec::new());
    for (schema, value) in cases {
        let contract = Contract::from_schema(schema).unwrap();
        assert_eq!(contract.validate(&value), []);
        for text in [value.to_string(), format!("{value:#}")] {
            for slip in slips(&text) {
                for end in [ReplyEnd::Whole, ReplyEnd::Unknown, ReplyEnd::Cut] {
                    all += 1;
                    match read_and_valid(&contract, &slip, end) {
                        Some(found) if is_same(&found, &value) => right += 1,
                        Some(found) => wrong.push(format!("{end:?} {slip}\n  {found}")),
                        None => {}
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    (right, all)
}

#[test]
fn a_slip_is_repaired_as_it_was_meant_or_not_at_all() {
    let (right, all) = read_right(cases(), slips);
    // A comma in the place of a list's first bracket is how the rest of a list begins.
    assert!(right * 100 > all * 59, "{right} of {all} are read");
}

/// A quote more or less often leaves two readings, so fewer are read.
#[test]
fn a_slip_at_a_quote_or_colon_is_repaired_as_it_was_meant_or_not_at_all() {
    let (right, all) = read_right(cases_with_more_signs(), slips_at_all_signs);
    assert!(right * 100 > all * 30, "{right} of {all} are read");
}

/// After prose, in a fence and with another value's text around it, a slip is the same slip.
#[test]
fn what_stands_around_a_slip_changes_nothing() {
    let (schema, value) = cases().swap_remove(0);
    let contract = Contract::from_schema(schema).unwrap();
    for slip in slips(&value.to_string()) {
        let bare = read_and_valid(&contract, &slip, ReplyEnd::Whole);
        for reply in [
            format!("Here it is:\n{slip}"),
            format!("```json\n{slip}\n```"),
            format!("{slip}\n\nThat is all."),
        ] {
            let found = read_and_valid(&contract, &reply, ReplyEnd::Whole);
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
    let found = read_and_valid(&contract, &slip, ReplyEnd::Whole);
    assert!(found.is_none() || found == Some(value.clone()), "{found:?}");
    for piece in ["{]", "[}", "}{", "{\"a\":", "[1,", "[]", "{}", ":"] {
        let endless = format!("[{}]", piece.repeat(50_000));
        assert_eq!(read_and_valid(&contract, &endless, ReplyEnd::Whole), None, "{piece}");
    }
}
