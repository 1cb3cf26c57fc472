//! Constraints on objects and maps.

use serde_json::{Value, json};

use super::Case;

fn object(name: &'static str, beside: Value, fits: Value, breaks: Value) -> Case {
    let mut schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "additionalProperties": false,
    });
    let Value::Object(beside) = beside else { panic!("keywords stand in an object") };
    schema.as_object_mut().expect("it is an object").extend(beside);
    Case::of(name, schema, fits, breaks)
}

fn map(name: &'static str, beside: Value, fits: Value, breaks: Value) -> Case {
    let mut schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let Value::Object(beside) = beside else { panic!("keywords stand in an object") };
    schema.as_object_mut().expect("it is an object").extend(beside);
    Case::of(name, schema, fits, breaks)
}

pub(super) fn cases() -> Vec<Case> {
    [objects(), maps(), keys(), others()].into_iter().flatten().collect()
}

fn objects() -> Vec<Case> {
    let both = json!({"required": ["a", "b"]});
    vec![
        object("`properties`", json!({}), json!([{"a": 1, "b": 2}, {"b": 2}, {}]), json!([{"a": "x"}, 1])),
        object("`required`", both.clone(), json!([{"a": 1, "b": 2}]), json!([{"a": 1}, {}])),
        object(
            "`additionalProperties: false`",
            both,
            json!([{"a": 1, "b": 2}]),
            json!([{"a": 1, "b": 2, "c": 3}]),
        ),
        Case::of(
            "names that need escapes",
            json!({"type": "object", "properties": {"a\"\\\n": {"type": "integer"}}, "required": ["a\"\\\n"], "additionalProperties": false}),
            json!([{"a\"\\\n": 1}]),
            json!([{"a": 1}, {"a\"\\\n": "x"}]),
        ),
        object(
            "`false` for a property",
            json!({"properties": {"a": {"type": "integer"}, "b": false}}),
            json!([{"a": 1}]),
            json!([{"a": 1, "b": 2}]),
        ),
        object(
            "`minProperties` of named ones",
            json!({"minProperties": 2}),
            json!([{"a": 1, "b": 2}]),
            json!([{"a": 1}, {}]),
        ),
        object(
            "`minProperties: 1` of named ones",
            json!({"minProperties": 1}),
            json!([{"a": 1, "b": 2}, {"b": 2}]),
            json!([{}]),
        ),
        object(
            "`maxProperties` of named ones",
            json!({"maxProperties": 1}),
            json!([{"a": 1}, {"b": 2}, {}]),
            json!([{"a": 1, "b": 2}]),
        ),
        object(
            "`dependentRequired`",
            json!({"dependentRequired": {"a": ["b"]}}),
            json!([{"a": 1, "b": 2}, {"b": 2}]),
            json!([{"a": 1}]),
        ),
        object(
            "`dependentSchemas`",
            json!({"dependentSchemas": {"a": {"required": ["b"]}}}),
            json!([{"a": 1, "b": 2}]),
            json!([{"a": 1}]),
        ),
    ]
}

fn maps() -> Vec<Case> {
    vec![
        map(
            "`additionalProperties`: the values of a map",
            json!({}),
            json!([{"x": 1, "y": 2}, {}]),
            json!([{"x": "1"}]),
        ),
        map(
            "values in a map",
            json!({"additionalProperties": {"type": "integer", "minimum": 5}}),
            json!([{"x": 5}]),
            json!([{"x": 4}]),
        ),
        map(
            "`minProperties` of a map",
            json!({"minProperties": 2}),
            json!([{"x": 1, "y": 2}]),
            json!([{"x": 1}, {}]),
        ),
        map(
            "`maxProperties` of a map",
            json!({"maxProperties": 1}),
            json!([{"x": 1}, {}]),
            json!([{"x": 1, "y": 2}]),
        ),
    ]
}

fn keys() -> Vec<Case> {
    vec![
        map(
            "`propertyNames` with `pattern`",
            json!({"propertyNames": {"pattern": r"^\d+$"}}),
            json!([{"1": 1, "22": 2}, {}]),
            json!([{"x": 1}]),
        ),
        map(
            "`propertyNames` with `enum`",
            json!({"propertyNames": {"enum": ["x", "y+"]}}),
            json!([{"x": 1, "y+": 2}, {"y+": 2}]),
            json!([{"z": 1}, {"yy": 1}]),
        ),
        map(
            "`propertyNames` with `minLength`",
            json!({"propertyNames": {"minLength": 2}}),
            json!([{"xx": 1}]),
            json!([{"x": 1}]),
        ),
        map(
            "`propertyNames` with `format`",
            json!({"propertyNames": {"format": "date"}}),
            json!([{"2024-02-29": 1}]),
            json!([{"x": 1}]),
        ),
        map(
            "`propertyNames` with a reference",
            json!({"propertyNames": {"$ref": "#/$defs/Key"}, "$defs": {"Key": {"type": "string", "enum": ["x", "y"]}}}),
            json!([{"x": 1}]),
            json!([{"z": 1}]),
        ),
        map(
            "`propertyNames` beside `minProperties`",
            json!({"propertyNames": {"enum": ["x", "y"]}, "minProperties": 1}),
            json!([{"x": 1}, {"x": 1, "y": 2}]),
            json!([{"z": 1}, {}]),
        ),
    ]
}

fn others() -> Vec<Case> {
    vec![
        Case::of(
            "`patternProperties`",
            json!({"type": "object", "patternProperties": {r"^n\d$": {"type": "integer"}}, "additionalProperties": false}),
            json!([{"n1": 1, "n2": 2}, {}]),
            json!([{"n1": "x"}, {"nx": 1}]),
        ),
        Case::of(
            "`patternProperties` that overlap",
            json!({"type": "object", "patternProperties": {"^n": {"type": "integer"}, "m$": {"minimum": 5}}, "additionalProperties": false}),
            json!([{"n": 1, "nm": 5}]),
            json!([{"nm": 4}, {"n": "x"}]),
        ),
        Case::of(
            "`unevaluatedProperties`",
            json!({
                "type": "object",
                "allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}],
                "unevaluatedProperties": false,
            }),
            json!([{"a": 1, "b": 2}]),
            json!([{"a": 1, "b": 2, "c": 3}]),
        ),
        Case::of("`const`, an object", json!({"const": {"a": 1}}), json!([{"a": 1}]), json!([{}, {"a": 2}])),
    ]
}
