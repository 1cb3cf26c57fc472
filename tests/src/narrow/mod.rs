//! Contracts that are narrowed at run time.

mod errors;
mod hostile;
mod property;
mod seen;

use std::collections::BTreeMap;

use extract::{
    Contract, Extractable, ExtractionError, Rejection, Toolkit, at,
    testing::{ScriptedAgent, block_on},
    toolkit::ToolCall,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A letter from a customer.
#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[extract(rule = is_signed)]
struct Ticket {
    /// What it is about.
    #[extract(example = "an old category")]
    category: String,
    priority: Option<Priority>,
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(alias = "author")]
    sender: Option<Person>,
    #[serde(default)]
    ratings: BTreeMap<String, u8>,
    #[serde(default)]
    #[extract(sensitive)]
    diagnosis: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
enum Priority {
    /// Within the hour.
    High,
    /// Within the week.
    Low,
    Lowest,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[extract(pattern = "^[A-Z]-[0-9]+$")]
    part_number: String,
    #[serde(default)]
    of: Vec<Part>,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Person {
    name: String,
}

fn is_signed(ticket: &Ticket) -> Result<(), Rejection> {
    match &ticket.sender {
        Some(sender) if sender.name.is_empty() => Err(Rejection::new("nobody signed").at(at!(ticket.sender))),
        _ => Ok(()),
    }
}

fn base() -> Contract {
    Contract::of::<Ticket>().unwrap()
}

fn allows(contract: &Contract, value: &Value) -> bool {
    contract.validate(value).is_empty()
}

#[test]
fn the_result_stays_the_type_and_its_rules_run() {
    let agent = ScriptedAgent::new([
        r#"{"category": "weather"}"#,
        r#"{"category": "delivery", "sender": {"name": ""}}"#,
        r#"{"category": "delivery"}"#,
    ]);
    let categories = vec!["billing".to_owned(), "delivery".to_owned()];
    let extraction = Ticket::extract(&agent, "It is late.").one_of(at!(Ticket, category), categories);
    let (ticket, metrics) = block_on(extraction).unwrap();
    assert_eq!((ticket.category.as_str(), metrics.attempts), ("delivery", 3));
    let asked = format!("{:?}", agent.requests()[2].conversation);
    assert!(asked.contains("nobody signed"), "{asked}");
}

#[test]
fn several_places_are_narrowed_one_after_the_other() {
    let contract = base()
        .one_of(at!(Ticket, category), ["a", "b", "c"])
        .and_then(|contract| contract.one_of("category", ["b", "c"]))
        .and_then(|contract| contract.one_of(at!(Ticket, parts[..].part_number), ["P-1"]))
        .and_then(|contract| contract.one_of(at!(Ticket, ratings[..]), [1, 2]))
        .and_then(|contract| contract.describe(at!(Ticket, category), "The subject."))
        .unwrap();
    let ticket = |category: &str, part: &str, rating: u8| json!({"category": category, "parts": [{"partNumber": part}], "ratings": {"speed": rating}});
    assert!(allows(&contract, &ticket("b", "P-1", 2)));
    for wrong in [ticket("a", "P-1", 2), ticket("b", "P-2", 2), ticket("b", "P-1", 3)] {
        assert!(allows(&base(), &wrong) && !allows(&contract, &wrong), "{wrong}");
    }
    let category = &contract.schema()["properties"]["category"];
    assert_eq!(*category, json!({"type": "string", "description": "The subject.", "enum": ["b", "c"]}));
}

#[test]
fn only_the_place_is_narrowed_in_a_recursive_type() {
    let contract = base().one_of(at!(Ticket, parts[..].of[..].part_number), ["P-1"]).unwrap();
    let part = |number: &str, of: &Value| json!({"partNumber": number, "of": of});
    let ticket = |middle: &str| json!({"category": "a", "parts": [part("Q-2", &json!([part(middle, &json!([part("Q-3", &json!([]))]))]))]});
    assert!(allows(&contract, &ticket("P-1")));
    assert!(!allows(&contract, &ticket("P-2")));
}

#[test]
fn null_stays_allowed_and_enums_keep_their_meanings() {
    let contract =
        base().one_of(at!(Ticket, priority), [Priority::High, Priority::Low, Priority::High]).unwrap();
    assert_eq!(
        contract.schema()["properties"]["priority"],
        json!({
            "type": ["string", "null"],
            "description": "- `high`: Within the hour.\n- `low`: Within the week.",
            "enum": ["high", "low", null],
        })
    );
    for (priority, is_allowed) in [(json!(null), true), (json!("high"), true), (json!("lowest"), false)] {
        assert_eq!(allows(&contract, &json!({"category": "a", "priority": priority})), is_allowed);
    }
    assert!(allows(&contract, &json!({"category": "a"})));
    let only_null = base().one_of(at!(Ticket, priority), [None::<Priority>]).unwrap();
    assert!(!allows(&only_null, &json!({"category": "a", "priority": "high"})));
}

#[test]
fn a_field_is_narrowed_under_its_alias_too() {
    let contract = base().one_of(at!(Ticket, sender?.name), ["Ann"]).unwrap();
    for key in ["sender", "author"] {
        assert!(allows(&contract, &json!({"category": "a", key: {"name": "Ann"}})));
        assert!(!allows(&contract, &json!({"category": "a", key: {"name": "Bob"}})));
    }
}

#[test]
fn an_example_that_no_longer_fits_is_replaced() {
    assert_eq!(base().example().unwrap()["category"], "an old category");
    let contract = base().one_of(at!(Ticket, category), ["billing"]).unwrap();
    let example = contract.example().unwrap();
    assert_eq!(example["category"], "billing");
    assert_eq!(contract.validate(example), []);
}

#[test]
fn a_contract_is_narrowed_once_for_many_extractions() {
    let contract = base().one_of(at!(Ticket, category), ["billing"]).unwrap();
    let agent = ScriptedAgent::new([r#"{"category": "billing"}"#; 2]);
    for _ in 0..2 {
        let (ticket, _) = block_on(Ticket::extract(&agent, "It is late.").contract(&contract)).unwrap();
        assert_eq!(ticket.category, "billing");
    }
    let (first, second) = (&agent.requests()[0], &agent.requests()[1]);
    assert!(std::sync::Arc::ptr_eq(first.schema.as_ref().unwrap(), second.schema.as_ref().unwrap()));
}

#[test]
fn the_contract_of_another_type_is_an_error_before_anything_is_asked() {
    let agent = ScriptedAgent::new([""; 0]);
    let other = Contract::of::<Person>().unwrap();
    let error = block_on(Ticket::extract(&agent, "It is late.").contract(&other)).unwrap_err();
    assert!(matches!(error, ExtractionError::Narrowing(_)), "{error}");
    assert_eq!(error.name(), "Narrowing");
}

#[test]
fn a_variant_is_a_place_in_each_alternative_that_has_it() {
    let contract = Contract::of::<Payment>().unwrap();
    let narrow = contract.one_of("$.currency", ["EUR"]).unwrap();
    for (value, is_allowed) in [
        (json!({"by": "card", "currency": "EUR"}), true),
        (json!({"by": "card", "currency": "USD"}), false),
        (json!({"by": "cash", "currency": "USD"}), false),
        // The member is not part of this variant, and is ignored.
        (json!({"by": "voucher", "currency": "USD"}), true),
    ] {
        assert!(allows(&contract, &value));
        assert_eq!(allows(&narrow, &value), is_allowed, "{value}");
    }
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Payment {
    Card { currency: String },
    Cash { currency: String },
    Voucher,
}

#[test]
fn the_absence_of_a_flattened_field_is_no_way_around() {
    let contract = Contract::of::<Order>().unwrap();
    let narrow = contract.one_of("$.currency", ["EUR"]).unwrap();
    for (value, is_allowed) in [
        (json!({"number": 1}), true),
        (json!({"number": 1, "by": "card", "currency": "EUR"}), true),
        (json!({"number": 1, "by": "card", "currency": "USD"}), false),
    ] {
        assert!(allows(&contract, &value));
        assert_eq!(allows(&narrow, &value), is_allowed, "{value}");
    }
}

#[derive(Debug, Deserialize, Extractable)]
struct Order {
    number: u8,
    #[serde(flatten)]
    payment: Option<Payment>,
}

#[test]
fn tools_describe_and_accept_the_narrowed_contract() {
    let toolkit = Toolkit::<Ticket>::new().unwrap().named("letter");
    let mut toolkit = toolkit.one_of(at!(Ticket, category), ["billing", "delivery"]).unwrap();
    let submit = &toolkit.tools()[2];
    assert_eq!(submit.name, "submit_letter");
    let schema = submit.input_schema.to_string();
    assert!(schema.contains(r#""enum":["billing","delivery"]"#), "{schema}");
    let example = block_on(toolkit.call(ToolCall::new("example_letter", json!({}))));
    assert!(example.text.contains(r#""category":"billing""#), "{}", example.text);
    let submit = |category| ToolCall::new("submit_letter", json!({"value": {"category": category}}));
    let refused = block_on(toolkit.call(submit("weather")));
    assert!(
        refused.is_error && refused.text.contains(r#"one of ["billing","delivery"]"#),
        "{}",
        refused.text
    );
    block_on(toolkit.call(submit("delivery")));
    assert_eq!(toolkit.finish().unwrap().0.category, "delivery");
}

#[test]
fn a_whole_value_can_be_narrowed_and_the_tools_take_it_as_an_argument() {
    let mut toolkit = Toolkit::<Priority>::new().unwrap().one_of("$", [Priority::Low]).unwrap();
    assert!(block_on(toolkit.call(ToolCall::new("submit", json!({"value": "high"})))).is_error);
    assert!(!block_on(toolkit.call(ToolCall::new("submit", json!({"value": "low"})))).is_error);
}
