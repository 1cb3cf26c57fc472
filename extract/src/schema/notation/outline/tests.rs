use serde_json::{Value, json};

use super::{OutlineOptions, outline};
use crate::{schema::dialect::UnenforcedConstraint, vocabulary::path::Path};

fn reads(schema: &Value, expected: &str) {
    assert_eq!(outline(schema, OutlineOptions { shows_keys: true, unenforced: &[] }), expected);
}

fn unenforced(places: &[(&str, &str)]) -> Vec<UnenforcedConstraint> {
    let one = |(pointer, keyword): &(&str, &str)| {
        UnenforcedConstraint::new(Path::from_pointer(pointer).unwrap(), *keyword, "is beyond a grammar")
    };
    places.iter().map(one).collect()
}

#[test]
fn keys_are_named_with_their_descriptions_and_nothing_else() {
    reads(
        &json!({
            "title": "Invoice",
            "description": "An invoice, as printed.",
            "type": "object",
            "properties": {
                "number": {"type": "string", "pattern": r"^INV-\d{4}$", "description": "Printed at the top right."},
                "currency": {"enum": ["EUR", "USD"]},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "minItems": 1},
                "seller": {"type": ["object", "null"], "properties": {"name": {"type": "string"}}},
            },
            "$defs": {"Line": {"properties": {"quantity": {"minimum": 1}, "price": {"description": "net"}}}},
        }),
        "The answer: An invoice, as printed.\n\
         The object has these keys:\n\
         number (Printed at the top right)\ncurrency\nlines [{quantity, price (net)}]\nseller (or null) {name}",
    );
}

#[test]
fn a_key_may_be_null_behind_a_reference_too() {
    reads(
        &json!({
            "properties": {
                "a": {"$ref": "#/$defs/MaybeName"},
                "b": {"$ref": "#/$defs/Alias"},
                "c": {"anyOf": [{"$ref": "#/$defs/Nothing"}, {"type": "string"}]},
                "d": {"$ref": "#/$defs/MaybeName", "type": "string"},
                "f": {"oneOf": [{"type": "string"}, {}]},
                "g": {"type": ["string", "null"], "anyOf": [{"minLength": 1}, {"pattern": "^x"}]},
            },
            "$defs": {
                "MaybeName": {"type": ["string", "null"]},
                "Alias": {"$ref": "#/$defs/MaybeBoth"},
                "MaybeBoth": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "Nothing": {"const": null},
            },
        }),
        "The object has these keys:\na (or null)\nb (or null)\nc (or null)\nd\nf\ng (or null)",
    );
}

#[test]
fn a_union_shows_its_tags_and_the_meanings_of_its_values() {
    reads(
        &json!({"oneOf": [
            {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
            {"properties": {"kind": {"const": "dot"}}, "description": "no size"},
        ]}),
        r#"The answer has the form {kind "circle", r} or (no size) {kind "dot"}."#,
    );
    reads(
        &json!({"properties": {
            "plain": {"enum": ["a", "b"]},
            "told": {"oneOf": [{"const": "a", "description": "first"}, {"const": "b", "description": "second"}]},
            "part": {"oneOf": [{"const": "a"}, {"const": "b", "description": "second"}]},
        }}),
        "The object has these keys:\nplain\ntold \"a\" (first) or \"b\" (second)\npart \"b\" (second)",
    );
}

#[test]
fn a_definition_is_described_once() {
    let address = json!({"description": "postal", "properties": {"street": {}, "city": {}}});
    let tree = json!({"properties": {"value": {}, "next": {"$ref": "#/$defs/Tree"}}});
    reads(
        &json!({
            "properties": {
                "from": {"$ref": "#/$defs/Address"},
                "to": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
                "tree": {"$ref": "#/$defs/Tree"},
                "size": {"$ref": "#/$defs/Size"},
                "other": {"$ref": "#/$defs/Size"},
            },
            "$defs": {"Address": address, "Tree": tree, "Size": {"type": "integer"}},
        }),
        "The object has these keys:\nfrom (postal) {street, city}\nto (or null) like from\ntree {value, next like tree}\nsize\nother",
    );
}

#[test]
fn lists_maps_and_tuples_are_described_by_what_they_hold() {
    reads(&json!({"items": {"properties": {"a": {}}}}), "The answer has the form [{a}].");
    reads(&json!({"type": "array", "items": {"type": "string"}}), "");
    reads(
        &json!({"properties": {
            "prices": {"additionalProperties": {"description": "net"}},
            "range": {"prefixItems": [{"description": "from"}, {"description": "to"}]},
            "texts": {"items": {"type": "string"}},
        }}),
        "The object has these keys:\nprices {any key: (net)}\nrange [(from), (to)]\ntexts",
    );
}

#[test]
fn only_constraints_that_are_not_enforced_are_said() {
    let schema = json!({
        "properties": {
            "number": {"type": "string", "pattern": "^A", "description": "top right"},
            "lines": {"items": {"$ref": "#/$defs/Line"}, "minItems": 2},
            "note": {"type": "string"},
        },
        "$defs": {"Line": {"properties": {"quantity": {"minimum": 1, "not": {"const": 7}}}}},
    });
    let unenforced = unenforced(&[
        ("/properties/number", "pattern"),
        ("/$defs/Line/properties/quantity", "minimum"),
        ("/$defs/Line/properties/quantity", "not"),
    ]);
    let outlined = |shows_keys| outline(&schema, OutlineOptions { shows_keys, unenforced: &unenforced });
    assert_eq!(
        outlined(true),
        "The object has these keys:\nnumber (top right; matches ^A)\n\
         lines [{quantity (at least 1; by JSON Schema {\"not\":{\"const\":7}})}]\nnote"
    );
    assert_eq!(
        outlined(false),
        "Also required of these keys:\nnumber (matches ^A)\n\
         lines [{quantity (at least 1; by JSON Schema {\"not\":{\"const\":7}})}]"
    );
    assert_eq!(outline(&schema, OutlineOptions { shows_keys: false, unenforced: &[] }), "");
}

/// 500 keys, 40 levels of references, and definitions that would double at each level if written
/// out every time.
#[test]
fn a_large_contract_has_an_outline_shorter_than_itself() {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        definitions.insert(format!("L{level}"), json!({"properties": {"a": next, "b": next}}));
    }
    definitions.insert("L40".to_owned(), json!({"properties": {"leaf": {"description": "the end"}}}));
    let keys: serde_json::Map<_, _> =
        (0..500).map(|n| (format!("key_{n}"), json!({"type": "string"}))).collect();
    let schema = json!({"properties": {"deep": {"$ref": "#/$defs/L0"}, "wide": {"properties": keys}}, "$defs": definitions});
    let text = outline(&schema, OutlineOptions { shows_keys: true, unenforced: &[] });
    assert!(text.len() < schema.to_string().len(), "{} of {}", text.len(), schema.to_string().len());
    assert!(text.contains("key_499") && text.contains("leaf (the end)"), "{text}");
}

/// Each level names the next one twice, and none has a text.
#[test]
fn definitions_without_words_are_looked_at_once() {
    let mut definitions = serde_json::Map::new();
    for level in 0..200 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        definitions.insert(format!("L{level}"), json!({"prefixItems": [next, next]}));
    }
    let schema = json!({"$ref": "#/$defs/L0", "$defs": definitions});
    let text = outline(&schema, OutlineOptions { shows_keys: true, unenforced: &[] });
    assert!(text.len() < schema.to_string().len(), "{text}");
}
