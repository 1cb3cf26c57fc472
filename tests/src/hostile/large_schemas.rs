//! Schemas with very many values, properties, alternatives and definitions. If the work grew with
//! their square, these tests would run for minutes.

use extract::{Contract, schema::dialect::Dialect};
use serde_json::{Map, Value, json};

use super::measured;

/// Compiles, shows and projects `schema`, reads `replies`, and checks that the allocations are in
/// proportion to the schema.
fn used(schema: &Value, replies: &[&str]) -> Contract {
    let length = schema.to_string().len() as u64;
    let (contract, cost) = measured(|| Contract::from_schema(schema.clone()).unwrap());
    assert!(cost.total < 400 * length, "compiling {length} bytes: {cost:?}");
    let (instructions, cost) = measured(|| contract.instructions());
    assert!(instructions.len() as u64 > length / 4, "nothing is left out that an agent needs");
    assert!(cost.total < 100 * length, "showing {length} bytes: {cost:?}");
    let ((), cost) = measured(|| {
        for dialect in Dialect::ALL {
            let _ = dialect.project(schema).map(|projection| projection.note());
        }
    });
    assert!(cost.total < 1_000 * length, "projecting {length} bytes: {cost:?}");
    for reply in replies {
        let (_, cost) = measured(|| {
            let reading = contract.read(&format!("As you wish: {reply}"));
            contract.validate(&reading.value.unwrap_or_default())
        });
        // A report compiles each alternative that it tries, once for a contract.
        assert!(cost.total < 500 * length, "reading with {length} bytes: {cost:?}");
    }
    contract
}

#[test]
fn an_enum_of_very_many_values() {
    let values: Vec<_> = (0..200_000).map(|number| format!("value number {number}")).collect();
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string", "enum": values}}, "required": ["a"]});
    let contract = used(&schema, &[r#"{"a": "value number 17"}"#, r#"{"a": "a value"}"#]);
    assert!(contract.instructions().contains(r#""value number 0" | "value number 1" | "#));
    assert!(contract.validate(&json!({"a": "value number 199999"})).is_empty());
    let wrong = contract.validate(&json!({"a": "none of them"}));
    assert!(wrong[0].to_string().len() < 2_000, "few of the values are named: {}", wrong[0]);
}

#[test]
fn a_list_of_very_many_values_of_a_large_enum() {
    let values: Vec<_> = (0..30_000).map(|number| format!("value number {number}")).collect();
    let list: Vec<_> = values.iter().rev().collect();
    let contract = Contract::from_schema(json!({"type": "array", "items": {"enum": values}})).unwrap();
    let reading = contract.read(&json!(list).to_string());
    assert_eq!((reading.value, reading.changes), (Some(json!(list)), vec![]));
}

#[test]
fn two_lists_of_very_many_values_that_exclude_each_other() {
    let values = |name: &str| (0..50_000).map(|number| format!("{name} {number}")).collect::<Vec<_>>();
    used(&json!({"oneOf": [{"enum": values("left")}, {"enum": values("right")}]}), &[r#""left 7""#]);
}

fn properties(count: usize) -> Map<String, Value> {
    (0..count).map(|number| (format!("property number {number}"), json!({"type": "integer"}))).collect()
}

#[test]
fn an_object_of_very_many_properties() {
    let optional = properties(20_000);
    let required: Vec<_> = optional.keys().collect();
    let all: Map<_, _> = required.iter().map(|name| ((*name).clone(), json!(1))).collect();
    let backwards = all.clone().into_iter().rev().collect();
    let schema = json!({"type": "object", "properties": optional, "required": required, "additionalProperties": false});
    let contract = used(&schema, &[r#"{"property number 7": "1"}"#]);
    for value in [all, backwards] {
        let reading = contract.read(&Value::Object(value.clone()).to_string());
        assert_eq!(reading.value, Some(Value::Object(value)));
    }
    used(
        &json!({"type": "object", "properties": properties(20_000)}),
        &[r#"{"property number 7": "1", "other": 2}"#],
    );
}

#[test]
fn an_object_of_very_many_properties_in_another_order_is_aligned() {
    let optional = properties(20_000);
    let required: Vec<_> = optional.keys().collect();
    let value = required.iter().rev().map(|name| ((*name).clone(), json!("1"))).collect();
    let schema = json!({"type": "object", "properties": optional, "required": required});
    let contract = Contract::from_schema(schema).unwrap();
    let reading = contract.read(&Value::Object(value).to_string());
    assert_eq!(reading.value.unwrap()["property number 19999"], 1);
}

#[test]
fn a_union_of_very_many_alternatives() {
    let tagged = |number: usize| {
        json!({
            "type": "object",
            "properties": {"tag": {"const": format!("tag number {number}")}, "value": {"type": "integer"}},
            "required": ["tag", "value"],
        })
    };
    let branches: Vec<_> = (0..2_000).map(tagged).collect();
    used(&json!({"oneOf": branches}), &[r#"{"tag": "tag number 17", "value": "1"}"#]);
    let definitions: Map<_, _> = (0..2_000).map(|number| (format!("D{number}"), tagged(number))).collect();
    let branches: Vec<_> =
        definitions.keys().map(|name| json!({"$ref": format!("#/$defs/{name}")})).collect();
    used(&json!({"anyOf": branches, "$defs": definitions}), &[r#"{"tag": "tag number 17", "value": "1"}"#]);
    let constants: Vec<_> = (0..20_000).map(|number| json!({"const": number})).collect();
    used(&json!({"oneOf": constants}), &["19999", "-1"]);
}

#[test]
fn very_many_definitions_that_want_the_same_name() {
    let definition =
        |number: usize| (format!("{number}"), json!({"Item": {"type": "integer", "minimum": number}}));
    let definitions: Map<_, _> = (0..10_000).map(definition).collect();
    let items: Vec<_> =
        definitions.keys().map(|name| json!({"$ref": format!("#/$defs/{name}/Item")})).collect();
    let contract = used(&json!({"prefixItems": items, "type": "array", "$defs": definitions}), &["[1]"]);
    assert!(contract.instructions().contains("type Item_9999 = integer"));
}

#[test]
fn very_many_definitions_that_refer_to_each_other() {
    let definition = |number: usize| {
        let next = |step: usize| json!({"$ref": format!("#/$defs/D{}", (number * 7 + step) % 2_000)});
        (
            format!("D{number}"),
            json!({"type": "object", "properties": {"a": next(1), "b": next(2), "c": next(3)}}),
        )
    };
    let definitions: Map<_, _> = (0..2_000).map(definition).collect();
    used(&json!({"$ref": "#/$defs/D0", "$defs": definitions}), &[r#"{"a": {"b": 1}}"#]);
}

#[test]
fn very_many_other_names_of_one_field() {
    let names: Vec<_> = (0..5_000).map(|number| format!("name {number}")).collect();
    let property = |name: &String| {
        let schema = if name == "name 0" {
            json!({"type": "integer"})
        } else {
            json!({"type": "integer", "deprecated": true})
        };
        (name.clone(), schema)
    };
    let properties: Map<_, _> = names.iter().map(property).collect();
    let choices: Vec<_> = names.iter().map(|name| json!({"required": [name]})).collect();
    let contract = Contract::from_schema(
        json!({"type": "object", "properties": properties, "allOf": [{"oneOf": choices}]}),
    );
    let contract = contract.unwrap();
    assert!(contract.instructions().contains("type Answer = { \"name 0\": integer }"));
    assert!(contract.validate(&json!({"name 4999": 1})).is_empty());
}
