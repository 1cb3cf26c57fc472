//! Where a sensitive value must not turn up.

use std::fmt::Write as _;

use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable, Feedback, SchemaNotation};
use serde::Deserialize;

const SECRET: &str = "hunter2-4711";

#[derive(Debug, Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "read by serde only")]
struct Login {
    user: String,
    #[extract(sensitive, length(max = 4))]
    password: String,
}

/// Replies that hold the secret: too long for its field, beside another fault, under another key, twice, cut, and no JSON
/// at all.
fn replies() -> [String; 6] {
    [
        format!(r#"{{"user": "ada", "password": "{SECRET}"}}"#),
        format!(r#"{{"user": 7, "password": "{SECRET}"}}"#),
        format!(r#"{{"user": "ada", "pass": "{SECRET}"}}"#),
        format!("Sure: {{'user': 'ada', 'password': '{SECRET}', 'x': '{SECRET}'}}"),
        format!(r#"{{"user": "ada", "password": "{SECRET}"#),
        format!("The password is {SECRET}."),
    ]
}

#[test]
fn in_no_message_log_or_debug_output() {
    for feedback in [Feedback::Auto, Feedback::Continue, Feedback::Fresh, Feedback::Patch] {
        let agent = ScriptedAgent::new(replies());
        let mut events = String::new();
        let extraction = Login::extract(&agent, "…").max_attempts(6).feedback(feedback);
        let extraction = extraction.observe(|event| writeln!(events, "{event:?}").unwrap());
        let error = block_on(extraction).unwrap_err();
        assert_eq!(error.history().len(), 6);
        for (name, text) in [
            ("Display", error.to_string()),
            ("Debug", format!("{error:?} {error:#?}")),
            ("events", events),
            ("metrics", format!("{:?}", error.metrics())),
            ("best", format!("{:?}", error.best())),
        ] {
            assert!(!text.contains(SECRET), "{feedback:?} {name}: {text}");
        }
        assert_eq!(error.raw_output(), Some(&*replies()[5]), "it is in the fields all the same");
        assert!(error.history()[0].submitted.as_ref().unwrap().to_string().contains(SECRET));
    }
}

#[test]
fn in_no_violation() {
    let agent = ScriptedAgent::new(replies());
    let error = block_on(Login::extract(&agent, "…").max_attempts(6)).unwrap_err();
    for attempt in error.history() {
        let violations = format!("{:?} {:?} {:?}", attempt.violations, attempt.regressions, attempt.changes);
        assert!(!violations.contains(SECRET), "{violations}");
    }
}

#[test]
fn in_no_feedback_to_another_agent() {
    let stalled = |reply: &str| ScriptedAgent::new([reply.to_owned(), reply.to_owned()]);
    for reply in replies() {
        let (first, other) = (stalled(&reply), ScriptedAgent::new([r#"{"user": "ada", "password": "1"}"#]));
        block_on(Login::extract(&first, "…").escalate_to(&other)).unwrap();
        let told = other.requests()[0].conversation.to_text();
        assert!(told.contains("not accepted") || told.contains("cut off"), "{told}");
        assert!(!told.contains(SECRET), "{reply}: {told}");
        let own = first.requests()[1].conversation.to_text();
        assert!(own.contains(SECRET), "its own submission is shown to the agent that made it: {own}");
    }
}

#[test]
fn not_even_that_there_is_one_is_told() {
    let agent = ScriptedAgent::new([r#"{"user": "ada", "password": "1"}"#; 2]);
    for notation in [SchemaNotation::Types, SchemaNotation::JsonSchema] {
        block_on(Login::extract(&agent, "…").schema_notation(notation)).unwrap();
        let request = agent.requests().pop().unwrap();
        let told = format!("{} {:?}", request.conversation.to_text(), request.schema);
        assert!(told.contains("password") && !told.contains("sensitive"), "{told}");
    }
}
