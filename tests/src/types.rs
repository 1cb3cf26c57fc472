//! Schemas as types, read back: the same values satisfy them.

use extract::{Contract, settings::SchemaNotation};
use serde_json::{Value, json};

/// Values near `value`: without each key, with each member of another type, and with a key more.
fn near(value: &Value) -> Vec<Value> {
    let Value::Object(members) = value else { return Vec::new() };
    let mut values = vec![json!([value])];
    for (key, member) in members {
        let with = |member: Value| {
            let mut members = members.clone();
            members.insert(key.clone(), member);
            Value::Object(members)
        };
        let mut without = members.clone();
        without.remove(key);
        values.push(Value::Object(without));
        values.extend(
            [json!(null), json!(1.5), json!(-3), json!("?"), json!([1]), json!({}), json!(true)].map(with),
        );
        values.extend(near(member).into_iter().map(with));
    }
    let mut more = members.clone();
    more.insert("one more".to_owned(), json!(1));
    values.push(Value::Object(more));
    values
}

#[test]
fn a_schema_that_was_written_as_types_and_read_allows_the_same_values() {
    let (mut schemas, mut agreed) = (0, [0, 0]);
    for lines in [
        include_str!("../../benches/documents/bfcl.jsonl"),
        include_str!("../../benches/documents/restaurant8k_coded.jsonl"),
        include_str!("../../benches/documents/snips_union.jsonl"),
    ] {
        for line in lines.lines() {
            let document: Value = serde_json::from_str(line).unwrap();
            let contract = Contract::from_schema(document["schema"].clone()).unwrap();
            let types = contract.written_as(SchemaNotation::Types);
            let read = Contract::from_types(&types).unwrap_or_else(|error| panic!("{error} in\n{types}"));
            assert_eq!(read.written_as(SchemaNotation::Types), types);
            schemas += 1;
            for value in near(&document["value"]).iter().chain([&document["value"]]) {
                let is_allowed = contract.validate(value).is_empty();
                assert_eq!(read.validate(value).is_empty(), is_allowed, "{value} of\n{types}");
                agreed[usize::from(is_allowed)] += 1;
            }
        }
    }
    assert!(schemas == 360 && agreed.iter().all(|count| *count > 1_000), "{schemas} {agreed:?}");
}
