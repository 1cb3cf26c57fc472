use serde_json::json;

use super::*;
use crate::vocabulary::{
    redaction::VALUE_MARKER,
    violation::{Code, Violation},
};

fn schema() -> Value {
    json!({
        "$defs": {
            "Person": {
                "type": "object",
                "properties": {
                    "name": { "type": "string" },
                    "pin": { "type": "integer", "x-sensitive": true },
                    "friends": { "type": "array", "items": { "$ref": "#/$defs/Person" } },
                    "keys": { "additionalProperties": { "$ref": "#/$defs/Secret" } },
                    "pair": { "prefixItems": [{}, { "$ref": "#/$defs/Secret" }], "items": {} },
                },
            },
            "Secret": { "x-sensitive": true, "properties": { "inside": {} } },
        },
        "anyOf": [{ "$ref": "#/$defs/Person" }, { "type": "null" }],
    })
}

#[test]
fn finds_what_is_sensitive_through_references_and_unions() {
    let schema = schema();
    let sensitive = SensitiveParts::of(&schema);
    for (path, expected) in [
        ("$", false),
        ("$.name", false),
        ("$.pin", true),
        ("$.friends[3].friends[0].pin", true),
        ("$.friends[3].name", false),
        ("$.keys.a", true),
        ("$.keys.a.inside[0]", true),
        ("$.pair[0]", false),
        ("$.pair[1]", true),
        ("$.pair[2]", false),
        ("$.unknown", false),
    ] {
        assert_eq!(sensitive.is_sensitive(&Path::from(path)), expected, "{path}");
    }
    assert!(SensitiveParts::of(&json!({ "type": "string" })).is_empty());
}

#[test]
fn references_in_a_circle_end() {
    let schema = json!({ "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A", "items": { "x-sensitive": true } } }, "$ref": "#/$defs/A" });
    assert!(SensitiveParts::of(&schema).is_sensitive(&Path::root().index(0)));
}

#[test]
fn a_redacted_value_keeps_its_form() {
    let schema = schema();
    let mut value =
        json!({ "name": "Anna", "pin": 1234, "friends": [{ "pin": 1 }], "keys": { "a": { "inside": 2 } } });
    SensitiveParts::of(&schema).redact_places(&mut value);
    let expected = json!({ "name": "Anna", "pin": VALUE_MARKER, "friends": [{ "pin": VALUE_MARKER }], "keys": { "a": VALUE_MARKER } });
    assert_eq!(value, expected);
}

#[test]
fn nothing_that_is_said_repeats_a_secret() {
    let schema = schema();
    let value = json!({ "name": "Anna", "pin": "se\"cret", "keys": { "a": 12 } });
    let at = |path: &str, code, message: &str| Violation::new(Path::from(path), code, message);
    let mut violations = [
        at("$.pin", Code::WrongType, "wrong type").expected("an integer").actual(r#"the string "se\"cret""#),
        at("$.pin", Code::InvalidValue, "not an allowed value")
            .hint(r#"did you mean "secret"?"#)
            .expected("x")
            .actual("y"),
        at("$.pin", Code::InvalidValue, "invalid value: string \"se\\\"cret\", expected u8"),
        at("$.pin", Code::Rule, "se\"cret is no pin, not even se\"cretary").actual("se\"cret"),
        at("$", Code::Rule, "12 is not 120").actual(r#"{"pin":"se\"cret","keys":{"a":12}}"#),
    ];
    SensitiveParts::of(&schema).redact_violations(&mut violations, &value);
    let said: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "[WRONG_TYPE] $.pin: wrong type (expected an integer, got (hidden))",
            "[INVALID_VALUE] $.pin: not an allowed value (expected x, got (hidden))",
            "[INVALID_VALUE] $.pin: not accepted",
            "[RULE] $.pin: (hidden) is no pin, not even (hidden)ary (got (hidden))",
            r#"[RULE] $: (hidden) is not 120 (got {"pin":"(hidden)","keys":{"a":(hidden)}})"#,
        ]
    );
}
