//! The request to each provider, and the reply made of its response.

use super::*;
use crate::{agent::FinishReason, usage::TokenUsage};

pub(super) fn openai_resp(text: &str, status: &str, reason: Option<&str>) -> Value {
    json!({
        "id": "resp_1",
        "object": "response",
        "status": status,
        "error": null,
        "incomplete_details": reason.map(|reason| json!({"reason": reason})),
        "model": "some-model",
        "output": [{
            "type": "message",
            "id": "msg_1",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }],
        "usage": {"input_tokens": 21, "output_tokens": 7, "total_tokens": 28},
    })
}

pub(super) fn anthropic(text: &str, stop_reason: &str) -> Value {
    let (start, end) = text.split_at(text.len() / 2);
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "some-model",
        "content": [{"type": "text", "text": start}, {"type": "text", "text": end}],
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": {"input_tokens": 21, "output_tokens": 7},
    })
}

pub(super) fn gemini(text: &str, finish_reason: &str) -> Value {
    json!({
        "candidates": [{
            "content": {"parts": [{"text": text}], "role": "model"},
            "finishReason": finish_reason,
            "index": 0,
        }],
        "usageMetadata": {"promptTokenCount": 21, "candidatesTokenCount": 7, "totalTokenCount": 28},
        "modelVersion": "some-model",
    })
}

pub(super) fn ollama(text: &str, done_reason: &str) -> Value {
    json!({
        "model": "some-model",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": true,
        "done_reason": done_reason,
        "prompt_eval_count": 21,
        "eval_count": 7,
    })
}

/// The origins of the responses above.
fn whose(kind: AdapterKind) -> ReplyOrigin {
    match kind {
        AdapterKind::OpenAI => origin(Some("some-model-2026-01-01"), Some("chatcmpl-1")),
        AdapterKind::OpenAIResp => origin(Some("some-model"), Some("resp_1")),
        AdapterKind::Anthropic => origin(Some("some-model"), Some("msg_1")),
        _ => origin(Some("some-model"), None),
    }
}

async fn assert_reply(kind: AdapterKind, body: Value, reason: FinishReason) {
    let reply = ask(kind, Answer::json(&body)).await.unwrap();
    let expected = Reply::new(r#"{"legs": 8}"#).finished(reason).with_usage(TokenUsage::new(21, 7));
    assert_eq!(reply, expected.with_origin(whose(kind)), "{kind}");
}

#[tokio::test]
async fn replies_with_text_finish_reason_and_usage() {
    let text = r#"{"legs": 8}"#;
    let stop = || FinishReason::Stop;
    assert_reply(AdapterKind::OpenAI, openai(text, "stop"), stop()).await;
    assert_reply(AdapterKind::OpenAIResp, openai_resp(text, "completed", None), stop()).await;
    assert_reply(AdapterKind::Anthropic, anthropic(text, "end_turn"), stop()).await;
    assert_reply(AdapterKind::Gemini, gemini(text, "STOP"), stop()).await;
    assert_reply(AdapterKind::Ollama, ollama(text, "stop"), stop()).await;
}

#[tokio::test]
async fn reports_what_was_read_from_a_cache() {
    let with = |mut body: Value, usage: Value| {
        for (key, value) in usage.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    for (kind, body) in [
        (
            AdapterKind::OpenAI,
            with(
                openai("8", "stop"),
                json!({"usage": {
                    "prompt_tokens": 21, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 16},
                }}),
            ),
        ),
        (
            AdapterKind::OpenAIResp,
            with(
                openai_resp("8", "completed", None),
                json!({"usage": {
                    "input_tokens": 21, "output_tokens": 7, "total_tokens": 28, "input_tokens_details": {"cached_tokens": 16},
                }}),
            ),
        ),
        (
            AdapterKind::Anthropic,
            with(
                anthropic("8", "end_turn"),
                json!({"usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 16}}),
            ),
        ),
        (
            AdapterKind::Gemini,
            with(
                gemini("8", "STOP"),
                json!({"usageMetadata": {
                    "promptTokenCount": 21, "candidatesTokenCount": 7, "totalTokenCount": 28, "cachedContentTokenCount": 16,
                }}),
            ),
        ),
        (AdapterKind::Ollama, with(ollama("8", "stop"), json!({"prompt_eval_cached_count": 16}))),
    ] {
        let usage = ask(kind, Answer::json(&body)).await.unwrap().usage().unwrap();
        assert_eq!(usage, TokenUsage::new(21, 7).cached(16), "{kind}");
    }
}

#[tokio::test]
async fn anthropic_is_told_how_much_the_model_can_write_at_most() {
    for (model, most) in [("claude-haiku-4-5", 64_000), ("claude-3-haiku", 4_096)] {
        let server = Server::start([Answer::json(&anthropic("8", "end_turn"))]);
        let target = (Endpoint::from_owned(server.url("")), AuthData::from_single(KEY));
        let client = Client::builder().with_reqwest(HTTP.clone());
        let client = client.append_provider_config(AdapterKind::Anthropic, target).build().unwrap();
        let agent = GenaiAgent::with_client(client, format!("anthropic/{model}")).unwrap();
        agent.respond(&request()).await.unwrap();
        assert_eq!(server.received()[0].body["max_tokens"], most, "{model}");
    }
}

#[tokio::test]
async fn says_that_a_reply_was_cut() {
    let text = r#"{"legs": 8}"#;
    let cut = || FinishReason::Length;
    assert_reply(AdapterKind::OpenAI, openai(text, "length"), cut()).await;
    let incomplete = openai_resp(text, "incomplete", Some("max_output_tokens"));
    assert_reply(AdapterKind::OpenAIResp, incomplete, cut()).await;
    assert_reply(AdapterKind::Anthropic, anthropic(text, "max_tokens"), cut()).await;
    assert_reply(AdapterKind::Gemini, gemini(text, "MAX_TOKENS"), cut()).await;
    assert_reply(AdapterKind::Ollama, ollama(text, "length"), cut()).await;
}

#[tokio::test]
async fn says_that_a_reply_was_filtered() {
    let text = r#"{"legs": 8}"#;
    let filtered = || FinishReason::ContentFilter;
    assert_reply(AdapterKind::OpenAI, openai(text, "content_filter"), filtered()).await;
    let incomplete = openai_resp(text, "incomplete", Some("content_filter"));
    assert_reply(AdapterKind::OpenAIResp, incomplete, filtered()).await;
    assert_reply(AdapterKind::Anthropic, anthropic(text, "refusal"), filtered()).await;
    let reply = ask(AdapterKind::Gemini, Answer::json(&gemini(text, "SAFETY"))).await.unwrap();
    let expected = Reply::new(text).finished(filtered()).with_usage(TokenUsage::new(21, 7));
    assert_eq!(reply, expected.with_refusal("SAFETY").with_origin(whose(AdapterKind::Gemini)));
}

#[tokio::test]
async fn keeps_a_reason_that_it_does_not_know() {
    let text = r#"{"legs": 8}"#;
    let other = |reason: &str| FinishReason::Other(reason.to_owned());
    assert_reply(AdapterKind::OpenAI, openai(text, "tired"), other("tired")).await;
    assert_reply(AdapterKind::Anthropic, anthropic(text, "pause_turn"), other("pause_turn")).await;
}

#[tokio::test]
async fn invents_neither_usage_nor_finish_reason() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": "8"}}]});
    let reply = ask(AdapterKind::OpenAI, Answer::json(&body)).await.unwrap();
    assert_eq!(reply, Reply::new("8"));
}

#[tokio::test]
async fn an_empty_reply_is_a_reply() {
    for (kind, body) in [
        (AdapterKind::OpenAI, openai("", "stop")),
        (AdapterKind::Gemini, json!({"candidates": [{"finishReason": "MAX_TOKENS"}]})),
    ] {
        assert_eq!(ask(kind, Answer::json(&body)).await.unwrap().text(), "", "{kind}");
    }
}

/// A conversation in its second attempt, with every optional setting.
async fn sent(kind: AdapterKind, body: Value) -> server::Received {
    let server = Server::start([Answer::json(&body)]);
    let mut request = request();
    request.conversation = request.conversation.with(Role::Assistant, "eight").with(Role::User, "A number!");
    request.temperature = Some(0.25);
    request.max_output_tokens = Some(300);
    agent(kind, &server).respond(&request).await.unwrap();
    server.received().remove(0)
}

#[tokio::test]
async fn sends_everything_to_openai() {
    let sent = sent(AdapterKind::OpenAI, openai("8", "stop")).await;
    assert_eq!(sent.path, "/api/chat/completions");
    assert_eq!(sent.header("authorization").unwrap(), format!("Bearer {KEY}"));
    let expected = json!({
        "model": "some-model",
        "stream": false,
        "messages": [
            {"role": "system", "content": "Answer in JSON."},
            {"role": "user", "content": "How many legs?"},
            {"role": "assistant", "content": "eight"},
            {"role": "user", "content": "A number!"},
        ],
        "temperature": 0.25,
        "max_tokens": 300,
    });
    assert_eq!(sent.body, expected);
}

#[tokio::test]
async fn sends_everything_to_openai_responses() {
    let sent = sent(AdapterKind::OpenAIResp, openai_resp("8", "completed", None)).await;
    assert_eq!(sent.path, "/api/responses");
    assert_eq!(sent.body["instructions"], "Answer in JSON.");
    let roles = sent.body["input"].as_array().unwrap().iter().map(|item| item["role"].as_str().unwrap());
    assert_eq!(roles.collect::<Vec<_>>(), ["user", "assistant", "user"]);
    assert!(sent.body["input"].to_string().contains("How many legs?"));
    assert_eq!(sent.body["temperature"], 0.25);
    assert_eq!(sent.body["max_output_tokens"], 300);
}

#[tokio::test]
async fn sends_everything_to_anthropic() {
    let sent = sent(AdapterKind::Anthropic, anthropic("8", "end_turn")).await;
    assert_eq!(sent.path, "/api/messages");
    assert_eq!(sent.header("x-api-key"), Some(KEY));
    let expected = json!({
        "model": "some-model",
        "stream": false,
        "system": "Answer in JSON.",
        "messages": [
            {"role": "user", "content": "How many legs?"},
            {"role": "assistant", "content": "eight"},
            {"role": "user", "content": "A number!"},
        ],
        "temperature": 0.25,
        "max_tokens": 300,
    });
    assert_eq!(sent.body, expected);
}

#[tokio::test]
async fn sends_everything_to_gemini() {
    let sent = sent(AdapterKind::Gemini, gemini("8", "STOP")).await;
    assert_eq!(sent.path, "/api/models/some-model:generateContent");
    assert_eq!(sent.header("x-goog-api-key"), Some(KEY));
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Answer in JSON."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "How many legs?"}]},
            {"role": "model", "parts": [{"text": "eight"}]},
            {"role": "user", "parts": [{"text": "A number!"}]},
        ],
        "generationConfig": {"temperature": 0.25, "maxOutputTokens": 300},
    });
    assert_eq!(sent.body, expected);
}

#[tokio::test]
async fn sends_everything_to_ollama() {
    let sent = sent(AdapterKind::Ollama, ollama("8", "stop")).await;
    assert_eq!(sent.path, "/api/api/chat");
    let expected = json!({
        "model": "some-model",
        "stream": false,
        "options": {"temperature": 0.25, "num_predict": 300},
        "messages": [
            {"role": "system", "content": "Answer in JSON."},
            {"role": "user", "content": "How many legs?"},
            {"role": "assistant", "content": "eight"},
            {"role": "user", "content": "A number!"},
        ],
    });
    assert_eq!(sent.body, expected);
}

#[tokio::test]
async fn asks_ollama_where_the_environment_says_it_is() {
    let server = Server::start([Answer::json(&ollama("8", "stop"))]);
    let host = server.url("");
    let variable = |name: &str| (name == "OLLAMA_HOST").then(|| host.clone());
    let agent = GenaiAgent::from_variables(variable).unwrap().unwrap();
    assert_eq!(agent.name(), GenaiAgent::OLLAMA);
    assert_eq!(agent.respond(&request()).await.unwrap().text(), "8");
    assert_eq!(server.received()[0].path, "/api/chat");
}

#[test]
fn the_environment_may_ask_for_nothing_or_for_nonsense() {
    assert!(GenaiAgent::from_variables(|_| None).unwrap().is_none());
    let nonsense = |name: &str| (name == "EXTRACT_AGENT").then(|| "nobody/nothing".to_owned());
    assert_kind(&GenaiAgent::from_variables(nonsense).unwrap_err(), AgentErrorKind::Unavailable);
}
