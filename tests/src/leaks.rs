//! Sensitive values must not leak.

use std::fmt::Write as _;

use extract::agent::{Agent, AgentError, layers::AgentExt as _};
use extract::testing::{ScriptedAgent, block_on};
use extract::{
    Extractable, Feedback,
    settings::{PromptOptions, SchemaNotation, TransportOptions},
};
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

/// Replies that contain the secret: too long for its field, together with another mistake, under
/// another key, twice, cut, and not JSON.
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
        assert!(error.history()[0].submitted().unwrap().to_string().contains(SECRET));
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
fn in_nothing_that_is_said_of_a_part_beside_the_value() {
    let good = r#"{"user": "ada", "password": "1"}"#;
    for reply in [
        format!("{good}\n{{\"user\": \"ada\", \"password\": \"{SECRET}\"}}"),
        format!("{{\"user\": \"ada\", \"password\": \"{SECRET}\"}} or {good}"),
        format!("{good}\n\nCorrection: the password is {SECRET}."),
        format!("{good}\npassword: {SECRET}"),
        format!("{{\n\"user\": \"ada\",\n\"password\": \"1\" // or {SECRET}?\n}}"),
        format!("{{\"user\": \"ada\", \"password:{SECRET},\": \"1\"}}"),
        format!("{{\"user\": \"ada\", \"password\": \"1\", \"old\": {{\"{SECRET}\": 1}}}}"),
    ] {
        let first = ScriptedAgent::new([reply.clone(), reply.clone()]);
        let other = ScriptedAgent::new([reply.clone(), reply.clone()]);
        let error = block_on(Login::extract(&first, "…").max_attempts(4).escalate_to(&other)).unwrap_err();
        let mut told = format!("{error} {error:?} {}", other.requests()[0].conversation.to_text());
        for attempt in error.history() {
            write!(told, "{:?} {:?}", attempt.violations, attempt.changes).unwrap();
        }
        assert!(!told.contains(SECRET), "{reply}: {told}");
    }
}

#[test]
fn the_mark_itself_is_not_shown() {
    let agent = ScriptedAgent::new([r#"{"user": "ada", "password": "1"}"#; 2]);
    for notation in [SchemaNotation::Types, SchemaNotation::JsonSchema] {
        block_on(Login::extract(&agent, "…").prompt_options(PromptOptions::new().schema_notation(notation)))
            .unwrap();
        let request = agent.requests().pop().unwrap();
        let told = format!("{} {:?}", request.conversation.to_text(), request.schema);
        assert!(told.contains("password") && !told.contains("sensitive"), "{told}");
    }
}

#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Vault {
    id: u8,
    access: Access,
    #[extract(sensitive)]
    #[serde(default)]
    keys: std::collections::BTreeMap<String, u8>,
    #[extract(sensitive, check = no_one_may_see_it)]
    #[serde(default)]
    phrase: String,
    #[serde(default)]
    note: String,
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code, reason = "read by serde only")]
enum Access {
    Password {
        #[extract(sensitive)]
        text: String,
    },
    None,
}

// The signature of a check is the library's.
fn no_one_may_see_it(phrase: &String) -> Result<(), String> {
    assert!(!phrase.starts_with("panic"), "{phrase} is no phrase");
    if phrase.is_empty() { Ok(()) } else { Err(format!("{} and {phrase}", phrase.to_uppercase())) }
}

/// All output of an extraction that continues with another agent after its first stall.
fn said_of_vault(reply: &str) -> (String, extract::ExtractionError) {
    let agent = ScriptedAgent::new([reply, reply]);
    let other = ScriptedAgent::new([reply]);
    let mut text = String::new();
    let extraction = Vault::extract(&agent, "…").feedback(Feedback::Continue).escalate_to(&other);
    let error = block_on(extraction.observe(|event| writeln!(text, "{event:?}").unwrap())).unwrap_err();
    write!(text, "{error} {error:?}").unwrap();
    for attempt in error.history() {
        let told = (&attempt.violations, &attempt.regressions, &attempt.changes);
        write!(text, "{}", serde_json::to_string(&told).unwrap()).unwrap();
    }
    for request in other.requests() {
        text.push_str(&request.conversation.to_text());
    }
    (text, error)
}

#[test]
fn in_no_corner_of_a_value() {
    let long = format!("{SECRET} {}", "y".repeat(400));
    for reply in [
        // A key of a sensitive map, of a valid value and of an invalid one.
        format!(r#"{{"id": 1000, "access": {{"kind": "none"}}, "keys": {{"{SECRET}": "7"}}}}"#),
        format!(r#"{{"id": 1, "access": {{"kind": "none"}}, "keys": {{"{SECRET}": []}}}}"#),
        // A scalar where the schema expects a value with a sensitive part.
        format!(r#"{{"id": 1, "access": "{SECRET}"}}"#),
        format!(r#"{{"id": 1, "access": ["{SECRET}"]}}"#),
        format!(r#"{{"id": 1, "access": {{"text": "{SECRET}"}}}}"#),
        format!(r#"{{"id": 1, "access": {{"kind": "unheard of", "text": "{SECRET}"}}}}"#),
        format!(r#""{SECRET}""#),
        format!(r#"["{SECRET}"]"#),
        // In an object that is quoted and cut inside it.
        format!(r#"[{{"id": 1, "note": "{}", "phrase": "{SECRET}"}}, 2, 3]"#, "x".repeat(115)),
        // In a value that is not at its place, and is quoted because a part of it is a placeholder or left over.
        format!(r#"[{{"id": 1, "note": "...", "phrase": "{SECRET}"}}, 2, 3]"#),
        format!(r#"[{{"id": 1, "note": "a", "phrase": "{SECRET}"}}] and "{SECRET}"]"#),
        // In another case, in the message of a check and of a panic.
        format!(r#"{{"id": 1, "access": {{"kind": "none"}}, "phrase": "{SECRET}"}}"#),
        format!(r#"{{"id": 1, "access": {{"kind": "none"}}, "phrase": "panic {SECRET}"}}"#),
        // At a path that is not sensitive, quoted in part.
        format!(r#"{{"id": "{long}", "access": {{"kind": "none"}}, "phrase": "{long}"}}"#),
    ] {
        let (text, _) = said_of_vault(&reply);
        for part in [SECRET, &SECRET.to_uppercase(), &SECRET[..8]] {
            // If the same string is at a path that is not sensitive, another agent sees it there.
            let text = text.replace(&format!(r#"{{"id":"{long}""#), "");
            assert!(!text.contains(part), "{reply}: …{}", &text[text.find(part).unwrap()..]);
        }
    }
}

#[test]
fn values_that_are_not_sensitive_are_shown() {
    let reply = r#"{"id": 300, "access": {"kind": "none"}, "phrase": "255"}"#;
    let (text, error) = said_of_vault(reply);
    // A short secret is not searched in the text of the schema.
    assert_eq!(
        error.violations()[0].to_string(),
        "[INVALID_VALUE] $.id: too large (expected at most 255, got 300)"
    );
    assert!(text.contains(r#"{"id":300,"access":{"kind":"none"},"phrase":"(hidden)"}"#), "{text}");
}

/// An error that quotes the key only in its debug output.
struct Quoting(&'static str);

impl std::fmt::Debug for Quoting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Quoting({:?})", self.0)
    }
}

impl std::fmt::Display for Quoting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the server says no")
    }
}

impl std::error::Error for Quoting {}

#[test]
fn keys_in_errors_of_any_agent_are_redacted() {
    const KEY: &str = "sk-proj-0123456789abcdefghijkl";
    let errors: [fn() -> AgentError; 5] = [
        || AgentError::refused(format!("wrong key {KEY}")),
        || AgentError::transport(format!("GET https://server.example/?key={KEY} failed")),
        || AgentError::unavailable("no").with_request_id(KEY),
        || AgentError::refused("no").with_source(Quoting(KEY)),
        || AgentError::refused("no").with_source(std::io::Error::other(Quoting(KEY))),
    ];
    for error in errors {
        let plain = ScriptedAgent::default().then_fail(error());
        let streaming = ScriptedAgent::default().then_fail(error());
        let layered = ScriptedAgent::default().then_fail(error());
        let layered = layered.retrying().times(0).time_limited(std::time::Duration::from_secs(5));
        let closure = async |_: String| Err::<String, _>(error());
        let mut events = String::new();
        let mut failures = Vec::new();
        let options = || TransportOptions::new().retries(0);
        for agent in [&plain as &dyn Agent, &layered, &closure] {
            let extraction = u8::extract(agent, "…").transport_options(options());
            failures.push(block_on(extraction).unwrap_err());
        }
        let extraction = u8::extract(&streaming, "…").transport_options(options()).stream(true);
        let extraction = extraction.observe(|event| writeln!(events, "{event:?}").unwrap());
        failures.push(block_on(extraction).unwrap_err());
        for failure in failures {
            let mut shown = format!("{failure} {failure:?} {failure:#?} {events}");
            let mut cause = std::error::Error::source(&failure);
            while let Some(error) = cause {
                write!(shown, "{error} {error:?}").unwrap();
                cause = error.source();
            }
            assert!(!shown.contains("0123456789abcdef"), "{shown}");
        }
        let report = block_on(
            <u8 as extract_bulk::BulkExt>::bulk(
                &ScriptedAgent::new(["1"]).then_fail(error()),
                [extract_bulk::Doc::new("a", "…"), extract_bulk::Doc::new("b", "…")],
            )
            .concurrent(1)
            .transport_bound(std::time::Duration::ZERO),
        );
        let letters: Vec<_> =
            report.unwrap().dead_letters().unwrap().map(|letter| format!("{:?}", letter.unwrap())).collect();
        assert_eq!(letters.len(), 1);
        assert!(!letters[0].contains("0123456789abcdef"), "{letters:?}");
    }
}
