//! The rest of a list while it streams in.

use std::sync::{Arc, Mutex};

use extract::items::Items;
use extract::partials::PartialStep;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Event};
use serde_json::{Value, json};

use super::cut;

/// Objects with numbers, which are unlikely to be written twice.
fn rows(numbers: impl IntoIterator<Item = u32>) -> Vec<Value> {
    numbers.into_iter().map(|id| json!({"id": id})).collect()
}

fn contract() -> Contract {
    let row = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    Contract::from_schema(json!({"type": "array", "items": row})).unwrap()
}

/// The first three rows, and the beginning of another one.
const START: &str = r#"[{"id": 0}, {"id": 1}, {"id": 2}, {"id"#;

/// An agent that is cut after three rows and then writes `rest`, a letter at a time.
fn agent(from: usize, rest: &[Value]) -> ScriptedAgent {
    let reply = json!({"from": from, "rest": rest}).to_string();
    let letters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    let deltas = letters(&reply);
    ScriptedAgent::new([cut(START)]).streaming(letters(START)).then(reply).streaming(deltas)
}

/// The items by index, with a word for each reply that was written to its end.
fn log(agent: &ScriptedAgent) -> (Vec<String>, Result<Value, String>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&log);
    let contract = contract();
    let extraction = contract.extract(agent, "…").max_attempts(4).observe(move |event| {
        if let Event::Replied { .. } = event {
            events.lock().unwrap().push("replied".to_owned());
        }
    });
    let mut items: Items<'_, Value, Value> = extraction.items();
    let outcome = block_on(async {
        while let Some(Ok(item)) = items.next().await {
            log.lock().unwrap().push(item.index.to_string());
        }
        items.finish().await
    });
    let log = log.lock().unwrap().clone();
    (log, outcome.map(|(value, _)| value).map_err(|error| error.to_string()))
}

#[test]
fn items_of_the_rest_come_before_it_ends() {
    let (log, value) = log(&agent(3, &rows(3..6)));
    assert_eq!(log, ["0", "1", "2", "replied", "3", "4", "5", "replied"]);
    assert_eq!(value.unwrap(), Value::from(rows(0..6)));
}

#[test]
fn what_was_there_already_comes_once() {
    let (log, value) = log(&agent(1, &rows(1..6)));
    assert_eq!(log, ["0", "1", "2", "replied", "3", "4", "5", "replied"]);
    assert_eq!(value.unwrap(), Value::from(rows(0..6)));
}

#[test]
fn nothing_comes_behind_a_seam_that_does_not_fit() {
    let (log, value) = log(&agent(1, &rows([1, 9, 3])));
    assert_eq!(log, ["0", "1", "2", "replied", "replied"]);
    assert!(value.unwrap_err().contains("reads differently"), "a delivered item can neither stay nor change");
    for (from, rest) in [(4, rows([4])), (3, rows([2, 3])), (3, rows([1, 2, 3]))] {
        let agent = agent(from, &rest).then(json!({"from": 3, "rest": rows([7])}).to_string());
        let (log, value) = self::log(&agent);
        assert_eq!(log, ["0", "1", "2", "replied", "replied", "replied", "3"], "{from} {rest:?}");
        assert_eq!(value.unwrap(), Value::from(rows([0, 1, 2, 7])));
    }
}

#[test]
fn rows_that_may_be_the_last_ones_again_are_held_until_they_are_not() {
    let (log, value) = log(&agent(3, &rows([1, 4, 5])));
    assert_eq!(log, ["0", "1", "2", "replied", "3", "4", "5", "replied"]);
    assert_eq!(value.unwrap(), Value::from(rows([0, 1, 2, 1, 4, 5])));
    let (log, value) = self::log(&agent(3, &rows([1])));
    assert_eq!(log, ["0", "1", "2", "replied", "replied", "3"], "the reply ended before it was clear");
    assert_eq!(value.unwrap(), Value::from(rows([0, 1, 2, 1])));
}

#[test]
fn partials_grow_by_the_rows_of_the_rest() {
    let agent = agent(2, &rows(2..5));
    let contract = contract();
    let (lengths, last) = block_on(async {
        let mut steps = contract.extract(&agent, "…").partials();
        let (mut lengths, mut last) = (Vec::new(), None);
        while let Some(step) = steps.next().await {
            match step.unwrap() {
                PartialStep::Partial(partial) => {
                    let shown = partial.to_value();
                    let mut complete = shown.as_array().unwrap().clone();
                    complete.retain(|row| row.get("id").is_some());
                    assert!(rows(0..5).starts_with(&complete), "{shown}");
                    lengths.extend(partial.len(""));
                }
                PartialStep::Restarted { .. } => lengths.clear(),
                PartialStep::Finished(value, _) => last = Some(value),
                _ => unreachable!(),
            }
        }
        (lengths, last)
    });
    assert_eq!(lengths, [3, 4, 5, 5], "what was there, two rows, and the whole");
    assert_eq!(last.unwrap(), Value::from(rows(0..5)));
}
