//! Strings that mean null, where the schema allows a string or null.

use extract::{
    Contract, Extractable,
    reading::{ChangeKind, Loss},
    settings::{Leniency, ReadingOptions},
    testing::{ScriptedAgent, block_on},
    toolkit::{ToolCall, Toolkit},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[allow(clippy::option_option, reason = "null means null, however deep")]
#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Person {
    name: String,
    nickname: Option<String>,
    #[serde(default)]
    city: Option<Option<String>>,
    #[serde(default)]
    remark: String,
    #[extract(one_of = ["none", "nuts"])]
    allergy: Option<String>,
    notes: Vec<Option<String>>,
}

fn person(text: &str) -> Value {
    json!({
        "name": text, "nickname": text, "city": text, "remark": text, "allergy": text,
        "notes": [text, "x"],
    })
}

fn read(schema: &Value, reply: &str) -> Value {
    let contract = Contract::from_schema(schema.clone()).unwrap();
    let reading = contract.read(reply);
    assert_eq!(reading.violations, [], "{reply}");
    reading.value.unwrap()
}

#[test]
fn a_type_gets_null_where_a_string_or_null_may_stand_and_nowhere_else() {
    let (person, metrics) =
        block_on(Person::extract(&ScriptedAgent::new([person("none").to_string()]), "…").max_attempts(1))
            .unwrap();
    let expected = Person {
        name: "none".into(),
        nickname: None,
        city: None,
        remark: "none".into(),
        allergy: Some("none".into()),
        notes: vec![None, Some("x".into())],
    };
    assert_eq!(person, expected);
    let told: Vec<_> = metrics.changes.iter().map(|change| (change.path.to_string(), change.kind)).collect();
    let kind = ChangeKind::NullString;
    assert_eq!(told, ["$.nickname", "$.city", "$.notes[0]"].map(|path| (path.to_owned(), kind)));
    assert_eq!((metrics.attempts, metrics.warnings.len()), (1, 0));
}

#[test]
fn the_receipt_says_what_was_read_as_null_and_where() {
    let schema = json!({"type": "object", "properties": {"city": {"type": ["string", "null"]}}});
    let contract = Contract::from_schema(schema).unwrap();
    for reply in [r#"{"city": "None"}"#, r#"Here: {"city": "None",}"#] {
        let reading = contract.read(reply);
        assert_eq!(reading.value, Some(json!({"city": null})), "{reply}");
        let mut changes = reading.changes.iter().filter(|change| change.kind == ChangeKind::NullString);
        let change = changes.next().unwrap();
        assert_eq!(&reply[change.span.clone()], "\"None\"");
        assert_eq!((&*change.before, &*change.after), ("\"None\"", "null"));
        assert_eq!((change.path.to_string(), change.loss), ("$.city".to_owned(), Loss::Ignored));
        assert!(changes.next().is_none());
    }
}

#[test]
fn the_place_may_be_a_root_an_element_the_value_of_a_map_or_behind_a_reference() {
    let nullable = json!({"type": ["string", "null"]});
    for (schema, reply, expected) in [
        (nullable.clone(), r#""null""#, json!(null)),
        (json!({"type": "array", "items": nullable}), r#"["null", "a"]"#, json!([null, "a"])),
        (
            json!({"prefixItems": [nullable, {"type": "string"}]}),
            r#"["null", "null"]"#,
            json!([null, "null"]),
        ),
        (json!({"additionalProperties": nullable}), r#"{"a": "none"}"#, json!({"a": null})),
        (
            json!({"patternProperties": {"^[0-9]+$": nullable}, "additionalProperties": false}),
            r#"{"1": "none"}"#,
            json!({"1": null}),
        ),
        (
            json!({"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": nullable}}),
            r#"{"a": "null"}"#,
            json!({"a": null}),
        ),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
            r#""null""#,
            json!(null),
        ),
    ] {
        assert_eq!(read(&schema, reply), expected, "{schema}");
    }
}

#[test]
fn other_strings_and_other_places_keep_what_was_written() {
    let text = json!({"type": "string"});
    let nullable = json!({"type": ["string", "null"]});
    for (schema, value) in [
        (nullable.clone(), "Null"),
        (nullable.clone(), "null and void"),
        (nullable.clone(), "N/A"),
        (nullable.clone(), "unknown"),
        (nullable, ""),
        (text.clone(), "null"),
        (json!(true), "null"),
        (json!({"anyOf": [text, {"type": "integer"}]}), "null"),
    ] {
        let schema = json!({"properties": {"a": schema}});
        let reply = json!({ "a": value });
        let reading = Contract::from_schema(schema.clone()).unwrap().read(&reply.to_string());
        assert_eq!((reading.value, reading.changes), (Some(reply), vec![]), "{schema}");
    }
}

#[test]
fn each_alternative_decides_for_itself() {
    let branch = |tag: &str, note: Value| json!({"type": "object", "properties": {"kind": {"const": tag}, "note": note}, "required": ["kind"]});
    let note = json!({"type": ["string", "null"]});
    let schema = json!({"oneOf": [branch("a", json!({"type": "string"})), branch("b", note)]});
    assert_eq!(read(&schema, r#"{"kind": "a", "note": "null"}"#)["note"], "null");
    assert_eq!(read(&schema, r#"{"kind": "b", "note": "null"}"#)["note"], Value::Null);
}

/// Other keywords of the schema are obeyed too.
#[test]
fn a_reply_that_conforms_is_never_made_one_that_does_not() {
    let nullable = json!({"type": ["string", "null"]});
    let then = json!({"properties": {"note": {"type": "string"}}});
    let schema = json!({
        "properties": {"note": nullable, "kind": {"type": "string"}},
        "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
        "then": then,
    });
    assert_eq!(read(&schema, r#"{"kind": "a", "note": "null"}"#)["note"], "null");
    assert_eq!(read(&schema, r#"{"kind": "a", "note": "null",}"#)["note"], "null");
    assert_eq!(read(&schema, r#"{"kind": "b", "note": "null"}"#)["note"], Value::Null);
    let schema = json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "not": {"const": null}}}});
    assert_eq!(read(&schema, r#"{"a": "null"}"#)["a"], "null");
}

#[test]
fn strict_reading_and_a_switch_keep_the_string() {
    let schema = json!({"type": "object", "properties": {"city": {"type": ["string", "null"]}}});
    let contract = Contract::from_schema(schema).unwrap();
    let reply = r#"{"city": "null"}"#;
    let kept = json!({"city": "null"});
    let strict = contract.reader().leniency(Leniency::Strict).read(reply);
    assert_eq!((strict.value, strict.changes, strict.violations), (Some(kept.clone()), vec![], vec![]));
    let switched = contract.reader().keep_null_strings(true).read(reply);
    assert_eq!((switched.value, switched.changes), (Some(kept.clone()), vec![]));
    let lossy = contract.reader().leniency(Leniency::Lossy).read(reply);
    assert_eq!(lossy.value, Some(json!({"city": null})));
    let agent = ScriptedAgent::new([reply]);
    let options = ReadingOptions::new().keep_null_strings(true);
    assert_eq!(block_on(contract.extract(&agent, "…").reading_options(options)).unwrap().0, kept);
    assert_eq!(contract.validate(&kept), [], "a value that is no reply is judged as it is");
}

#[test]
fn every_door_reads_the_same() {
    let contract = Contract::of::<Person>().unwrap();
    let value = person("None");
    let reply = value.to_string();
    let mut expected = value.clone();
    for pointer in ["/nickname", "/city", "/notes/0"] {
        *expected.pointer_mut(pointer).unwrap() = Value::Null;
    }
    // An allowed value is spelled as in the contract.
    expected["allergy"] = json!("none");
    let typed = |person: Person| serde_json::to_value(person).unwrap();
    let mut toolkit = Toolkit::<Person>::new().unwrap();
    block_on(toolkit.call(ToolCall::new("submit", value.clone())));
    let mut untyped = Toolkit::untyped(contract.clone());
    let submit = untyped.tools().remove(2).name;
    block_on(untyped.call(ToolCall::new(submit, value)));
    let agent = || ScriptedAgent::new([reply.clone()]);
    for (door, found) in [
        ("from_reply", typed(Person::from_reply(reply.as_str()).unwrap().0)),
        ("extract", typed(block_on(Person::extract(&agent(), "…")).unwrap().0)),
        ("Contract::extract", block_on(contract.extract(&agent(), "…")).unwrap().0),
        ("Contract::read", contract.read(&reply).value.unwrap()),
        ("Toolkit::new", typed(toolkit.finish().unwrap().0)),
        ("Toolkit::untyped", untyped.finish().unwrap().0),
    ] {
        assert_eq!(found, expected, "{door}");
    }
}
