//! Values that fit no alternative, at every level of a recursive union or in every element of a
//! list.
//!
//! The errors of all alternatives at all levels are exponentially many. Time shows in allocations:
//! a report takes at most a small multiple of the value itself, however the alternatives are
//! distinguished.

use std::fmt::Write as _;

use extract::{
    Code, Contract, Extractable, Violation,
    testing::block_on,
    toolkit::{ToolCall, Toolkit},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Cost, measured, mib};

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Rule {
    And { left: Box<Rule>, right: Box<Rule> },
    Or { left: Box<Rule>, right: Box<Rule> },
    Not { rule: Box<Rule> },
    Field { name: String, least: i64 },
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(untagged)]
enum Untagged {
    And { left: Box<Untagged>, right: Box<Untagged> },
    Or { left: Box<Untagged>, other: Box<Untagged> },
    Xor { left: Box<Untagged>, third: Box<Untagged> },
    Field { name: String, least: i64 },
}

#[derive(Debug, Deserialize, Extractable)]
enum External {
    And { left: Box<External>, right: Box<External> },
    Many(Vec<External>),
    Maybe { rule: Option<Box<External>> },
    Field { name: String, least: i64 },
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    And { left: Box<Adjacent>, right: Box<Adjacent> },
    Many(Vec<Adjacent>),
    Field { name: String, least: i64 },
}

/// `leaf` inside `depth` levels.
fn nested(depth: usize, leaf: Value, layer: impl Fn(Value, usize) -> Value) -> Value {
    (0..depth).fold(leaf, layer)
}

fn rules(depth: usize) -> Value {
    nested(depth, json!({"op": "field", "name": "a", "least": "x"}), |inner, level| match level % 3 {
        0 => json!({"op": "and", "left": inner, "right": {"op": "field", "name": "b", "least": 1}}),
        1 => json!({"op": "or", "left": {"op": "field", "name": "b", "least": 1}, "right": inner}),
        _ => json!({"op": "not", "rule": inner}),
    })
}

fn untagged(depth: usize) -> Value {
    let right = || json!({"name": "b", "least": 1});
    nested(depth, json!({"name": "a", "least": "x"}), |inner, level| match level % 3 {
        0 => json!({"left": inner, "right": right()}),
        1 => json!({"left": right(), "other": inner}),
        _ => json!({"left": inner, "third": right()}),
    })
}

fn external(depth: usize) -> Value {
    nested(depth, json!({"Field": {"name": "a", "least": "x"}}), |inner, level| match level % 3 {
        0 => json!({"And": {"left": inner, "right": {"Field": {"name": "b", "least": 1}}}}),
        1 => json!({"Many": [{"Field": {"name": "b", "least": 1}}, inner]}),
        _ => json!({"Maybe": {"rule": inner}}),
    })
}

fn adjacent(depth: usize) -> Value {
    nested(depth, json!({"t": "Field", "c": {"name": "a", "least": "x"}}), |inner, level| match level % 2 {
        0 => {
            json!({"t": "And", "c": {"left": inner, "right": {"t": "Field", "c": {"name": "b", "least": 1}}}})
        }
        _ => json!({"t": "Many", "c": [inner]}),
    })
}

fn judged(contract: &Contract, value: &Value) -> (Vec<Violation>, Cost) {
    // Compilation happens once and is not part of the cost of a reply.
    contract.validate(&json!([[]]));
    contract.validate(value);
    measured(|| contract.validate(value))
}

/// The only wrong leaf is found, at a cost that grows with the depth and not faster than the paths.
#[track_caller]
fn check_depths(contract: &Contract, value: impl Fn(usize) -> Value, depths: [usize; 2]) {
    let costs = depths.map(|depth| {
        let value = value(depth);
        let (violations, cost) = judged(contract, &value);
        assert_eq!(violations.len(), 1, "{violations:?}");
        assert_eq!(violations[0].code, Code::WrongType, "{violations:?}");
        assert_eq!(violations[0].path.resolve(&value), Some(&json!("x")));
        cost
    });
    let grown = (depths[1] / depths[0]) as u64;
    assert!(costs[1].total < 2 * grown * costs[0].total, "not linear: {costs:?}");
    assert!(costs[1].peak < mib(1), "{costs:?}");
}

#[test]
fn a_wrong_leaf_of_a_tagged_union_is_found_in_linear_time() {
    check_depths(&Contract::of::<Rule>().unwrap(), rules, [25, 100]);
}

#[test]
fn a_wrong_leaf_of_an_untagged_union_is_found_in_linear_time() {
    check_depths(&Contract::of::<Untagged>().unwrap(), untagged, [25, 100]);
}

#[test]
fn a_wrong_leaf_of_an_externally_tagged_union_is_found_in_linear_time() {
    check_depths(&Contract::of::<External>().unwrap(), external, [15, 60]);
}

#[test]
fn a_wrong_leaf_of_an_adjacently_tagged_union_is_found_in_linear_time() {
    check_depths(&Contract::of::<Adjacent>().unwrap(), adjacent, [15, 60]);
}

#[test]
fn a_tool_call_with_a_recursive_union_costs_in_proportion_to_its_arguments() {
    let mut toolkit = Toolkit::<Rule>::new().unwrap();
    let call = ToolCall::new("submit", rules(60));
    let (result, cost) = measured(|| block_on(toolkit.call(call)));
    let result = format!("{result:?}");
    assert!(result.contains("wrong type"), "{result}");
    assert!(cost.total < mib(40), "{cost:?}");
}

/// A tree of 2,048 leaves, all wrong.
#[test]
fn a_tree_with_every_leaf_wrong_is_reported_up_to_the_bound() {
    fn tree(depth: usize) -> Value {
        if depth == 0 {
            return json!({"op": "field", "name": 1, "least": 1});
        }
        json!({"op": "and", "left": tree(depth - 1), "right": tree(depth - 1)})
    }
    let (violations, cost) = judged(&Contract::of::<Rule>().unwrap(), &tree(11));
    assert_eq!(violations.len(), 1_001);
    assert_eq!(violations[1_000].code, Code::More);
    assert!(violations[..1_000].iter().all(|violation| violation.path.segments().len() == 12));
    assert!(cost.peak < mib(8), "{cost:?}");
}

fn variant(index: usize, is_tagged: bool) -> Value {
    let key = format!("value_{index}");
    let mut schema = json!({"type": "object", "properties": {&key: {"type": "integer"}}, "required": [key]});
    if is_tagged {
        schema["properties"]["kind"] = json!({"const": format!("kind_{index}")});
        schema["required"] = json!([key, "kind"]);
    }
    schema
}

fn list_of(variants: usize, is_tagged: bool) -> Contract {
    let variants: Vec<_> = (0..variants).map(|index| variant(index, is_tagged)).collect();
    Contract::from_schema(json!({"type": "array", "items": {"oneOf": variants}})).unwrap()
}

fn items(count: usize, variants: usize) -> Value {
    let item = |index: usize| {
        let index = index % variants;
        json!({"kind": format!("kind_{index}"), format!("value_{index}"): "x"})
    };
    (0..count).map(item).collect()
}

#[test]
fn a_long_list_with_every_element_wrong_is_reported_up_to_the_bound() {
    for is_tagged in [true, false] {
        let value = items(100_000, 7);
        assert!(value.to_string().len() > 3 << 20);
        let (violations, cost) = judged(&list_of(7, is_tagged), &value);
        assert_eq!(violations.len(), 1_001);
        assert_eq!(
            violations[0].to_string(),
            "[WRONG_TYPE] $[0].value_0: wrong type (expected an integer, got the string \"x\")"
        );
        assert_eq!(violations[1_000].message, "99000 violations more that are not listed");
        assert!(cost.peak < mib(80), "{cost:?}");
    }
}

#[test]
fn a_thousand_alternatives_for_thousands_of_elements() {
    let (violations, cost) = judged(&list_of(1_000, true), &items(5_000, 1_000));
    assert_eq!(violations.len(), 1_001);
    assert!(violations[..1_000].iter().all(|violation| violation.code == Code::WrongType));
    assert!(cost.peak < mib(16), "{cost:?}");
    // If nothing distinguishes them, each is tried for each element.
    let (violations, cost) = judged(&list_of(1_000, false), &items(100, 1_000));
    assert_eq!(violations.len(), 100);
    assert!(cost.peak < mib(80), "{cost:?}");
}

/// Elements of a type that no alternative accepts, with a tag that none has, or without a tag: the
/// expectation is the same for all, and described once.
#[test]
fn a_thousand_alternatives_of_which_none_was_meant() {
    let contract = list_of(1_000, true);
    for element in [json!(3), json!("x"), json!({"kind": "x", "a": 1}), json!({"kin": "kind_1"}), json!({})] {
        let value: Value = (0..100).map(|_| element.clone()).collect();
        let (violations, cost) = judged(&contract, &value);
        assert_eq!(violations.len(), 100, "{element}");
        assert!(cost.total < mib(25), "{element}: {cost:?}");
        assert!(violations.iter().all(|violation| violation.expected.as_ref().unwrap().len() < 8_100));
    }
}

/// Keywords that test a schema, at every level.
#[test]
fn conditions_at_every_level_are_found_out_once() {
    let child =
        |schema: Value| json!({"type": "object", "properties": {"a": schema, "v": {"type": "integer"}}});
    let me = || json!({"$ref": "#/$defs/Me"});
    for me in [
        json!({"allOf": [child(me()), child(me())]}),
        json!({"anyOf": [child(me()), child(me())]}),
        json!({"oneOf": [child(me()), {"allOf": [child(me()), {"required": ["w"]}]}]}),
        json!({"if": child(me()), "then": child(me()), "else": child(me())}),
        json!({"allOf": [child(me())], "not": {"allOf": [child(me()), {"required": ["w"]}]}}),
        json!({"allOf": [child(me())], "unevaluatedProperties": false, "anyOf": [child(me()), {"required": ["w"]}]}),
        json!({"allOf": [child(me())], "dependentSchemas": {"a": child(me()), "v": child(me())}}),
    ] {
        let contract = Contract::from_schema(json!({"$defs": {"Me": me}, "$ref": "#/$defs/Me"})).unwrap();
        let value = |depth| nested(depth, json!({"v": "x"}), |inner, _| json!({"a": inner, "v": 1}));
        let [small, large] = [20, 80].map(|depth| {
            let (violations, cost) = judged(&contract, &value(depth));
            assert!(!violations.is_empty());
            cost
        });
        assert!(large.total < 16 * small.total, "{me}: {small:?}, {large:?}");
        assert!(large.peak < mib(2), "{me}: {large:?}");
    }
}

#[test]
fn elements_and_names_at_every_level_are_found_out_once() {
    let me = || json!({"$ref": "#/$defs/Me"});
    for me in [
        json!({"type": ["array", "integer"], "contains": me(), "items": {"anyOf": [me(), me()]}}),
        json!({"type": ["array", "integer"], "prefixItems": [me()], "unevaluatedItems": me()}),
    ] {
        let contract = Contract::from_schema(json!({"$defs": {"Me": me}, "$ref": "#/$defs/Me"})).unwrap();
        let value = |depth| nested(depth, json!("x"), |inner, _| json!([inner]));
        let [small, large] = [20, 80].map(|depth| judged(&contract, &value(depth)).1);
        assert!(large.total < 12 * small.total, "{me}: {small:?}, {large:?}");
    }
}

/// Nested unions for one value.
#[test]
fn alternatives_of_alternatives_are_weighed_once() {
    let union = (0..12).fold(json!({"type": "integer"}), |inner, level| {
        json!({"anyOf": [inner, {"type": "object", "properties": {format!("k{level}"): {"type": "integer"}}, "required": [format!("k{level}")]}]})
    });
    let contract = Contract::from_schema(union).unwrap();
    let (violations, cost) = judged(&contract, &json!({"k3": "x"}));
    assert_eq!(violations[0].path.to_string(), "$.k3");
    assert!(cost.total < mib(1), "{cost:?}");
}

#[test]
fn a_value_deeper_than_any_reply_is_not_passed_as_right() {
    // serde_json reads 128 levels; a program may build more.
    let contract = Contract::of::<Rule>().unwrap();
    let (violations, _) = measured(|| contract.validate(&rules(300)));
    assert!(!violations.is_empty());
}

#[test]
fn the_wrong_parts_of_a_text_are_found_whatever_surrounds_them() {
    let mut reply = String::from("Here it is:\n");
    let _ = write!(reply, "```json\n{}\n```", rules(60));
    let contract = Contract::of::<Rule>().unwrap();
    let (reading, _) = measured(|| contract.read(&reply));
    let violations = contract.validate(&reading.value.unwrap());
    assert!(violations.iter().any(|violation| violation.code == Code::WrongType), "{violations:?}");
}

/// The maximum chain of schemas for one value, at each level of a value that is wrong at its end.
#[test]
fn chains_of_unions_at_every_level_of_a_deep_value_end() {
    for links in [1, 8, 40] {
        let inner =
            json!({"type": "object", "properties": {"next": {"$ref": "#"}, "id": {"type": "integer"}}});
        let schema = (0..links).fold(inner, |inner, _| json!({"anyOf": [inner, {"type": "string"}]}));
        let contract = Contract::from_schema(schema).unwrap();
        let value = (0..100).fold(json!({"id": "wrong"}), |inner, _| json!({"next": inner}));
        let (violations, cost) = measured(|| {
            let read = contract.read(&value.to_string());
            (read.violations, read.value.map(|value| contract.validate(&value)))
        });
        assert!(!violations.0.is_empty() || violations.1.is_some_and(|found| !found.is_empty()));
        assert!(cost.peak < mib(8), "{links} links: {cost:?}");
        assert!(!contract.validate(&value).is_empty());
    }
}

/// Each level of the schema evaluates the same part of the value twice.
#[test]
fn parts_that_are_asked_for_twice_at_every_level_are_judged_once() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = json!({keyword: [
            {"type": "object", "properties": {"a": {"$ref": "#"}}},
            {"type": ["object", "integer"], "properties": {"a": {"$ref": "#"}}},
        ]});
        let contract = Contract::from_schema(schema).unwrap();
        let value = (0..24).fold(json!("wrong"), |inner, _| json!({"a": inner}));
        let (violations, cost) = measured(|| contract.validate(&value));
        assert!(!violations.is_empty(), "{keyword}");
        assert!(cost.total < mib(64), "{keyword}: {cost:?}");
    }
}
