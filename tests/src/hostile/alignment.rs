//! The cost of choosing among nested alternatives.

use extract::Contract;
use serde_json::{Value, json};

use super::{measured, memory::cost_of, mib};

/// This many levels of an alternative that nothing decides, with a list at the bottom.
fn ambiguous(levels: usize) -> Contract {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        let branch =
            |other: &str| json!({"type": "object", "properties": {"x": next, other: {}}, "required": ["x"]});
        definitions.insert(format!("l{level}"), json!({"anyOf": [branch("a"), branch("b")]}));
    }
    definitions.insert(
        format!("l{levels}"),
        json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "list": {"type": "array"},
    }, "required": ["n"]}),
    );
    Contract::from_schema(json!({"$ref": "#/$defs/l0", "$defs": definitions})).unwrap()
}

fn nested(levels: usize, inner: &str) -> String {
    format!("{}{inner}{}", "{\"x\":".repeat(levels), "}".repeat(levels))
}

fn list(length: usize) -> String {
    format!("[{}]", vec!["1"; length].join(","))
}

#[test]
fn many_levels_over_a_long_list_cost_no_more_than_their_bytes() {
    let contract = ambiguous(16);
    for n in ["1", "\"1\"", "\"one\""] {
        let reply = nested(16, &format!("{{\"n\":{n},\"list\":{},}}", list(10_000)));
        let (reading, cost) = measured(|| contract.read(&reply));
        assert!(reading.value.is_some());
        assert!(cost.total < mib(100), "{n}: {} bytes", cost.total);
        assert!(cost.peak < mib(5), "{n}: {} bytes", cost.peak);
    }
}

#[test]
fn work_grows_as_the_list_does_and_not_with_the_levels() {
    for levels in [4, 12, 40] {
        let contract = ambiguous(levels);
        let cost = |length| {
            let reply = nested(levels, &format!("{{\"n\":\"1\",\"list\":{}}}", list(length)));
            measured(|| contract.read(&reply)).1.total
        };
        let (small, large) = (cost(5_000), cost(10_000));
        assert!(large < small * 22 / 10 + mib(4), "{levels} levels: {small} and {large}");
    }
}

#[test]
fn what_conforms_is_read_at_any_depth() {
    let contract = ambiguous(60);
    let value: Value = serde_json::from_str(&nested(60, "{\"n\":1,\"list\":[1,2,3]}")).unwrap();
    let reply = nested(60, "{\"n\":1,\"list\":[1,2,3],}");
    let reading = contract.read(&reply);
    assert_eq!((reading.value, reading.violations), (Some(value), vec![]));
}

#[test]
fn a_few_levels_are_aligned_whatever_they_hold() {
    for (levels, length) in [(1, 10_000), (2, 10_000), (6, 100)] {
        let contract = ambiguous(levels);
        let reply = nested(levels, &format!("{{\"n\":\"1\",\"list\":{}}}", list(length)));
        let reading = contract.read(&reply);
        let value = reading.value.unwrap();
        assert_eq!(value.pointer(&("/x".repeat(levels) + "/n")), Some(&json!(1)), "{levels}");
        assert_eq!(reading.violations, []);
    }
}

#[test]
fn a_value_without_a_chosen_alternative_is_unchanged() {
    let contract = ambiguous(16);
    let reply = nested(16, &format!("{{\"n\":\"1\",\"list\":{}}}", list(10_000)));
    let value = contract.read(&reply).value.unwrap();
    let n = value.pointer(&("/x".repeat(16) + "/n")).unwrap();
    assert!(n == &json!(1) || n == &json!("1"), "{n}");
    assert_eq!(value.pointer(&("/x".repeat(16) + "/list/9999")), Some(&json!(1)));
}

#[test]
fn a_list_of_alternatives_costs_no_more_than_its_bytes() {
    let branch =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]});
    let branches: Vec<Value> = (0..100).map(|index| branch(&format!("k{index}"))).collect();
    let contract = Contract::from_schema(json!({"type": "array", "items": {"anyOf": branches}})).unwrap();
    let cost =
        |length: usize| cost_of(&contract, &format!("[{}]", vec!["{\"k99\":\"1\"}"; length].join(",")));
    let ((small, _), (large, most)) = (cost(1_000), cost(2_000));
    assert!(large.total < small.total * 22 / 10, "{small:?} {large:?}");
    assert!(large.peak <= most, "{large:?} of {most}");
}
