//! The user's own words for the first message.

use extract::agent::Constraint;
use extract::settings::{PromptOptions, SchemaPosition};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Extractor};
use serde_json::json;

use super::turns;
use crate::domain::{Invoice, good};

fn contract() -> Contract {
    Contract::from_schema(json!({"type": ["integer", "null"], "description": "of a spider"})).unwrap()
}

#[test]
fn they_replace_the_default_ones_and_keep_the_parts_that_they_use() {
    let agent = ScriptedAgent::new(["8"]);
    let extraction = contract().extract(&agent, "Legs?").system("Tu es biologiste.").instructions(|parts| {
        assert_eq!(parts.contract().schema()["description"], "of a spider");
        assert_eq!(parts.example(), None);
        format!("{}\n\nRéponds avec le JSON seul. ({})", parts.schema(), parts.absence())
    });
    let (_, metrics) = block_on(extraction).unwrap();
    let asked = agent.requests().remove(0).conversation;
    let expected = "Tu es biologiste.\n\nThe answer must be of the type Answer (a key with `?` may be absent, \
        keys that are not shown are not allowed):\ntype Answer = integer | null // of a spider\n\n\
        Réponds avec le JSON seul. (Where the text does not state a value, write null. Do not make values up.)";
    assert_eq!(turns(&asked)[0].1, expected);
    assert!(metrics.per_attempt[0].notes.is_empty());
}

#[test]
fn the_default_text_is_its_parts() {
    let agent = ScriptedAgent::new([good().to_string(), good().to_string(), good().to_string()]);
    let options = PromptOptions::new().show_example(true);
    let ask = |extractor: Extractor| {
        let extractor = extractor.prompt_options(options.clone());
        block_on(extractor.extract::<Invoice>(&agent, "Invoice 7")).unwrap();
        agent.requests().pop().unwrap().conversation
    };
    let plain = ask(Extractor::new());
    let same = ask(Extractor::new().instructions(|parts| {
        [parts.task(), parts.schema(), parts.absence(), parts.example().unwrap()].join("\n\n")
    }));
    assert_eq!(turns(&plain), turns(&same));
    assert_eq!(turns(&plain), turns(&ask(Extractor::new().instructions(|parts| parts.to_string()))));
}

#[test]
fn they_stand_where_the_schema_stands() {
    let agent = ScriptedAgent::new(["8"]);
    let options = PromptOptions::new().schema_position(SchemaPosition::AfterPrompt);
    let extraction = contract().extract(&agent, "Legs?").prompt_options(options);
    block_on(extraction.instructions(|parts| parts.schema().to_uppercase())).unwrap();
    let asked = agent.requests().remove(0).conversation;
    assert_eq!(turns(&asked)[0].1.lines().last().unwrap(), "TYPE ANSWER = INTEGER | NULL // OF A SPIDER");
}

#[test]
fn without_the_schema_a_note_says_that_an_unconstrained_agent_cannot_know_it() {
    let notes = |agent: ScriptedAgent| {
        let extraction = contract().extract(&agent, "Legs?").instructions(|_| "Answer.".to_owned());
        block_on(extraction).unwrap().1.per_attempt[0].notes.clone()
    };
    let told = notes(ScriptedAgent::new(["8"]));
    assert!(told[0].contains("does not describe the schema"), "{told:?}");
    assert!(notes(ScriptedAgent::new(["8"]).constrained(Constraint::by_decoder([]))).is_empty());
}

#[test]
fn each_agent_gets_its_own_notation() {
    let agent = ScriptedAgent::new(["8"]).constrained(Constraint::by_decoder([]));
    block_on(contract().extract(&agent, "Legs?").instructions(|parts| parts.schema().to_owned())).unwrap();
    let asked = agent.requests().remove(0).conversation;
    assert_eq!(turns(&asked)[0].1, "The answer: of a spider.");
}

#[test]
fn with_tools_the_schema_is_theirs() {
    let agent = ScriptedAgent::new(["8"]).calling_tools();
    let extraction = contract().extract(&agent, "Legs?").tools().instructions(|parts| {
        assert_eq!(parts.schema(), "");
        format!("Bitte: {}", parts.task())
    });
    block_on(extraction).unwrap();
    let asked = agent.requests().remove(0).conversation;
    assert!(turns(&asked)[0].1.starts_with("Bitte: Answer with one JSON value by calling the tool `submit`"));
}
