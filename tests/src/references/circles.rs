//! References in a circle for one value.

use extract::{Contract, schema::dialect::Dialect};
use serde_json::{Map, Value, json};

use super::spelling::Spelling;

fn circle(spelling: Spelling) -> Value {
    let mut definitions = Map::new();
    spelling.define("A", spelling.reference("B"), &mut definitions);
    spelling.define("B", json!({"anyOf": [spelling.reference("A"), {"type": "null"}]}), &mut definitions);
    spelling.rooted(json!({"type": "object", "properties": {"a": spelling.reference("A")}}), definitions)
}

#[test]
fn a_circle_is_the_same_error_in_any_spelling() {
    let expected = Contract::from_schema(circle(Spelling::Pointer)).unwrap_err().to_string();
    assert!(expected.contains("`#/$defs/A` → `#/$defs/B` → `#/$defs/B/anyOf/0` → `#/$defs/A`"), "{expected}");
    for spelling in Spelling::ALL {
        let error = Contract::from_schema(circle(spelling)).unwrap_err().to_string();
        match spelling {
            // The circle is longer, and only partly named.
            Spelling::Chain | Spelling::MixedChain | Spelling::InnerPointer | Spelling::InnerAnchor => {
                assert!(error.contains("leads back to itself for the same value"), "{error}");
            }
            _ => assert_eq!(error, expected, "{spelling:?}"),
        }
        for dialect in Dialect::ALL {
            let _ends = dialect.project(&circle(spelling));
        }
    }
}

#[test]
fn a_reference_to_nothing_is_an_error_with_its_place() {
    for reference in ["#/$defs/none", "#none", "#/%24defs/none", "https://example.com/none"] {
        for keyword in ["$ref", "$dynamicRef"] {
            let schema = json!({
                "type": "object",
                "properties": {"a": {"$ref": "#there"}, "b": {keyword: reference}},
                "$defs": {"there": {"$anchor": "there"}},
            });
            let error = Contract::from_schema(schema).unwrap_err().to_string();
            assert!(error.contains(&format!("`{reference}` is not in the schema")), "{error}");
            assert!(error.contains(&format!("$.properties.b[\"{keyword}\"]")), "{error}");
        }
    }
}
