//! The cost of a narrowing.

use super::*;
use crate::hostile::measured;

#[test]
fn a_list_of_very_many_values() {
    let values: Vec<_> = (0..100_000).map(|number| format!("value number {number}")).collect();
    let (contract, cost) = measured(|| base().one_of(at!(Ticket, category), &values).unwrap());
    assert!(cost.total < 500_000_000, "{cost:?}");
    assert!(allows(&contract, &json!({"category": "value number 99999"})));
    assert!(!allows(&contract, &json!({"category": "value number"})));
    // The second list is looked up in the first one, not searched for.
    let fewer = contract.one_of(at!(Ticket, category), values.iter().rev()).unwrap();
    assert!(allows(&fewer, &json!({"category": "value number 1"})));
    let error = contract.one_of(at!(Ticket, category), ["value"]).unwrap_err().to_string();
    assert!(error.len() < 4_000, "{error}");
}

#[test]
fn a_deep_place_in_a_recursive_type() {
    let place = |depth: usize| ["$.parts[*]", &".of[*]".repeat(depth), ".partNumber"].concat();
    let contract = base().one_of(place(20), ["P-1"]).unwrap();
    assert!(contract.schema().to_string().len() < 30 * base().schema().to_string().len());
    let error = base().one_of(place(1_000_000), ["P-1"]).unwrap_err().to_string();
    assert!(error.contains("the place is too deep") && error.len() < 2_000, "{error}");
}

#[test]
fn a_schema_of_very_many_fields() {
    let fields: serde_json::Map<_, _> =
        (0..20_000).map(|number| (format!("field_{number}"), json!({"type": "string"}))).collect();
    let line = json!({"type": "object", "properties": fields});
    let schema = json!({"type": "array", "items": {"$ref": "#/$defs/Line"}, "$defs": {"Line": line}});
    let length = schema.to_string().len() as u64;
    let contract = Contract::from_schema(schema).unwrap();
    let (narrow, cost) = measured(|| contract.one_of("$[*].field_19999", ["a"]).unwrap());
    assert!(cost.total < 1_000 * length, "{cost:?} for {length} bytes");
    assert!(!allows(&narrow, &json!([{"field_19999": "b"}])) && allows(&narrow, &json!([{"field_1": "b"}])));
    let error = contract.one_of("$[*].fields", ["a"]).unwrap_err().to_string();
    assert!(error.len() < 2_000, "{error}");
}

#[test]
fn a_chain_of_alternatives_on_every_step() {
    let branch = |number: usize| json!({"type": "object", "properties": {"kind": {"const": number}, "next": {"$ref": "#/$defs/Any"}, "word": {"type": "string"}}, "required": ["kind"]});
    let any: Vec<_> = (0..40).map(branch).collect();
    let contract =
        Contract::from_schema(json!({"$ref": "#/$defs/Any", "$defs": {"Any": {"oneOf": any}}})).unwrap();
    let place = |depth: usize| ["$", &".next".repeat(depth), ".word"].concat();
    let narrow = contract.one_of(place(10), ["a"]).unwrap();
    assert!(narrow.schema().to_string().len() < 15 * contract.schema().to_string().len());
}
