//! Alternatives, conditions, references.

use serde_json::{Value, json};

use super::Case;

fn tagged(tag: &str, more: &str) -> Value {
    json!({
        "type": "object",
        "properties": {"kind": {"const": tag}, more: {"type": "integer"}},
        "required": ["kind", more],
        "additionalProperties": false,
    })
}

fn tree(beside: Value) -> Value {
    let mut child = json!({"$ref": "#/$defs/Tree"});
    let Value::Object(beside) = beside else { panic!("keywords stand in an object") };
    child.as_object_mut().expect("it is an object").extend(beside);
    json!({
        "$ref": "#/$defs/Tree",
        "$defs": {"Tree": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "of": {"type": "array", "items": child}},
            "required": ["n", "of"],
            "additionalProperties": false,
        }},
    })
}

pub(super) fn cases() -> Vec<Case> {
    [alternatives(), conditions(), references()].into_iter().flatten().collect()
}

fn alternatives() -> Vec<Case> {
    let either = json!([tagged("a", "x"), tagged("b", "y")]);
    let fits = json!([{"kind": "a", "x": 1}, {"kind": "b", "y": 1}]);
    let breaks = json!([{"kind": "a", "y": 1}, {"kind": "c", "x": 1}]);
    vec![
        Case::of(
            "`type`: one of several",
            json!({"type": ["string", "null"]}),
            json!(["a", null]),
            json!([1, []]),
        ),
        Case::of(
            "`enum` of several types",
            json!({"enum": ["a", 1, true, null]}),
            json!(["a", 1, true, null]),
            json!(["b", 2, false, []]),
        ),
        Case::of(
            "`anyOf`",
            json!({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^a"}]}),
            json!([1, "ab"]),
            json!(["b", null]),
        ),
        Case::of("`anyOf` of objects", json!({"anyOf": either}), fits.clone(), breaks.clone()),
        Case::of("`oneOf` with tags", json!({"oneOf": either}), fits, breaks),
        Case::of(
            "`oneOf` of which two are true",
            json!({"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 9}]}),
            json!([1, 20]),
            json!([5, 7]),
        ),
        Case::of(
            "`oneOf` of names",
            json!({
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "additionalProperties": false,
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            }),
            json!([{"a": 1}, {"b": 1}]),
            json!([{}, {"a": 1, "b": 1}]),
        ),
        Case::of(
            "`anyOf` beside `properties`",
            json!({
                "type": "object",
                "properties": {"n": {"type": "integer"}},
                "required": ["n"],
                "anyOf": [
                    {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
                    {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
                ],
            }),
            json!([{"n": 1, "kind": "a", "x": 1}, {"n": 1, "kind": "b"}]),
            json!([{"n": 1, "kind": "a"}, {"kind": "b"}, {"n": 1, "kind": "c"}]),
        ),
    ]
}

fn conditions() -> Vec<Case> {
    vec![
        Case::of(
            "`allOf` of bounds",
            json!({"type": "integer", "allOf": [{"minimum": 3}, {"maximum": 9}]}),
            json!([3, 9]),
            json!([2, 10]),
        ),
        Case::of(
            "`allOf` of patterns",
            json!({"type": "string", "allOf": [{"pattern": "^a"}, {"pattern": "z$"}]}),
            json!(["az"]),
            json!(["a", "z"]),
        ),
        Case::of(
            "`not` a value",
            json!({"type": "string", "not": {"const": "x"}}),
            json!(["y"]),
            json!(["x"]),
        ),
        Case::of(
            "`not` a type",
            json!({"type": ["string", "integer"], "not": {"type": "integer"}}),
            json!(["y"]),
            json!([1]),
        ),
        Case::of(
            "`if`, `then`, `else`",
            json!({"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"multipleOf": 3}}),
            json!([20, 9]),
            json!([15, 4]),
        ),
    ]
}

fn references() -> Vec<Case> {
    let part = json!({"Part": {"type": "string", "pattern": r"^\d$"}});
    let leaf = json!({"n": 1, "of": []});
    vec![
        Case::of("`$ref`", json!({"$ref": "#/$defs/Part", "$defs": part}), json!(["1"]), json!(["x", 1])),
        Case::of(
            "`$ref` or null",
            json!({"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}], "$defs": part}),
            json!(["1", null]),
            json!(["x", 1]),
        ),
        Case::of(
            "a constraint beside `$ref`",
            json!({"$ref": "#/$defs/Part", "maxLength": 2, "$defs": {"Part": {"type": "string", "pattern": r"^\d+$"}}}),
            json!(["12"]),
            json!(["123"]),
        ),
        Case::of(
            "recursion",
            tree(json!({})),
            json!([leaf, {"n": 1, "of": [leaf]}]),
            json!([{"n": 1, "of": [{"n": "x", "of": []}]}]),
        ),
        Case::of(
            "recursion, deprecated",
            tree(json!({"deprecated": true, "description": "Its children."})),
            json!([leaf, {"n": 1, "of": [leaf]}]),
            json!([{"n": 1, "of": [{"n": "x", "of": []}]}]),
        ),
        Case::of(
            "a constraint beside recursion",
            tree(json!({"properties": {"n": {"minimum": 1}}})),
            json!([{"n": 0, "of": [leaf]}]),
            json!([{"n": 1, "of": [{"n": 0, "of": []}]}]),
        ),
        Case::of(
            "`$anchor`",
            json!({"$ref": "#part", "$defs": {"Part": {"$anchor": "part", "type": "integer"}}}),
            json!([1]),
            json!(["x"]),
        ),
        Case::of(
            "`$dynamicRef`",
            json!({"$dynamicRef": "#part", "$defs": {"Part": {"$dynamicAnchor": "part", "type": "integer"}}}),
            json!([1]),
            json!(["x"]),
        ),
    ]
}
