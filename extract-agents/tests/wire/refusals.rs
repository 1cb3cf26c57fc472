//! Extractions from servers that refuse a part of a request, and take the rest.

use extract::{Event, Extractable as _, agent::Agent as _};
use serde_json::{Value, json};

use crate::{
    agent,
    extraction::{Animal, spider},
    formats::{replied, whole},
    server::{Answer, Server},
};

const SPIDER: &str = r#"{"name": "spider", "legs": 8}"#;

fn refused(status: &'static str, message: &str) -> Answer {
    Answer::status(status, &json!({"error": {"message": message, "type": "invalid_request_error"}}))
}

fn limit(body: &Value) -> &Value {
    ["max_tokens", "max_completion_tokens"].iter().find_map(|name| body.get(name)).unwrap_or(&Value::Null)
}

/// Words of OpenAI, vLLM, Anthropic, SGLang and Together.
#[tokio::test]
async fn a_doubled_limit_that_does_not_fit_falls_back_to_the_accepted_one() {
    for (provider, status, message) in [
        (
            "openai",
            "400 Bad Request",
            "This model's maximum context length is 8192 tokens. However, you requested 9192 tokens.",
        ),
        (
            "vllm",
            "400 Bad Request",
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 \
             tokens and your request has 1096 input tokens (8192 > 8192 - 1096).",
        ),
        (
            "anthropic",
            "400 Bad Request",
            "input length and `max_tokens` exceed context limit: 1096 + 8192 > 8192",
        ),
        (
            "sglang",
            "400 Bad Request",
            "Requested token count exceeds the model's maximum context length of 8192 tokens.",
        ),
        (
            "together",
            "422 Unprocessable Entity",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
        ),
    ] {
        let cut = if provider == "anthropic" { "max_tokens" } else { "length" };
        let cut = || Answer::json(&whole(provider, r#"{"name": "#, cut));
        let server = Server::start([cut(), refused(status, message), cut(), replied(provider, SPIDER)]);
        let agent = agent(provider, &server);
        let asked = Animal::extract(&agent, "A spider.").max_output_tokens(4_096).max_continuations(0);
        let (animal, metrics) = asked.await.unwrap_or_else(|error| panic!("{provider}: {error}"));
        assert_eq!((animal, metrics.attempts), (spider(), 3), "{provider}");
        let limits: Vec<_> = server.received().iter().map(|received| limit(&received.body).clone()).collect();
        assert_eq!(limits, [4_096, 8_192, 4_096, 4_096], "{provider}");
    }
}

/// Words of OpenAI, Groq and DeepSeek. A later cut doubles the limit again.
#[tokio::test]
async fn the_most_tokens_that_a_server_names_are_asked_for_and_kept() {
    for (provider, message) in [
        ("openai", "max_tokens is too large: 8192. This model supports at most 6000 completion tokens."),
        ("groq", "`max_completion_tokens` must be less than or equal to `6000`, the maximum value for it"),
        ("deepseek", "Invalid max_tokens value, the valid range of max_tokens is [1, 6000]"),
    ] {
        let cut = || Answer::json(&whole(provider, r#"{"name": "#, "length"));
        let right = || replied(provider, SPIDER);
        let server = Server::start([cut(), refused("400 Bad Request", message), right(), cut(), right()]);
        let agent = agent(provider, &server);
        for _ in 0..2 {
            let asked = Animal::extract(&agent, "A spider.").max_output_tokens(4_096).max_continuations(0);
            assert_eq!(asked.await.unwrap().0, spider(), "{provider}");
        }
        let received = server.received();
        let limits: Vec<_> = received.iter().map(|received| limit(&received.body).clone()).collect();
        assert_eq!(limits, [4_096, 8_192, 6_000, 4_096, 6_000], "{provider}");
    }
}

/// Words of llama.cpp and vLLM, and of a server that says nothing.
#[tokio::test]
async fn a_refused_continuation_becomes_the_question_for_the_rest() {
    for (provider, message, is_remembered) in [
        ("llama.cpp", "Assistant response prefill is incompatible with enable_thinking.", true),
        ("vllm", "continue_final_message is set but the final message does not appear in the chat", true),
        ("vllm", "Bad Request", false),
    ] {
        for (cut, second, names) in [
            (r#"["anise", "ba"#, r#"{"from": 1, "rest": ["basil"]}"#, ["anise", "basil"]),
            (r#"["ani"#, r#"["anise", "basil"]"#, ["anise", "basil"]),
        ] {
            let server = Server::start([
                Answer::json(&whole(provider, cut, "length")),
                refused("400 Bad Request", message),
                replied(provider, second),
            ]);
            let agent = agent(provider, &server);
            assert!(agent.capabilities().continues_replies, "{provider}");
            let mut notes = Vec::new();
            let asked = Vec::<String>::extract(&agent, "Anise, basil.").max_output_tokens(500);
            let (found, _) = asked
                .observe(|event| {
                    if let Event::Judged { record, .. } = event {
                        notes.extend(record.notes.clone());
                    }
                })
                .await
                .unwrap_or_else(|error| panic!("{provider}: {error}"));
            assert_eq!(found, names, "{provider}");
            let note = format!("the cut text was not continued: HTTP 400 Bad Request: {message}");
            assert!(notes.contains(&note), "{provider}: {notes:?}");
            assert!(!notes.iter().any(|note| note.contains("schema was refused")), "{provider}: {notes:?}");
            assert_eq!(server.received().len(), 3, "{provider}");
            assert_eq!(agent.capabilities().continues_replies, !is_remembered, "{provider}");
        }
    }
}
