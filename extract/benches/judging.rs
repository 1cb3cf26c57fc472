//! What a report of everything that is wrong costs beside the validator's own list of errors.
//!
//! ```text
//! cargo bench -p extractable --bench judging
//! ```
//!
//! Measured: [`Contract::validate`], which makes of every error a violation with path, code, message, expected and actual,
//! and sorts them. Floor: collecting what `jsonschema`'s `iter_errors` yields; in the second table, what people do with
//! it: the path and the message of each as text. The values are invoices of about 10 kB with 50 violations of five kinds.

mod pairs;

use std::hint::black_box;

use extract::Contract;
use serde_json::{Value, json};

use self::pairs::Pairs;

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}}},
        "required": ["lines"],
        "$defs": {"Line": {
            "type": "object",
            "properties": {
                "description": {"type": "string", "maxLength": 80},
                "quantity": {"type": "integer", "minimum": 1},
                "unit_price": {"type": "number"},
                "kind": {"enum": ["goods", "service"]},
            },
            "required": ["description", "quantity", "unit_price", "kind"],
            "additionalProperties": false,
        }},
    })
}

/// 100 lines; every second one is wrong in one way.
fn value() -> Value {
    let line = |n: usize| {
        let mut line = json!({
            "description": format!("Position number {n} of the delivery of May"),
            "quantity": n % 7 + 1,
            "unit_price": 2.5,
            "kind": "goods",
        });
        let object = line.as_object_mut().expect("an object");
        match n % 10 {
            0 => drop(object.insert("quantity".into(), "two".into())),
            2 => drop(object.insert("quantity".into(), 0.into())),
            4 => drop(object.insert("kind".into(), "good".into())),
            6 => drop(object.shift_remove("unit_price")),
            8 => drop(object.insert("remark".into(), "none".into())),
            _ => {}
        }
        line
    };
    json!({"lines": (0..100).map(line).collect::<Vec<_>>()})
}

fn main() {
    const TIMES: u32 = 10;
    let (schema, value) = (schema(), value());
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("the schema compiles");
    let contract = Contract::from_schema(schema).expect("the schema compiles");
    let bytes = value.to_string().len();
    assert_eq!(contract.validate(&value).len(), 50);
    assert_eq!(validator.iter_errors(&value).count(), 50);
    let ours = || {
        black_box(contract.validate(black_box(&value)));
    };
    println!("{}", Pairs::heading("iter_errors"));
    let list = || {
        black_box(validator.iter_errors(black_box(&value)).collect::<Vec<_>>());
    };
    println!("{}\n\n{}", Pairs::measure(TIMES, list, ours).line(bytes), Pairs::heading("as text"));
    let tell = || {
        let errors = validator.iter_errors(black_box(&value));
        let texts = errors.map(|error| format!("{}: {error}", error.instance_path()));
        black_box(texts.collect::<Vec<_>>());
    };
    println!("{}", Pairs::measure(TIMES, tell, ours).line(bytes));
}
