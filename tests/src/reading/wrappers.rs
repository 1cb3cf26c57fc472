//! The text around a value decides nothing: the same JSON gives the same value, or is refused,
//! bare, in a fence, after prose, as the arguments of a call.

use extract::{Contract, Violation, reading::ReplyEnd, settings::Leniency};
use serde_json::{Value, json};

use super::random::Chance;

/// The value that is accepted.
fn accepted(contract: &Contract, reply: &str) -> Option<Value> {
    let reading = contract.reader().reply_end(ReplyEnd::Whole).read(reply);
    let value = reading.value.filter(|_| reading.violations.is_empty())?;
    contract.validate(&value).iter().all(Violation::is_warning).then_some(value)
}

/// The ways to write the JSON `text` of a list or an object, each with what it is.
fn wrapped(text: &str) -> Vec<(&'static str, String)> {
    let closer = text.len() - 1;
    let is_empty = text[1..closer].trim().is_empty();
    let comma = if is_empty { "" } else { "," };
    // Empty brackets in quotes are a mention of them.
    let quoted = if is_empty { text.to_owned() } else { json!(text).to_string() };
    vec![
        ("as a string behind prose", format!("Here it is:\n{quoted}")),
        ("fenced", format!("```json\n{text}\n```")),
        (
            "fenced behind prose",
            format!("Here is the JSON:\n```json\n{text}\n```\nLet me know if you need more."),
        ),
        ("behind prose", format!("Here it is:\n\n{text}")),
        ("before prose", format!("{text}\n\nHope this helps")),
        ("behind reasoning", format!("<think>Let me see.</think>\n{text}")),
        ("in tags", format!("<answer>{text}</answer>")),
        ("with a trailing comma", format!("{}{comma}{}", &text[..closer], &text[closer..])),
        ("before another turn", format!("{text}<|im_end|>\n<|im_start|>user\nThanks")),
        ("called", format!("{{\"name\": \"submit\", \"arguments\": {text}}}")),
        ("called with a string", json!({"name": "submit", "arguments": text}).to_string()),
        ("as the result", format!("{{\"result\": {text}}}")),
        ("as a string", json!(text).to_string()),
        ("as a string in a fence", format!("```json\n{}\n```", json!(text))),
        ("as a string in tags", format!("<answer>{}</answer>", json!(text))),
        ("as a block of text", json!([{"type": "text", "text": text}]).to_string()),
        (
            "as a message",
            json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string(),
        ),
        (
            "called with a string behind prose",
            format!(
                "I will submit it.\n<tool_call>{}</tool_call>",
                json!({"name": "submit", "arguments": text})
            ),
        ),
    ]
}

/// Asserts that all ways to write `value` give the same.
fn assert_same(contract: &Contract, value: &Value) {
    let text = value.to_string();
    let bare = accepted(contract, &text);
    for (name, reply) in wrapped(&text) {
        assert_eq!(accepted(contract, &reply), bare, "{name}: {reply}\n{}", contract.schema());
    }
}

fn person() -> Contract {
    Contract::from_schema(json!({"type": "object", "properties": {
        "name": {"type": "string"}, "age": {"type": ["integer", "null"]}, "home_town": {"type": "string"},
    }}))
    .unwrap()
}

#[test]
fn keys_and_values_are_judged_alike_wherever_they_stand() {
    let contract = person();
    for (value, is_accepted) in [
        (json!({"name": "Ann", "age": 41}), true),
        (json!({"name": "Ann", "Age": 41}), true),
        (json!({"name": "Ann", "homeTown": "Ulm"}), true),
        (json!({"name": "Ann", "mood": "good"}), true),
        (json!({"name": "Ann", "agee": 41}), false),
        (json!({"name": "Ann", "more": {"age": 41}}), false),
        (json!({"Vorname": "Ann", "Alter": 41}), false),
        (json!({"name": "...", "age": 41}), false),
        (json!({"name": "<string>"}), false),
        (json!({"name": "Ann", "age": "many"}), false),
        (json!({"type": "object", "properties": {"name": {"type": "string"}}}), false),
    ] {
        assert_same(&contract, &value);
        assert_eq!(accepted(&contract, &value.to_string()).is_some(), is_accepted, "{value}");
    }
    let renamed = accepted(&contract, "{\"name\": \"Ann\", \"Age\": 41, \"home-town\": \"Ulm\"}");
    assert_eq!(renamed, Some(json!({"name": "Ann", "age": 41, "home_town": "Ulm"})));
}

#[test]
fn strict_leniency_takes_no_format_and_no_quotes() {
    let (contract, text) = (person(), json!({"name": "Ann", "age": 41}).to_string());
    let strict = |reply: &str| contract.reader().leniency(Leniency::Strict).read(reply).violations;
    assert_eq!(strict(&text), []);
    for reply in [format!("{text}<|im_end|>"), format!("<think></think>{text}"), json!(text).to_string()] {
        assert_ne!(strict(&reply), [], "{reply}");
        assert_eq!(contract.read(&reply).violations, [], "{reply}");
    }
}

#[test]
fn random_values_are_read_alike_wherever_they_stand() {
    let mut chance = Chance::new(29);
    for _ in 0..400 {
        let (schema, value) = chance.object(2, Chance::words);
        let contract = Contract::from_schema(schema).unwrap();
        assert_same(&contract, &value);
        // Without one member, with one too many, and with one of another type.
        let mut entries = value.as_object().unwrap().clone();
        let key = entries.keys().nth(chance.below(entries.len())).unwrap().clone();
        entries.insert("remark".to_owned(), json!("x"));
        assert_same(&contract, &Value::from(entries.clone()));
        entries.insert(key.clone(), json!({"x": [1]}));
        assert_same(&contract, &Value::from(entries.clone()));
        entries.shift_remove(&key);
        if entries.len() > 1 {
            assert_same(&contract, &Value::from(entries));
        }
    }
}

#[test]
fn a_list_is_read_alike_wherever_it_stands() {
    let people = Contract::from_schema(json!({"type": "array", "items": person().schema()})).unwrap();
    for value in [
        json!([{"name": "Ann", "age": 41}, {"name": "Bo"}]),
        json!([{"name": "Ann", "Age": 41}]),
        json!([{"name": "Ann"}, {"Alter": 3}]),
        json!([]),
    ] {
        assert_same(&people, &value);
    }
}

/// The elements of a list are judged like the value itself.
#[test]
fn an_element_is_judged_as_the_whole_is() {
    let (one, many) =
        (person(), Contract::from_schema(json!({"type": "array", "items": person().schema()})).unwrap());
    for value in [
        json!({"name": "Ann", "Age": 41}),
        json!({"name": "Ann", "agee": 41}),
        json!({"Vorname": "Ann"}),
        json!({"name": "Ann", "mood": "good"}),
        json!({"name": "..."}),
    ] {
        let listed = json!([{"name": "Bo"}, value]);
        let element = accepted(&many, &listed.to_string()).map(|list| list[1].clone());
        assert_eq!(element, accepted(&one, &value.to_string()), "{value}");
    }
}

#[test]
fn a_key_around_one_of_several_objects_may_be_another_one() {
    let variant = |tag: &str| json!({"type": "object", "properties": {tag: {"type": "object"}}, "required": [tag], "additionalProperties": false});
    let external = Contract::from_schema(json!({"oneOf": [variant("pay"), variant("refund")]})).unwrap();
    assert_eq!(accepted(&external, r#"{"cancel": {"pay": {"amount": 5}}}"#), None);
    assert_eq!(accepted(&external, r#"{"never": {"pay": {"amount": 5}}}"#), None);
    let value = json!({"pay": {"amount": 5}});
    assert_eq!(accepted(&external, &json!({"answer": value}).to_string()), Some(value));
    let tagged = |tag: &str| json!({"type": "object", "properties": {"kind": {"const": tag}, "amount": {"type": "integer"}}, "required": ["kind", "amount"]});
    let internal = Contract::from_schema(json!({"oneOf": [tagged("pay"), tagged("refund")]})).unwrap();
    assert_eq!(accepted(&internal, r#"{"refund": {"kind": "pay", "amount": 5}}"#), None);
}

#[test]
fn a_list_around_the_only_list_of_an_object_may_have_other_values() {
    let contract = Contract::from_schema(json!({"type": "object", "properties": {
        "name": {"type": ["string", "null"]}, "tags": {"type": "array", "items": {"type": "string"}},
    }, "required": ["tags"]}))
    .unwrap();
    assert_eq!(accepted(&contract, r#"["Ann", ["x"]]"#), None);
    assert_eq!(accepted(&contract, r#"{"Ann": ["x", "y"]}"#), None);
    assert_eq!(accepted(&contract, r#"["x", "y"]"#), Some(json!({"tags": ["x", "y"]})));
}

#[test]
fn a_scalar_in_a_fence_is_the_same_after_prose() {
    for (schema, text) in [("integer", "7"), ("string", "\"Ann\""), ("boolean", "true"), ("number", "-1.5")] {
        let contract = Contract::from_schema(json!({"type": schema})).unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        for reply in [
            format!("```json\n{text}\n```"),
            format!("Here it is:\n```json\n{text}\n```"),
            format!("Here it is:\n\n```\n{text}\n```\nBye."),
        ] {
            assert_eq!(accepted(&contract, &reply), Some(value.clone()), "{reply}");
        }
        let two = format!("Old:\n```\n{text}\n```\nNew:\n```\n3\n```");
        assert_eq!(accepted(&contract, &two), None, "{two}");
    }
}

#[test]
fn only_the_last_brackets_of_objects_with_all_keys_may_lack() {
    let contract = Contract::from_schema(json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "home": {"type": "object", "properties": {"town": {"type": "string"}, "lines": {"type": "array", "items": {"type": "string"}}}, "required": ["town"]},
    }, "required": ["name", "home"]}))
    .unwrap();
    let whole = json!({"name": "Ann", "home": {"town": "Bern", "lines": ["a"]}});
    let text = whole.to_string();
    for lacking in 0..=2 {
        assert_eq!(accepted(&contract, &text[..text.len() - lacking]).as_ref(), Some(&whole), "{lacking}");
    }
    for cut in [
        // An element may follow, a key is absent, a member has begun, the text goes on.
        &text[..text.len() - 3],
        r#"{"name": "Ann", "home": {"town": "Bern""#,
        r#"{"name": "Ann", "home": {"town": "Bern", "lines": ["a"]}, "#,
        r#"{"name": "Ann", "home": {"town": "Bern", "lines": ["a"]}, and so on"#,
    ] {
        assert_eq!(accepted(&contract, cut), None, "{cut}");
    }
    let reader = contract.reader();
    for end in [ReplyEnd::Unknown, ReplyEnd::Cut] {
        let reading = reader.clone().reply_end(end).read(&text[..text.len() - 1]);
        assert!(reading.completeness.is_truncated(), "{end:?}");
    }
}
