//! Replies after bug reports of other projects: each has one right value, or none.

use std::collections::BTreeMap;

use extract::{
    Contract, Violation,
    agent::{FinishReason, Reply, ToolCall},
    document::Document,
    testing::{ScriptedAgent, block_on},
};
use serde_json::{Value, json};

const ROWS: &str = include_str!("../../fixtures/field/replies.jsonl");

const KINDS: &str = include_str!("../../fixtures/field/kinds.jsonl");

/// Replies of the same kinds that are not read right yet.
const OPEN: &str = include_str!("../../fixtures/field/open.jsonl");

const CONTINUED: &str = include_str!("../../fixtures/field/continued.jsonl");

fn contract(types: &Value) -> Contract {
    match types {
        Value::String(types) => Contract::from_types(types).unwrap(),
        schema => Contract::from_schema(schema.clone()).unwrap(),
    }
}

fn reason(end: &Value) -> FinishReason {
    match end.as_str().unwrap() {
        "stop" => FinishReason::Stop,
        "length" => FinishReason::Length,
        "unknown" => FinishReason::Unknown,
        other => panic!("{other}"),
    }
}

/// The value that one attempt accepts.
fn accepted(row: &Value) -> Option<Value> {
    let contract = contract(&row["types"]);
    let reply = match row.get("calls") {
        Some(turns) => {
            let calls = turns[0].as_array().unwrap().iter();
            let call = |call: &Value| ToolCall::new(call[0].as_str().unwrap(), call[1].clone());
            Reply::new(row["reply"].as_str().unwrap_or_default()).with_calls(calls.map(call))
        }
        None => Reply::new(row["reply"].as_str().unwrap()).finished(reason(&row["end"])),
    };
    let agent = ScriptedAgent::new([reply]).calling_tools();
    let extraction = contract.extract(&agent, "…").max_attempts(1);
    let extraction = match row.get("document") {
        Some(document) => extraction.document(&Document::from_text(document.as_str().unwrap())),
        None => extraction,
    };
    let result = match row.get("calls") {
        Some(_) => block_on(extraction.tools()),
        None => block_on(extraction),
    };
    result.ok().map(|(value, _)| value)
}

/// The value that is accepted of replies that are cut and go on, one after the other.
fn accepted_of_continued(row: &Value) -> Option<Value> {
    let replies = row["replies"].as_array().unwrap().iter();
    let reply = |reply: &Value| Reply::new(reply["text"].as_str().unwrap()).finished(reason(&reply["end"]));
    let agent = ScriptedAgent::new(replies.map(reply)).continuing_replies();
    block_on(contract(&row["types"]).extract(&agent, "…")).ok().map(|(value, _)| value)
}

#[test]
fn no_reply_from_the_field_gives_a_wrong_value() {
    assert_right(ROWS, 65, accepted);
}

#[test]
fn nor_does_any_other_of_these_kinds() {
    assert_right(KINDS, 22_649, accepted);
}

#[test]
fn nor_do_replies_that_go_on() {
    assert_right(CONTINUED, 256, accepted_of_continued);
}

/// Text before and after a reply that is format, and no part of what it says.
const FORMATS: [(&str, &str); 8] = [
    ("\u{feff}", ""),
    ("\n\n", ""),
    ("", "\u{200b}"),
    ("", "<|im_end|>"),
    ("<think>\nLet me see.\n</think>\n\n", ""),
    ("<|im_start|>assistant\n", ""),
    ("<|channel|>final<|message|>", "<|return|>"),
    ("<s>[/INST] ", "</s>\n"),
];

#[test]
fn format_around_a_reply_decides_nothing() {
    let mut differing = Vec::new();
    let rows = KINDS.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
    for (index, mut row) in rows.filter(|row| row.get("calls").is_none()).enumerate() {
        let (before, after) = FORMATS[index % FORMATS.len()];
        let reply = row["reply"].as_str().unwrap().to_owned();
        // Each of several messages has a header, and a mark says how the turn ended.
        if before.contains("<|channel|>") && reply.contains("<|channel|>")
            || after.contains('<') && row["end"] == "unknown"
        {
            continue;
        }
        let bare = accepted(&row);
        row["reply"] = Value::from(format!("{before}{reply}{after}"));
        let wrapped = accepted(&row);
        if bare != wrapped {
            differing.push(format!("{} {bare:?} {wrapped:?}", row["reply"]));
        }
    }
    assert_eq!(differing, [""; 0], "{}", differing.len());
}

/// As one string, or as the arguments of a call in a string, a reply says what it says without quotes.
#[test]
fn quotes_around_a_reply_decide_nothing() {
    let mut differing = Vec::new();
    let rows = KINDS.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
    let is_meant = |row: &Value| {
        let has_brackets = row["types"]["type"] == "object" || row["types"]["type"] == "array";
        has_brackets && row.get("calls").is_none() && row["end"] == "stop"
    };
    for (index, mut row) in rows.filter(is_meant).enumerate() {
        let reply = row["reply"].as_str().unwrap().to_owned();
        if !reply.starts_with(['{', '[']) || !reply.ends_with(['}', ']']) {
            continue;
        }
        let bare = accepted(&row);
        let call = json!({"name": "submit", "arguments": reply});
        row["reply"] = Value::from(if index % 2 == 0 { json!(reply).to_string() } else { call.to_string() });
        let quoted = accepted(&row);
        // Where it shows nothing else, a call may be an object of the contract with its keys.
        if bare != quoted && (quoted.is_some() || index % 2 == 0) {
            differing.push(format!("{} {bare:?} {quoted:?}", row["reply"]));
        }
    }
    assert_eq!(differing, [""; 0], "{}", differing.len());
}

/// Returns whether `value` has all that `part` has, and more.
fn extends(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            part.iter().all(|(key, part)| value.get(key).is_some_and(|value| extends(value, part)))
        }
        (Value::Array(value), Value::Array(part)) => {
            value.len() >= part.len() && value.iter().zip(part).all(|(value, part)| extends(value, part))
        }
        (value, part) => value == part,
    }
}

/// Without a word that says which one counts, two answers are none, unless the second extends the first or both are
/// one list.
#[test]
fn two_answers_are_none() {
    let mut by_contract: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in KINDS.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        if let Some(value) = row["want"].get("value").filter(|_| row.get("document").is_none()) {
            let known = by_contract.entry(row["types"].to_string()).or_default();
            if !known.contains(value) {
                known.push(value.clone());
            }
        }
    }
    let fenced = |value: &Value| format!("```json\n{value}\n```");
    let (mut pairs, mut wrong) = (0, Vec::new());
    for (types, values) in &by_contract {
        let contract = contract(&serde_json::from_str(types).unwrap());
        for two in values.windows(2) {
            let [one, other] = two else { unreachable!() };
            let mut replies = vec![
                format!("{one}\n\n{other}"),
                format!("{}\n\n{other}", fenced(one)),
                format!("{one}\n\n{}", fenced(other)),
                format!("{one}\n\nThat is all the text says.\n\n{other}"),
            ];
            // Numbers and words may stand on the way to the answer.
            if one.is_object() || one.is_array() {
                replies.push(format!("Here it is:\n{one}\n\nHere it is:\n{}", fenced(other)));
            }
            for reply in replies {
                let agent = ScriptedAgent::new([reply.clone()]);
                let accepted =
                    block_on(contract.extract(&agent, "…").max_attempts(1)).ok().map(|found| found.0);
                let is_right = accepted.is_none_or(|value| {
                    let (one, other) = (one.as_array(), other.as_array());
                    let both = one.zip(other).map(|(one, other)| [&one[..], other].concat());
                    both.is_some_and(|both| value == Value::from(both))
                        || extends(&value, &two[0]) && value == two[1]
                });
                if !is_right {
                    wrong.push(format!("{types}: {reply}"));
                }
            }
            pairs += 1;
        }
    }
    assert!(pairs > 1_000, "{pairs}");
    assert_eq!(wrong, [""; 0], "{}", wrong.len());
}

/// Returns whether `found`, the accepted value, is what `row` wants.
fn is_right(row: &Value, found: Option<&Value>) -> bool {
    let want = &row["want"];
    match (found, want) {
        (None, Value::String(_)) => true,
        (None, want) => want.get("value_or_refuse").is_some(),
        (Some(found), want) => want.get("value").or(want.get("value_or_refuse")).is_some_and(|want| {
            // Few rows have the places of quotes.
            want == found || *want == *contract(&row["types"]).without_spans(found)
        }),
    }
}

fn assert_right(rows: &str, count: usize, accepted: fn(&Value) -> Option<Value>) {
    let mut wrong = Vec::new();
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), count);
    for row in &rows {
        let found = accepted(row);
        if !is_right(row, found.as_ref()) {
            let reply = row.get("reply").unwrap_or(&row["replies"]);
            wrong.push(format!("{}: {reply} {} {found:?}", row["id"], row["want"]));
        }
    }
    assert_eq!(wrong, [""; 0], "{} of {}", wrong.len(), rows.len());
}

/// A row that has become right moves to the others, and stays right.
#[test]
fn what_is_not_right_yet_is_listed_apart() {
    let rows = OPEN.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
    let right: Vec<String> = rows
        .filter(|row| is_right(row, accepted(row).as_ref()))
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(right, [""; 0], "{}", right.len());
}

#[test]
fn what_is_refused_is_told_with_its_text() {
    let row = ROWS.lines().find(|row| row.contains("\"trail-correct\"")).unwrap();
    let row: Value = serde_json::from_str(row).unwrap();
    let reading = contract(&row["types"]).read(row["reply"].as_str().unwrap());
    let shown: Vec<String> = reading.violations.iter().map(Violation::to_string).collect();
    assert!(shown[0].contains("Correction: n should be 2."), "{shown:?}");
}
