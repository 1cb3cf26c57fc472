//! Free thought before the answer.

use extract::agent::Constraint;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Feedback};
use serde_json::json;

use super::turns;

fn contract() -> Contract {
    Contract::from_schema(json!({"type": "integer"})).unwrap()
}

const THOUGHT: &str = "<think>\nAn ant has 6, so it is {\"legs\": 6}? No.\n</think>\n8";

#[test]
fn a_value_in_the_thoughts_is_not_the_answer() {
    let agent = ScriptedAgent::new([THOUGHT]);
    let (value, metrics) =
        block_on(contract().extract(&agent, "Legs of a spider?").think_first(true)).unwrap();
    assert_eq!((value, metrics.attempts), (json!(8), 1));
    let asked = agent.requests().remove(0).conversation;
    assert!(turns(&asked)[0].1.starts_with(
        "First think about it in a few sentences between <think> and </think>. Then answer with one JSON value \
         and nothing else: no markdown fences, no explanation.\n\nThe answer must be of the type"
    ));
}

#[test]
fn an_agent_that_cannot_think_first_is_not_constrained_and_gets_types() {
    let agent = ScriptedAgent::new([THOUGHT]).constrained(Constraint::by_provider([]));
    let (_, metrics) = block_on(contract().extract(&agent, "Legs?").think_first(true)).unwrap();
    let request = agent.requests().remove(0);
    assert!(request.schema.is_none() && !request.thinks_first);
    assert!(turns(&request.conversation)[0].1.contains("type Answer = integer"));
    assert!(metrics.per_attempt[0].notes.is_empty());
}

#[test]
fn an_agent_that_thinks_first_is_constrained_behind_its_thoughts() {
    let agent = ScriptedAgent::new([THOUGHT]).constrained(Constraint::by_decoder([])).thinking_first();
    block_on(contract().extract(&agent, "Legs?").think_first(true)).unwrap();
    let request = agent.requests().remove(0);
    assert!(request.schema.is_some() && request.thinks_first);
    assert_eq!(
        turns(&request.conversation)[0].1,
        "First think about it in a few sentences between <think> and </think>. Then answer with one JSON value."
    );
}

#[test]
fn the_next_attempt_thinks_too() {
    let agent = ScriptedAgent::new(["<think>x</think>many", THOUGHT]).thinking_first();
    block_on(contract().extract(&agent, "Legs?").think_first(true).feedback(Feedback::Continue)).unwrap();
    let request = agent.requests().remove(1);
    assert!(request.thinks_first);
    let message = turns(&request.conversation)[3].1;
    assert!(message.ends_with(
        "First think between <think> and </think>, then answer with the JSON only: no markdown fences."
    ));
}

#[test]
fn nothing_is_said_of_thoughts_by_default() {
    let agent = ScriptedAgent::new(["8"]).thinking_first();
    block_on(contract().extract(&agent, "Legs?")).unwrap();
    let request = agent.requests().remove(0);
    assert!(!request.thinks_first && !turns(&request.conversation)[0].1.contains("think"));
}

#[test]
fn with_tools_the_thoughts_stand_before_the_call() {
    let agent = ScriptedAgent::new(["8"]).calling_tools();
    block_on(contract().extract(&agent, "Legs?").think_first(true).tools()).unwrap();
    let request = agent.requests().remove(0);
    assert!(
        turns(&request.conversation)[0].1.starts_with(
            "First think about it in a few sentences. Then answer with one JSON value by calling"
        )
    );
}
