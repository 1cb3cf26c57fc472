//! Recorded and replayed conversations.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use extract::agent::{
    Agent as _, AgentError, AgentErrorKind, AgentExt as _, Conversation, FinishReason, Reply, Request, Role,
    ThinkingLevel,
};
use extract::metrics::ReplyOrigin;
use extract::testing::{Cassette, CassetteError, ScriptedAgent, block_on};
use extract::{Extractable as _, ExtractionError, TokenUsage};
use serde_json::{Value, json};

use super::tools::{ask, request};

/// A cassette in a temporary folder.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("extract-cassettes-{}-{number}", std::process::id())))
    }

    fn path(&self) -> PathBuf {
        self.0.join("in/a/folder.json")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    fn replay(&self) -> Cassette {
        Cassette::replay(self.path()).unwrap()
    }

    /// Records the answers to the questions, one each.
    fn recorded(questions: &[&str]) -> Self {
        let place = Self::new();
        let script = ScriptedAgent::new(questions.iter().map(|question| format!("answer to {question}")));
        let cassette = Cassette::record(script, place.path());
        for question in questions {
            ask(&cassette, question).unwrap();
        }
        cassette.finish().unwrap();
        place
    }

    fn write(&self, text: &str) {
        fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        fs::write(self.path(), text).unwrap();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn unfinished(cassette: &Cassette) -> String {
    let error = cassette.finish().unwrap_err();
    assert!(matches!(error, CassetteError::Unfinished { .. }));
    error.to_string()
}

#[test]
fn an_extraction_is_replayed_as_it_was() {
    let place = Place::new();
    let script = ScriptedAgent::default()
        .then_fail(AgentError::rate_limited("slow\ndown").with_retry_after(Duration::from_millis(7)))
        .then(Reply::new("eight").finished(FinishReason::Stop).with_usage(TokenUsage::new(50, 1)))
        .then(Reply::new("[8\n]\n"));
    let extract = |agent: &Cassette| {
        block_on(Vec::<u8>::extract(agent, "How many legs?").max_output_tokens(100).temperature(0.3)).unwrap()
    };
    let (recorded, mut before) = extract(&Cassette::record(script, place.path()));
    let cassette = place.replay();
    assert_eq!((cassette.name().as_ref(), cassette.unused()), ("scripted", 3));
    let (replayed, mut after) = extract(&cassette);
    for metrics in [&mut before, &mut after] {
        metrics.elapsed = Duration::ZERO;
        metrics.per_attempt.iter_mut().for_each(|attempt| attempt.elapsed = Duration::ZERO);
    }
    assert_eq!((recorded, before), (replayed, after));
    assert_eq!(cassette.unused(), 0);
    cassette.assert_finished();
}

#[test]
fn the_origin_of_replies_and_failures_is_replayed_too() {
    let place = Place::new();
    let origin = ReplyOrigin::default()
        .with_model("m-2026")
        .with_response_id("msg_1")
        .with_request_id("sk-ant-REDACTME0123456789abcdefghijklmnop")
        .with_status(200);
    let usage = TokenUsage::new(50, 9).cached(20).cache_written(10).reasoning(8);
    let refusal = Reply::new("").with_refusal("no").with_usage(TokenUsage::new(7, 1));
    let limited = AgentError::rate_limited("slow down").with_status(429).with_request_id("req_7");
    let first = ScriptedAgent::default()
        .setting_thinking()
        .then_fail(limited.with_retry_after(Duration::from_millis(1)))
        .then(refusal);
    let second = ScriptedAgent::new([Reply::new("[8]").with_usage(usage).with_origin(origin)]);
    let agent = first.or(second.setting_thinking()).when(|_| false);
    let extract = |agent: &Cassette| {
        let asked = Vec::<u8>::extract(agent, "How many legs?").thinking(ThinkingLevel::Budget(9));
        block_on(asked).unwrap().1
    };
    let (mut before, mut after) = (extract(&Cassette::record(agent, place.path())), extract(&place.replay()));
    for metrics in [&mut before, &mut after] {
        metrics.elapsed = Duration::ZERO;
        metrics.per_attempt[0].elapsed = Duration::ZERO;
    }
    // A key is never written, wherever it occurs.
    let id = before.per_attempt[0].origin.request_id.take().unwrap();
    assert_ne!(after.per_attempt[0].origin.request_id.take().unwrap(), id);
    assert!(!place.text().contains("REDACTME"));
    assert_eq!(before, after);
    assert_eq!(after.per_model.len(), 2);
    assert_eq!(after.per_attempt[0].usage.cache_write_tokens, 10);
    assert_eq!(place.json()["exchanges"][0]["request"]["thinking"], json!({"budget": 9}));
    assert_eq!(place.json()["exchanges"][0]["failure"]["status"], 429);

    let cassette = place.replay();
    let other = Vec::<u8>::extract(&cassette, "How many legs?").thinking(ThinkingLevel::Low);
    let error = block_on(other).unwrap_err().to_string();
    assert!(error.contains("thinking\n  recorded: budget of 9 tokens\n  asked:    low"), "{error}");
}

#[test]
fn the_file_is_readable() {
    let place = Place::new();
    let script = ScriptedAgent::default()
        .then(Reply::new("[\n  8\n]").finished(FinishReason::Stop).with_usage(TokenUsage::new(5, 1)))
        .then_fail(AgentError::rate_limited("429").with_retry_after(Duration::from_secs(2)));
    let cassette = Cassette::record(script, place.path());
    let mut request = request("One\n\nTwo");
    request.temperature = Some(0.1);
    block_on(cassette.respond(&request)).unwrap();
    block_on(cassette.respond(&request)).unwrap_err();
    let asked = json!({"turns": [{"role": "user", "text": ["One", "", "Two"]}], "temperature": 0.1});
    let reply = json!({
        "text": ["[", "  8", "]"],
        "finish_reason": "stop",
        "usage": {"input_tokens": 5, "output_tokens": 1},
    });
    let failure = json!({"kind": "rate_limited", "message": "429", "retry_after_ms": 2000});
    let exchanges = json!([{"request": asked, "reply": reply}, {"request": asked, "failure": failure}]);
    assert_eq!(place.json(), json!({"cassette": 1, "agent": "scripted", "exchanges": exchanges}));
    assert!(place.text().starts_with("{\n  \"cassette\": 1,\n") && place.text().ends_with("}\n"));
}

#[test]
fn another_question_shows_the_first_difference_and_both_sides() {
    let place = Place::recorded(&["Same line.\nHow many legs has a spider?"]);
    let cassette = place.replay();
    let error = ask(&cassette, "Same line.\nHow many legs has an ant?").unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Unavailable);
    let message = format!(
        "the cassette `{}` has no such question; from number 1 it differs in turn 1 (user), line 2\n  \
         recorded: \"How many legs has a spider?\"\n  \
         asked:    \"How many legs has an ant?\"\n\
         record it again with `EXTRACT_CASSETTE=record` if that is meant",
        place.path().display()
    );
    assert_eq!(error.message(), message);
    let told = unfinished(&cassette);
    assert!(
        told.contains("line 2") && told.contains("1 exchange of 1 was never asked for, first number 1"),
        "{told}"
    );
}

type Change = fn(&mut Request);

#[test]
fn every_part_of_a_request_is_compared() {
    let place = Place::new();
    let conversation = || Conversation::new().with(Role::System, "Be brief.").with(Role::User, "Legs?");
    let schema = json!({"type": "object", "properties": {"a/b": {"minimum": 1}, "c": {}}});
    let plain = || {
        let mut request = Request::new(conversation()).with_schema(schema.clone().into());
        request.temperature = Some(0.2);
        request
    };
    block_on(Cassette::record(ScriptedAgent::new(["8"]), place.path()).respond(&plain())).unwrap();
    let changes: [(Change, &str); 8] = [
        (|r| r.temperature = None, "temperature\n  recorded: 0.2\n  asked:    not set"),
        (|r| r.max_output_tokens = Some(9), "max_output_tokens\n  recorded: not set\n  asked:    9"),
        (|r| r.schema = None, "the schema\n  recorded: {\"type\""),
        (
            |r| {
                let properties = json!({"a/b": {"minimum": 2}, "c": {}});
                r.schema = Some(json!({"type": "object", "properties": properties}).into());
            },
            "the schema at `/properties/a~1b/minimum`\n  recorded: 1\n  asked:    2",
        ),
        (
            |r| r.schema = Some(json!({"type": "object", "properties": {"a/b": {"minimum": 1}}}).into()),
            "the schema at `/properties/c`\n  recorded: {}\n  asked:    nothing",
        ),
        (
            |r| r.conversation = Conversation::new().with(Role::User, "Be brief.").with(Role::User, "Legs?"),
            "who speaks in turn 1\n  recorded: system\n  asked:    user",
        ),
        (
            |r| r.conversation = r.conversation.clone().with(Role::User, "Now."),
            "the number of turns\n  recorded: 2\n  asked:    3",
        ),
        (
            |r| {
                r.conversation =
                    Conversation::new().with(Role::System, "Be brief.\n").with(Role::User, "Arms?");
            },
            "turn 1 (system), line 2\n  recorded: no such line\n  asked:    \"\"\nalso in turn 2 (user), line 1\n",
        ),
    ];
    for (change, expected) in changes {
        let mut request = plain();
        change(&mut request);
        let error = block_on(place.replay().respond(&request)).unwrap_err();
        assert!(error.message().contains(expected), "{error}");
    }
    block_on(place.replay().respond(&plain())).unwrap();
}

#[test]
fn a_difference_far_inside_a_long_line_is_shown_with_its_surroundings() {
    let line = |word: &str| format!("{}{word}{}", "ß".repeat(5000), "z".repeat(5000));
    let error = ask(&Place::recorded(&[&line("legs")]).replay(), &line("arms")).unwrap_err();
    assert!(error.message().contains("recorded: …\"ßßß") && error.message().contains("ßlegszz"), "{error}");
    assert!(error.message().contains("ßarmszz") && error.message().chars().count() < 800, "{error}");
}

#[test]
fn strict_questions_may_come_in_another_order_and_once_each() {
    let place = Place::recorded(&["a", "b", "a"]);
    let cassette = place.replay();
    assert_eq!(ask(&cassette, "b").unwrap(), "answer to b");
    assert_eq!(ask(&cassette, "a").unwrap(), "answer to a");
    assert!(ask(&cassette, "b").unwrap_err().message().contains("from number 3"));
    assert_eq!(ask(&cassette, "a").unwrap(), "answer to a");
}

#[test]
fn loosely_the_order_decides() {
    let place = Place::recorded(&["a", "b"]);
    let cassette = place.replay().loosely();
    assert_eq!(ask(&cassette, "anything").unwrap(), "answer to a");
    assert!(unfinished(&cassette).contains("1 exchange of 2 was never asked for, first number 2"));
    assert_eq!(ask(&cassette, "something else").unwrap(), "answer to b");
    cassette.assert_finished();
    let error = ask(&cassette, "once more").unwrap_err();
    assert!(error.message().contains("has 2 exchanges, and this is one question more"), "{error}");
    assert!(unfinished(&cassette).contains("one question more"));
}

#[test]
fn an_exhausted_cassette_ends_the_extraction_and_says_so() {
    let place = Place::new();
    let record = Cassette::record(ScriptedAgent::new(["eight"]), place.path());
    block_on(Vec::<u8>::extract(&record, "Legs?").max_attempts(1)).unwrap_err();
    let error = block_on(Vec::<u8>::extract(&place.replay(), "Legs?").max_attempts(1)).unwrap_err();
    assert!(matches!(error, ExtractionError::MaxRetriesExceeded { .. }));
    let cassette = place.replay().loosely();
    let error = block_on(Vec::<u8>::extract(&cassette, "Legs?")).unwrap_err();
    assert!(error.to_string().contains("one question more"), "{error}");
}

const KEY: &str = "sk-proj-0123456789abcdefghij";

#[test]
fn secrets_are_removed_from_all_that_is_written() {
    let place = Place::new();
    let script = ScriptedAgent::new([format!(
        "{{\"key\": \"{KEY}\", \"name\": \"O\\\"Hara\", \"on\": \"2026-01-31\"}}"
    )])
    .then_fail(AgentError::refused(format!("wrong key {KEY} of O\"Hara")));
    let hidden = |cassette: Cassette| cassette.redact("O\"Hara").redact_matching(r"\d{4}-\d\d-\d\d").unwrap();
    let cassette = hidden(Cassette::record(script, place.path()));
    let asked = |day: &str| {
        let schema = json!({"properties": {"O\"Hara": {"const": KEY}}});
        request(&format!("Today is {day}. O\"Hara says {KEY}")).with_schema(schema.into())
    };
    block_on(cassette.respond(&asked("2026-01-31"))).unwrap();
    block_on(cassette.respond(&asked("2026-01-31"))).unwrap_err();
    let text = place.text();
    for secret in ["0123456789abcdef", "Hara", "2026-01-31"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
    let first = &place.json()["exchanges"][0];
    assert_eq!(first["request"]["turns"][0]["text"], "Today is [redacted]. [redacted] says [redacted]");
    assert_eq!(first["request"]["schema"]["properties"]["[redacted]"]["const"], "[redacted]");
    // Redacted values are not a difference, nor are values that were recorded before they were
    // redacted.
    block_on(hidden(place.replay()).respond(&asked("2027-05-01"))).unwrap();
}

#[test]
fn values_redacted_later_are_not_a_difference() {
    let place = Place::recorded(&["Today is Monday."]);
    let cassette = place.replay().redact_matching("(Mon|Tues)day").unwrap();
    ask(&cassette, "Today is Tuesday.").unwrap();
}

#[test]
fn an_invalid_pattern_is_an_error() {
    let error = Cassette::record(ScriptedAgent::default(), "unused.json").redact_matching("(").unwrap_err();
    assert!(error.to_string().starts_with("the pattern of what to redact is not valid"), "{error}");
}

#[test]
fn details_of_this_machine_are_not_recorded() {
    let place = Place::recorded(&["a"]);
    let before = place.text();
    let script = ScriptedAgent::default().then_fail(AgentError::unavailable("no key"));
    let cassette = Cassette::record(script, place.path());
    ask(&cassette, "a").unwrap_err();
    assert_eq!(place.text(), before);
    assert!(unfinished(&cassette).contains("nothing was recorded"));
}

#[test]
fn a_recording_replaces_the_one_before_whole() {
    let place = Place::recorded(&["a", "b", "c"]);
    let cassette = Cassette::record(ScriptedAgent::new(["8"]), place.path());
    assert_eq!(place.json()["exchanges"].as_array().unwrap().len(), 3);
    ask(&cassette, "d").unwrap();
    assert_eq!(place.json()["exchanges"].as_array().unwrap().len(), 1);
    let left: Vec<_> = fs::read_dir(place.path().parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_at_once() {
    let place = Place::new();
    place.write("in the way");
    let cassette = Cassette::record(ScriptedAgent::new(["8"]), place.path().join("below.json"));
    let error = ask(&cassette, "…").unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Unavailable);
    assert!(error.message().contains("cannot be written"), "{error}");
    assert!(unfinished(&cassette).contains("cannot be written"));
}

#[test]
fn files_that_are_not_cassettes_are_rejected_with_the_line() {
    let place = Place::new();
    let message = |place: &Place| Cassette::replay(place.path()).unwrap_err().to_string();
    assert!(
        message(&place).contains("cannot be read") && message(&place).contains("EXTRACT_CASSETTE=record")
    );
    for (text, expected) in [
        ("", "is not a cassette: EOF"),
        ("[1]", "it has no version in `cassette`"),
        (r#"{"cassette": 2}"#, "has the format 2, this release reads 1; record it again"),
        (r#"{"cassette": 1, "agent": "a"}"#, "missing field `exchanges`"),
        (r#"{"cassette": 1, "agent": "a", "exchanges": [{"request": {"turns": []}}]}"#, "exchanges[0]"),
        (
            r#"{"cassette": 1, "agent": "a", "exchanges": [{"request": {"turns": [{"role": "user", "text": 1}]}}]}"#,
            "a string or a list of lines",
        ),
    ] {
        place.write(text);
        assert!(message(&place).contains(expected), "{}", message(&place));
    }
}

#[test]
fn requests_at_the_same_time_are_all_recorded() {
    let place = Place::new();
    let cassette = Cassette::record(ScriptedAgent::new(vec!["8"; 20]), place.path());
    std::thread::scope(|scope| {
        for number in 0..20 {
            let cassette = &cassette;
            scope.spawn(move || ask(cassette, &number.to_string()).unwrap());
        }
    });
    let replayed = place.replay();
    for number in 0..20 {
        ask(&replayed, &number.to_string()).unwrap();
    }
    replayed.assert_finished();
}

#[test]
fn a_refusal_is_recorded_and_replayed() {
    let place = Place::new();
    let refusal = Reply::new("")
        .finished(FinishReason::Stop)
        .with_refusal("I must not\nread sk-proj-Abcdefghijklmnop1234567890.");
    let cassette = Cassette::record(ScriptedAgent::new([refusal]), place.path());
    block_on(cassette.respond(&request("…"))).unwrap();
    assert_eq!(place.json()["exchanges"][0]["reply"]["refusal"], json!(["I must not", "read [redacted]."]));
    let replayed = block_on(place.replay().respond(&request("…"))).unwrap();
    assert_eq!(replayed.refusal(), Some("I must not\nread [redacted]."));
    assert_eq!(replayed.finish_reason(), &FinishReason::Stop);
}

#[test]
fn a_reply_without_a_refusal_has_no_word_of_it() {
    let place = Place::recorded(&["one"]);
    assert!(!place.text().contains("refusal"));
    assert_eq!(block_on(place.replay().respond(&request("one"))).unwrap().refusal(), None);
}
