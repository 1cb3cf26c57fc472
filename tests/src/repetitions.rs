//! Replies that repeat themselves: recognised, ended early, and not given more room.

use extract::agent::{FinishReason, Part, Reply, Request};
use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Code, Contract, Event, ExtractionError, TokenUsage};
use serde_json::{Value, json};

fn contract() -> Contract {
    let schema = json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "authors": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["title", "authors"],
    });
    Contract::from_schema(schema).unwrap()
}

fn right() -> Value {
    json!({"title": "A paper", "authors": ["Anna", "Ondricka"]})
}

fn looping(times: usize) -> String {
    format!(r#"{{"title": "A paper", "authors": ["Anna", {}"#, r#""Ondricka", "#.repeat(times))
}

fn cut(text: impl Into<String>) -> Reply {
    Reply::new(text).finished(FinishReason::Length).with_usage(TokenUsage::new(100, 600))
}

fn verdicts(metrics: &extract::ExtractionMetrics) -> Vec<AttemptStatus> {
    metrics.per_attempt.iter().map(|attempt| attempt.verdict).collect()
}

fn feedback(request: &Request) -> String {
    request.conversation.turns().last().unwrap().text().to_owned()
}

#[test]
fn a_cut_reply_that_repeats_itself_gets_no_more_room() {
    let agent = ScriptedAgent::new([cut(looping(100)), Reply::new(right().to_string())]);
    let extraction =
        contract().extract(&agent, "Anna and Ondricka: A paper").max_output_tokens(600).temperature(0.0);
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!(verdicts(&metrics), [AttemptStatus::Repeated, AttemptStatus::Accepted]);
    let [first, second] = agent.requests().try_into().unwrap();
    assert_eq!((first.max_output_tokens, second.max_output_tokens), (Some(600), Some(600)));
    assert_eq!((first.temperature, second.temperature), (Some(0.0), Some(0.7)));
    let feedback = feedback(&second);
    assert!(feedback.contains("repeated itself from $.authors[1] on"), "{feedback}");
    assert!(feedback.contains(r#"("\"Ondricka\", " 101 times)"#), "{feedback}");
    assert!(!feedback.contains("cut off"), "{feedback}");
    // The loop itself is not repeated.
    assert!(second.conversation.to_text().matches("Ondricka").count() < 6);
}

#[test]
fn the_record_and_the_error_say_so() {
    let agent = ScriptedAgent::new([cut(looping(100)), cut(looping(120)), cut(looping(140))]);
    let error = block_on(contract().extract(&agent, "…")).unwrap_err();
    assert!(matches!(error, ExtractionError::MaxRetriesExceeded { .. }), "{error}");
    let violation = &error.violations()[0];
    assert_eq!((&violation.code, violation.path.to_string()), (&Code::Repetition, "$.authors[1]".to_owned()));
    assert!(error.to_string().contains("[REPETITION] $.authors[1]: the answer repeats itself"), "{error}");
    assert!(error.history().iter().all(|attempt| attempt.verdict == AttemptStatus::Repeated));
    assert!(agent.requests().iter().all(|request| request.max_output_tokens.is_none()));
}

#[test]
fn another_agent_takes_over_when_the_loop_comes_back() {
    let first = ScriptedAgent::new([cut(looping(100)), cut(looping(120))]);
    let second = ScriptedAgent::new([right().to_string()]);
    let (_, metrics) = block_on(contract().extract(&first, "…").escalate_to(&second)).unwrap();
    assert_eq!(
        verdicts(&metrics),
        [AttemptStatus::Repeated, AttemptStatus::Repeated, AttemptStatus::Accepted]
    );
}

#[test]
fn a_cut_reply_without_a_loop_gets_more_room() {
    let names: Vec<_> = (0..100).map(|number| format!("\"Ondricka {number}\"")).collect();
    let list = format!(r#"{{"title": "A paper", "authors": [{}"#, names.join(", "));
    let agent = ScriptedAgent::new([cut(list), Reply::new(right().to_string())]);
    let (_, metrics) =
        block_on(contract().extract(&agent, "…").max_output_tokens(600).max_continuations(0)).unwrap();
    assert_eq!(verdicts(&metrics), [AttemptStatus::Truncated, AttemptStatus::Accepted]);
    assert_eq!(agent.requests()[1].max_output_tokens, Some(1200));
}

#[test]
fn what_the_text_states_as_often_is_a_cut() {
    let text = "Ondricka, ".repeat(60);
    let agent = ScriptedAgent::new([cut(looping(100)), Reply::new(right().to_string())]);
    let (_, metrics) = block_on(contract().extract(&agent, text.as_str()).max_continuations(0)).unwrap();
    assert_eq!(verdicts(&metrics)[0], AttemptStatus::Truncated);
}

#[test]
fn a_complete_value_counts_however_often_it_repeats_itself() {
    let authors = vec!["Ondricka"; 2_000];
    let reply = json!({"title": "A paper", "authors": authors}).to_string();
    let agent = ScriptedAgent::new([Reply::new(reply)]);
    let (value, _) = block_on(contract().extract(&agent, "…")).unwrap();
    assert_eq!(value["authors"].as_array().unwrap().len(), 2_000);

    // Endless whitespace after a value.
    let agent = ScriptedAgent::new([cut(format!("{}{}", right(), "\n".repeat(5_000)))]);
    assert_eq!(block_on(contract().extract(&agent, "…")).unwrap().0, right());
}

#[test]
fn a_stream_is_ended_early() {
    let deltas =
        || (0..4_000).map(|index| if index == 0 { looping(0) } else { r#""Ondricka", "#.to_owned() });
    let whole: String = deltas().collect();
    let agent = ScriptedAgent::new([whole.clone()]).streaming(deltas()).then(right().to_string());
    let mut received = 0;
    let extraction = contract().extract(&agent, "…").stream(true).observe(|event| {
        if let Event::Delta { attempt: 1, text, .. } = event {
            received += text.len();
        }
    });
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!(verdicts(&metrics), [AttemptStatus::Repeated, AttemptStatus::Accepted]);
    assert!((2_048..3_000).contains(&received), "{received} of {}", whole.len());
    assert!(metrics.per_attempt[0].usage.is_estimated);
    let said = feedback(&agent.requests()[1]);
    assert!(said.contains("from $.authors[1] on"), "{said}");
}

#[test]
fn a_stream_that_states_what_the_text_states_is_not_ended() {
    let text = "Ondricka, ".repeat(1_000);
    let authors = vec!["Ondricka"; 1_000];
    let reply = json!({"title": "A paper", "authors": authors}).to_string();
    let deltas: Vec<_> =
        reply.as_bytes().chunks(7).map(|chunk| String::from_utf8_lossy(chunk).into_owned()).collect();
    let agent = ScriptedAgent::new([reply]).streaming(deltas);
    let (value, metrics) = block_on(contract().extract(&agent, text.as_str()).stream(true)).unwrap();
    assert_eq!((value["authors"].as_array().unwrap().len(), metrics.attempts), (1_000, 1));
}

#[test]
fn it_can_be_turned_off() {
    let deltas = || std::iter::repeat_n(r#""Ondricka", "#, 1_000);
    let agent =
        ScriptedAgent::new([cut(deltas().collect::<String>())]).streaming(deltas()).then(right().to_string());
    let extraction =
        contract().extract(&agent, "…").stream(true).end_repetition(false).max_output_tokens(600);
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!(verdicts(&metrics)[0], AttemptStatus::Truncated);
    assert!(!agent.requests()[0].ends_repetition);
    assert_eq!(agent.requests()[1].max_output_tokens, Some(1200));
}

#[test]
fn an_agent_that_ends_a_loop_by_itself_says_so() {
    let reply = Reply::new(looping(3)).finished(FinishReason::Repetition);
    let agent = ScriptedAgent::new([reply, Reply::new(right().to_string())]);
    let (_, metrics) = block_on(contract().extract(&agent, "…").max_output_tokens(600)).unwrap();
    assert_eq!(verdicts(&metrics), [AttemptStatus::Repeated, AttemptStatus::Accepted]);
    assert_eq!(agent.requests()[1].max_output_tokens, Some(600));
    // Independent of the repeated text.
    assert!(feedback(&agent.requests()[1]).contains("Your answer repeated itself and was stopped."));
}

#[test]
fn sensitive_values_are_not_named() {
    #[derive(Debug, serde::Deserialize, extract::Extractable)]
    #[allow(dead_code, reason = "only asked for")]
    struct Patients {
        #[extract(sensitive)]
        numbers: Vec<String>,
    }
    let reply = format!(r#"{{"numbers": [{}"#, r#""123-45-6789", "#.repeat(100));
    let agent = ScriptedAgent::new([cut(reply)]);
    let error =
        block_on(<Patients as extract::Extractable>::extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert_eq!(error.violations()[0].code, Code::Repetition);
    assert!(!format!("{error} {error:?}").contains("6789"), "{error}");
}

#[test]
fn an_image_may_state_what_nobody_reads_here() {
    let loops = |times: usize| {
        let prompt = vec![Part::text("Who wrote this?"), Part::image(b"pixels".to_vec(), "image/png")];
        let agent = ScriptedAgent::new([cut(looping(times)), Reply::new(right().to_string())]);
        verdicts(&block_on(contract().extract(&agent, prompt).max_continuations(0)).unwrap().1)[0]
    };
    assert_eq!((loops(400), loops(600)), (AttemptStatus::Truncated, AttemptStatus::Repeated));
}
