//! `merge = function`: the greatest of several statements counts.

use std::cmp::Ordering;

use extract::{
    Contract, WithContext, at,
    testing::{ScriptedAgent, block_on},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;

/// Returns the merged answers to the three chunks, and the conflicts.
fn merged<T: Extractable + WithContext + Serialize + Send>(answers: [Value; 3]) -> (Value, Vec<String>) {
    let agent = ScriptedAgent::new(answers.map(|answer| answer.to_string()));
    let (document, chunks) = document();
    let extraction = T::extract(&agent, "").document(&document).chunks(chunks);
    let (value, metrics) = block_on(extraction).unwrap();
    (json!(value), conflicts(&metrics))
}

#[expect(clippy::ptr_arg, reason = "the signature is the library's")]
fn longest(left: &String, right: &String) -> Ordering {
    left.len().cmp(&right.len())
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Findings<T> {
    #[extract(merge = f64::total_cmp)]
    fever: f64,
    #[extract(merge = longest)]
    cause: String,
    #[extract(merge = Ord::cmp)]
    day: Option<u8>,
    #[extract(merge = Vec::cmp)]
    codes: Vec<u8>,
    inner: T,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Inner {
    #[extract(merge = least)]
    age: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is the library's")]
fn least(left: &u8, right: &u8) -> Ordering {
    right.cmp(left)
}

fn findings(fever: f64, cause: &str, day: Option<u8>, codes: &[u8], age: u8) -> Value {
    json!({"fever": fever, "cause": cause, "day": day, "codes": codes, "inner": {"age": age}})
}

#[test]
fn each_field_has_its_own_function() {
    let answers = [
        findings(38.5, "flu", None, &[1, 9], 40),
        findings(40.0, "a cold", Some(3), &[2], 39),
        findings(39.0, "unclear", Some(2), &[1], 41),
    ];
    let (value, conflicts) = merged::<Findings<Inner>>(answers);
    assert_eq!(value, findings(40.0, "unclear", Some(3), &[2], 39));
    assert_eq!(
        conflicts,
        [
            "$.fever: 40.0 not 38.5, 39.0",
            r#"$.cause: "unclear" not "flu", "a cold""#,
            "$.day: 3 not 2",
            "$.codes: [2] not [1,9], [1]",
            "$.inner.age: 39 not 40, 41",
        ]
    );
}

#[test]
fn a_type_in_two_places_keeps_its_function() {
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    struct Two {
        left: Inner,
        right: Option<Box<Inner>>,
        #[serde(flatten)]
        flat: Inner,
    }
    let two =
        |left: u8, right: u8, age: u8| json!({"left": {"age": left}, "right": {"age": right}, "age": age});
    let (value, _) = merged::<Two>([two(5, 3, 9), two(4, 7, 8), two(6, 2, 7)]);
    assert_eq!(value, two(4, 2, 7));
}

#[test]
fn a_value_with_its_quote_is_compared_with_its_place() {
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    struct Highest {
        #[extract(merge = by_value)]
        dose_mg: Option<Grounded<f64>>,
        #[extract(merge = by_place)]
        where_it_ends: Option<Quote>,
    }
    #[expect(clippy::ref_option, reason = "the signature is the library's")]
    fn by_value(left: &Option<Grounded<f64>>, right: &Option<Grounded<f64>>) -> Ordering {
        left.as_ref().map(|dose| dose.value).partial_cmp(&right.as_ref().map(|dose| dose.value)).unwrap()
    }
    #[expect(clippy::ref_option, reason = "the signature is the library's")]
    fn by_place(left: &Option<Quote>, right: &Option<Quote>) -> Ordering {
        let end = |quote: &Option<Quote>| quote.as_ref().and_then(Quote::span).map(|span| span.end());
        end(left).cmp(&end(right))
    }
    let agent = ScriptedAgent::new([
        r#"{"dose_mg": {"value": 100, "quote": "100 mg"}, "where_it_ends": "pain"}"#,
        r#"{"where_it_ends": "stopped"}"#,
        r#"{"dose_mg": {"value": 50, "quote": "50 mg"}, "where_it_ends": "fever"}"#,
    ]);
    let (document, chunks) = document();
    let extraction = Highest::extract(&agent, "").document(&document).chunks(chunks);
    let (highest, metrics) = block_on(extraction).unwrap();
    let dose = highest.dose_mg.unwrap();
    assert_eq!((dose.value, &TEXT[dose.span().unwrap().range()]), (100.0, "100 mg"));
    assert_eq!(&*highest.where_it_ends.unwrap(), "fever");
    assert_eq!(metrics.conflicts.len(), 2);
}

#[test]
fn a_narrowed_contract_keeps_the_functions() {
    let agent = ScriptedAgent::new([r#"{"age": 40}"#, r#"{"age": 39}"#, r#"{"age": 41}"#]);
    let (document, chunks) = document();
    let extraction = Inner::extract(&agent, "").document(&document).chunks(chunks);
    let extraction = extraction.one_of(at!(Inner, age), [39, 40, 41]);
    assert_eq!(block_on(extraction).unwrap().0.age, 39);
}

#[test]
fn functions_are_numbered_alike_each_time() {
    fn marks<T: Extractable + DeserializeOwned>() -> Vec<Value> {
        let contract = Contract::of::<T>().unwrap();
        let properties = contract.schema()["properties"].as_object().unwrap();
        properties.values().filter_map(|property| property.get("x-merge").cloned()).collect()
    }
    assert_eq!(marks::<Findings<Inner>>(), [0, 1, 2, 3]);
    assert_eq!(Findings::<Inner>::schema(), Findings::<Inner>::schema());
}

#[test]
fn a_narrowed_place_is_still_a_quote_and_a_key() {
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    struct Finding {
        #[extract(key)]
        name: Quote,
    }
    let contract = Contract::of::<Finding>().unwrap().one_of(at!(Finding, name), ["zinc", "gold"]).unwrap();
    let name = &contract.schema()["properties"]["name"];
    assert_eq!((&name["x-quote"], &name["x-key"]), (&json!(true), &json!(true)));
    let violations = contract.document(&document().0).validate(&json!({"name": "gold"}));
    assert_eq!(violations[0].code, extract::Code::NotInSource, "{violations:?}");
}
