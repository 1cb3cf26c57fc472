//! Checks values of recursive unions, in each form in which serde writes enums.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use extract::Contract;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::schemas;

/// Maximum levels of a value. Beyond the reader's limit they only cost time.
const DEPTH: usize = 60;

static CONTRACTS: LazyLock<Vec<(Contract, Validator)>> = LazyLock::new(|| {
    [internal(), external(), untagged(), several_types()]
        .into_iter()
        .map(|schema| {
            let independent = schemas::independent(&schema);
            (Contract::from_schema(schema).expect("the schema compiles"), independent)
        })
        .collect()
});

fn branch(properties: Value) -> Value {
    let required: Vec<_> = properties.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn recursive(rule: Value) -> Value {
    json!({"$ref": "#/$defs/rule", "$defs": {"rule": rule}})
}

fn internal() -> Value {
    let rule = json!({"$ref": "#/$defs/rule"});
    recursive(json!({"oneOf": [
        branch(json!({"op": {"const": "and"}, "left": rule, "right": rule})),
        branch(json!({"op": {"const": "or"}, "left": rule, "right": rule})),
        branch(json!({"op": {"const": "refund"}, "name": {"type": "string"}})),
    ]}))
}

fn external() -> Value {
    let rule = json!({"$ref": "#/$defs/rule"});
    let alone = |key: &str, inside: Value| json!({"type": "object", "properties": {key: inside}, "required": [key], "additionalProperties": false});
    recursive(json!({"oneOf": [
        alone("left", json!({"type": "array", "items": rule, "minItems": 1})),
        alone("right", branch(json!({"left": rule, "right": rule}))),
        alone("name", json!({"type": "string"})),
        {"enum": ["and", "or"]},
    ]}))
}

fn untagged() -> Value {
    let rule = json!({"$ref": "#/$defs/rule"});
    recursive(json!({"anyOf": [
        branch(json!({"left": rule, "right": rule})),
        branch(json!({"left": rule, "right": rule, "total": {"type": "number"}})),
        branch(json!({"left": rule, "name": {"type": "string"}})),
        {"type": "array", "items": rule},
        {"type": "integer"},
    ]}))
}

fn several_types() -> Value {
    let rule = json!({"$ref": "#/$defs/rule"});
    recursive(json!({"anyOf": [
        {"oneOf": [{"type": "integer", "minimum": 3}, {"enum": ["and", "or"]}]},
        {"anyOf": [{"type": "array", "items": rule}, {"type": "array", "prefixItems": [rule, rule], "items": false}]},
        {"type": "object", "additionalProperties": rule, "maxProperties": 2},
    ]}))
}

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(first) = u.arbitrary::<u8>() else { return };
    let (contract, independent) = &CONTRACTS[usize::from(first) % CONTRACTS.len()];
    let Ok(value) = rule(&mut u, DEPTH) else { return };
    schemas::agrees(contract, independent, &value);
    if let Some(read) = contract.read(&value.to_string()).value {
        schemas::agrees(contract, independent, &read);
    }
}

/// A value that resembles one of the unions: deep on one side, and with some mistakes.
fn rule(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if depth == 0 || u.is_empty() {
        return Ok(json!({"op": "refund", "name": "x"}));
    }
    let inner = rule(u, depth - 1)?;
    Ok(match u.int_in_range(0..=11)? {
        0 => json!({"op": "and", "left": inner, "right": {"op": "refund", "name": 1}}),
        1 => json!({"op": "or", "left": {"op": "refund", "name": "x"}, "right": inner}),
        2 => json!({"op": "an", "left": inner, "right": 3}),
        3 => json!({"left": inner, "right": "and"}),
        4 => json!({"left": [inner, "or"]}),
        5 => json!({"right": {"left": inner, "right": {"name": "x"}}}),
        6 => json!({"left": 1, "right": inner, "total": "many"}),
        7 => json!([inner, 2]),
        8 => json!({"name": u.arbitrary::<i8>()?}),
        9 => json!({"left": inner, "name": null}),
        10 => Value::from(u.arbitrary::<i8>()?),
        _ => inner,
    })
}
