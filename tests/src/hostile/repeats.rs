//! One schema that nested alternatives evaluate for the same part again and again.

use extract::Contract;
use serde_json::{Value, json};

use super::measured;

/// Each of `levels` definitions requires the next one under the same key, in as many ways as `ways`
/// gives.
fn chain(levels: usize, ways: impl Fn(Value) -> Value) -> Contract {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        definitions.insert(format!("l{level}"), ways(json!({"$ref": format!("#/$defs/l{}", level + 1)})));
    }
    definitions.insert(format!("l{levels}"), json!({"type": "integer"}));
    Contract::from_schema(json!({"$ref": "#/$defs/l0", "$defs": definitions})).unwrap()
}

fn within(key: &str, next: &Value) -> Value {
    json!({"type": "object", "properties": {key: next}, "required": [key]})
}

fn objects(levels: usize, innermost: Value) -> Value {
    (0..levels).fold(innermost, |inner, _| json!({"x": inner}))
}

fn lists(levels: usize, innermost: Value) -> Value {
    (0..levels).fold(innermost, |inner, _| json!([inner]))
}

/// Without a cache this takes 2^40 evaluations.
const LEVELS: usize = 40;

#[test]
fn a_value_is_judged_in_time_however_the_schema_refers_to_its_parts() {
    let both =
        |keyword: &'static str| move |next: Value| json!({keyword: [within("x", &next), within("x", &next)]});
    let conditional = |next: Value| json!({"if": within("x", &next), "then": within("x", &next)});
    let dependent =
        |next: Value| json!({"properties": {"x": next}, "dependentSchemas": {"x": within("x", &next)}});
    let pattern = |next: Value| json!({"properties": {"x": next}, "patternProperties": {"^x": next}});
    let contracts = [
        chain(LEVELS, both("anyOf")),
        chain(LEVELS, both("allOf")),
        chain(LEVELS, conditional),
        chain(LEVELS, dependent),
        chain(LEVELS, pattern),
    ];
    for (index, contract) in contracts.iter().enumerate() {
        assert_eq!(contract.validate(&objects(LEVELS, json!(1))), [], "{index}");
        let (violations, cost) = measured(|| contract.validate(&objects(LEVELS, json!("one"))));
        // A condition that is not met requires nothing.
        assert_eq!(violations.is_empty(), index == 2, "{index}: {violations:?}");
        assert!(cost.total < super::mib(4), "{index}: {} bytes", cost.total);
    }
    let exactly_one = chain(LEVELS, both("oneOf"));
    assert_ne!(exactly_one.validate(&objects(LEVELS, json!(1))), [], "it fits both");
}

#[test]
fn the_same_goes_for_elements() {
    let list = |next: Value| json!({"anyOf": [{"type": "array", "items": next}, {"type": "array", "contains": next}]});
    let contract = chain(LEVELS, list);
    assert_eq!(contract.validate(&lists(LEVELS, json!(1))), []);
    assert_ne!(contract.validate(&lists(LEVELS, json!("one"))), []);
}

/// Alternatives that refer to themselves and are distinguished by a tag, which the reply puts last.
#[test]
fn a_tag_that_comes_last_costs_no_more() {
    let rule = |op: &str| {
        json!({"type": "object", "required": ["op", "left"], "properties": {
            "left": {"$ref": "#/$defs/rule"}, "op": {"const": op},
        }})
    };
    let leaf = json!({"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]});
    let schema =
        json!({"$ref": "#/$defs/rule", "$defs": {"rule": {"oneOf": [rule("and"), rule("or"), leaf]}}});
    let contract = Contract::from_schema(schema).unwrap();
    for (field, is_valid) in [(json!("age"), true), (json!(1), false)] {
        let value = (0..100).fold(json!({"field": field}), |left, _| json!({"left": left, "op": "or"}));
        let violations = contract.validate(&value);
        assert_eq!(violations.is_empty(), is_valid);
        let reading = contract.read(&value.to_string());
        assert_eq!(reading.value, Some(value));
    }
}
