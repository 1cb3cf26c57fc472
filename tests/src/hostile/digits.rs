//! Digits of numbers: kept where a string is required, and reported where they are lost.

use extract::{
    Contract,
    reading::{ChangeKind, Loss, Reading},
    settings::Leniency,
};
use serde_json::{Value, json};

const LONG: &str = "12345678901234567890123";

#[allow(clippy::needless_pass_by_value, reason = "a schema is written where it is passed")]
fn contract(schema: Value) -> Contract {
    let schema = json!({"type": "object", "properties": {"id": schema}, "required": ["id"]});
    Contract::from_schema(schema).unwrap()
}

/// `{"id": number}` as models write it.
fn replies(number: &str) -> Vec<String> {
    let plain = format!("{{\"id\": {number}}}");
    let escaped = plain.replace('"', "\\\"");
    vec![
        plain.clone(),
        format!("Here it is:\n```json\n{plain}\n```"),
        format!("{{'id': {number},}}"),
        format!("{{id: {number}}}"),
        json!(plain).to_string(),
        escaped,
        json!({ "result": plain }).to_string(),
        format!("[{plain}]"),
        format!("Answer(id={number})"),
    ]
}

#[test]
fn a_number_as_a_string_keeps_its_digits_however_deep_it_is_wrapped() {
    let string = contract(json!({"type": "string"}));
    for number in ["1.10", "007", LONG, "1e5", "-0", "0x1F", "+5", "100.00", "1E400", "\u{2212}5", "12"] {
        for reply in replies(number) {
            let reading = string.read(&reply);
            assert_eq!(reading.value, Some(json!({ "id": number })), "{reply}");
            assert_eq!(reading.violations, [], "{reply}");
        }
    }
    let list = Contract::from_schema(json!({"type": "array", "items": {"type": "string"}})).unwrap();
    for reply in ["[1.10, 007]", "\"[1.10, 007]\"", "[\\\"a\\\", 1.10]"] {
        let reading = list.read(reply);
        let items = if reply.contains("007") { json!(["1.10", "007"]) } else { json!(["a", "1.10"]) };
        assert_eq!((reading.value, reading.violations), (Some(items), vec![]), "{reply}");
    }
}

#[test]
fn json_in_a_field_keeps_the_digits_of_its_numbers() {
    let inner = json!({"type": "object", "properties": {"no": {"type": "string"}}, "required": ["no"]});
    for number in ["1.10", "007", LONG] {
        let embedded = format!("{{\"no\": {number}}}");
        for reply in [
            json!({ "id": embedded }).to_string(),
            json!({ "id": json!(embedded).to_string() }).to_string(),
            format!("{{'id': '{embedded}'}}"),
        ] {
            let reading = contract(inner.clone()).read(&reply);
            if reading.violations.is_empty()
                && reading.value.as_ref().is_some_and(|value| value["id"].is_object())
            {
                assert_eq!(reading.value, Some(json!({"id": {"no": number}})), "{reply}");
            } else {
                // Not converted, and therefore rejected by validation.
                assert!(reading.value.is_none_or(|value| value["id"].is_string()), "{reply}");
            }
        }
    }
}

fn change(reading: &Reading) -> Option<Loss> {
    let mut found = reading.changes.iter().filter(|change| change.kind == ChangeKind::Number);
    let only = found.next().map(|change| change.loss);
    assert_eq!(found.next(), None, "it is reported once");
    only
}

#[test]
fn an_integer_whose_digits_are_lost_is_a_violation_where_an_integer_is_wanted() {
    let integer = contract(json!({"type": "integer"}));
    for number in [LONG, "-12345678901234567890123", "18446744073709551617", "-9223372036854775809"] {
        for reply in replies(number) {
            let reading = integer.read(&reply);
            if reading.value.as_ref().is_none_or(|value| value.get("id").is_none()) {
                // A value that does not fit is taken neither from a wrapper nor from a call.
                assert!(reply.contains("result") || reply.contains("Answer"), "{reply}");
                continue;
            }
            assert_eq!(change(&reading), Some(Loss::Lossy), "{reply}");
            assert_eq!(reading.violations.len(), 1, "{reply}");
            assert_eq!(reading.violations[0].path.to_string(), "$.id", "{reply}");
            assert!(
                !integer.reader().leniency(Leniency::Strict).read(&reply).violations.is_empty(),
                "{reply}"
            );
            assert!(integer.reader().leniency(Leniency::Lossy).read(&reply).violations.is_empty(), "{reply}");
        }
    }
    let reading = integer.read(&format!("{{\"id\": {LONG}}}"));
    assert_eq!(
        reading.violations[0].to_string(),
        "[INVALID_VALUE] $.id: an integer of more digits than can be kept (expected an integer of at most 64 bits, got \
         \"12345678901234567890123\")"
    );
    let string = integer.read(&format!("{{\"id\": \"{LONG}\"}}"));
    assert_eq!(string.value, Some(json!({ "id": LONG })), "a string is not made a number that differs");
}

#[test]
fn a_number_keeps_the_precision_of_a_double_and_says_which_digits_it_does_not() {
    for schema in [json!({"type": "number"}), json!({})] {
        let contract = contract(schema);
        for reply in replies(LONG) {
            let reading = contract.read(&reply);
            if reading.value.as_ref().is_some_and(|value| value["id"].is_number()) {
                assert_eq!(reading.value, Some(json!({"id": 12_345_678_901_234_567_890_123.0})), "{reply}");
                assert_eq!((change(&reading), reading.violations), (Some(Loss::Ignored), vec![]), "{reply}");
            }
        }
        for exact in ["0.1", "1e300", "18446744073709551615", "100000000000000000000000", "-5", "1.5e19"] {
            let reading = contract.read(&format!("{{\"id\": {exact}}}"));
            assert_eq!((reading.changes, reading.violations), (vec![], vec![]), "{exact}");
        }
    }
    let string = contract(json!({"type": "number"})).read(&format!("{{\"id\": \"{LONG}\"}}"));
    assert_eq!(string.changes[0].loss, Loss::Ignored);
    // Inside of a value of any kind, too.
    for reply in replies(&format!("[{LONG}, {{\"x\": [7.5, -{LONG}]}}, 5]")) {
        let reading = contract(json!({})).read(&reply);
        let found = reading.changes.iter().filter(|change| change.kind == ChangeKind::Number);
        if reading.value.as_ref().is_some_and(|value| value["id"].is_array()) {
            assert_eq!(found.map(|change| change.loss).collect::<Vec<_>>(), [Loss::Ignored; 2], "{reply}");
            assert_eq!(reading.violations, [], "{reply}");
        }
    }
}

#[test]
fn a_number_that_is_no_integer_is_a_string_where_one_may_stand() {
    let either = contract(json!({"type": ["integer", "string"]}));
    for number in ["1.50", LONG] {
        let reading = either.read(&format!("{{\"id\": {number}}}"));
        assert_eq!((reading.value, reading.violations), (Some(json!({ "id": number })), vec![]), "{number}");
    }
    assert_eq!(either.read("{\"id\": 2.0}").value, Some(json!({"id": 2})));
}

#[test]
fn an_integer_of_128_bits_is_not_rounded() {
    let contract = Contract::of::<u128>().unwrap();
    assert!(!contract.read(LONG).violations.is_empty());
    assert_eq!(contract.read("18446744073709551615").value, Some(json!(u64::MAX)));
}
