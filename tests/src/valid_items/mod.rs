//! Accepting an attempt without its broken items.

mod arbitrary;
mod ends;
mod lists;
mod rest;

use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Contract, Event, Extractable, ExtractionMetrics};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Line {
    title: String,
    #[extract(range(min = 1))]
    count: u32,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Order {
    number: u32,
    #[extract(keep_valid_items)]
    lines: Vec<Line>,
    tags: Vec<u8>,
}

fn line(title: &str, count: i32) -> Value {
    json!({"title": title, "count": count})
}

/// Contract of a list of integers of at least 0.
fn naturals() -> Contract {
    Contract::from_schema(json!({"type": "array", "items": {"type": "integer", "minimum": 0}})).unwrap()
}

/// An agent that gives all `replies`, and no other.
fn agent<const N: usize>(replies: [Value; N]) -> ScriptedAgent {
    ScriptedAgent::new(replies.map(|reply| reply.to_string()))
}

/// The paths of the items that were left out, each with its codes.
fn told(metrics: &ExtractionMetrics) -> Vec<String> {
    let codes = |item: &extract::LeftOutItem| {
        let codes: Vec<_> = item.violations.iter().map(|violation| violation.code.to_string()).collect();
        codes.join(" ")
    };
    metrics.left_out.iter().map(|item| format!("{} {}", item.path, codes(item))).collect()
}

#[test]
fn a_list_is_accepted_without_its_broken_items_once_the_attempts_are_used_up() {
    let agent = agent([json!([1, -1, "x"]), json!([1, -2, 3, -4])]);
    let mut events = Vec::new();
    let extraction = naturals().extract(&agent, "…").max_attempts(2).keep_valid_items(true);
    let extraction = extraction.observe(|event| match event {
        Event::Judged { record, is_accepted, .. } => events.push(format!("{} {is_accepted}", record.number)),
        Event::LeftOut { attempt, left_out, .. } => {
            events.push(format!("{attempt} without {}", left_out.len()));
        }
        Event::Done { is_success, .. } => events.push(format!("done {is_success}")),
        _ => {}
    });
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!((value, metrics.attempts), (json!([1, 3]), 2));
    assert_eq!(told(&metrics), ["$[1] INVALID_VALUE", "$[3] INVALID_VALUE"]);
    assert_eq!(metrics.left_out[1].value, -4);
    let verdicts: Vec<_> = metrics.per_attempt.iter().map(|attempt| attempt.verdict).collect();
    assert_eq!(verdicts, [AttemptStatus::Rejected, AttemptStatus::AcceptedInPart]);
    assert_eq!(events, ["1 false", "2 false", "2 without 2", "done true"]);
    assert!(metrics.to_string().ends_with(", 2 items left out"), "{metrics}");
    let stored = serde_json::to_string(&metrics).unwrap();
    assert_eq!(serde_json::from_str::<ExtractionMetrics>(&stored).unwrap(), metrics);
}

#[test]
fn a_marked_list_loses_items_only_if_that_is_asked_for() {
    let reply = json!({"number": 1, "lines": [line("a", 1), line("b", 0)], "tags": []});
    let asked = agent([reply.clone()]);
    let (order, metrics) =
        block_on(Order::extract(&asked, "…").max_attempts(1).keep_valid_items(true)).unwrap();
    assert_eq!((order.number, order.lines), (1, vec![Line { title: "a".to_owned(), count: 1 }]));
    assert_eq!(told(&metrics), ["$.lines[1] INVALID_VALUE"]);
    assert_eq!(metrics.left_out[0].value, line("b", 0));
    assert!(!asked.requests()[0].conversation.to_text().contains("keep"), "the agent does not see the mark");
    assert!(!asked.requests()[0].schema.as_ref().unwrap().to_string().contains("keep"));

    let unasked = block_on(Order::extract(&agent([reply]), "…").max_attempts(1)).unwrap_err();
    assert_eq!(unasked.name(), "MaxRetriesExceeded");
    assert!(unasked.metrics().left_out.is_empty());
}

#[test]
fn a_right_answer_keeps_everything() {
    let (value, metrics) =
        block_on(naturals().extract(&agent([json!([1, 2])]), "…").keep_valid_items(true)).unwrap();
    assert_eq!((value, metrics.left_out.len()), (json!([1, 2]), 0));
    assert_eq!(metrics.per_attempt[0].verdict, AttemptStatus::Accepted);
}

#[test]
fn where_nothing_could_be_left_out_the_setting_is_an_error() {
    #[derive(Debug, Deserialize, Extractable)]
    #[allow(dead_code, reason = "only asked for")]
    struct Unmarked {
        lines: Vec<Line>,
    }
    let nobody = agent([]);
    let error = block_on(Unmarked::extract(&nobody, "…").keep_valid_items(true)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`keep_valid_items` is set, but the answer is not a list and no list in it is marked; \
         add `#[extract(keep_valid_items)]` to the field whose broken items may be left out"
    );
    let tuple = block_on(<(u8, u8)>::extract(&nobody, "…").keep_valid_items(true)).unwrap_err();
    assert_eq!(tuple.name(), "Settings");
    assert!(nobody.requests().is_empty());
}
