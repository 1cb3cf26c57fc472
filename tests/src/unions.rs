//! Messages about a value that fits no alternative.

use extract::{Contract, feedback::format_violations_for_display};
use serde_json::{Value, json};

fn report(schema: &Value, value: &Value) -> String {
    format_violations_for_display(&Contract::from_schema(schema.clone()).unwrap().validate(value))
}

#[track_caller]
fn check(schema: &Value, table: &[(Value, &str)]) {
    for (value, expected) in table {
        assert_eq!(report(schema, value), *expected, "{value}");
    }
}

fn record(key: &str) -> Value {
    json!({"type": "object", "properties": {key: {"type": "integer"}}, "required": [key]})
}

/// serde's default: the variant is the only key.
fn external(variant: &str, content: &Value) -> Value {
    json!({"type": "object", "properties": {variant: content}, "required": [variant], "additionalProperties": false})
}

/// serde's `tag = "type"`.
fn internal(variant: &str, key: &str) -> Value {
    json!({
        "type": "object",
        "properties": {"type": {"type": "string", "const": variant}, key: {"type": "integer"}},
        "required": ["type", key],
    })
}

#[test]
fn by_the_only_key() {
    let schema = json!({"oneOf": [external("Card", &record("number")), external("Cash", &record("amount")), {"enum": ["Free"]}]});
    let keys = r#"an object with exactly one of the keys ["Card","Cash"], or one of ["Free"]"#;
    check(
        &schema,
        &[
            (
                json!({"Card": {"number": "x"}}),
                r#"[WRONG_TYPE] $.Card.number: wrong type (expected an integer, got the string "x")"#,
            ),
            (
                json!({"Crad": {"number": 1}}),
                &format!(
                    r#"[UNKNOWN_FIELD] $.Crad: no such alternative; did you mean `Card`? (expected {keys}, got {{"number":1}})"#
                ),
            ),
            (
                json!({}),
                &format!(
                    "[MISSING_FIELD] $: the key that names the alternative is absent (expected {keys}, got {{}})"
                ),
            ),
            (
                json!({"Card": {"number": 1}, "Cash": {"amount": 1}}),
                &format!(
                    r#"[INVALID_VALUE] $: several alternatives at once (expected {keys}, got {{"Card":{{"number":1}},"Cash":{{"amount":1}}}})"#
                ),
            ),
            (
                json!("Fre"),
                r#"[INVALID_VALUE] $: not an allowed value; did you mean "Free"? (expected one of ["Free"] or an object with exactly one of the keys ["Card","Cash"], got "Fre")"#,
            ),
            (
                json!([1]),
                r#"[WRONG_TYPE] $: wrong type (expected one of ["Free"] or an object with exactly one of the keys ["Card","Cash"], got the array [1])"#,
            ),
            (
                json!({"Free": null}),
                r#"[WRONG_TYPE] $: "Free" is a string, not a key (expected "Free", got {"Free":null})"#,
            ),
        ],
    );
}

#[test]
fn by_a_tag_among_the_keys() {
    let schema = json!({"anyOf": [internal("card", "number"), internal("cash", "amount"), {"type": "null"}]});
    check(
        &schema,
        &[
            (
                json!({"type": "cash", "amount": "five"}),
                r#"[WRONG_TYPE] $.amount: wrong type (expected an integer, got the string "five")"#,
            ),
            (json!({"type": "card"}), "[MISSING_FIELD] $.number: required, but absent (expected an integer)"),
            (
                json!({"type": "cheque", "amount": 5}),
                r#"[INVALID_VALUE] $.type: not an allowed value (expected one of ["card","cash"], got "cheque")"#,
            ),
            (
                json!({"number": 5}),
                r#"[MISSING_FIELD] $.type: required, but absent (expected one of ["card","cash"])"#,
            ),
            (
                json!({"typ": "card", "number": 5}),
                r#"[MISSING_FIELD] $.type: required, but absent; `typ` looks like it (expected one of ["card","cash"])"#,
            ),
            (
                json!([1]),
                r#"[NOT_OBJECT] $: the answer is not a JSON object (expected an object whose "type" is one of ["card","cash"], got the array [1])"#,
            ),
            // Under another key that no alternative has.
            (
                json!({"kind": "card", "number": 5}),
                r#"[MISSING_FIELD] $.type: required, but absent; `kind` looks like it (expected one of ["card","cash"])"#,
            ),
            // The alternative with the similar tag is judged too.
            (
                json!({"type": "Card", "number": "five"}),
                "[WRONG_TYPE] $.number: wrong type (expected an integer, got the string \"five\")\n\
                 [INVALID_VALUE] $.type: not an allowed value; did you mean \"card\"? (expected one of [\"card\",\"cash\"], got \"Card\")",
            ),
        ],
    );
}

#[test]
fn by_a_tag_beside_the_content() {
    let branch = |tag: &str, content: &Value| json!({"type": "object", "properties": {"t": {"const": tag}, "c": content}, "required": ["t", "c"]});
    let schema = json!({"oneOf": [branch("card", &record("number")), branch("cash", &record("amount"))]});
    check(
        &schema,
        &[
            (json!({"t": "card"}), "[MISSING_FIELD] $.c: required, but absent (expected an object)"),
            (
                json!({"c": {"number": 1}}),
                r#"[MISSING_FIELD] $.t: required, but absent (expected one of ["card","cash"])"#,
            ),
            (
                json!({"t": "cash", "c": {"number": 1}}),
                "[MISSING_FIELD] $.c.amount: required, but absent (expected an integer)",
            ),
        ],
    );
}

#[test]
fn without_a_tag_by_the_keys_that_were_given() {
    let schema = json!({"anyOf": [record("number"), record("amount"), {"type": "string"}]});
    check(
        &schema,
        &[
            (
                json!({"amount": "x"}),
                r#"[WRONG_TYPE] $.amount: wrong type (expected an integer, got the string "x")"#,
            ),
            (
                json!({"amout": 3}),
                "[MISSING_FIELD] $.amount: required, but absent; `amout` looks like it (expected an integer)",
            ),
            (json!(3), "[WRONG_TYPE] $: wrong type (expected an object or a string, got the number 3)"),
        ],
    );
}

#[test]
fn recursive_ones_at_every_level() {
    let schema = json!({
        "$defs": {"Expr": {"oneOf": [
            external("Num", &json!({"type": "number"})),
            external("Add", &json!({"type": "array", "items": {"$ref": "#/$defs/Expr"}, "minItems": 2})),
        ]}},
        "$ref": "#/$defs/Expr",
    });
    check(
        &schema,
        &[
            (
                json!({"Add": [{"Num": 1}]}),
                "[INVALID_VALUE] $.Add: too few elements (expected at least 2 elements, got 1 element)",
            ),
            (
                json!({"Add": [{"Num": 1}, {"Add": [{"Num": "x"}, {"Nim": 2}]}]}),
                "[WRONG_TYPE] $.Add[1].Add[0].Num: wrong type (expected a number, got the string \"x\")\n\
                 [UNKNOWN_FIELD] $.Add[1].Add[1].Nim: no such alternative; did you mean `Num`? \
                 (expected an object with exactly one of the keys [\"Num\",\"Add\"], got 2)",
            ),
        ],
    );
}

#[test]
fn optional_and_nested_ones() {
    let union = json!({"oneOf": [internal("card", "number"), internal("cash", "amount")]});
    let schema = json!({"properties": {"paid": {"anyOf": [union, {"type": "null"}]}}, "required": ["paid"]});
    check(
        &schema,
        &[
            (
                json!({"paid": {"type": "cash", "amount": "1"}}),
                r#"[WRONG_TYPE] $.paid.amount: wrong type (expected an integer, got the string "1")"#,
            ),
            (
                json!({"paid": {}}),
                r#"[MISSING_FIELD] $.paid.type: required, but absent (expected one of ["card","cash"])"#,
            ),
            (
                json!({"paid": 3}),
                r#"[WRONG_TYPE] $.paid: wrong type (expected an object whose "type" is one of ["card","cash"], got the number 3)"#,
            ),
            (
                json!({}),
                r#"[MISSING_FIELD] $.paid: required, but absent (expected an object whose "type" is one of ["card","cash"] or null)"#,
            ),
        ],
    );
}

#[test]
fn flattened_ones_beside_the_other_keys() {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "oneOf": [internal("card", "number"), internal("cash", "amount")],
    });
    check(
        &schema,
        &[
            (
                json!({"id": "x", "type": "card", "number": "y"}),
                "[WRONG_TYPE] $.id: wrong type (expected an integer, got the string \"x\")\n\
                 [WRONG_TYPE] $.number: wrong type (expected an integer, got the string \"y\")",
            ),
            (
                json!({"id": 1}),
                r#"[MISSING_FIELD] $.type: required, but absent (expected one of ["card","cash"])"#,
            ),
        ],
    );
}

/// serde's default, flattened: the key that names the alternative is one among others.
#[test]
fn flattened_alternatives_with_a_key_as_tag() {
    let variant =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]});
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "allOf": [{"oneOf": [variant("Card"), variant("Cash")]}],
    });
    let keys = r#"an object with exactly one of the keys ["Card","Cash"]"#;
    check(
        &schema,
        &[
            (
                json!({"id": 1}),
                &format!(
                    "[MISSING_FIELD] $: the key that names the alternative is absent (expected {keys}, got {{\"id\":1}})"
                ),
            ),
            (
                json!({"id": 1, "card": 1}),
                &format!(
                    "[MISSING_FIELD] $: the key that names the alternative is absent; `card` looks like `Card` \
                     (expected {keys}, got {{\"id\":1,\"card\":1}})"
                ),
            ),
            (
                json!({"id": 1, "Cash": "x"}),
                r#"[WRONG_TYPE] $.Cash: wrong type (expected an integer, got the string "x")"#,
            ),
            (
                json!({"id": 1, "Card": 1, "Cash": 1}),
                r#"[INVALID_VALUE] $: keys that exclude each other (expected only one of the keys ["Card","Cash"], got ["Card","Cash"])"#,
            ),
        ],
    );
}

#[test]
fn several_that_ask_for_the_same_key() {
    let schema = json!({"oneOf": [record("a"), {"type": "object", "required": ["a"]}]});
    check(
        &schema,
        &[(
            json!({"a": 1}),
            r#"[INVALID_VALUE] $: fits several alternatives (expected a value that fits exactly one alternative, got {"a":1})"#,
        )],
    );
}

#[test]
fn words_beside_an_object() {
    let schema = json!({"oneOf": [
        {"const": "a", "description": "first"},
        {"const": "b"},
        external("Other", &json!({"type": "string"})),
    ]});
    let all = r#"one of ["a","b"] or an object with the key "Other""#;
    check(
        &schema,
        &[
            (
                json!("A"),
                &format!(
                    r#"[INVALID_VALUE] $: not an allowed value; did you mean "a"? (expected {all}, got "A")"#
                ),
            ),
            (json!(3), &format!("[WRONG_TYPE] $: wrong type (expected {all}, got the number 3)")),
            (
                json!({"a": null}),
                r#"[WRONG_TYPE] $: "a" is a string, not a key (expected "a", got {"a":null})"#,
            ),
        ],
    );
}

#[test]
fn scalars_of_one_type_with_conditions_of_their_own() {
    let dated =
        json!({"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "pattern": "^Q[1-4]$"}]});
    check(
        &dated,
        &[(
            json!("x"),
            r#"[INVALID_VALUE] $: fits none of the alternatives (expected a string in the format date, such as 2024-05-17, or a string that matches the pattern ^Q[1-4]$, got "x")"#,
        )],
    );
    let nested = json!({"anyOf": [
        {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
        {"anyOf": [{"const": "x"}, {"type": "null"}]},
    ]});
    check(
        &nested,
        &[(
            json!("y"),
            r#"[INVALID_VALUE] $: not an allowed value (expected one of ["x"] or an integer or a boolean or null, got "y")"#,
        )],
    );
}

#[test]
fn a_report_is_capped_and_counts_the_rest() {
    let schema = json!({"items": {"type": "integer"}});
    let violations =
        Contract::from_schema(schema).unwrap().validate(&(0..3_000).map(|_| json!("x")).collect());
    assert_eq!(violations.len(), 1_001);
    assert_eq!(violations.last().unwrap().to_string(), "[MORE] $: 2000 violations more that are not listed");
}
