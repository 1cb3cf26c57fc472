//! The refusals of providers that rig reports.

use extract::ExtractionError;
use rig_core::providers::{anthropic::AnthropicConfig, gemini::GeminiConfig};

use super::*;

const WORDS: &str = "I must not count legs.";

fn anthropic_body(text: &str, details: &Value) -> Value {
    let content = if text.is_empty() { json!([]) } else { json!([{"type": "text", "text": text}]) };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "content": content,
        "stop_reason": "refusal", "stop_sequence": null, "stop_details": details,
        "usage": {"input_tokens": 21, "output_tokens": 7},
    })
}

fn openai_refusal() -> Value {
    let mut body = openai("", "stop");
    body["choices"][0]["message"] = json!({"role": "assistant", "content": null, "refusal": WORDS});
    body
}

fn http() -> ReqwestClient {
    ReqwestClient::from(HTTP.clone())
}

async fn ask_anthropic(body: &Value) -> Result<Reply, AgentError> {
    let server = Server::start([Answer::json(body)]);
    let client = AnthropicConfig::new(KEY).with_base_url(server.url("")).connect(http());
    let mut request = request();
    request.max_output_tokens = Some(99);
    RigModel::from(client.completion("some-model")).respond(&request).await
}

async fn ask_gemini(body: &Value) -> Result<Reply, AgentError> {
    let server = Server::start([Answer::json(body)]);
    let client = GeminiConfig::new(KEY).with_base_url(server.url("")).connect(http());
    RigModel::from(client.completion("some-model")).respond(&request()).await
}

#[tokio::test]
async fn a_model_says_what_its_provider_says() {
    let explained = json!({"type": "refusal", "category": "bio", "explanation": WORDS});
    let finished = |reason: &str| {
        json!({
            "candidates": [{"content": {"parts": [{"text": "La"}], "role": "model"}, "finishReason": reason, "index": 0}],
            "usageMetadata": {"promptTokenCount": 21, "candidatesTokenCount": 7, "totalTokenCount": 28},
        })
    };
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    for (reply, words) in [
        (ask(&openai_refusal()).await, WORDS),
        (ask_anthropic(&anthropic_body("", &explained)).await, WORDS),
        (ask_anthropic(&anthropic_body("{\"legs", &explained)).await, WORDS),
        (ask_gemini(&finished("SAFETY")).await, "SAFETY"),
        (ask_gemini(&finished("RECITATION")).await, "RECITATION"),
        (ask_gemini(&blocked).await, "Gemini blocked the prompt: block_reason=SAFETY"),
    ] {
        let reply = reply.unwrap();
        assert_eq!((reply.refusal(), reply.is_refusal()), (Some(words), true));
    }
    let reply = ask(&openai("", "content_filter")).await.unwrap();
    assert_eq!((reply.refusal(), reply.is_refusal()), (None, true));
}

#[tokio::test]
async fn it_ends_an_extraction() {
    let server = || Server::start([Answer::json(&openai_refusal())]);
    let (bare, clerk_server) = (server(), server());
    let agents: [Box<dyn Agent>; 2] =
        [Box::new(model(&bare.url("v1"))), Box::new(clerk(chat(&clerk_server.url("v1"))))];
    for agent in agents {
        let error = contract().extract(&agent, "A spider.").await.unwrap_err();
        let ExtractionError::Refused { message, .. } = error else { panic!("{error}") };
        assert_eq!(message, WORDS);
    }
}

#[tokio::test]
async fn an_agent_says_that_its_turn_was_filtered() {
    for text in ["", r#"{"legs": 8}"#] {
        let reply = ask_clerk(&openai(text, "content_filter")).await.unwrap();
        assert!(reply.is_refusal(), "{reply:?}");
        let words = reply.refusal().unwrap().to_lowercase().replace('_', "");
        assert!(words.contains("contentfilter"), "{words}");
    }
}

#[tokio::test]
async fn a_prompt_that_a_filter_refuses_is_a_refusal_and_not_a_mistake() {
    let error = json!({"error": {"message": format!("filtered, {KEY}"), "code": "content_filter"}});
    for answer in [Answer::status("400 Bad Request", &error), Answer::json(&error)] {
        let server = Server::start([answer]);
        let agent = model(&server.url("v1")).redacting(KEY);
        let reply = agent.respond(&request()).await.unwrap();
        assert_eq!(reply.refusal(), Some("filtered, [redacted]"));
    }
}

#[tokio::test]
async fn a_stream_has_the_words_too() {
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        let chunk =
            json!({"id": "c", "object": "chat.completion.chunk", "model": "some-model", "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let events = [
        chunk(json!({"role": "assistant", "refusal": "I must not "}), Value::Null),
        chunk(json!({"refusal": "count legs."}), Value::Null),
        chunk(json!({}), json!("stop")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let server = Server::start([Answer::bytes("200 OK", "text/event-stream", events.concat())]);
    let model = model(&server.url("v1"));
    let reply = model.stream(&request(), DeltaSink::new(|_| ())).await.unwrap();
    assert_eq!(reply.refusal(), Some(WORDS));
}
