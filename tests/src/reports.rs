//! How violations read: path, code, expected, got.

use extract::{Contract, Extractable as _, format_violations_for_display};
use serde_json::{Value, json};

use crate::domain::{Invoice, good};

fn report(schema: Value, value: &Value) -> String {
    format_violations_for_display(&Contract::from_schema(schema).unwrap().validate(value))
}

/// One line for each kind of mistake that a schema can name: the keyword, the value, the report.
#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn each_kind_of_mistake_has_its_words() {
    for (schema, value, expected) in [
        (
            json!({"type": "integer"}),
            json!("3"),
            r#"[WRONG_TYPE] $: wrong type (expected an integer, got the string "3")"#,
        ),
        (
            json!({"type": ["integer", "null"]}),
            json!(true),
            "[WRONG_TYPE] $: wrong type (expected an integer or null, got the boolean true)",
        ),
        (
            json!({"type": "object"}),
            json!([1]),
            "[NOT_OBJECT] $: the answer is not a JSON object (expected an object, got the array [1])",
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!("c"),
            r#"[INVALID_VALUE] $: not an allowed value (expected one of ["a","b"], got "c")"#,
        ),
        (json!({"const": 1}), json!(2), "[INVALID_VALUE] $: not the required value (expected 1, got 2)"),
        (json!({"minimum": 0}), json!(-1), "[INVALID_VALUE] $: too small (expected at least 0, got -1)"),
        (json!({"maximum": 0}), json!(1), "[INVALID_VALUE] $: too large (expected at most 0, got 1)"),
        (
            json!({"exclusiveMinimum": 0}),
            json!(0),
            "[INVALID_VALUE] $: too small (expected more than 0, got 0)",
        ),
        (
            json!({"exclusiveMaximum": 0}),
            json!(0),
            "[INVALID_VALUE] $: too large (expected less than 0, got 0)",
        ),
        (
            json!({"multipleOf": 5}),
            json!(7),
            "[INVALID_VALUE] $: not a multiple (expected a multiple of 5, got 7)",
        ),
        (
            json!({"minLength": 2}),
            json!("a"),
            r#"[INVALID_VALUE] $: too short (expected at least 2 characters, got "a")"#,
        ),
        (
            json!({"maxLength": 1}),
            json!("ab"),
            r#"[INVALID_VALUE] $: too long (expected at most 1 character, got "ab")"#,
        ),
        (
            json!({"minItems": 1}),
            json!([]),
            "[INVALID_VALUE] $: too few elements (expected at least 1 element, got 0 elements)",
        ),
        (
            json!({"maxItems": 1}),
            json!([1, 2]),
            "[INVALID_VALUE] $: too many elements (expected at most 1 element, got 2 elements)",
        ),
        (
            json!({"prefixItems": [true], "items": false}),
            json!([1, 2]),
            "[INVALID_VALUE] $[1]: one element too many (expected no element here, got 2)",
        ),
        (
            json!({"minProperties": 1}),
            json!({}),
            "[INVALID_VALUE] $: too few entries (expected at least 1 entries, got {})",
        ),
        (
            json!({"maxProperties": 0}),
            json!({"a": 1}),
            r#"[INVALID_VALUE] $: too many entries (expected at most 0 entries, got {"a":1})"#,
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 1]),
            "[INVALID_VALUE] $: repeated elements (expected elements that all differ, got [1,1])",
        ),
        (
            json!({"pattern": "^a$"}),
            json!("b"),
            r#"[INVALID_VALUE] $: does not have the required form (expected text that matches the pattern ^a$, got "b")"#,
        ),
        (
            json!({"format": "date"}),
            json!("May"),
            r#"[INVALID_VALUE] $: does not have the required form (expected text in the format date, such as 2024-05-17, got "May")"#,
        ),
        (
            json!({"required": ["a"], "properties": {"a": {"type": "string"}}}),
            json!({}),
            "[MISSING_FIELD] $.a: required, but absent (expected a string)",
        ),
        (
            json!({"required": ["a b"]}),
            json!({}),
            r#"[MISSING_FIELD] $["a b"]: required, but absent (expected a value)"#,
        ),
        (
            json!({"properties": {"a": true}, "additionalProperties": false}),
            json!({"b": 1}),
            "[UNKNOWN_FIELD] $.b: unknown key (expected only the keys a, got 1)",
        ),
        (
            json!({"properties": {"a": true}, "unevaluatedProperties": false}),
            json!({"b": 1}),
            "[UNKNOWN_FIELD] $.b: unknown key (expected only the keys a, got 1)",
        ),
        (
            json!({"propertyNames": {"pattern": "^a"}}),
            json!({"b": 1}),
            r#"[INVALID_VALUE] $.b: not an allowed key (expected a key that is text that matches the pattern ^a, got "b")"#,
        ),
        (
            json!({"contains": {"type": "integer"}}),
            json!(["a"]),
            r#"[INVALID_VALUE] $: a required element is absent (expected an element that is an integer, got ["a"])"#,
        ),
        (
            json!({"not": {"const": 1}}),
            json!(1),
            "[INVALID_VALUE] $: a value that is ruled out (expected anything but 1, got 1)",
        ),
        (
            json!({"oneOf": [{"minimum": 0}, {"maximum": 9}]}),
            json!(5),
            "[INVALID_VALUE] $: fits several alternatives (expected a value that fits exactly one alternative, got 5)",
        ),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            "[MISSING_FIELD] $.b: required beside `a`, but absent (expected a value)",
        ),
        (
            json!({"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}}}}),
            json!({"a": 1, "b": "x"}),
            r#"[WRONG_TYPE] $.b: wrong type (expected an integer, got the string "x")"#,
        ),
        (
            json!({"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"required": ["b"]}}),
            json!({"a": 1}),
            "[MISSING_FIELD] $.b: required, but absent (expected a value)",
        ),
        (
            json!({"contains": {"type": "integer"}, "minContains": 2}),
            json!([1, "a"]),
            r#"[INVALID_VALUE] $: the wrong number of certain elements (expected at least 2 elements, each an integer, got [1,"a"])"#,
        ),
        (
            json!({"contains": {"type": "integer"}, "maxContains": 1}),
            json!([1, 2]),
            "[INVALID_VALUE] $: the wrong number of certain elements (expected at least 1 and at most 1 element, each an integer, got [1,2])",
        ),
        (
            json!({"prefixItems": [true], "unevaluatedItems": false}),
            json!([1, 2]),
            "[INVALID_VALUE] $: too many elements (expected no further elements, got [1,2])",
        ),
        (
            json!({"patternProperties": {"^x": true}, "additionalProperties": false}),
            json!({"y": 1}),
            "[UNKNOWN_FIELD] $.y: unknown key (expected only keys that match ^x, got 1)",
        ),
        (
            json!({"not": {"required": ["a"]}}),
            json!({"a": 1}),
            r#"[INVALID_VALUE] $: a value that is ruled out (expected anything but an object with the key a, got {"a":1})"#,
        ),
        (
            json!({"allOf": [{"type": "integer"}, {"type": "integer"}]}),
            json!("a"),
            r#"[WRONG_TYPE] $: wrong type (expected an integer, got the string "a")"#,
        ),
        (
            json!({"properties": {"a": false}}),
            json!({"a": 1}),
            "[UNKNOWN_FIELD] $.a: unknown key (expected no such key, got 1)",
        ),
    ] {
        assert_eq!(report(schema.clone(), &value), expected, "{schema}");
    }
}

#[test]
fn references_are_followed_to_say_what_is_expected() {
    let schema = json!({
        "$defs": {"Kind": {"oneOf": [{"const": "a"}, {"const": "b"}]}},
        "properties": {"kind": {"$ref": "#/$defs/Kind"}},
        "required": ["kind"],
    });
    assert_eq!(
        report(schema.clone(), &json!({})),
        r#"[MISSING_FIELD] $.kind: required, but absent (expected one of ["a","b"])"#
    );
    assert_eq!(
        report(schema, &json!({"kind": "c"})),
        r#"[INVALID_VALUE] $.kind: not an allowed value (expected one of ["a","b"], got "c")"#
    );
}

#[test]
fn an_optional_object_is_judged_as_the_object() {
    let schema = json!({
        "$defs": {"Line": {"type": "object", "properties": {"qty": {"type": "integer"}}, "required": ["qty"]}},
        "properties": {"line": {"anyOf": [{"$ref": "#/$defs/Line"}, {"type": "null"}]}},
    });
    assert_eq!(
        report(schema, &json!({"line": {"qty": "x"}})),
        r#"[WRONG_TYPE] $.line.qty: wrong type (expected an integer, got the string "x")"#
    );
}

#[test]
fn rules_and_checks_of_nested_values_have_paths_in_serdes_names() {
    let mut value = good();
    value["lines"][0]["unitPrice"] = json!(45.123);
    let violations = Contract::of::<Invoice>().unwrap().validate(&value);
    assert_eq!(
        format_violations_for_display(&violations),
        "[RULE] $.lines[0].unitPrice: 45.123 has more than two decimals\n\
         [WRONG_SUM] $.total: the total is not the sum of the lines (expected 90.246, got 91)"
    );
}

#[test]
fn violations_are_sorted_by_path() {
    let value = json!({"total": "x", "number": 1, "lines": [], "currency": "?"});
    let paths: Vec<_> =
        Contract::of::<Invoice>().unwrap().validate(&value).iter().map(|v| v.path.to_string()).collect();
    assert_eq!(paths, ["$.currency", "$.lines", "$.number", "$.total"]);
    let _ = Invoice::schema();
}

#[test]
fn a_value_that_the_schema_takes_and_serde_does_not_is_a_violation() {
    // JSON Schema counts 1.0 among the integers; serde does not.
    let mut value = good();
    value["lines"][0]["quantity"] = json!(2.0);
    let report = format_violations_for_display(&Contract::of::<Invoice>().unwrap().validate(&value));
    assert!(report.starts_with("[INVALID_VALUE] $.lines[0].quantity: "), "{report}");
}

#[test]
fn a_misspelt_name_or_value_is_named_with_what_was_probably_meant() {
    let schema = json!({
        "properties": {"unitPrice": {"type": "number"}, "currency": {"enum": ["EUR", "USD"]}},
        "required": ["unitPrice"],
        "additionalProperties": false,
    });
    assert_eq!(
        report(schema, &json!({"unit_price": 1, "currency": "eur"})),
        "[INVALID_VALUE] $.currency: not an allowed value; did you mean \"EUR\"? (expected one of [\"EUR\",\"USD\"], got \"eur\")\n\
         [MISSING_FIELD] $.unitPrice: required, but absent; `unit_price` looks like it (expected a number)\n\
         [UNKNOWN_FIELD] $.unit_price: unknown key; did you mean `unitPrice`? (expected only the keys unitPrice, currency, got 1)"
    );
}
