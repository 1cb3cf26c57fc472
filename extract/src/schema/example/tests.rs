//! Examples conform, and stay within their budget.

use serde_json::json;

use super::*;

/// The oracle is the validator: every example must satisfy its schema.
#[allow(clippy::needless_pass_by_value, reason = "callers write the schema in place")]
fn check(schema: Value) -> Value {
    let value = example(&schema).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{value} for {schema}: {errors:?}");
    value
}

#[test]
fn satisfies_what_the_schema_asks_for() {
    for schema in [
        json!({"type": "string", "minLength": 30}),
        json!({"type": "string", "maxLength": 3}),
        json!({"type": "string", "maxLength": 0}),
        json!({"type": "integer", "minimum": 10, "maximum": 12}),
        json!({"type": "integer", "exclusiveMinimum": 10}),
        json!({"type": "integer", "multipleOf": 7, "minimum": 30}),
        json!({"type": "integer", "maximum": -5}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}),
        json!({"type": "number", "exclusiveMaximum": 0}),
        json!({"type": "number", "multipleOf": 0.01, "minimum": 3.5}),
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": true}),
        json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": true}),
        json!({"type": "array", "items": {"type": "integer"}, "maxItems": 0}),
        json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "minItems": 2, "maxItems": 2}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}),
        json!({"type": "object", "propertyNames": {"enum": ["x", "y"]}, "additionalProperties": {"type": "null"}, "minProperties": 2}),
        json!({"type": "object", "patternProperties": {r"^\d+$": {"type": "string"}}, "additionalProperties": false}),
        json!({"type": "object", "required": ["free"], "additionalProperties": true}),
        json!({"type": "object", "required": ["free"]}),
        json!({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"type": "object", "properties": {"b": {"const": 2}}, "required": ["b"]}]}),
        json!({"oneOf": [{"type": "null"}, {"type": "string", "format": "date"}]}),
        json!({"enum": [null, "a"]}),
        json!(true),
    ] {
        check(schema);
    }
}

#[test]
fn elements_that_several_schemas_describe_stay_within_the_budget() {
    let items = json!({"items": {"minimum": 1}});
    let many = |least: u64| json!({"type": "array", "minItems": least, "items": {"type": "integer"}});
    assert_eq!(check(json!({"allOf": [many(2), items]})), json!([1, 1]));
    let itself = json!({"$ref": "#/$defs/a"});
    let lists = json!([{"type": "array", "items": itself, "minItems": 1}, {"items": itself}]);
    let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": lists}}});
    for schema in [json!({"allOf": [many(1_000_000_000), items]}), endless] {
        assert_eq!(example(&schema), None);
    }
}

#[test]
fn knows_the_common_formats() {
    for format in [
        "date",
        "time",
        "date-time",
        "duration",
        "email",
        "uri",
        "uuid",
        "ipv4",
        "ipv6",
        "hostname",
        "regex",
        "uri-reference",
        "json-pointer",
        "idn-email",
        "iri",
        "uri-template",
        "relative-json-pointer",
        "idn-hostname",
        "iri-reference",
    ] {
        let value = check(json!({"type": "string", "format": format}));
        assert!(format_example(format).is_some(), "{format}: {value}");
    }
}

#[test]
fn ends_under_recursion() {
    let node = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["name", "children"],
    });
    let value = check(json!({"$ref": "#/$defs/Node", "$defs": {"Node": node}}));
    assert_eq!(value, json!({"name": "text", "next": null, "children": []}));
}

#[test]
fn without_a_type_the_keywords_decide() {
    let schema = json!({"properties": {"a": {"type": "integer"}}, "required": ["a", "b"]});
    assert!(check(schema).is_object());
}

#[test]
fn prefers_the_examples_that_the_schema_states() {
    let schema = json!({
        "type": "object",
        "properties": {"number": {"type": "string", "pattern": "^INV-", "examples": ["INV-2041"]}},
        "required": ["number"],
    });
    assert_eq!(check(schema), json!({"number": "INV-2041"}));
}
