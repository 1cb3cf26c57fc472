//! Tests of columns.

use serde_json::{Value, json};

use super::{node::ColumnNode, schema_columns};

fn names(node: &ColumnNode) -> Vec<String> {
    let mut names = Vec::new();
    node.names("value", "", &mut names);
    assert_eq!(node.columns(1_000), names.len());
    names
}

fn cells(node: &ColumnNode, value: &Value) -> Vec<String> {
    let mut cells = Vec::new();
    node.cells(Some(value), &mut cells);
    assert_eq!(cells.len(), names(node).len());
    cells
}

#[test]
fn a_schema_has_a_column_for_each_leaf() {
    let schema = json!({
        "$defs": {
            "City": {"type": "object", "properties": {"name": {"type": "string"}, "zip": {"type": ["string", "null"]}}},
            "Tree": {"type": "object", "properties": {"leaf": {"type": "integer"}, "left": {"$ref": "#/$defs/Tree"}}},
        },
        "type": "object",
        "properties": {
            "seller": {"type": "object", "properties": {
                "city": {"anyOf": [{"$ref": "#/$defs/City"}, {"type": "null"}]},
                "tags": {"type": "array", "items": {"type": "string"}},
            }},
            "free": {"type": "object", "additionalProperties": {"type": "string"}},
            "any": true,
            "either": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}}]},
            "tree": {"$ref": "#/$defs/Tree"},
            "a.b": {"type": "string"},
            "kind": {"oneOf": [
                {"type": "object", "properties": {"type": {"const": "x"}, "x": {"type": "integer"}}},
                {"type": "object", "properties": {"type": {"const": "y"}, "y": {"type": "integer"}}},
            ]},
        },
    });
    let node = schema_columns::of(&schema);
    assert_eq!(
        names(&node),
        [
            "seller.city.name",
            "seller.city.zip",
            "seller.tags",
            "free",
            "any",
            "either",
            "either.a",
            "tree.leaf",
            "tree.left",
            "[\"a.b\"]",
            "kind.type",
            "kind.x",
            "kind.y",
        ]
    );
    let value = json!({
        "seller": {"city": {"name": "Köln", "zip": null}, "tags": ["a", "b"]},
        "free": {"k": "v"}, "any": {"z": [1]}, "either": {"a": "A"},
        "tree": {"leaf": 1, "left": {"leaf": 2}}, "a.b": "dot", "kind": {"type": "y", "y": 2},
    });
    assert_eq!(
        cells(&node, &value),
        [
            "Köln",
            "",
            "[\"a\",\"b\"]",
            "{\"k\":\"v\"}",
            "{\"z\":[1]}",
            "",
            "A",
            "1",
            "{\"leaf\":2}",
            "dot",
            "y",
            "",
            "2"
        ]
    );
    assert_eq!(cells(&node, &json!({"either": "text"}))[5..7], ["text", ""]);
}

#[test]
fn what_the_schema_does_not_name_has_columns_too() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}});
    let mut node = schema_columns::of(&schema);
    let values = [
        json!({"a": {"b": "1", "c": {"d": 2}}, "e": null}),
        json!({"a": "no object"}),
        json!({"a": {}}),
        json!([3]),
    ];
    for value in &values {
        node.add_value(value);
    }
    assert_eq!(names(&node), ["value", "a", "a.b", "a.c.d", "e"]);
    assert_eq!(cells(&node, &values[0]), ["", "", "1", "2", ""]);
    assert_eq!(cells(&node, &values[1]), ["", "no object", "", "", ""]);
    assert_eq!(cells(&node, &values[2]), ["", "{}", "", "", ""]);
    assert_eq!(cells(&node, &values[3]), ["[3]", "", "", "", ""]);
}

#[test]
fn values_alone_have_columns_in_any_order() {
    for values in [[json!({"a": {}}), json!({"a": {"b": 1}})], [json!({"a": {"b": 1}}), json!({"a": {}})]] {
        let mut node = ColumnNode::default();
        for value in &values {
            node.add_value(value);
        }
        assert_eq!(names(&node), ["a", "a.b"]);
    }
    assert_eq!(names(&ColumnNode::default()), ["value"]);
    assert_eq!(names(&schema_columns::of(&json!({"type": "array"}))), ["value"]);
}

#[test]
fn definitions_that_refer_to_others_twice_are_bounded() {
    let twice = |number: usize| {
        let reference = format!("#/$defs/d{}", number + 1);
        json!({"type": "object", "properties": {"a": {"$ref": reference}, "b": {"$ref": reference}}})
    };
    let definitions: serde_json::Map<_, _> =
        (0..60).map(|number| (format!("d{number}"), twice(number))).collect();
    let node = schema_columns::of(&json!({"$defs": definitions, "$ref": "#/$defs/d0"}));
    assert!(node.columns(100_000) < 20_000);
}
