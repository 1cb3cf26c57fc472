//! The enforcement of each constraint by each dialect. `jsonschema` decides what a decoder could
//! write.

use super::*;
use crate::{
    contract::Contract,
    schema::tests::constraints::{self, Case, Enforcement, assert_documented},
};

/// Adds `null` for absent optional properties that the dialect requires.
fn written(projected: &Value, value: &Value) -> Value {
    let mut value = value.clone();
    let place = &projected["properties"]["value"];
    if let (Some(required), Some(object)) = (place["required"].as_array(), value["value"].as_object_mut()) {
        for name in required.iter().filter_map(Value::as_str) {
            object.entry(name).or_insert(Value::Null);
        }
    }
    value
}

fn enforcement(dialect: Dialect, case: &Case) -> Enforcement {
    let Ok(projection) = dialect.project(&case.schema) else { return Enforcement::Prompt };
    let (schema, name) = (&projection.schema, case.name);
    let theirs = models::validator(schema);
    let through: Vec<_> =
        case.breaks.iter().filter(|value| theirs.is_valid(&written(schema, value))).collect();
    let enforcement = Enforcement::of(through.len(), case.breaks.len());
    assert_eq!(
        enforcement == Enforcement::Yes,
        projection.unenforced.is_empty(),
        "{dialect}, {name}: {enforcement}\n{projection:#?}"
    );
    for value in &case.fits {
        assert!(theirs.is_valid(&written(schema, value)), "{dialect} refuses {value}, {name}\n{schema}");
    }
    enforcement
}

#[test]
fn every_constraint_is_enforced_or_listed() {
    let names = Dialect::ALL.map(|dialect| dialect.to_string());
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert_documented("schema/dialect/constraints.md", &names, |case| {
        Dialect::ALL.iter().map(|dialect| enforcement(*dialect, case)).collect()
    });
}

#[test]
fn the_contract_judges_what_a_dialect_does_not_enforce() {
    let mut rejected = 0;
    for case in constraints::all() {
        let contract = Contract::from_schema(case.schema.clone()).unwrap();
        for projection in Dialect::ALL.iter().filter_map(|dialect| dialect.project(&case.schema).ok()) {
            let theirs = models::validator(&projection.schema);
            let written = case.breaks.iter().map(|value| written(&projection.schema, value));
            for value in written.filter(|value| theirs.is_valid(value)) {
                let reading = contract.read(&value.to_string());
                let value = reading.value.expect("it is JSON");
                // A number is read as a string where only a string is possible, with a receipt.
                let is_rejected = !contract.validate(&value).is_empty();
                assert!(is_rejected || !reading.changes.is_empty(), "{}: {value}", case.name);
                rejected += usize::from(is_rejected);
            }
        }
    }
    assert!(rejected > 100, "{rejected}");
}

#[test]
fn a_note_lists_what_is_not_enforced_in_one_line() {
    assert_eq!(
        project(Dialect::OpenAi, &json!({"type": "object", "properties": {"a": {"type": "string"}}})).note(),
        None
    );
    let names = (0..10).map(|n| (format!("p{n}"), json!({"type": "string", "minLength": 1})));
    let mut properties: serde_json::Map<_, _> = names.collect();
    properties.insert("q".to_owned(), json!({"type": "string", "maxLength": 9}));
    let note = project(Dialect::OpenAi, &json!({"type": "object", "properties": properties})).note().unwrap();
    assert_eq!(
        note,
        "the decoder does not enforce: \
         $.properties.p0, $.properties.p1, $.properties.p2, and 7 more places: `minLength` is not among the supported keywords; \
         $.properties.q: `maxLength` is not among the supported keywords"
    );
}
