//! Recursion through parts of the value.

use extract::{Contract, schema::dialect::Dialect};
use serde_json::{Map, Value, json};

use super::spelling::Spelling;

/// A tree with values at its leaves; its definition is called `Node` in every spelling.
fn tree(spelling: Spelling) -> Contract {
    let node = json!({
        "type": "object",
        "properties": {
            "node_name": {"type": "string"},
            "size": {"type": "integer"},
            "inner_nodes": {"type": "array", "items": spelling.reference("Node")},
        },
        "required": ["node_name", "inner_nodes"],
        "additionalProperties": false,
    });
    let mut definitions = Map::new();
    spelling.define("Node", node, &mut definitions);
    let schema = spelling.rooted(spelling.reference("Node"), definitions);
    Contract::from_schema(schema).unwrap_or_else(|error| panic!("{spelling:?}: {error}"))
}

#[test]
fn recursion_is_understood_in_any_spelling() {
    let expected = tree(Spelling::Pointer);
    let reply = r#"{"nodeName": "a", "innerNodes": [{"node_name": "b", "size": "2", "innerNodes": []}]}"#;
    let wrong = json!({"node_name": "a", "inner_nodes": [{"node_name": 1, "inner_nodes": [{"size": "x"}]}]});
    for spelling in Spelling::ALL {
        let contract = tree(spelling);
        let read = contract.read(reply);
        assert_eq!(read.value.as_ref().unwrap()["inner_nodes"][0]["size"], 2, "{spelling:?}");
        assert_eq!(format!("{read:?}"), format!("{:?}", expected.read(reply)), "{spelling:?}");
        assert_eq!(contract.validate(&wrong), expected.validate(&wrong), "{spelling:?}");
        assert_eq!(contract.example(), expected.example(), "{spelling:?}");
        for dialect in Dialect::ALL {
            let project = |contract: &Contract| match dialect.project(contract.schema()) {
                Ok(projection) => projection.schema,
                Err(error) => Value::from(error.reason),
            };
            assert_eq!(project(&contract), project(&expected), "{dialect}, {spelling:?}");
        }
        let types = contract.instructions();
        assert!(types.contains(r#""inner_nodes": Node[]"#) && types.contains("one JSON object"), "{types}");
    }
}
