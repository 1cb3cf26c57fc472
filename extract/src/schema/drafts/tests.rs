//! `jsonschema`, which knows every draft, is the oracle.

use serde_json::json;

use super::*;
use crate::contract::Contract;

/// Checks that the contract of `schema` accepts and refuses the same of `values` as `jsonschema`
/// does by the rules of the declared draft.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "the arguments are literals")]
fn check(schema: Value, values: Value) {
    let theirs = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let contract = Contract::from_schema(schema.clone()).unwrap();
    let mut answers = std::collections::HashSet::new();
    for value in values.as_array().unwrap() {
        let is_valid = theirs.is_valid(value);
        assert_eq!(contract.validate(value).is_empty(), is_valid, "{schema}\n{value}");
        answers.insert(is_valid);
    }
    assert_eq!(answers.len(), 2, "{schema}");
}

fn of_draft(name: &str, mut schema: Value) -> Value {
    schema["$schema"] = json!(match name {
        "2019-09" => "https://json-schema.org/draft/2019-09/schema".to_owned(),
        name => format!("http://json-schema.org/draft-{name}/schema#"),
    });
    schema
}

#[test]
fn every_draft_is_judged_by_its_own_rules() {
    let before_2019 = ["04", "06", "07"];
    for draft in before_2019.into_iter().chain(["2019-09"]) {
        let tuple =
            json!({"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": {"type": "null"}});
        check(of_draft(draft, tuple), json!([["a", 1, null], ["a", 1, 2], [1], []]));
        let closed = json!({"items": [{"type": "string"}], "additionalItems": false});
        check(of_draft(draft, closed), json!([["a"], ["a", 1], [1]]));
        let list = json!({"items": {"type": "string"}, "additionalItems": false});
        check(of_draft(draft, list), json!([["a", "b"], [1]]));
    }
    for draft in before_2019 {
        let dependencies = json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}});
        check(of_draft(draft, dependencies), json!([{"a": 1}, {"a": 1, "b": 1}, {"c": 1}, {"c": 1, "d": 1}]));
        let beside = json!({
            "properties": {"a": {"$ref": "#/definitions/A", "maxLength": 1}},
            "definitions": {"A": {"type": "string"}},
        });
        check(of_draft(draft, beside), json!([{"a": "long"}, {"a": 1}]));
        let unknown =
            json!({"type": "object", "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": false});
        check(of_draft(draft, unknown), json!([{"a": 1}, []]));
        let moved = json!({"items": [{"type": "string"}, {"$ref": "#/items/0"}], "additionalItems": {"$ref": "#/items/0"}});
        check(of_draft(draft, moved), json!([["a", "b", "c"], ["a", 1], ["a", "b", 1]]));
    }
}

#[test]
fn keywords_of_single_drafts_mean_what_they_say_there() {
    let bounds = json!({"minimum": 2, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false});
    check(of_draft("04", bounds), json!([2, 3, 5, 6]));
    check(of_draft("04", json!({"type": "integer", "const": 3})), json!([4, "a"]));
    check(of_draft("06", json!({"type": "integer", "if": {"minimum": 3}, "then": false})), json!([4, "a"]));
    check(of_draft("07", json!({"if": {"minimum": 3}, "then": {"multipleOf": 2}})), json!([4, 5]));
    let named = json!({"properties": {"a": {"$ref": "#word"}}, "definitions": {"A": {"$id": "#word", "type": "string"}}});
    check(of_draft("07", named), json!([{"a": "a"}, {"a": 1}]));
    let named = json!({"id": "http://example.com/root", "properties": {"id": {"$ref": "#word"}}, "definitions": {"A": {"id": "#word", "type": "string"}}});
    check(of_draft("04", named), json!([{"id": "a"}, {"id": 1}]));
    let tree =
        json!({"type": "object", "properties": {"next": {"$recursiveRef": "#"}}, "$recursiveAnchor": true});
    check(of_draft("2019-09", tree), json!([{"next": {}}, {"next": 1}]));
    let left = json!({"properties": {"a": true}, "unevaluatedProperties": false});
    check(of_draft("2019-09", left), json!([{"a": 1}, {"b": 1}]));
}

#[test]
fn names_that_read_like_keywords_are_names() {
    for name in ["dependencies", "items", "additionalItems", "definitions", "properties", "$id", "id"] {
        for draft in ["04", "06", "07"] {
            let through = |pointer: &str| {
                json!({
                    "properties": {"a": {"$ref": pointer}, name: {"type": "integer"}},
                    "definitions": {name: {"type": "integer"}},
                })
            };
            for holder in ["definitions", "properties"] {
                let schema = through(&format!("#/{holder}/{name}"));
                check(of_draft(draft, schema), json!([{"a": 1}, {"a": "a"}]));
            }
        }
    }
    let inside = json!({
        "properties": {"a": {"$ref": "#/definitions/dependencies/properties/dependencies"}},
        "definitions": {"dependencies": {"properties": {"dependencies": {"type": "integer"}}}},
    });
    check(of_draft("04", inside), json!([{"a": 1}, {"a": "a"}]));
}

#[test]
fn identifiers_that_are_pointers_or_of_another_draft_name_nothing() {
    let pointer = json!({
        "properties": {"a": {"$ref": "#/definitions/A"}},
        "definitions": {"A": {"id": "#/definitions/A", "$id": "#/definitions/A", "type": "string"}},
    });
    for draft in ["04", "06", "07"] {
        check(of_draft(draft, pointer.clone()), json!([{"a": "a"}, {"a": 1}]));
    }
    let later = json!({
        "$id": "https://example.com/root.json",
        "properties": {"a": {"$ref": "#/definitions/A"}},
        "definitions": {"A": {"$id": "a", "$ref": "#/definitions/B"}, "B": {"$id": "b", "type": "string"}},
    });
    check(of_draft("04", later), json!([{"a": "a"}, {"a": 1}]));
}

#[test]
fn references_need_no_percent_signs() {
    for name in ["Page<Item>", "a b", "List[Item]", "größe", "a|b", "{x}"] {
        let schema = |reference: String| {
            json!({
                "properties": {"a": {"$ref": reference}, "b": {"items": {"$ref": "#/$defs/%61"}}},
                "$defs": {name: {"type": "string"}, "a": {"type": "string"}},
            })
        };
        let contract = Contract::from_schema(schema(format!("#/$defs/{name}"))).unwrap();
        let is_valid = |value: Value| contract.validate(&value).is_empty();
        assert!(is_valid(json!({"a": "a", "b": ["b"]})) && !is_valid(json!({"a": 1})), "{name}");
        assert!(!is_valid(json!({"b": [1]})), "{name}");
    }
}

#[test]
fn nullable_values_may_be_null() {
    let is_valid = |schema: &Value, value: Value| {
        Contract::from_schema(schema.clone()).unwrap().validate(&value).is_empty()
    };
    for mut schema in [
        json!({"type": "string"}),
        json!({"type": ["string", "integer"]}),
        json!({"type": "string", "enum": ["a", "b"]}),
        json!({"$ref": "#/$defs/A"}),
        json!({"allOf": [{"$ref": "#/$defs/A"}], "description": "Some."}),
        json!({"oneOf": [{"$ref": "#/$defs/A"}, {"type": "integer"}]}),
        json!({"const": "a"}),
    ] {
        schema["$defs"] = json!({"A": {"type": "string"}});
        for (nullable, accepts) in [(json!(true), true), (json!(false), false)] {
            schema["nullable"] = nullable;
            assert_eq!(is_valid(&schema, Value::Null), accepts, "{schema}");
            assert!(is_valid(&schema, json!("a")) && !is_valid(&schema, json!([])), "{schema}");
        }
    }
    let named = json!({"properties": {"nullable": {"type": "boolean"}}, "examples": [{"nullable": true}]});
    assert_eq!(*modern(&named), named);
}

#[test]
fn the_latest_draft_stays() {
    for schema in [json!({"items": [1]}), json!({"$schema": LATEST, "additionalItems": false}), json!(true)] {
        assert!(matches!(modern(&schema), Cow::Borrowed(_)));
    }
}
