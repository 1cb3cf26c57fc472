//! Schema, example and rules of a type.

use std::sync::atomic::{AtomicUsize, Ordering};

use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Extractable, Rejection, settings::PromptOptions};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::domain::{Invoice, Kind, Line};

/// Every contract's example satisfies it.
fn example_is_right<T: Extractable>() {
    let contract = Contract::of::<T>().unwrap();
    let example = T::example();
    assert_eq!(contract.validate(&example), [], "{example}");
    assert_eq!(contract.example(), Some(&example));
    let independent = jsonschema::draft202012::new(&T::schema()).unwrap();
    assert!(independent.is_valid(&example));
    T::deserialize(&example).unwrap();
}

#[test]
fn the_example_satisfies_schema_serde_and_rules() {
    example_is_right::<Invoice>();
    example_is_right::<Line>();
    example_is_right::<Kind>();
    example_is_right::<Vec<Option<Invoice>>>();
    example_is_right::<std::collections::BTreeMap<String, Kind>>();
}

#[test]
fn keys_stand_in_the_order_of_the_fields() {
    let keys: Vec<_> = Invoice::schema()["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["number", "currency", "lines", "total", "remarks"]);
    assert!(
        Invoice::example().to_string().starts_with(r#"{"number":"INV-2041","currency":"EUR","lines":[{"#)
    );
}

#[test]
fn the_schema_holds_the_constraints() {
    let schema = Invoice::schema();
    let property = |name: &str| schema["properties"][name].clone();
    assert_eq!(property("number")["pattern"], r"^INV-\d{4}$");
    assert_eq!(property("number")["description"], "Number printed at the top right.");
    assert_eq!(property("currency")["enum"], json!(["EUR", "USD", "GBP"]));
    assert_eq!(property("lines")["minItems"], 1);
    assert_eq!(property("total")["minimum"], 0.0);
    assert_eq!(schema["required"], json!(["number", "currency", "lines", "total"]));
    assert_eq!(schema["description"], "An invoice, as printed.");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

#[test]
fn a_schema_that_does_not_compile_names_the_path() {
    for (schema, path) in [
        (json!({"type": "object", "properties": {"id": {"type": "strnig"}}}), "$.properties.id.type"),
        (json!({"type": "object", "properties": {"id": {"minLength": -1}}}), "$.properties.id.minLength"),
        (json!({"properties": {"id": {"pattern": "["}}}), "$.properties.id.pattern"),
        (json!({"type": 3}), "$.type"),
        (json!("text"), "$"),
    ] {
        let error = Contract::from_schema(schema.clone()).unwrap_err();
        assert_eq!(error.path().to_string(), path, "{error}");
        assert!(error.to_string().starts_with(&format!("the JSON Schema does not compile at {path}: ")));
    }
    for reference in ["#/$defs/nowhere", "https://example.com/schema.json"] {
        let error =
            Contract::from_schema(json!({"items": {"anyOf": [true, {"$ref": reference}]}})).unwrap_err();
        assert_eq!(error.path().to_string(), "$.items.anyOf[1][\"$ref\"]");
        assert!(error.to_string().contains(reference), "{error}");
    }
}

static COMPILED: AtomicUsize = AtomicUsize::new(0);

#[derive(Deserialize, Extractable)]
#[extract(rule = counts)]
struct Counted {
    #[allow(dead_code, reason = "only its schema matters")]
    number: u8,
}

/// The rule runs once on the example when the contract is compiled.
#[allow(clippy::unnecessary_wraps, reason = "a rule returns a result")]
fn counts(_: &Counted) -> Result<(), Rejection> {
    COMPILED.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

#[test]
fn a_type_is_compiled_once() {
    for _ in 0..5 {
        Contract::of::<Counted>().unwrap();
    }
    assert_eq!(COMPILED.load(Ordering::Relaxed), 1);
}

#[test]
fn an_example_that_breaks_a_rule_is_not_shown() {
    let shown = |contract: &Contract| {
        let agent = ScriptedAgent::new(["3"]);
        let _ = block_on(
            contract
                .extract(&agent, "…")
                .prompt_options(PromptOptions::new().show_example(true))
                .max_attempts(1),
        );
        agent.requests()[0].conversation.to_text().contains("to show the form")
    };
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    assert!(contract.example().is_some() && shown(&contract));
    let contract = contract.with_rule(|_: &Value| Err("never"));
    assert_eq!(contract.example(), None);
    assert!(!shown(&contract));
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = starts_with_the_third_number)]
struct Numbers {
    first: u8,
    all: Vec<u8>,
}

fn starts_with_the_third_number(numbers: &Numbers) -> Result<(), String> {
    if numbers.first == numbers.all[2] { Ok(()) } else { Err("first is not the third".to_owned()) }
}

#[test]
fn a_rule_that_panics_on_the_example_costs_only_the_example() {
    assert_eq!(Contract::of::<Numbers>().unwrap().example(), None);
    assert!(Numbers::from_reply(r#"{"first": 3, "all": [1, 2, 3]}"#).is_ok());
    let error = Numbers::from_reply(r#"{"first": 3, "all": []}"#).unwrap_err();
    assert!(matches!(error, extract::ExtractionError::Panicked { .. }), "{error}");
}
