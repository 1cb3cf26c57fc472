//! A narrowed contract allows exactly the listed values at the path, and judges everything else as
//! before.

use super::*;
use crate::reading::random::Chance;

#[derive(Deserialize, Extractable)]
struct Report {
    name: String,
    finding: Finding,
    findings: Vec<Finding>,
    maybe: Option<Finding>,
    by_name: BTreeMap<String, Finding>,
    pair: (u8, Finding),
    event: Event,
    next: Option<Box<Report>>,
}

#[derive(Deserialize, Extractable)]
struct Finding {
    level: String,
    weight: Option<i64>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Event {
    Found { level: String },
    Lost { level: String, by: Option<String> },
    Nothing,
}

/// Paths of values in a report, to narrow.
const PLACES: [&str; 12] = [
    "$.name",
    "$.finding.level",
    "$.finding.weight",
    "$.findings[*].level",
    "$.findings[*].weight",
    "$.maybe.level",
    "$.by_name[*].weight",
    "$.pair[1].level",
    "$.event.level",
    "$.event.by",
    "$.next.finding.level",
    "$.next.next.findings[*].level",
];

/// Returns all values at `place`, found without the library.
fn values_at<'v>(value: &'v Value, place: &str) -> Vec<&'v Value> {
    let steps = place.trim_start_matches('$').replace("[*]", ".*").replace("[1]", ".1");
    steps.split('.').skip(1).fold(vec![value], |values, step| {
        let parts = values.into_iter().flat_map(|value| match (step, value) {
            ("*", Value::Array(list)) => list.iter().collect(),
            ("*", Value::Object(map)) => map.values().collect(),
            (step, Value::Array(list)) => list.get(step.parse::<usize>().unwrap()).into_iter().collect(),
            (step, value) => value.get(step).into_iter().collect::<Vec<_>>(),
        });
        parts.collect()
    })
}

fn word(chance: &mut Chance) -> Value {
    json!(chance.one_of(&["a", "b", "c", "A", "", "null", "größe"]))
}

fn number(chance: &mut Chance) -> Value {
    chance.one_of(&[0, 1, -1, i64::MAX]).into()
}

/// A finding, now and then with a mistake.
fn finding(chance: &mut Chance) -> Value {
    let level = if chance.below(20) == 0 { json!(3) } else { word(chance) };
    let mut finding = json!({"level": level, "more": word(chance)});
    match chance.below(4) {
        0 => finding["weight"] = json!(null),
        1 => {}
        _ => finding["weight"] = number(chance),
    }
    finding
}

fn report(chance: &mut Chance, depth: usize) -> Value {
    let event = match chance.below(3) {
        0 => json!({"kind": "found", "level": word(chance)}),
        1 => json!({"kind": "lost", "level": word(chance), "by": word(chance)}),
        _ => json!({"kind": "nothing"}),
    };
    let findings: Vec<_> = (0..chance.below(3)).map(|_| finding(chance)).collect();
    let maybe = if chance.below(2) == 0 { json!(null) } else { finding(chance) };
    let next = if depth == 0 || chance.below(3) == 0 { json!(null) } else { report(chance, depth - 1) };
    json!({
        "name": word(chance), "finding": finding(chance), "findings": findings, "maybe": maybe,
        "by_name": {"x y": finding(chance)}, "pair": [1, finding(chance)], "event": event, "next": next,
    })
}

#[test]
fn exactly_the_listed_values_are_allowed_at_the_place() {
    let contract = Contract::of::<Report>().unwrap();
    let mut chance = Chance::new(14);
    let (mut refused, mut allowed) = (0, 0);
    for round in 0..96 {
        let place = PLACES[round % PLACES.len()];
        let is_number = place.ends_with("weight");
        let values: Vec<_> = (0..=chance.below(4))
            .map(|_| if is_number { number(&mut chance) } else { word(&mut chance) })
            .collect();
        let narrow = contract.one_of(place, &values).unwrap();
        let independent = jsonschema::draft202012::new(narrow.schema()).unwrap();
        let example = narrow.example().expect("there is an example");
        assert_eq!(narrow.validate(example), [], "{example}");
        for _ in 0..20 {
            let report = report(&mut chance, 3);
            let is_nullable = is_number || place.ends_with("by");
            let fits = |value: &&Value| values.contains(value) || is_nullable && value.is_null();
            let expected = allows(&contract, &report) && values_at(&report, place).iter().all(fits);
            assert_eq!(allows(&narrow, &report), expected, "{place} {values:?}: {report}");
            assert_eq!(independent.is_valid(&report), expected, "{place} {values:?}: {report}");
            if expected { allowed += 1 } else { refused += 1 }
        }
    }
    assert!(refused > 200 && allowed > 200, "{refused} refused, {allowed} allowed");
}

#[test]
fn a_description_changes_no_judgement() {
    let contract = Contract::of::<Report>().unwrap();
    let mut chance = Chance::new(15);
    for place in PLACES {
        let described = contract.describe(place, "What stands here.").unwrap();
        assert!(described.instructions().contains("What stands here."), "{place}");
        for _ in 0..20 {
            let report = report(&mut chance, 3);
            assert_eq!(described.validate(&report), contract.validate(&report), "{place}: {report}");
        }
    }
}
