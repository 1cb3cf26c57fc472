//! Contracts, each with a value that satisfies it.

use extract::Contract;
use serde_json::{Value, json};

use crate::reading::random::Chance;

/// The number of random objects, besides the written cases.
const RANDOM: u64 = 3;

pub(super) struct Case {
    pub(super) contract: Contract,
    pub(super) value: Value,
}

impl Case {
    fn new(schema: Value, value: Value) -> Self {
        let contract = Contract::from_schema(schema).unwrap();
        assert!(contract.validate(&value).iter().all(extract::Violation::is_warning), "{value}");
        Self { contract, value }
    }

    /// Returns whether the value itself shows where it ends.
    pub(super) fn has_brackets(&self) -> bool {
        self.value.is_object() || self.value.is_array()
    }
}

pub(super) fn cases() -> Vec<Case> {
    let chance = (0..RANDOM).map(|seed| {
        let (schema, value) = Chance::new(1_000 + seed).object(2, Chance::words);
        Case::new(schema, value)
    });
    written_out().into_iter().map(|(schema, value)| Case::new(schema, value)).chain(chance).collect()
}

fn written_out() -> Vec<(Value, Value)> {
    let amounts = json!({
        "type": "object",
        "properties": {
            "net": {"type": "number"},
            "count": {"type": "integer"},
            "currency": {"enum": ["USD", "USDT", "EUR"]},
            "rating": {"enum": ["AA-", "AA", "A"]},
            "note": {"type": ["string", "null"]},
        },
        "required": ["net", "count", "currency"],
    });
    let optional = json!({
        "type": "object",
        "properties": {"age": {"type": "integer"}, "name": {"type": "string"}, "is_new": {"type": "boolean"}},
        "additionalProperties": false,
    });
    let named = json!({
        "type": "object",
        "properties": {"age": {"type": "integer"}, "surname": {"type": "string"}},
        "required": ["surname"],
    });
    let action = json!({"oneOf": [
        {"type": "object", "properties": {"op": {"const": "DeleteAll"}, "confirm": {"type": "boolean"}},
         "required": ["op", "confirm"]},
        {"type": "object", "properties": {"op": {"const": "Delete"}, "id": {"type": "integer"}},
         "required": ["op", "id"]},
    ]});
    let integers = json!({"type": "array", "items": {"type": "integer"}});
    let rows = json!({"type": "array", "items": optional});
    let answer = json!({"enum": ["refund_denied", "refund", "not_spam", "spam"]});
    vec![
        (
            amounts.clone(),
            json!({"net": 1234.5, "count": 1250, "currency": "USD", "rating": "AA-", "note": null}),
        ),
        (amounts.clone(), json!({"net": 2.5, "count": 3, "currency": "EUR", "note": null})),
        (amounts, json!({"net": -0.125, "count": 12_000_000, "currency": "USDT", "note": "5 kg, net"})),
        (optional.clone(), json!({"age": 41, "name": "Ann \"Bo\" Lee", "is_new": false})),
        (optional, json!({"name": "Ann"})),
        (named, json!({"surname": "None", "age": 2})),
        (action.clone(), json!({"op": "Delete", "id": 7})),
        (action, json!({"op": "DeleteAll", "confirm": false})),
        (integers.clone(), json!([3, 500, 8000])),
        (integers, json!([1_234_567])),
        (rows, json!([{"age": 1, "name": "Ann"}, {"age": 22, "name": "Bo"}, {"name": "Cy"}])),
        (answer.clone(), json!("refund")),
        (answer, json!("not_spam")),
        (json!({"type": "integer"}), json!(12_345)),
        (json!({"type": "number"}), json!(1250.75)),
        (json!({"type": "string"}), json!("Invoice 7 of March, paid")),
    ]
}
