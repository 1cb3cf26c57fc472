//! Ambiguous numbers in strings, and numbers with signs that JSON does not have.

use std::collections::BTreeMap;

use extract::{Contract, reading::Loss, settings::Leniency};
use serde_json::{Value, json};

fn of(kind: &str) -> Contract {
    let schema = json!({"type": "object", "properties": {"a": {"type": kind}}, "required": ["a"]});
    Contract::from_schema(schema).unwrap()
}

/// Returns whether a reply is rejected and its value unchanged.
fn is_refused(contract: &Contract, reply: &str, value: &Value) -> bool {
    let reading = contract.read(reply);
    assert_eq!(reading.value.as_ref(), Some(value), "{reply}");
    !reading.violations.is_empty() || !contract.validate(value).is_empty()
}

#[test]
fn a_string_of_digits_a_mark_and_three_digits_is_not_one_number() {
    for text in [
        "1.000",
        "12.500",
        "999.999",
        "1,000",
        "-1.000",
        "+1.000",
        "\u{2212}1.000",
        " 1.000 ",
        "1.250.000",
        "192.168.100.200",
        "1.000.000.000",
        "1.2.3",
        "10.11.2024",
    ] {
        for kind in ["integer", "number"] {
            for leniency in [Leniency::Strict, Leniency::Faithful, Leniency::Lossy] {
                let contract = of(kind);
                let reading = contract.reader().leniency(leniency).read(&json!({ "a": text }).to_string());
                assert_eq!(reading.value, Some(json!({ "a": text })), "{kind} {leniency:?}");
            }
            for reply in [json!({ "a": text }).to_string(), format!("Sure: {{'a': '{text}'}}")] {
                assert!(is_refused(&of(kind), &reply, &json!({ "a": text })), "{kind} {reply}");
            }
        }
    }
}

#[test]
fn a_string_that_is_one_number_is_that_number() {
    for (text, number) in [
        ("0.500", json!(0.5)),
        ("-0.125", json!(-0.125)),
        ("1234.500", json!(1234.5)),
        ("1.2500", json!(1.25)),
        ("1.25", json!(1.25)),
        ("1.250,00", json!(1250.0)),
        ("1,250.00", json!(1250.0)),
        ("1.000e3", json!(1000.0)),
        ("1,250,000", json!(1_250_000)),
        ("\u{2212}5", json!(-5)),
        ("\u{2212}1,250.5", json!(-1250.5)),
    ] {
        let reading = of("number").read(&json!({ "a": text }).to_string());
        assert_eq!((reading.value, reading.violations), (Some(json!({ "a": number })), vec![]), "{text}");
    }
}

#[test]
fn a_number_of_json_is_a_number() {
    for reply in ["{\"a\": 2.000}", "Here: {'a': 2.000,}", "{a: 2.000}", "{\"a\": \"2.0\"}"] {
        assert_eq!(of("integer").read(reply).value, Some(json!({"a": 2})), "{reply}");
    }
    assert_eq!(of("number").read("{\"a\": 12.500}").value, Some(json!({"a": 12.5})));
    let whole = Contract::from_schema(json!({"type": "number"})).unwrap();
    assert_eq!(whole.read("12.500").value, Some(json!(12.5)));
    assert_eq!(whole.read("\"12.500\"").value, Some(json!("12.500")));
}

/// The nearest double of these is an integer.
#[test]
fn a_fraction_is_not_rounded_to_an_integer() {
    for number in ["0.99999999999999999999", "4503599627370497.3", "-1.00000000000000000001", "1e-400"] {
        for reply in [
            format!("{{\"a\": {number}}}"),
            format!("{{a: {number},}}"),
            format!("{{\"a\": \"{number}\"}}"),
            json!(format!("{{\"a\": {number}}}")).to_string(),
            format!("{{\"result\": {{\"a\": {number}}}}}"),
        ] {
            let contract = of("integer");
            let reading = contract.read(&reply);
            let violations = reading.value.map(|value| contract.validate(&value));
            assert!(violations.is_none_or(|violations| !violations.is_empty()), "{reply}");
        }
    }
    for (number, integer) in [("4503599627370497.0", 4_503_599_627_370_497_i64), ("1.5e1", 15), ("10e-1", 1)]
    {
        for reply in
            [format!("{{\"a\": {number}}}"), format!("{{a: {number},}}"), format!("{{\"a\": \"{number}\"}}")]
        {
            assert_eq!(of("integer").read(&reply).value, Some(json!({ "a": integer })), "{reply}");
        }
    }
}

/// A double so close to zero is zero.
#[test]
fn a_number_that_becomes_zero_is_in_the_receipt() {
    let tiny = format!("0.{}1", "0".repeat(400));
    for number in ["1e-400", "-2.5E-400", &*tiny] {
        for reply in
            [format!("{{\"a\": {number}}}"), format!("{{a: {number},}}"), format!("{{\"a\": \"{number}\"}}")]
        {
            let reading = of("number").read(&reply);
            let zero = reading.value.as_ref().and_then(|value| value["a"].as_f64());
            assert_eq!(zero, Some(0.0), "{reply}");
            let is_lost = reading
                .changes
                .iter()
                .any(|change| change.before.contains(number) && change.loss == Loss::Ignored);
            assert!(
                is_lost || number.len() > 200 && !reading.changes.is_empty(),
                "{reply}: {:?}",
                reading.changes
            );
        }
    }
    for reply in ["{\"a\": 0.0}", "{\"a\": 0e-400}", "{\"a\": 1e-300}"] {
        assert_eq!(of("number").read(reply).changes, [], "{reply}");
    }
}

#[test]
fn the_minus_of_typography_is_a_minus() {
    let list = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    for (contract, reply, wanted) in [
        (of("integer"), "{\"a\": \u{2212}5}", json!({"a": -5})),
        (of("number"), "{a: \u{2212}0.5}", json!({"a": -0.5})),
        (of("string"), "{\"a\": \u{2212}5}", json!({"a": "\u{2212}5"})),
        (list, "[\u{2212}1, 2, \u{2212}3]", json!([-1, 2, -3])),
        (Contract::from_schema(json!({"type": "integer"})).unwrap(), "\u{2212}5", json!(-5)),
    ] {
        let reading = contract.read(reply);
        assert_eq!((reading.value, reading.violations), (Some(wanted), vec![]), "{reply}");
        assert!(!reading.changes.is_empty() && reading.changes.iter().all(|c| c.loss == Loss::Lossless));
    }
    for reply in
        ["{\"a\": \"5\u{2212}3\"}", "{\"a\": \"\u{2212}\"}", "{\"a\": \"\u{2013}5\"}", "{\"a\": \"５\"}"]
    {
        assert!(!of("integer").validate(&of("integer").read(reply).value.unwrap()).is_empty(), "{reply}");
    }
}

/// `000` is not a JSON number, so the comma before it does not separate two.
#[test]
fn a_group_in_a_list_is_not_two_numbers() {
    let list = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    for (reply, value) in [
        ("[1,000]", json!(["1,000"])),
        ("[1,050, 2]", json!(["1,050", 2])),
        ("[7, 1,250,000]", json!([7, 1, "250,000"])),
    ] {
        assert!(is_refused(&list, reply, &value), "{reply}");
    }
    for (reply, value) in
        [("[1,0]", json!([1, 0])), ("[1, 007]", json!([1, 7])), ("[1,2000]", json!([1, 2000]))]
    {
        assert_eq!(list.read(reply).value, Some(value), "{reply}");
    }
}

#[test]
fn a_number_as_a_key_is_spelled_as_json_spells_it() {
    let contract = Contract::of::<BTreeMap<u32, u8>>().unwrap();
    for key in ["1.000", "1,000", "\u{2212}5", "1_000", "007"] {
        assert!(is_refused(&contract, &json!({ key: 1 }).to_string(), &json!({ key: 1 })), "{key}");
    }
}
