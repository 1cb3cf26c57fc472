//! The text around a value decides nothing: the same JSON gives the same value, or is refused,
//! bare, in a fence, after prose, as the arguments of a call.

use extract::{Contract, Violation, reading::ReplyEnd};
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
    vec![
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
