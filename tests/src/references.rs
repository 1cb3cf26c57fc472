//! Every stage understands every spelling of a reference.

mod circles;
mod recursion;
mod spelling;
mod stages;

use extract::Contract;
use serde_json::{Value, json};

use self::{
    spelling::{Spelling, Writer},
    stages::Stages,
};

/// One contract, with each part in the spelling of `writer`. Some providers support no maps.
fn invoice(writer: &mut Writer, has_map: bool) -> Value {
    let money = writer.part("money", json!({"type": "number", "minimum": 0}));
    let sku = writer.part("sku", json!({"type": "string", "pattern": "^[A-Z]{3}$"}));
    let line = json!({
        "type": "object",
        "properties": {"sku": sku, "unit_count": {"type": "integer"}, "price": money},
        "required": ["sku", "unit_count"],
        "additionalProperties": false,
    });
    let line = writer.part("line", line);
    let tag = |writer: &mut Writer, name: &str| writer.part(&format!("is_{name}"), json!({"const": name}));
    let cash = json!({"type": "object", "properties": {"by": tag(writer, "cash")}, "required": ["by"]});
    let card = json!({
        "type": "object",
        "properties": {"by": tag(writer, "card"), "last_digits": {"type": "string"}},
        "required": ["by", "last_digits"],
    });
    let (cash, card) = (writer.part("cash", cash), writer.part("card", card));
    let state = writer.part("state", json!({"enum": ["open", "paid in full"]}));
    let paid = writer.part("paid", json!({"oneOf": [cash, card]}));
    let key = writer.part("key", json!({"type": "string", "enum": ["low", "high"]}));
    let pin = writer.part("pin", json!({"type": "string", "maxLength": 4, "x-sensitive": true}));
    let due = writer.part("due", json!({"type": ["string", "null"]}));
    let mut whole = json!({
        "type": "object",
        "properties": {
            "total": money,
            "state": state,
            "due_date": due,
            "lines": {"type": "array", "items": line},
            "paid": paid,
            "pin": pin,
        },
        "required": ["total", "state", "lines", "paid"],
        "additionalProperties": false,
    });
    if has_map {
        whole["properties"]["levels"] =
            json!({"type": "object", "propertyNames": key, "additionalProperties": money});
    }
    writer.root(whole)
}

/// Conditions that types cannot express stay JSON Schema in the instructions; here only the
/// messages matter.
fn conditions(writer: &mut Writer) -> Value {
    let odd = writer.part("odd", json!({"enum": [13, 15]}));
    let word = writer.part("word", json!({"type": "string"}));
    let named = json!({"type": "object", "properties": {"a": word}, "required": ["a"]});
    let named = writer.part("named", named);
    writer.root(json!({
        "properties": {
            "a": {"type": "integer", "not": odd},
            "b": {"type": "array", "contains": named},
            "c": {"if": word, "then": {"minLength": 2}},
        },
        "unevaluatedProperties": false,
    }))
}

#[test]
fn conditions_are_put_into_the_same_words() {
    let messages = |spelling| {
        let mut writer = Writer::new(spelling);
        let contract = Contract::from_schema(conditions(&mut writer)).unwrap();
        let wrong = json!({"a": 13, "b": [1], "c": "x", "d": 1});
        contract.validate(&wrong).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let inline = messages(Spelling::Inline);
    assert_eq!(inline.len(), 4, "{inline:#?}");
    for spelling in Spelling::ALL {
        assert_eq!(messages(spelling), inline, "{spelling:?}");
    }
}

const REPLIES: [&str; 5] = [
    r#"{"total": "12.5", "State": "Paid In Full", "dueDate": null, "Lines": [{"SKU": "ABC", "unitCount": "2"}], "paid": {"by": "cash"}}"#,
    "Sure: {'total': 3, 'state': 'open', 'lines': {'sku': 'ABC', 'unit_count': 2.0, 'price': '1'}, 'paid': {'by': 'Card', 'lastDigits': 12}, }",
    r#"{"total": 1, "state": "open", "lines": [{"sku": "ABC", "unit_count": 1}], "paid": {"by": "cash"}, "levels": {"low": "3"}}"#,
    r#"{"total": 1, "lines": [], "other": 3, "due_date": "null", "paid": {"by": "cash"}}"#,
    "There is none.",
];

fn values() -> Vec<Value> {
    let line = json!({"sku": "ABC", "unit_count": 1});
    let good = json!({"total": 1, "state": "open", "lines": [line], "paid": {"by": "cash"}});
    let with = |key: &str, value: Value| {
        let mut wrong = good.clone();
        wrong[key] = value;
        wrong
    };
    vec![
        good.clone(),
        json!({}),
        json!([1]),
        with("total", json!("1")),
        with("total", json!(-1)),
        with("state", json!("paid in ful")),
        with("due_date", json!(3)),
        with("due_date", json!("none")),
        with("due-date", json!("3")),
        with("lines", json!(["ABC"])),
        with("lines", json!([{"sku": "abc", "unitCount": 1, "price": null}])),
        with("paid", json!({"by": "Card"})),
        with("paid", json!({"by": "card"})),
        with("paid", json!({"last_digits": "12"})),
        with("paid", json!("cash")),
        with("pin", json!("12345")),
        with("pin", json!(12345)),
        with("levels", json!({"mid": 1, "low": -1})),
    ]
}

fn stages(spelling: Spelling, has_map: bool) -> Stages {
    let mut writer = Writer::new(spelling);
    let schema = invoice(&mut writer, has_map);
    let contract = Contract::from_schema(schema).unwrap_or_else(|error| panic!("{spelling:?}: {error}"));
    Stages::of(&contract, &REPLIES, &values())
}

#[test]
fn a_reference_means_the_same_in_any_spelling() {
    for has_map in [true, false] {
        let inline = stages(Spelling::Inline, has_map);
        assert!(inline.says_something(), "{inline:#?}");
        for spelling in Spelling::ALL {
            inline.assert_same(&stages(spelling, has_map), spelling);
        }
    }
}
