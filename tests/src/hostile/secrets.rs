//! Keys that would enter cassettes, in other forms than the named one.

use std::{fs, path::PathBuf};

use extract::{
    Contract,
    agent::{Agent as _, AgentError, Conversation, Request, Role},
    testing::{Cassette, ScriptedAgent, block_on},
};
use serde_json::json;

use super::measured;

const KEY: &str = "Kq7/ünï+9 x\"y\\zW3";

struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("extract-hostile-{name}-{}.json", std::process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn no_cassette_contains_a_key_in_any_form() {
    let percent = KEY.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
    let hex = KEY.bytes().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().concat();
    let spaced: String = KEY.chars().flat_map(|char| [char, ' ']).collect();
    let wrapped = KEY.replace('+', "+\n    ");
    let forms = [
        KEY.to_uppercase(),
        percent,
        hex,
        spaced,
        wrapped,
        format!("{KEY:?}"),
        json!(json!(KEY).to_string()).to_string(),
    ];
    let file = File::new("forms");
    let script = ScriptedAgent::new(forms.iter().map(|form| format!("the key is{form}!")))
        .then_fail(AgentError::refused(format!("wrong key {}", forms[0])));
    let cassette = Cassette::record(script, &file.0).redact(KEY);
    for form in &forms {
        let request = Request::new(Conversation::new().with(Role::User, format!("my{form}is it")));
        block_on(cassette.respond(&request)).unwrap();
    }
    block_on(cassette.respond(&Request::new(Conversation::new()))).unwrap_err();
    let written = fs::read_to_string(&file.0).unwrap();
    for form in &forms {
        let quoted = json!(form).to_string();
        assert!(
            !written.contains(form) && !written.contains(&quoted[1..quoted.len() - 1]),
            "{form} is in {written}"
        );
    }
    assert!(!written.to_lowercase().contains("kq7") && !written.contains("W3"), "{written}");
    assert!(written.matches("[redacted]").count() > 2 * forms.len(), "{written}");
}

#[test]
fn no_cassette_contains_a_sensitive_number_in_any_notation() {
    let file = File::new("numbers");
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"salary": {"type": "number", "x-sensitive": true}, "bonus": {"type": "number"}, "note": {"type": "string"}},
        "required": ["salary"],
    }))
    .unwrap();
    let reply = r#"{"salary": 52000.0, "bonus": 52000, "note": "52k? no, 52'000"}"#;
    let prompt = "She earns 52,000.00 a year (52 000, or 5.2e4).";
    block_on(contract.extract(&Cassette::record(ScriptedAgent::new([reply]), &file.0), prompt)).unwrap();
    let written = fs::read_to_string(&file.0).unwrap();
    assert!(
        ["52,000", "52000", "52 000", "5.2e4", "52'000"].iter().all(|way| !written.contains(way)),
        "{written}"
    );
    let (value, _) = block_on(contract.extract(&Cassette::replay(&file.0).unwrap(), prompt)).unwrap();
    assert!(value["bonus"].is_number() && value["note"] == "52k? no, (hidden)", "{value}");
}

/// The work is in proportion to the text, however many keys are known.
#[test]
fn redacting_many_keys_is_linear_in_the_text() {
    let file = File::new("linear");
    let cost = |keys: usize| {
        let script = ScriptedAgent::new(["yes"]);
        let mut cassette = Cassette::record(script, &file.0);
        for key in 0..keys {
            cassette = cassette.redact(format!("key-{key:016}"));
        }
        let text = "words without any key %20 in them ".repeat(1_000);
        let request = Request::new(Conversation::new().with(Role::User, text));
        measured(|| block_on(cassette.respond(&request)).unwrap()).1
    };
    cost(1);
    let (few, many) = (cost(10), cost(2_000));
    assert!(many.total < few.total * 2, "{few:?} {many:?}");
}
