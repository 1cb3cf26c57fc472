//! The memory for reading one reply.
//!
//! Peak memory is at most 32 times the reply. JSON with a value in every other byte takes more than
//! that as a value: then reading takes at most four times what `serde_json` takes for the same
//! value.

use std::{fmt::Write as _, hint::black_box};

use extract::{
    Contract,
    testing::{ScriptedAgent, block_on},
};
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

/// Returns a small object, with unknown members after its own, up to `bytes`.
fn with_unknown_members(bytes: usize) -> String {
    let mut reply = String::from("{\"a\":1");
    for index in 0.. {
        if reply.len() >= bytes {
            break;
        }
        let _ = write!(reply, ",\"k{index}\":{}", index % 10);
    }
    reply.push('}');
    reply
}

/// As values, they take 20 times their bytes.
#[test]
fn partials_of_unknown_members_take_at_most_ten_times_the_reply() {
    let (_, contract) = &contracts()[0];
    let reply = with_unknown_members(1 << 20);
    let deltas: Vec<&str> =
        reply.as_bytes().chunks(1 << 16).map(|chunk| str::from_utf8(chunk).unwrap()).collect();
    let agent = ScriptedAgent::new([reply.as_str()]).streaming(deltas);
    let (error, cost) = measured(|| {
        let mut partials = contract.extract(&agent, "x").max_attempts(1).partials();
        block_on(async {
            loop {
                match partials.next().await {
                    Some(Ok(_)) => {}
                    Some(Err(error)) => break error.to_string(),
                    None => panic!("an error was expected"),
                }
            }
        })
    });
    assert!(error.contains("under keys that were not asked for"), "{error}");
    assert!(cost.peak <= 10 * reply.len() as u64, "{} times", cost.peak / reply.len() as u64);
}

#[test]
fn a_reply_of_unknown_values_is_refused_in_every_wrapper() {
    let (_, contract) = &contracts()[0];
    let members = with_unknown_members(1 << 19);
    let list = format!("{{\"a\":1,\"b\":[{}1]}}", "1,".repeat(1 << 16));
    for reply in [&members, &list] {
        let (open, _) = reply.split_at(reply.len() - 1);
        for reply in [
            reply.clone(),
            format!("```json\n{reply}\n```"),
            format!("Here it is: {reply}"),
            format!("{open},}}"),
        ] {
            let reading = contract.read(&reply);
            assert_eq!(reading.value, None, "{}", start(&reply));
            assert!(reading.violations[0].message.contains("keys that were not asked for"));
        }
    }
}

/// It is the same answer under another spelling of its key, or in an envelope.
#[test]
fn many_values_under_a_key_in_another_spelling_are_not_unknown() {
    let item =
        json!({"type": "object", "properties": {"quantity": {"type": "integer"}}, "required": ["quantity"]});
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"line_items": {"type": "array", "items": item}},
        "required": ["line_items"],
    }))
    .unwrap();
    let items = vec!["{\"quantity\":1}"; 40_000].join(",");
    for reply in [
        format!("{{\"line_items\":[{items}]}}"),
        format!("{{\"lineItems\":[{items}]}}"),
        format!("{{\"lineItems\":[{items},]}}"),
        format!("{{\"result\":{{\"line_items\":[{items}]}}}}"),
    ] {
        let reading = contract.read(&reply);
        assert_eq!(reading.violations, [], "{}", start(&reply));
        assert_eq!(reading.value.unwrap()["line_items"].as_array().unwrap().len(), 40_000);
    }
}
