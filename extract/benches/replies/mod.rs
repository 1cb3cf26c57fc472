//! A contract, and conforming values of any length.

use extract::Contract;
use serde_json::{Value, json};

/// An invoice of many lines.
pub(crate) fn contract() -> Contract {
    let line = json!({
        "type": "object",
        "properties": {
            "description": {"type": "string"},
            "quantity": {"type": "integer"},
            "unit_price": {"type": "number"},
            "kind": {"enum": ["goods", "service"]},
        },
        "required": ["description", "quantity", "unit_price", "kind"],
    });
    let schema = json!({
        "type": "object",
        "properties": {"number": {"type": "string"}, "lines": {"type": "array", "items": line}},
        "required": ["number", "lines"],
    });
    Contract::from_schema(schema).expect("the schema compiles")
}

/// A conforming value of about so many bytes of compact JSON.
pub(crate) fn value(bytes: usize) -> Value {
    let line = |n: usize| {
        json!({
            "description": format!("Position number {n} of the \"first\" delivery"),
            "quantity": n % 7 + 1,
            "unit_price": 2.5,
            "kind": if n.is_multiple_of(2) { "goods" } else { "service" },
        })
    };
    json!({"number": "INV-2041", "lines": (0..bytes / 110).map(line).collect::<Vec<_>>()})
}
