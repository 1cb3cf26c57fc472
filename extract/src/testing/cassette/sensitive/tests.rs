use std::{fs, path::PathBuf};

use serde_json::json;

use super::*;
use crate::agent::FinishReason;
use crate::testing::{Cassette, ScriptedAgent, block_on};

const NUMBER: &str = "123-4567";
const PIN: &str = "8642";
const PROMPT: &str = "Anna, insured as 123-4567, pin 8642, came twice.";

/// A file that is removed with it.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("extract-sensitive-{}-{name}.json", std::process::id())))
    }

    /// Returns the recording, which has nothing sensitive in it.
    fn text(&self) -> String {
        let text = fs::read_to_string(&self.0).unwrap();
        for secret in [NUMBER, PIN] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
        text
    }

    fn replay(&self) -> Cassette {
        Cassette::replay(&self.0).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn patient() -> Contract {
    Contract::from_schema(json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "number": {"type": "string", "pattern": "^[0-9]{3}-[0-9]{4}$", "x-sensitive": true},
            "pin": {"$ref": "#/$defs/Pin"},
            "visits": {"type": "integer"},
            "note": {"type": ["string", "null"], "x-sensitive": true},
        },
        "required": ["name", "number", "pin", "visits"],
        "additionalProperties": false,
        "$defs": {"Pin": {"type": "integer", "minimum": 1000, "x-sensitive": true}},
    }))
    .unwrap()
}

fn reply(visits: &str) -> String {
    format!(
        "The patient {NUMBER}:\n```json\n{{\"name\": \"Anna ({NUMBER})\", \"number\": \"{NUMBER}\", \"pin\": {PIN}, \
         \"visits\": {visits}, \"note\": null}}\n```"
    )
}

#[test]
fn sensitive_values_are_not_written_and_the_replay_goes_the_same_way() {
    let file = File::new("way");
    let script = ScriptedAgent::new([reply("\"many\""), reply("2")]);
    let (_, recorded) = block_on(patient().extract(&Cassette::record(script, &file.0), PROMPT)).unwrap();

    let text = file.text();
    assert!(text.contains("Anna, insured as (hidden), pin (hidden), came twice."), "{text}");
    let cassette = file.replay();
    let (value, replayed) = block_on(patient().extract(&cassette, PROMPT)).unwrap();
    assert_eq!((recorded.attempts, replayed.attempts), (2, 2));
    cassette.assert_finished();
    assert_eq!(
        (&value["name"], &value["visits"], &value["note"]),
        (&json!("Anna ((hidden))"), &json!(2), &Value::Null)
    );
    assert!(value["number"] != NUMBER && value["pin"] != json!(8642), "{value}");
}

#[test]
fn a_replay_is_as_strict_about_the_rest() {
    let file = File::new("strict");
    let cassette = Cassette::record(ScriptedAgent::new([reply("2")]), &file.0);
    block_on(patient().extract(&cassette, PROMPT)).unwrap();
    let ask = |prompt: &str| block_on(patient().extract(&file.replay(), prompt)).map(|_| ());
    ask("Anna, insured as 765-4321, pin 1, came twice.").unwrap();
    let error = ask("Anna, insured as 765-4321, pin 1, came often.").unwrap_err().to_string();
    assert!(error.contains("it differs in turn"), "{error}");
}

#[test]
fn what_cannot_be_looked_into_is_left_out() {
    let file = File::new("cut");
    let cut = Reply::new(format!("{{\"number\": \"{NUMBER}\", \"pin\": 86")).finished(FinishReason::Length);
    let script =
        ScriptedAgent::default().then(cut).then(format!("No JSON, but {NUMBER} and {PIN}.")).then(reply("2"));
    block_on(patient().extract(&Cassette::record(script, &file.0), PROMPT)).unwrap();
    assert!(file.text().matches(r#""text": "(hidden)""#).count() >= 2, "{}", file.text());
}

#[test]
fn a_value_that_breaks_the_contract_still_does() {
    let file = File::new("broken");
    let broken =
        format!("{{\"name\": \"Anna\", \"number\": \"{NUMBER}\", \"pin\": \"{PIN}x\", \"visits\": 2}}");
    let cassette = Cassette::record(ScriptedAgent::new([broken]), &file.0);
    block_on(patient().extract(&cassette, "Anna?").max_attempts(1)).unwrap_err();
    file.text();
    block_on(patient().extract(&file.replay(), "Anna?").max_attempts(1)).unwrap_err();
}

#[test]
fn without_a_mark_everything_is_written_as_it_is() {
    let file = File::new("plain");
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let cassette = Cassette::record(ScriptedAgent::new(["8642"]), &file.0);
    block_on(contract.extract(&cassette, "The pin is 8642?")).unwrap();
    let text = fs::read_to_string(&file.0).unwrap();
    assert!(text.contains("\"text\": \"8642\"") && text.contains("The pin is 8642?"), "{text}");
}

#[test]
fn what_is_redacted_may_be_anything() {
    for (recorded, asked, is_same) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("(hidden)", "", true),
        ("pin (hidden).", "pin 1234.", true),
        ("pin (hidden).", "pin 1234", false),
        ("(hidden) and (hidden)", "one and two", true),
        ("(hidden) and (hidden)", "one or two", false),
        ("ab(hidden)b", "ab", false),
    ] {
        assert_eq!(is_same_but_for_markers(recorded, asked), is_same, "{recorded} {asked}");
    }
}
