//! Checks any reply, read with one of several schemas.

use std::sync::LazyLock;

use extract::{Contract, settings::Leniency};
use serde_json::{Value, json};

/// The contracts that replies are read for.
pub static CONTRACTS: LazyLock<Vec<Contract>> = LazyLock::new(|| {
    let node = json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "kind": {"enum": ["goods", "service"]},
            "price": {"type": ["number", "null"]},
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "required": ["id"],
    });
    [
        json!(true),
        json!({"type": "string"}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        json!({"$ref": "#/$defs/node", "$defs": {"node": node}}),
        json!({"oneOf": [{"properties": {"type": {"const": "a"}}, "required": ["type"]}, {"type": "array"}]}),
        json!({"type": "number"}),
        json!({"enum": ["refund", "refund_denied", "AA-", "AA"]}),
    ]
    .into_iter()
    .map(|schema| Contract::from_schema(schema).expect("the schema compiles"))
    .collect()
});

/// Panics if a property does not hold. The first byte selects the contract.
pub fn check(data: &[u8]) {
    let Some((first, reply)) = data.split_first() else { return };
    let Ok(reply) = std::str::from_utf8(reply) else { return };
    check_with(&CONTRACTS[usize::from(*first) % CONTRACTS.len()], reply);
}

/// Panics if a property of `reply`, read for `contract`, does not hold.
pub fn check_with(contract: &Contract, reply: &str) -> Option<Value> {
    let reading = contract.read(reply);
    assert!(reading.value.is_some() || !reading.violations.is_empty());
    for change in &reading.changes {
        assert!(reply.get(change.span.clone()).is_some(), "{change:?}");
    }
    let value = reading.value?;
    if contract.validate(&value).is_empty() {
        let again = contract.reader().leniency(Leniency::Faithful).read(&value.to_string());
        let schema = contract.schema();
        assert_eq!(again.value.as_ref().map(Value::to_string), Some(value.to_string()), "{schema}");
    }
    Some(value)
}
