//! Differences between two requests.

use serde_json::Value;

use super::recording::RecordedRequest;
use crate::vocabulary::{json_pointer, text::quoted};

/// Characters of a line that are shown: before the first difference, and in all.
const BEFORE: usize = 40;
const SHOWN: usize = 120;

/// Returns the first difference with both sides, and where else the requests differ. They must not
/// be equal.
pub(super) fn of(recorded: &RecordedRequest, asked: &RecordedRequest) -> String {
    let mut differences = all(recorded, asked).into_iter();
    let Some(CassetteDifference { place, recorded, asked }) = differences.next() else {
        return "nothing that can be shown".to_owned();
    };
    let others: Vec<String> = differences.map(|difference| difference.place).collect();
    let others = if others.is_empty() { String::new() } else { format!("\nalso in {}", others.join(", ")) };
    format!("{place}\n  recorded: {recorded}\n  asked:    {asked}{others}")
}

struct CassetteDifference {
    place: String,
    recorded: String,
    asked: String,
}

impl CassetteDifference {
    fn new(place: impl Into<String>, recorded: impl Into<String>, asked: impl Into<String>) -> Self {
        Self { place: place.into(), recorded: recorded.into(), asked: asked.into() }
    }
}

fn all(recorded: &RecordedRequest, asked: &RecordedRequest) -> Vec<CassetteDifference> {
    let mut differences = Vec::new();
    for (number, (was, is)) in (1..).zip(recorded.turns.iter().zip(&asked.turns)) {
        if was.role != is.role {
            let place = format!("who speaks in turn {number}");
            differences.push(CassetteDifference::new(place, was.role.to_string(), is.role.to_string()));
        }
        differences.extend(in_text(&format!("turn {number} ({})", is.role), &was.text.0, &is.text.0));
    }
    let (were, are) = (recorded.turns.len(), asked.turns.len());
    if were != are {
        differences.push(CassetteDifference::new("the number of turns", were.to_string(), are.to_string()));
    }
    differences.extend(in_json("the schema", recorded.schema.as_ref(), asked.schema.as_ref()));
    differences.extend(in_json("the tools", recorded.tools.as_ref(), asked.tools.as_ref()));
    differences.extend(in_setting("max_output_tokens", recorded.max_output_tokens, asked.max_output_tokens));
    differences.extend(in_setting("temperature", recorded.temperature, asked.temperature));
    differences.extend(in_setting("thinking", recorded.thinking, asked.thinking));
    let prefill = |request: &RecordedRequest| request.prefill.as_ref().map(|lines| lines.0.clone());
    match (prefill(recorded), prefill(asked)) {
        (Some(was), Some(is)) => differences.extend(in_text("the prefill", &was, &is)),
        (was, is) => differences.extend(in_setting("prefill", was, is)),
    }
    differences
}

fn in_setting<T: PartialEq + ToString>(
    name: &str,
    recorded: Option<T>,
    asked: Option<T>,
) -> Option<CassetteDifference> {
    let shown = |value: Option<T>| value.map_or_else(|| "not set".to_owned(), |value| value.to_string());
    (recorded != asked).then(|| CassetteDifference::new(name, shown(recorded), shown(asked)))
}

fn in_text(place: &str, recorded: &str, asked: &str) -> Option<CassetteDifference> {
    if recorded == asked {
        return None;
    }
    let (mut were, mut are) = (recorded.split('\n'), asked.split('\n'));
    let mut number = 1;
    loop {
        match (were.next(), are.next()) {
            (Some(was), Some(is)) if was == is => number += 1,
            (was, is) => {
                let column = same_chars(was.unwrap_or_default(), is.unwrap_or_default());
                let shown = |line: Option<&str>| {
                    line.map_or_else(|| "no such line".to_owned(), |line| around(line, column))
                };
                return Some(CassetteDifference::new(
                    format!("{place}, line {number}"),
                    shown(was),
                    shown(is),
                ));
            }
        }
    }
}

fn same_chars(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// The text around `column` as a JSON string, so that white space is visible.
fn around(line: &str, column: usize) -> String {
    let start = column.saturating_sub(BEFORE);
    let shown: String = line.chars().skip(start).take(SHOWN).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if line.chars().nth(start + SHOWN).is_some() { "…" } else { "" };
    format!("{before}{}{after}", Value::String(shown))
}

fn in_json(what: &str, recorded: Option<&Value>, asked: Option<&Value>) -> Option<CassetteDifference> {
    let (place, was, is) = in_values(String::new(), recorded, asked)?;
    let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), quoted);
    let place = if place.is_empty() { what.to_owned() } else { format!("{what} at `{place}`") };
    Some(CassetteDifference::new(place, shown(was), shown(is)))
}

type DifferingValues<'v> = (String, Option<&'v Value>, Option<&'v Value>);

/// Returns the first difference, located by a JSON Pointer. It recurses no deeper than schemas
/// nest.
fn in_values<'v>(
    place: String,
    was: Option<&'v Value>,
    is: Option<&'v Value>,
) -> Option<DifferingValues<'v>> {
    let inside = |key: &str| {
        let mut inside = place.clone();
        json_pointer::push(&mut inside, key);
        inside
    };
    match (was, is) {
        (was, is) if was == is => None,
        (Some(Value::Object(were)), Some(Value::Object(are))) => {
            let added = are.keys().filter(|key| !were.contains_key(*key));
            were.keys().chain(added).find_map(|key| in_values(inside(key), were.get(key), are.get(key)))
        }
        (Some(Value::Array(were)), Some(Value::Array(are))) => (0..were.len().max(are.len()))
            .find_map(|index| in_values(inside(&index.to_string()), were.get(index), are.get(index))),
        _ => Some((place, was, is)),
    }
}
