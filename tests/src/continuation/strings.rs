//! Long strings that are continued.

use extract::reading::ChangeKind;
use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Contract};
use serde_json::{Value, json};

use super::{asked, cut, verdicts};

fn letter(text: &Value) -> Contract {
    let schema = json!({
        "type": "object",
        "properties": {"text": text, "from": {"type": "string"}, "date": {"type": "string"}},
        "required": ["text", "from"],
    });
    Contract::from_schema(schema).unwrap()
}

fn start() -> String {
    let sentences: Vec<_> = (0..60).map(|number| format!("Sentence {number}. ")).collect();
    sentences.concat()
}

#[test]
fn a_long_string_goes_on_directly_behind_its_last_character() {
    let (contract, start) = (letter(&json!({"type": "string"})), start());
    let agent = ScriptedAgent::new([cut(format!(r#"{{"text": "{start}The \u00e9nd is ne\"#))])
        .then(r#"{"rest": "ar.", "after": {"from": "Ann"}}"#);
    let (value, metrics) = block_on(contract.extract(&agent, "…").max_attempts(1)).unwrap();
    assert_eq!(value, json!({"text": format!("{start}The énd is near."), "from": "Ann"}));
    assert_eq!(metrics.continuations, 1);
    let question = asked(&agent, 1);
    assert!(question.contains("The string $.text has"), "{question}");
    assert!(question.contains("Sentence 59. The énd is ne\"\n```\n"), "{question}");
    assert!(
        question.contains("`from`; `date`, if the text gives it") && question.len() < 2_000,
        "{question}"
    );
}

#[test]
fn what_is_written_twice_is_dropped_with_a_receipt() {
    let (contract, start) = (letter(&json!({"type": "string"})), start());
    let rest = r#"{"rest": "Sentence 58. Sentence 59. Goodbye.", "after": {"from": "Ann"}}"#;
    let agent = ScriptedAgent::new([cut(format!(r#"{{"text": "{start}"#))]).then(rest);
    let (value, metrics) = block_on(contract.extract(&agent, "…")).unwrap();
    assert_eq!(value["text"], format!("{start}Goodbye."));
    assert_eq!(metrics.changes[0].kind, ChangeKind::Overlap);
}

#[test]
fn a_short_string_and_one_with_a_pattern_are_asked_for_as_a_whole() {
    let long = start();
    for (text, contract) in [
        ("Sentence 1. ".to_owned(), letter(&json!({"type": "string"}))),
        (long.clone(), letter(&json!({"type": "string", "pattern": "^S"}))),
        (long.clone(), letter(&json!({"allOf": [{"type": "string", "format": "uri"}]}))),
        (long.clone(), letter(&json!({"enum": [long, "a"]}))),
    ] {
        let whole = json!({"text": "a", "from": "Ann"});
        let agent = ScriptedAgent::new([cut(format!(r#"{{"text": "{text}"#))]).then(whole.to_string());
        let result = block_on(contract.extract(&agent, "…").max_output_tokens(8).max_attempts(2));
        assert!(result.is_ok_and(|(value, _)| value == whole) || agent.requests().len() == 2);
        assert!(asked(&agent, 1).contains("Give the whole answer again"), "{}", asked(&agent, 1));
        assert_eq!(agent.requests()[1].max_output_tokens, Some(16));
    }
}

#[test]
fn a_string_that_is_the_whole_answer_goes_on() {
    let contract = Contract::from_schema(json!({"type": "string"})).unwrap();
    let start = start();
    let agent = ScriptedAgent::new([cut(format!("\"{start}"))])
        .then(cut(r#"{"rest": "And one m"#.to_owned() + &"ore, ".repeat(120)))
        .then(r#"{"rest": "the end."}"#);
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").end_repetition(false).max_attempts(1)).unwrap();
    assert_eq!(value, format!("{start}And one m{}the end.", "ore, ".repeat(120)));
    assert_eq!(
        verdicts(&metrics),
        [AttemptStatus::Truncated, AttemptStatus::Truncated, AttemptStatus::Accepted]
    );
}
