//! Tests of merging: cases, and properties that hold for any answers.

use serde_json::json;

use super::*;
use crate::{
    document::{Document, Span},
    merging::position,
    metrics::Conflict,
    vocabulary::path::Segment,
};

/// A quote with a span in a text of 1,000 bytes.
fn quote(words: &str, start: usize) -> Value {
    let span = Document::from_text("x".repeat(1000)).span(start..start + words.len()).unwrap();
    json!({"words": words, "span": span})
}

fn grounded(value: &Value, start: usize) -> Value {
    json!({"value": value, "quote": quote("shown", start)})
}

fn schema() -> Value {
    let grounded = |kind: &str| {
        let properties = json!({"value": {"type": kind}, "quote": {"type": "string", "x-quote": true}});
        json!({"type": "object", "properties": properties, "x-grounded": true})
    };
    let medication = json!({
        "type": "object",
        "properties": {
            "name": {"$ref": "#/$defs/GroundedText", "x-key": true},
            "route": {"type": ["string", "null"], "x-key": true},
            "dose": {"anyOf": [{"$ref": "#/$defs/GroundedNumber"}, {"type": "null"}]},
            "reasons": {"type": "array", "items": {"type": "string", "x-quote": true}, "x-merge": "all"},
            "latest": {"type": "string", "x-merge": "last"},
            "usual": {"type": "string", "x-merge": "most"},
            "highest": {"type": "number", "x-merge": 0},
            "codes": {"type": "array", "items": {"type": "string"}, "x-merge": "last"},
        },
    });
    let finding = json!({"type": "object", "properties": {
        "kind": {"type": "string"},
        "words": {"type": "string", "x-quote": true},
        "mean": {"$ref": "#/$defs/GroundedText"},
    }});
    json!({
        "type": "object",
        "properties": {
            "patient": {"type": "string"},
            "medications": {"type": "array", "items": {"$ref": "#/$defs/Medication"}},
            "findings": {"type": "array", "items": {"$ref": "#/$defs/Finding"}},
            "tags": {"type": "array", "items": {"type": ["string", "number"]}},
            "values": {"type": "object", "additionalProperties": {"type": "number"}},
            "size": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]},
            "end": {"oneOf": [
                {"type": "object", "properties": {"home": {"type": "string"}}},
                {"type": "object", "properties": {"ward": {"type": "string"}}},
            ]},
        },
        "$defs": {
            "Medication": medication,
            "Finding": finding,
            "GroundedText": grounded("string"),
            "GroundedNumber": grounded("number"),
        },
    })
}

/// The orders that the marks of the schema refer to.
const ORDERS: [ValueOrder; 1] = [|left, right| left.as_f64()?.partial_cmp(&right.as_f64()?)];

fn merged(answers: &[Value]) -> MergedValue {
    merge(&schema(), &ORDERS, answers.iter().enumerate())
}

fn conflicts(merged: &MergedValue) -> Vec<String> {
    let shown = |conflict: &Conflict| {
        let others: Vec<_> = conflict.others.iter().map(|other| other.value.to_string()).collect();
        format!("{}: {} not {}", conflict.path, conflict.kept.value, others.join(", "))
    };
    merged.conflicts.iter().map(shown).collect()
}

#[test]
fn of_values_with_an_order_the_greatest_counts() {
    let with = |value: Value| json!({"medications": [{"route": "iv", "highest": value}]});
    let answers = [with(json!(2)), with(json!(7)), with(Value::Null), with(json!(7.0)), with(json!(3))];
    let merged = merged(&answers);
    assert_eq!(merged.value["medications"][0]["highest"], 7);
    assert_eq!(conflicts(&merged), ["$.medications[0].highest: 7 not 2, 3"]);
}

#[test]
fn values_that_cannot_be_compared_leave_the_first() {
    let with = |value: Value| json!({"medications": [{"route": "iv", "highest": value}]});
    for answers in [[with(json!("a")), with(json!(7))], [with(json!(7)), with(json!("a"))]] {
        let merged = merged(&answers);
        assert_eq!(merged.value, answers[0]);
        assert_eq!(merged.conflicts.len(), 1);
    }
}

#[test]
fn elements_with_the_same_key_are_one() {
    let aspirin = |start, rest: Value| {
        let mut element = json!({"name": grounded(&json!("Aspirin"), start)});
        element.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        element
    };
    let dose = |value: u32, start| json!({"dose": grounded(&json!(value), start)});
    let reason = quote("pain", 40);
    let merged = merged(&[
        json!({"medications": [aspirin(10, json!({"dose": null, "reasons": [reason]})), {"name": grounded(&json!("aspirin"), 20)}]}),
        json!({"medications": [aspirin(110, dose(5, 120)), aspirin(130, json!({"route": "iv"})), aspirin(140, dose(5, 150))]}),
        json!({"medications": [aspirin(210, dose(6, 220)), aspirin(230, json!({"reasons": [reason, quote("pain", 240)]}))]}),
    ]);
    let medications = merged.value["medications"].as_array().unwrap();
    assert_eq!(medications.len(), 3, "{medications:#?}");
    assert_eq!(medications[0]["name"], grounded(&json!("Aspirin"), 10));
    assert_eq!(medications[0]["dose"], grounded(&json!(5), 120));
    assert_eq!(medications[0]["reasons"], json!([reason, quote("pain", 240)]), "a quote is a place");
    assert_eq!(
        (&medications[1]["name"]["value"], &medications[2]["route"]),
        (&json!("aspirin"), &json!("iv"))
    );

    assert_eq!(conflicts(&merged), ["$.medications[0].dose: 5 not 6"]);
    let conflict = &merged.conflicts[0];
    let starts = |spans: &[Span]| spans.iter().map(Span::start).collect::<Vec<_>>();
    assert_eq!((starts(&conflict.kept.spans), conflict.kept.chunk), (vec![120, 150], 1));
    assert_eq!((starts(&conflict.others[0].spans), conflict.others[0].chunk), (vec![220], 2));
    let mentions: Vec<_> =
        merged.mentions.iter().map(|one| (one.path.to_string(), starts(&one.spans))).collect();
    assert_eq!(mentions, [("$.medications[0].name".to_owned(), vec![10, 110, 140, 210, 230])]);
}

#[test]
fn elements_without_a_key_are_one_if_they_are_equal_or_at_the_same_place() {
    let finding = |kind: &str, start| json!({"kind": kind, "words": quote("pain", start)});
    let mean = |start| json!({"mean": grounded(&json!("pain"), start)});
    let merged = merged(&[
        json!({"findings": [finding("denied", 1), finding("denied", 1), mean(30)], "tags": ["a", "a", 1]}),
        json!({"findings": [finding("denied", 90), finding("felt", 1), finding("denied", 1), mean(60)], "tags": ["b", "a", 1.0]}),
    ]);
    let expected = json!([finding("denied", 1), finding("denied", 1), mean(30), finding("denied", 90)]);
    assert_eq!(merged.value["findings"], expected);
    assert_eq!(conflicts(&merged), [r#"$.findings[1].kind: "denied" not "felt""#]);
    assert_eq!(merged.mentions[0].path.to_string(), "$.findings[2].mean");
    assert_eq!(merged.value["tags"], json!(["a", "a", 1, "b"]));
}

#[test]
fn a_policy_settles_a_conflict() {
    let with = |value: Value| json!({"medications": [{"route": "iv", "latest": value, "usual": value}]});
    let answers: Vec<_> = ["a", "b", "b", "a", "c"].map(|value| with(value.into())).into();
    let merged = merged(&answers);
    let element = &merged.value["medications"][0];
    assert_eq!((&element["latest"], &element["usual"]), (&json!("c"), &json!("a")));
    assert_eq!(
        conflicts(&merged),
        [r#"$.medications[0].latest: "c" not "a", "b""#, r#"$.medications[0].usual: "a" not "b", "c""#],
    );
    let lists = ["1", "2"].map(|code| json!({"medications": [{"route": "iv", "codes": [code]}]}));
    let merged = self::merged(&lists);
    assert_eq!(merged.value["medications"][0]["codes"], json!(["2"]));
    assert_eq!(conflicts(&merged), [r#"$.medications[0].codes: ["2"] not ["1"]"#]);
}

#[test]
fn objects_and_maps_are_merged_by_key_and_unions_and_tuples_whole() {
    let merged = merged(&[
        json!({"patient": null, "values": {"a": 1, "b": 2}, "size": [1, 2], "end": {"home": "x"}}),
        json!({"patient": "Ann", "values": {"b": 3, "c": 4}, "size": [1, 3], "end": {"ward": "y"}}),
        json!({"patient": "Bob", "size": [1.0, 2.0], "end": null}),
    ]);
    let expected =
        json!({"patient": "Ann", "values": {"a": 1, "b": 2, "c": 4}, "size": [1, 2], "end": {"home": "x"}});
    assert_eq!(merged.value, expected);
    let expected = [
        r#"$.patient: "Ann" not "Bob""#,
        "$.values.b: 2 not 3",
        "$.size: [1,2] not [1,3]",
        r#"$.end: {"home":"x"} not {"ward":"y"}"#,
    ];
    assert_eq!(conflicts(&merged), expected);
    assert_eq!(merge(&schema(), &[], []).value, Value::Null);
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }

    fn word(&mut self) -> Value {
        ["a", "b", "c"][self.below(3)].into()
    }

    fn list(&mut self, element: fn(&mut Self) -> Value) -> Value {
        (0..self.below(4)).map(|_| element(self)).collect()
    }

    fn grounded(&mut self, value: &Value) -> Value {
        let start = self.below(4) * 10;
        grounded(value, start)
    }

    #[expect(clippy::type_complexity, reason = "a name and how to make its value")]
    fn some(&mut self, members: &[(&str, fn(&mut Self) -> Value)]) -> Value {
        let chosen = members.iter().filter_map(|(key, member)| match self.below(5) {
            0 => None,
            1 => Some(((*key).to_owned(), Value::Null)),
            _ => Some(((*key).to_owned(), member(self))),
        });
        Value::Object(chosen.collect())
    }

    fn medication(&mut self) -> Value {
        self.some(&[
            ("name", |random| {
                let word = random.word();
                random.grounded(&word)
            }),
            ("route", Self::word),
            ("dose", |random| {
                let dose = random.below(3).into();
                random.grounded(&dose)
            }),
            ("reasons", |random| random.list(|random| quote("pain", random.below(3)))),
            ("latest", Self::word),
            ("usual", Self::word),
            ("highest", |random| random.below(3).into()),
            ("codes", |random| random.list(Self::word)),
        ])
    }

    fn answer(&mut self) -> Value {
        self.some(&[
            ("patient", Self::word),
            ("medications", |random| random.list(Self::medication)),
            ("findings", |random| {
                random.list(|random| {
                    random.some(&[("kind", Self::word), ("words", |random| quote("pain", random.below(3)))])
                })
            }),
            ("tags", |random| random.list(Self::word)),
            ("values", |random| random.some(&[("a", |random| random.below(3).into()), ("b", |_| 1.into())])),
            ("size", |random| json!([random.below(2), 2])),
            ("end", |random| {
                let key = ["home", "ward"][random.below(2)];
                json!({key: random.word()})
            }),
        ])
    }
}

/// Each scalar and quote that an answer states, with the keys on its path.
fn stated(value: &Value, names: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) if map.contains_key("span") => found.push(format!("{names} {value}")),
        Value::Object(map) => {
            map.iter().for_each(|(key, member)| stated(member, &format!("{names}.{key}"), found));
        }
        Value::Array(list) => list.iter().for_each(|element| stated(element, names, found)),
        Value::Null => {}
        scalar => found.push(format!("{names} {scalar}")),
    }
}

/// Everything in the merged value, its conflicts and its mentions.
fn kept(merged: &MergedValue) -> Vec<String> {
    let mut found = Vec::new();
    stated(&merged.value, "", &mut found);
    for conflict in &merged.conflicts {
        let names: String = conflict
            .path
            .segments()
            .iter()
            .filter_map(|one| match one {
                Segment::Key(key) => Some(format!(".{}", key.as_str())),
                Segment::Index(_) => None,
            })
            .collect();
        for other in conflict.others.iter().chain([&conflict.kept]) {
            stated(&other.value, &names, &mut found);
            // The value of a grounded one.
            stated(&other.value, &format!("{names}.value"), &mut found);
        }
    }
    found
}

#[test]
fn merging_changes_no_merged_value_and_loses_nothing() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let answers: Vec<Value> = (0..=random.below(4)).map(|_| random.answer()).collect();
        let first = merged(&answers);

        let again = merged(std::slice::from_ref(&first.value));
        assert_eq!((&again.value, again.conflicts.len()), (&first.value, 0), "seed {seed}");
        let twice = merged(&[first.value.clone(), first.value.clone()]);
        assert_eq!((&twice.value, twice.conflicts.len()), (&first.value, 0), "seed {seed}");

        let kept = kept(&first);
        let mut all = Vec::new();
        for answer in &answers {
            stated(answer, "", &mut all);
        }
        for one in all.iter().filter(|one| !one.contains(".quote ")) {
            assert!(kept.contains(one), "seed {seed}: {one} of {answers:#?} is not in {first:#?}");
        }
        let spans: Vec<(usize, usize)> = spans_of(&first);
        for answer in &answers {
            let mut found = Vec::new();
            position::spans(&MergePosition::root(&schema(), &[]), answer, &mut found);
            for span in found {
                assert!(spans.contains(&(span.start(), span.end())), "seed {seed}: {span:?}");
            }
        }
    }
}

fn spans_of(merged: &MergedValue) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    position::spans(&MergePosition::root(&schema(), &[]), &merged.value, &mut found);
    for conflict in &merged.conflicts {
        found
            .extend(conflict.others.iter().chain([&conflict.kept]).flat_map(|one| one.spans.iter().copied()));
    }
    found.extend(merged.mentions.iter().flat_map(|one| one.spans.iter().copied()));
    found.iter().map(|span| (span.start(), span.end())).collect()
}

#[test]
fn equal_elements_by_the_thousand_are_merged_in_linear_time() {
    // Comparing all pairs would take 400 million comparisons.
    let many = json!({"tags": vec!["a"; 20_000]});
    assert_eq!(merged(&[many.clone(), many.clone(), many.clone()]).value, many);
}
