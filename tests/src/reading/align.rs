//! Tests of values that are right in content and wrong in form.

use extract::{
    Code, Contract,
    reading::{ChangeKind, Loss, Reading},
    settings::Leniency,
};
use serde_json::{Value, json};

fn read(schema: &Value, reply: &str) -> Reading {
    Contract::from_schema(schema.clone()).unwrap().read(reply)
}

fn of_type(name: &str) -> Value {
    json!({"type": "object", "properties": {"a": {"type": name}}, "required": ["a"]})
}

/// The value of `a` after reading `reply` for a contract in which it has this schema.
#[allow(clippy::needless_pass_by_value, reason = "a schema is written where it is passed")]
fn aligned(schema: Value, value: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    let reading = read(&schema, &json!({ "a": value }).to_string());
    assert!(reading.changes.iter().all(|change| change.loss == Loss::Lossless), "{reading:?}");
    assert_eq!(reading.violations, []);
    reading.value.unwrap()["a"].take()
}

#[test]
fn a_scalar_of_another_type_is_read_where_it_can_mean_only_that() {
    for (name, value, wanted) in [
        ("integer", json!("12"), json!(12)),
        ("integer", json!("+12"), json!(12)),
        ("integer", json!(12.0), json!(12)),
        ("integer", json!("1,250,000"), json!(1_250_000)),
        ("number", json!("1,250.50"), json!(1250.5)),
        ("number", json!("12.5"), json!(12.5)),
        ("boolean", json!("Yes"), json!(true)),
        ("boolean", json!("false"), json!(false)),
        ("null", json!("None"), json!(null)),
        ("string", json!(12), json!("12")),
        ("string", json!(true), json!("true")),
    ] {
        assert_eq!(aligned(json!({"type": name}), &value), wanted, "{name} {value}");
    }
}

#[test]
fn what_may_mean_two_things_stays_as_it_is() {
    for (name, value) in [
        ("number", json!("1,250")),
        ("number", json!("12 EUR")),
        ("integer", json!(12.5)),
        ("integer", json!("12.5")),
        ("boolean", json!("maybe")),
        ("boolean", json!(1)),
        ("number", json!("")),
        ("string", json!(null)),
        ("string", json!({"b": 1})),
    ] {
        assert_eq!(aligned(json!({"type": name}), &value), value, "{name} {value}");
    }
}

#[test]
fn a_number_becomes_the_text_that_stands_in_the_reply() {
    let reading = read(&of_type("string"), "{\"a\": 007}");
    assert_eq!(reading.value, Some(json!({"a": "007"})));
}

#[test]
fn a_scalar_goes_into_a_list_of_one_and_out_of_it() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    assert_eq!(aligned(list.clone(), &json!(3)), json!([3]));
    assert_eq!(aligned(list.clone(), &json!("3")), json!([3]));
    assert_eq!(aligned(list, &json!("three")), json!("three"));
    assert_eq!(aligned(json!({"type": "integer"}), &json!([3])), json!(3));
    assert_eq!(aligned(json!({"type": "integer"}), &json!([3, 4])), json!([3, 4]));
}

#[test]
fn json_in_a_text_is_read_where_no_text_is_wanted() {
    let object = of_type("integer");
    assert_eq!(aligned(object.clone(), &json!("{\"a\": \"1\"}")), json!({"a": 1}));
    assert_eq!(aligned(json!({"type": "array"}), &json!("[1, 2]")), json!([1, 2]));
    assert_eq!(aligned(json!({"type": "string"}), &json!("[1, 2]")), json!("[1, 2]"));
    assert_eq!(aligned(object.clone(), &json!("{\"a\": ")), json!("{\"a\": "));
    let whole = json!(json!({"a": 1}).to_string()).to_string();
    assert_eq!(read(&object, &whole).value, Some(json!({"a": 1})), "{whole}");
}

#[test]
fn a_listed_value_is_recognised_in_another_spelling() {
    let listed = json!({"enum": ["in_progress", "done", "cancelled"]});
    for (text, wanted) in [
        ("In Progress", "in_progress"),
        ("DONE", "done"),
        ("inProgress", "in_progress"),
        ("cancel", "cancel"),
        ("open", "open"),
    ] {
        assert_eq!(aligned(listed.clone(), &json!(text)), json!(wanted));
    }
}

#[test]
fn null_is_absent_where_the_field_is_optional() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": ["string", "null"]}
        },
        "required": ["a"],
    });
    let reading = read(&schema, r#"{"a": "x", "b": null, "c": null}"#);
    assert_eq!(reading.value, Some(json!({"a": "x", "c": null})));
    assert_eq!(reading.changes.len(), 1);
    let change = &reading.changes[0];
    assert_eq!((change.kind, change.loss), (ChangeKind::Absent, Loss::Lossless));
    assert_eq!((change.path.to_string(), &*change.before), ("$.b".to_owned(), "\"b\": null"));
    let required = read(&schema, r#"{"a": null}"#);
    assert_eq!(required.value, Some(json!({"a": null})), "a required value is never left out");
}

#[test]
fn a_key_is_recognised_in_another_spelling_if_only_one_is_meant() {
    let schema = json!({
        "type": "object",
        "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}},
        "required": ["invoice_number"],
    });
    for key in ["invoiceNumber", "Invoice Number", "INVOICE-NUMBER"] {
        let reading = read(&schema, &json!({ key: "1", "Total": "3" }).to_string());
        assert_eq!(reading.value, Some(json!({"invoice_number": "1", "total": 3})), "{key}");
        assert_eq!(reading.changes[0].path.to_string(), "$.invoice_number");
    }
    let both = json!({"invoiceNumber": "1", "InvoiceNumber": "2"});
    assert_eq!(read(&schema, &both.to_string()).value, Some(both), "which of the two is not guessed");
}

#[test]
fn keys_of_a_map_are_data() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let reading = read(&schema, r#"{"A b": "1", "a_b": 2}"#);
    assert_eq!(reading.value, Some(json!({"A b": 1, "a_b": 2})));
}

#[test]
fn an_unknown_key_is_kept_and_told() {
    let reading = read(&of_type("integer"), r#"{"a": 1, "note": "by hand"}"#);
    assert_eq!(reading.value, Some(json!({"a": 1, "note": "by hand"})));
    let change = &reading.changes[0];
    assert_eq!((change.kind, change.loss), (ChangeKind::UnknownKey, Loss::Ignored));
    assert_eq!(change.path.to_string(), "$.note");
}

fn shapes() -> Value {
    json!({"oneOf": [
        {"type": "object", "properties": {"type": {"const": "circle"}, "size": {"type": "number"}},
         "required": ["type", "size"]},
        {"type": "object", "properties": {"type": {"const": "text"}, "size": {"type": "string"}},
         "required": ["type", "size"]},
    ]})
}

#[test]
fn the_alternative_is_chosen_by_its_tag() {
    for (reply, wanted) in [
        (json!({"type": "circle", "size": "3"}), json!({"type": "circle", "size": 3})),
        (json!({"type": "text", "size": 3}), json!({"type": "text", "size": "3"})),
        (json!({"type": "Circle", "size": "3"}), json!({"type": "circle", "size": 3})),
        (json!({"Type": "text", "Size": 3}), json!({"type": "text", "size": "3"})),
    ] {
        assert_eq!(read(&shapes(), &reply.to_string()).value, Some(wanted), "{reply}");
    }
}

#[test]
fn without_a_tag_the_alternative_that_fits_best_is_taken() {
    let schema = json!({"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, {"type": "null"}], "$defs": {
        "a": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        "b": {"type": "object", "properties": {"y": {"type": "integer"}}, "required": ["y"]},
    }});
    assert_eq!(read(&schema, r#"{"y": "1"}"#).value, Some(json!({"y": 1})));
    assert_eq!(read(&schema, "None").value, Some(json!(null)));
}

#[test]
fn between_two_alternatives_that_fit_alike_none_is_taken() {
    let either = json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]});
    assert_eq!(read(&either, r#""7""#).value, Some(json!(7)), "the one with fewer changes");
    let tie = json!({"anyOf": [
        {"type": "object", "properties": {"size_cm": {"type": "integer"}}, "required": ["size_cm"]},
        {"type": "object", "properties": {"sizeCm": {"type": "integer"}}, "required": ["sizeCm"]},
    ]});
    assert_eq!(read(&tie, r#"{"Size cm": 7}"#).value, Some(json!({"Size cm": 7})));
    assert_eq!(read(&tie, r#"{"size_cm": "7"}"#).value, Some(json!({"size_cm": 7})));
}

#[test]
fn what_conforms_is_changed_only_in_the_spelling_of_absent_keys_and_of_integers() {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}, "invoice_number": {"type": "string"}},
        "required": ["id"],
    });
    let contract = Contract::from_schema(schema).unwrap();
    for leniency in [Leniency::Strict, Leniency::Faithful, Leniency::Lossy] {
        let reader = contract.reader().leniency(leniency);
        let reading = reader.read(r#"{"id": 1, "invoiceNumber": "A-1"}"#);
        assert_eq!(reading.value, Some(json!({"id": 1, "invoice_number": "A-1"})), "{leniency:?}");
        assert_eq!(reading.violations.is_empty(), leniency != Leniency::Strict);
        assert_eq!(reading.changes[0].kind, ChangeKind::Name, "it is told");
        let reading = reader.read(r#"{"id": 1, "other": 2}"#);
        assert_eq!((reading.value, reading.violations), (Some(json!({"id": 1, "other": 2})), vec![]));
        assert_eq!(reading.changes[0].kind, ChangeKind::UnknownKey, "it is told");
        // The same number, in the only spelling that serde's integers accept.
        let reading = reader.read(r#"{"id": 1.0}"#);
        assert_eq!((reading.value, reading.violations), (Some(json!({"id": 1})), vec![]), "{leniency:?}");
        assert_eq!((reading.changes[0].kind, reading.changes[0].loss), (ChangeKind::Number, Loss::Lossless));
    }
    // A value that does not conform is aligned where possible.
    let reading = contract.read(r#"{"id": "1", "invoiceNumber": "A-1"}"#);
    assert_eq!(reading.value, Some(json!({"id": 1, "invoice_number": "A-1"})));
}

#[test]
fn recursion_is_followed() {
    let schema = json!({"$ref": "#/$defs/node", "$defs": {"node": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
        "required": ["id"],
    }}});
    let reading = read(&schema, r#"{"id": "1", "next": {"id": "2", "next": {"id": "3", "next": null}}}"#);
    let wanted = json!({"id": 1, "next": {"id": 2, "next": {"id": 3, "next": null}}});
    assert_eq!(reading.value, Some(wanted));
    assert_eq!(reading.changes[2].path.to_string(), "$.next.next.id");
}

#[test]
fn the_whole_value_is_taken_out_of_what_wraps_it() {
    let schema = of_type("integer");
    for reply in [
        r#"{"result": {"a": 1}}"#,
        r#"{"name": "answer", "arguments": {"a": 1}}"#,
        r#"{"name": "answer", "arguments": "{\"a\": 1}"}"#,
        r#"[{"a": 1}]"#,
        r#"callback({"a": 1});"#,
        r#"{{"a": 1}}"#,
        r#"{\"a\": 1}"#,
        r#"<answer>{"a": 1}</answer>"#,
    ] {
        let reading = read(&schema, reply);
        assert_eq!(reading.value, Some(json!({"a": 1})), "{reply}");
        assert!(!reading.changes.is_empty() && reading.violations.is_empty(), "{reply}");
    }
    let list = json!({"type": "object", "properties": {"items": {"type": "array", "items": schema}}, "required": ["items"]});
    assert_eq!(read(&list, r#"[{"a": "1"}, {"a": 2}]"#).value, Some(json!({"items": [{"a": 1}, {"a": 2}]})));
}

#[test]
fn one_object_per_line_is_a_list_where_a_list_is_wanted() {
    let schema = json!({"type": "array", "items": of_type("integer")});
    for reply in
        ["{\"a\": 1}\n{\"a\": 2}\n", "```json\n{\"a\": 1},\n{\"a\": 2}\n```", "1. {\"a\": 1}\n2. {\"a\": 2}"]
    {
        assert_eq!(read(&schema, reply).value, Some(json!([{"a": 1}, {"a": 2}])), "{reply}");
    }
    let draft = read(&schema, "{\"a\": 1} No, I mean: {\"a\": 2}");
    assert_eq!(draft.value, Some(json!([{"a": 2}])));
}

#[test]
fn lossy_changes_are_violations_at_their_path_unless_asked_for() {
    let schema = json!({"type": "object"});
    let contract = Contract::from_schema(schema).unwrap();
    for (reply, path, code) in [
        (r#"{"a": [1, 2, ...]}"#, "$.a", Code::InvalidValue),
        (r#"{"a": {"b": }}"#, "$.a.b", Code::MissingField),
        (r#"{"a": {"b": 1, "b": 2}}"#, "$.a.b", Code::InvalidValue),
    ] {
        let reading = contract.read(reply);
        assert_eq!(reading.violations.len(), 1, "{reply} {reading:?}");
        assert_eq!(
            (reading.violations[0].path.to_string(), &reading.violations[0].code),
            (path.to_owned(), &code)
        );
        assert!(reading.value.is_some());
        assert_eq!(contract.reader().leniency(Leniency::Lossy).read(reply).violations, [], "{reply}");
    }
    assert_eq!(contract.read(r#"{"a": 1, "a": 1}"#).violations, [], "nothing is lost by saying it twice");
}

#[test]
fn a_strict_reader_takes_nothing_but_strict_json_that_conforms() {
    let contract = Contract::from_schema(of_type("integer")).unwrap();
    let reader = contract.reader().leniency(Leniency::Strict);
    assert_eq!(reader.read(r#"{"a": 1}"#).violations, []);
    for reply in [r#"{"a": "1"}"#, r#"{"a": 1,}"#, r#"Here: {"a": 1}"#, r#"{"a": 1} {"a": 1}"#] {
        assert!(!reader.read(reply).violations.is_empty(), "{reply}");
    }
}

#[test]
fn limits_are_settings_and_say_so() {
    let contract = Contract::from_schema(of_type("integer")).unwrap();
    let deep = "[[[[1]]]]";
    let reading = contract.reader().max_depth(3).read(deep);
    assert_eq!(
        reading.violations[0].to_string(),
        "[NOT_JSON] $: the answer is nested too deeply to be read (expected at most 3 levels of brackets)"
    );
    let reading = contract.reader().max_candidates(2).read("{} {} {}");
    assert_eq!(
        reading.violations[0].to_string(),
        "[NOT_JSON] $: more values than are looked at (expected at most 2 JSON values, got 3 of them)"
    );
}

#[test]
fn a_key_or_an_allowed_value_may_lack_the_marks_of_its_letters() {
    let schema = json!({
        "type": "object",
        "properties": {"señor": {"type": "string"}, "straße": {"enum": ["Größe", "Weg"]}},
        "required": ["señor", "straße"],
    });
    let reading = read(&schema, r#"{"Senor": "Peña", "STRASSE": "groesse"}"#);
    assert_eq!(reading.value, Some(json!({"señor": "Peña", "straße": "groesse"})), "`oe` is not `ö`");
    let reading = read(&schema, r#"{"Senor": "Peña", "STRASSE": "GROSSE"}"#);
    assert_eq!(reading.value, Some(json!({"señor": "Peña", "straße": "Größe"})));
    let changes: Vec<_> =
        reading.changes.iter().map(|change| (change.kind, change.loss, &*change.after)).collect();
    let lossless = |kind, after| (kind, Loss::Lossless, after);
    assert_eq!(
        changes,
        [
            lossless(ChangeKind::Name, "\"señor\""),
            lossless(ChangeKind::Name, "\"straße\""),
            lossless(ChangeKind::Choice, "\"Größe\""),
        ]
    );
}

#[test]
fn no_mark_is_added_where_two_names_or_two_keys_differ_in_it() {
    let schema = json!({"type": "object", "properties": {"pêche": {}, "péché": {}}});
    let reply = json!({"peche": 1});
    assert_eq!(read(&schema, &reply.to_string()).value, Some(reply));
    let schema = json!({"type": "object", "properties": {"pêche": {}}});
    let reply = json!({"peche": 1, "pêche": 2});
    assert_eq!(read(&schema, &reply.to_string()).value, Some(reply));
}

#[test]
fn a_change_of_a_string_that_holds_json_has_the_path_of_the_string() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "pay": {"type": "object", "properties": {"last4": {"type": "string"}}}},
    });
    let contract = Contract::from_schema(schema).unwrap();
    let inner = r#"{\"last4\": \"1\", \"b\": {\"c\": \"\_\"}}"#;
    for (reply, path) in [
        (r#""{\"a\": \"x \_\", \"pay\": {\"last4\": \"1\"}}""#.to_owned(), "$"),
        (format!(r#"{{"a": "x", "pay": "{inner}"}}"#), "$.pay"),
    ] {
        let changes = contract.read(&reply).changes;
        let escapes = changes.iter().filter(|change| change.kind == ChangeKind::Escape);
        let mut paths: Vec<_> = escapes.map(|change| change.path.to_string()).collect();
        paths.dedup();
        assert_eq!(paths, [path], "{reply}: {changes:?}");
    }
}
