//! The text of violations: path, code, expected, got.

use extract::{Contract, Extractable as _, feedback::format_violations_for_display};
use serde_json::{Value, json};

use crate::domain::{Invoice, good};

fn report(schema: Value, value: &Value) -> String {
    format_violations_for_display(&Contract::from_schema(schema).unwrap().validate(value))
}

/// One line for each kind of mistake that a schema can report: the keyword, the value, the report.
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
        // A hint where the value stands under a key, unless there are several that it may be.
        (
            json!({"enum": ["a", "b"]}),
            json!({"letter": "b", "confidence": 0.9}),
            r#"[INVALID_VALUE] $: not an allowed value; write the value of `letter` alone, without an object around it (expected one of ["a","b"], got {"letter":"b","confidence":0.9})"#,
        ),
        (
            json!({"type": ["integer", "null"]}),
            json!({"count": 5.0, "of": null}),
            r#"[WRONG_TYPE] $: wrong type; write the value of `count` alone, without an object around it (expected an integer or null, got the object {"count":5.0,"of":null})"#,
        ),
        (
            json!({"type": "integer"}),
            json!({"count": 5, "of": 6}),
            r#"[WRONG_TYPE] $: wrong type (expected an integer, got the object {"count":5,"of":6})"#,
        ),
        (
            json!({"type": "integer"}),
            json!({"count": 5.5}),
            r#"[WRONG_TYPE] $: wrong type (expected an integer, got the object {"count":5.5})"#,
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
            "[INVALID_VALUE] $: too few entries (expected at least 1 entry, got {})",
        ),
        (
            json!({"maxProperties": 0}),
            json!({"a": 1}),
            r#"[INVALID_VALUE] $: too many entries (expected at most 0 entries, got {"a":1})"#,
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 1]),
            "[INVALID_VALUE] $[1]: the same element as [0] of the list (expected elements that all differ, got 1)",
        ),
        (
            json!({"pattern": "^a$"}),
            json!("b"),
            r#"[INVALID_VALUE] $: does not have the required form (expected a string that matches the pattern ^a$, got "b")"#,
        ),
        (
            json!({"format": "date"}),
            json!("May"),
            r#"[INVALID_VALUE] $: does not have the required form (expected a string in the format date, such as 2024-05-17, got "May")"#,
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
            r#"[INVALID_VALUE] $.b: not an allowed key (expected a key that matches the pattern ^a, got "b")"#,
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
            json!({"propertyNames": {"maxLength": 1}, "additionalProperties": {"type": "integer"}}),
            json!({"ab": "x"}),
            "[WRONG_TYPE] $.ab: wrong type (expected an integer, got the string \"x\")\n\
             [INVALID_VALUE] $.ab: not an allowed key (expected a key of at most 1 character, got \"ab\")",
        ),
        (
            json!({"propertyNames": false}),
            json!({"b": 1}),
            "[UNKNOWN_FIELD] $.b: unknown key (expected no such key, got 1)",
        ),
        (
            json!({"additionalProperties": false}),
            json!({"b": {"c": 2}}),
            r#"[UNKNOWN_FIELD] $.b: unknown key (expected no such key, got {"c":2})"#,
        ),
        (json!(false), json!(1), "[INVALID_VALUE] $: no value is allowed (expected no value, got 1)"),
        (
            json!({"not": {"properties": {"a": {"const": 1}}, "required": ["a"]}}),
            json!({"a": 1}),
            r#"[INVALID_VALUE] $: a value that is ruled out (expected anything but a value of the form { "a": 1 }, got {"a":1})"#,
        ),
        (
            json!({"contains": {"type": "object", "properties": {"id": {"const": 1}}, "required": ["id"]}}),
            json!([]),
            r#"[INVALID_VALUE] $: a required element is absent (expected an element that is an object of the form { "id": 1 }, got [])"#,
        ),
        (
            json!({"type": "string", "enum": ["a", "b"]}),
            json!(3),
            r#"[INVALID_VALUE] $: not an allowed value (expected one of ["a","b"], got 3)"#,
        ),
        (
            json!({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!(null),
            "[NOT_OBJECT] $: the answer is not a JSON object (expected an object, got null)",
        ),
        (
            json!({
                "$ref": "#/$defs/Named",
                "properties": {"id": true},
                "unevaluatedProperties": false,
                "$defs": {"Named": {"properties": {"name": true}}},
            }),
            json!({"nmae": 1}),
            "[UNKNOWN_FIELD] $.nmae: unknown key; did you mean `name`? (expected only the keys id, name, got 1)",
        ),
        (
            json!({"properties": {"a`b": true, "": true}, "additionalProperties": false}),
            json!({"x": 1}),
            r#"[UNKNOWN_FIELD] $.x: unknown key (expected only the keys "a`b", "", got 1)"#,
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
fn references_are_followed_to_describe_what_is_expected() {
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
    // 1.0 is an integer for JSON Schema, but not for serde.
    let mut value = good();
    value["lines"][0]["quantity"] = json!(2.0);
    let report = format_violations_for_display(&Contract::of::<Invoice>().unwrap().validate(&value));
    assert!(report.starts_with("[INVALID_VALUE] $.lines[0].quantity: "), "{report}");
}

#[test]
fn a_misspelt_name_or_value_gets_a_suggestion() {
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

/// The alternatives of `lastName` do not include `firstName`, which is a separate key.
#[test]
fn a_key_under_another_of_its_names_is_one_key() {
    let schema = json!({
        "type": "object",
        "properties": {
            "firstName": {"type": "string"},
            "lastName": {"type": "string"},
            "surname": {"type": "string", "deprecated": true},
        },
        "required": ["firstName"],
        "allOf": [{"oneOf": [{"required": ["lastName"]}, {"required": ["surname"]}]}],
        "additionalProperties": false,
    });
    for (value, expected) in [
        (json!({"firstName": "Ada"}), "[MISSING_FIELD] $.lastName: required, but absent (expected a string)"),
        (
            json!({"firstName": "Ada", "surename": "L"}),
            "[MISSING_FIELD] $.lastName: required, but absent; `surename` looks like it (expected a string)\n\
             [UNKNOWN_FIELD] $.surename: unknown key (expected only the keys firstName, lastName, got \"L\")",
        ),
        (
            json!({"firstName": "Ada", "lastName": "L", "surname": "L"}),
            "[INVALID_VALUE] $.surname: another name of `lastName`, which is there as well \
             (expected only one of the keys [\"lastName\",\"surname\"], got \"L\")",
        ),
    ] {
        assert_eq!(report(schema.clone(), &value), expected, "{value}");
    }
    let either = json!({
        "properties": {"mail": {"type": "string"}, "phone": {"type": "string"}},
        "anyOf": [{"required": ["mail"]}, {"required": ["phone"]}],
    });
    assert_eq!(
        report(either, &json!({})),
        "[MISSING_FIELD] $.mail: required, but absent; or `phone` instead (expected a string)"
    );
}

#[test]
fn a_key_that_looks_like_a_number_is_a_key() {
    let schema = json!({
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"properties": {"0": {"type": "integer"}}}},
    });
    assert_eq!(
        report(schema.clone(), &json!({"7": [{"0": "x"}]})),
        r#"[WRONG_TYPE] $["7"][0]["0"]: wrong type (expected an integer, got the string "x")"#
    );
    assert_eq!(
        report(schema, &json!({"a/b~c": 1})),
        r#"[WRONG_TYPE] $["a/b~c"]: wrong type (expected an array, got the number 1)"#
    );
}

#[test]
fn a_violation_has_the_keyword_that_is_not_satisfied() {
    for (keyword, schema, value) in [
        ("type", json!({"type": "integer"}), json!("1")),
        ("enum", json!({"enum": ["a"]}), json!("b")),
        ("const", json!({"const": 1}), json!(2)),
        ("exclusiveMaximum", json!({"exclusiveMaximum": 1}), json!(1)),
        ("pattern", json!({"pattern": "^a"}), json!("b")),
        ("format", json!({"format": "date"}), json!("today")),
        ("maxItems", json!({"maxItems": 1}), json!([1, 2])),
        ("uniqueItems", json!({"uniqueItems": true}), json!([1, 1])),
        ("contains", json!({"contains": {"const": 1}}), json!([2])),
        ("required", json!({"required": ["a"]}), json!({})),
        ("dependentRequired", json!({"dependentRequired": {"a": ["b"]}}), json!({"a": 1})),
        ("additionalProperties", json!({"additionalProperties": false}), json!({"a": 1})),
        ("unevaluatedProperties", json!({"unevaluatedProperties": false}), json!({"a": 1})),
        ("propertyNames", json!({"propertyNames": {"maxLength": 1}}), json!({"ab": 1})),
        ("propertyNames", json!({"propertyNames": false}), json!({"a": 1})),
        ("not", json!({"not": {"type": "string"}}), json!("a")),
        ("minLength", json!({"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]}), json!("a")),
    ] {
        let violations = Contract::from_schema(schema.clone()).unwrap().validate(&value);
        let [violation] = &violations[..] else { panic!("{schema}: {violations:?}") };
        assert_eq!(violation.keyword.as_deref(), Some(keyword), "{schema}: {violation}");
    }
    let schema = json!({"oneOf": [{"type": "integer"}, {"type": "null"}]});
    let violations = Contract::from_schema(schema).unwrap().validate(&json!("a"));
    assert_eq!(violations[0].keyword, None, "no single one says it");
}

#[test]
fn expectations_of_keys_speak_of_keys() {
    for (names, expected) in [
        (json!({"format": "date"}), "a key in the format date, such as 2024-05-17"),
        (json!({"enum": ["a", "b"]}), r#"a key that is one of ["a","b"]"#),
        (json!({"const": "a"}), r#"a key that is "a""#),
        (json!({"not": {"const": "wrong"}}), r#"a key that is anything but "wrong""#),
        (
            json!({"anyOf": [{"pattern": "^a"}, {"minLength": 9}]}),
            "a key that matches the pattern ^a, or a key of at least 9 characters",
        ),
        (json!({"oneOf": [true, true]}), "a key that fits exactly one alternative"),
    ] {
        let contract = Contract::from_schema(json!({"propertyNames": names})).unwrap();
        let [violation] = &contract.validate(&json!({"wrong": 1}))[..] else { panic!("{names}") };
        assert_eq!(violation.expected.as_deref(), Some(expected), "{names}");
    }
}
