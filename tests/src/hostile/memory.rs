//! The memory for reading one reply.
//!
//! Peak memory is at most 32 times the reply. JSON with a value in every other byte takes more than
//! that as a value: then reading takes at most four times what `serde_json` takes for the same
//! value.

use std::hint::black_box;

use extract::Contract;
use serde_json::{Value, json};

use super::{Cost, measured};

fn contracts() -> [(&'static str, Contract); 7] {
    let union = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
        {"type": "array", "items": {"type": "integer"}},
    ]});
    let object = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    [
        ("object", object),
        ("optional", json!({"type": "object", "properties": {"a": {"type": "integer"}}})),
        ("list", json!({"type": "array", "items": {"type": "integer"}})),
        ("scalar", json!({"type": "integer"})),
        ("string", json!({"type": "string"})),
        ("anything", json!(true)),
        ("union", union),
    ]
    .map(|(name, schema)| (name, Contract::from_schema(schema).unwrap()))
}

const PIECES: [&str; 52] = [
    "{]",
    "[}",
    "][",
    "}{",
    "{\"a\":",
    "[[",
    "((",
    "({[",
    "{[",
    "[{\"a\":",
    "\"",
    "\\\"",
    "'",
    "“",
    "`",
    "\\",
    ",",
    "{,",
    "[1,",
    "[1] ",
    "[x] ",
    "[1]]",
    "{a",
    "{:",
    "{a:1,",
    "a:b\n",
    "a,",
    "=",
    "-",
    "f(a=",
    "f(a=1) ",
    "<think>",
    "</think>",
    "```",
    "//",
    "/*",
    "#",
    "…",
    "...",
    "}",
    "\u{a0}",
    "\u{2028}",
    "[-",
    "{\"\"\"a",
    "\"+\"",
    "[\"a\"",
    "{\"a\" ",
    "{\\\"a\\\":1}",
    "- 1\n",
    "{\"a\":1}",
    "{\"a\":1,\"a\":2}",
    "{}",
];

/// Each piece repeated, alone and inside something that may be JSON.
fn replies(piece: &str, bytes: usize) -> [String; 5] {
    let many = piece.repeat(bytes / piece.len());
    [
        many.clone(),
        format!("[{many}]"),
        format!("{{\"a\":{many}}}"),
        format!("x [{many}"),
        format!("{{\"a\":[{many}]}}"),
    ]
}

/// The cost of reading, and its limit.
pub(super) fn cost_of(contract: &Contract, reply: &str) -> (Cost, u64) {
    let (reading, cost) = measured(|| contract.read(reply));
    assert!(reading.value.is_some() || !reading.violations.is_empty());
    let text = reading.value.map(|value| value.to_string()).unwrap_or_default();
    let (_, value) = measured(|| black_box(serde_json::from_str::<Value>(&text)).is_ok());
    (cost, (4 * value.peak).max(32 * reply.len() as u64))
}

fn start(reply: &str) -> String {
    reply.chars().take(24).collect()
}

fn takes_no_more(name: &str) {
    let (_, contract) = contracts().into_iter().find(|(known, _)| *known == name).unwrap();
    for reply in PIECES.iter().flat_map(|piece| replies(piece, 64 << 10)) {
        let (cost, most) = cost_of(&contract, &reply);
        assert!(cost.peak <= most, "{:?} took {} of {most}", start(&reply), cost.peak);
    }
}

#[test]
fn no_reply_takes_more_than_thirty_two_times_itself_where_an_object_is_wanted() {
    takes_no_more("optional");
}

#[test]
fn nor_where_a_list_is_wanted() {
    takes_no_more("list");
}

#[test]
fn nor_where_a_scalar_is_wanted() {
    takes_no_more("scalar");
}

#[test]
fn nor_where_there_are_alternatives() {
    takes_no_more("union");
}

#[test]
fn work_grows_as_the_reply_does() {
    let [.., union] = contracts();
    for piece in PIECES {
        let (small, large) = (replies(piece, 24 << 10), replies(piece, 48 << 10));
        for (small, large) in small.iter().zip(&large) {
            let (less, more) = (cost_of(&union.1, small).0.total, cost_of(&union.1, large).0.total);
            // A long one may be given up, and searched once more.
            let most = less * 22 / 10 + 64 * large.len() as u64;
            assert!(more <= most, "{:?}: {less} and {more}", start(small));
        }
    }
}

#[test]
fn a_long_one_takes_no_more() {
    let (name, contract) = &contracts()[2];
    for piece in ["{]", "[}", "{\"a\":", "[x] "] {
        let (cost, most) = cost_of(contract, &piece.repeat((1 << 20) / piece.len()));
        assert!(cost.peak <= most, "{name}: {piece:?} took {} of {most}", cost.peak);
    }
}

#[test]
fn changes_in_deep_places_take_no_more() {
    let key = "k".repeat(2_000);
    let open = format!("{{\"{key}\":").repeat(100);
    let many = "'a',".repeat(2_000);
    let reply = format!("{open}[{many}]{}", "}".repeat(100));
    for (name, contract) in contracts() {
        let (cost, most) = cost_of(&contract, &reply);
        assert!(cost.peak <= most, "{name}: {} of {most}", cost.peak);
    }
    let reading = contracts()[0].1.read(&reply);
    let last = reading.changes.last().unwrap();
    assert_eq!(last.kind, extract::reading::ChangeKind::Others);
    let counted: usize = last.after.split(' ').next().unwrap().parse().unwrap();
    let told = reading.changes.len() - 1 + counted;
    assert!((2_000..2_010).contains(&told), "nothing is lost: {told}");
}
