//! Schemas with examples that are large or hard to find.

use extract::testing::{ScriptedAgent, block_on};
use extract::toolkit::{ToolCall, Toolkit};
use extract::{Contract, Extractable, settings::PromptOptions};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{measured, mib};

/// The example of a contract; it has to cost little.
fn example(schema: Value) -> Option<Value> {
    let shown: String = schema.to_string().chars().take(200).collect();
    let (contract, cost) = measured(|| Contract::from_schema(schema).unwrap());
    assert!(cost.peak < mib(24) && cost.total < mib(64), "{shown}: {cost:?}");
    let example = contract.example().cloned();
    assert!(example.as_ref().is_none_or(|example| example.to_string().len() <= 32 << 10));
    example
}

#[test]
fn without_a_small_example_there_is_none() {
    let list = |items: &Value| json!({"type": "array", "minItems": 10_000, "items": items});
    let map =
        |entries: &Value| json!({"type": "object", "minProperties": 10_000, "additionalProperties": entries});
    let integer = json!({"type": "integer"});
    for schema in [
        list(&list(&integer)),
        map(&map(&integer)),
        list(&map(&json!({"type": "string", "minLength": 10_000}))),
        json!({"type": "array", "minItems": 1_000_000_000, "items": integer}),
        json!({"type": "array", "minItems": 5_000, "items": {"const": "0123456789"}}),
        json!({"type": "object", "minProperties": 1_000_000_000, "additionalProperties": integer}),
        json!({"type": "string", "minLength": 1_000_000_000}),
        json!({"type": "array", "minItems": 10_000, "items": {"type": "string", "minLength": 10_000}}),
        json!({"type": "string", "pattern": "^(a{200}){200}$"}),
        json!({"const": "x".repeat(1 << 20)}),
        json!({"enum": ["x".repeat(1 << 20)]}),
        json!({"prefixItems": vec![json!({"enum": [vec!["x"; 100]]}); 1_000], "minItems": 1_000}),
        json!({"type": "object", "required": (0..20_000).map(|n| format!("key {n}")).collect::<Vec<_>>(), "patternProperties": {"^key": true}}),
        json!({"type": "array", "uniqueItems": true, "minItems": 9_000, "items": {"enum": (0..9_000).collect::<Vec<_>>()}}),
    ] {
        let shown: String = schema.to_string().chars().take(200).collect();
        assert_eq!(example(schema), None, "{shown}");
    }
}

#[test]
fn patterns_that_repeat_repetitions_end() {
    for pattern in ["^((((a{0,64}){64}){64}){64})?$", "^(((((){1000}){1000}){1000}){1000})$"] {
        // It does not matter here if the validator accepts it.
        let (_, cost) = measured(|| Contract::from_schema(json!({"type": "string", "pattern": pattern})));
        assert!(cost.peak < mib(64), "{pattern}: {cost:?}");
    }
}

#[test]
fn small_examples_are_found_beside_large_parts_that_are_not_needed() {
    let large = json!({"type": "array", "minItems": 10_000, "items": {"type": "string", "minLength": 1_000}});
    let properties: Map<_, _> =
        (0..3_000).map(|number| (format!("a part {number}"), json!({"type": "string"}))).collect();
    assert_eq!(example(json!({"type": "object", "properties": properties})), Some(json!({})));
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}, "large": {"$ref": "#/$defs/Large"}},
        "required": ["id"],
        "$defs": {"Large": {"type": "object", "properties": {"parts": large}}},
    });
    assert_eq!(example(schema), Some(json!({"id": 1})));
}

#[test]
fn elements_that_have_to_differ_do() {
    let schema = json!({"type": "array", "uniqueItems": true, "minItems": 300, "items": {"enum": (0..300).collect::<Vec<_>>()}});
    assert_eq!(example(schema).unwrap().as_array().unwrap().len(), 300);
}

macro_rules! mutually_recursive {
    ($($name:ident)*) => { mutually_recursive!(@each [$($name)*] $($name)*); };
    (@each $all:tt $($name:ident)*) => { $(mutually_recursive!(@one $name $all);)* };
    (@one $name:ident [$($other:ident)*]) => {
        #[derive(Deserialize, Extractable)]
        #[allow(non_snake_case, dead_code)]
        struct $name {
            id: u32,
            $($other: Option<Box<$other>>,)*
            many: Vec<$name>,
        }
    };
}

mutually_recursive!(A B C D E F G H I J);

#[test]
fn types_that_refer_to_each_other_show_each_of_them_once() {
    let (contract, cost) = measured(|| Contract::of::<A>().unwrap());
    assert!(cost.peak < mib(16) && cost.total < mib(64), "{cost:?}");
    let example = contract.example().expect("there is a small one");
    let text = example.to_string();
    assert!(text.len() < 10_000, "{}", text.len());
    for name in ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"] {
        assert!(text.contains(&format!("\"{name}\":{{")), "{name} is shown: {text}");
    }
    contract.instructions();
}

#[test]
fn a_request_for_a_missing_example_is_an_error() {
    #[derive(Debug, Deserialize, Extractable)]
    struct Large {
        #[extract(length(min = 100_000))]
        #[allow(dead_code)]
        list: Vec<u8>,
    }
    assert_eq!(Large::example(), Value::Null);
    assert_eq!(Contract::of::<Large>().unwrap().example(), None);

    let mut toolkit = Toolkit::<Large>::new().unwrap();
    let name = toolkit.tools()[0].name.clone();
    let answer = block_on(toolkit.call(ToolCall::new(name, json!({}))));
    assert!(answer.text.starts_with("There is no small example."), "{}", answer.text);

    let agent = ScriptedAgent::new(["{}"]);
    let error = block_on(
        Large::extract(&agent, "…").prompt_options(PromptOptions::new().show_example(true)).max_attempts(1),
    )
    .unwrap_err();
    let note = "there is no small example that satisfies the contract, so none was shown";
    assert_eq!(error.history()[0].notes, [note]);
}

#[test]
fn definitions_that_are_shown_once_are_shown_where_they_come_first() {
    // Too large if every part is shown every time, small if each is shown once.
    let names: Vec<_> = (0..30).map(|number| format!("D{number}")).collect();
    let all: Map<_, _> =
        names.iter().map(|name| (name.clone(), json!({"$ref": format!("#/$defs/{name}")}))).collect();
    let definitions: Map<_, _> =
        names.iter().map(|name| (name.clone(), json!({"type": "object", "properties": all}))).collect();
    let example = example(json!({"$ref": "#/$defs/D0", "$defs": definitions})).unwrap();
    assert!(example["D1"]["D2"]["D3"].is_object(), "{example}");
    assert!(example.to_string().len() < 10_000, "{}", example.to_string().len());
}

#[test]
fn a_long_pattern_costs_no_more_than_its_length() {
    let pattern = format!("^{}$", "ab".repeat(5_000));
    let schema = json!({"type": "string", "pattern": pattern});
    let (contract, cost) = measured(|| Contract::from_schema(schema).unwrap());
    assert_eq!(contract.validate(&json!("ab".repeat(5_000))), []);
    assert!(cost.total < mib(128), "{cost:?}");
}
