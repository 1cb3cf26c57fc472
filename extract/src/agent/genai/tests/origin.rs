//! The origin of replies and failures, and the parts of the tokens.

use super::{
    providers::{anthropic, gemini, openai_resp},
    stream::{closed, event, hear, open, streamed},
    *,
};
use crate::{agent::FinishReason, usage::TokenUsage};

fn with(mut body: Value, key: &str, value: Value) -> Value {
    body[key] = value;
    body
}

async fn usage(kind: AdapterKind, body: Value) -> TokenUsage {
    ask(kind, Answer::json(&body)).await.unwrap().usage().unwrap()
}

#[tokio::test]
async fn what_was_written_to_a_cache_and_thought_is_part_of_the_sides() {
    let expected = TokenUsage::new(21, 7).cached(10).cache_written(6).reasoning(4);
    let inside = json!({
        "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28,
        "prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 6},
        "completion_tokens_details": {"reasoning_tokens": 4},
    });
    let body = with(openai("8", "stop"), "usage", inside);
    assert_eq!(usage(AdapterKind::OpenAI, body).await, expected);
    let responses = json!({
        "input_tokens": 21, "output_tokens": 7, "total_tokens": 28,
        "input_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 6},
        "output_tokens_details": {"reasoning_tokens": 4},
    });
    let responses = with(openai_resp("8", "completed", None), "usage", responses);
    assert_eq!(usage(AdapterKind::OpenAIResp, responses).await, expected);
    // Anthropic does not count the cache as input.
    let beside = json!({
        "input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 6,
        "output_tokens_details": {"thinking_tokens": 4},
    });
    assert_eq!(
        usage(AdapterKind::Anthropic, with(anthropic("8", "end_turn"), "usage", beside)).await,
        expected
    );
    // Gemini does not count thoughts as output, and its replies do not report cache writes.
    let beside = json!({
        "promptTokenCount": 21, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 28,
        "cachedContentTokenCount": 10,
    });
    let gemini = with(gemini("8", "STOP"), "usageMetadata", beside);
    assert_eq!(usage(AdapterKind::Gemini, gemini).await, TokenUsage { cache_write_tokens: 0, ..expected });
}

#[tokio::test]
async fn reasoning_of_xai_is_counted_once() {
    let reported = |output: u64, total: u64| {
        let usage = json!({
            "prompt_tokens": 21, "completion_tokens": output, "total_tokens": total,
            "completion_tokens_details": {"reasoning_tokens": 4},
        });
        with(openai("8", "stop"), "usage", usage)
    };
    let expected = TokenUsage::new(21, 7).reasoning(4);
    assert_eq!(usage(AdapterKind::Xai, reported(3, 28)).await, expected, "counted beside the output");
    assert_eq!(usage(AdapterKind::Xai, reported(7, 28)).await, expected, "counted in it");
}

#[tokio::test]
async fn the_cache_of_bedrock_is_counted_beside_its_input() {
    let body = json!({
        "output": {"message": {"role": "assistant", "content": [{"text": "8"}]}},
        "stopReason": "end_turn",
        "usage": {
            "inputTokens": 50, "outputTokens": 7, "totalTokens": 73,
            "cacheReadInputTokens": 10, "cacheWriteInputTokens": 6,
        },
    });
    let expected = TokenUsage::new(66, 7).cached(10).cache_written(6);
    assert_eq!(usage(AdapterKind::BedrockApi, body).await, expected);
}

#[tokio::test]
async fn a_stream_of_anthropic_says_what_was_thought() {
    let kind = AdapterKind::Anthropic;
    let mut events = open(kind);
    let usage = json!({"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 4}});
    events.push(event(kind, &json!({"type": "content_block_stop", "index": 0})));
    events.push(event(
        kind,
        &json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}),
    ));
    events.push(event(kind, &json!({"type": "message_stop"})));
    let (_, reply) = hear(kind, streamed(kind, events)).await;
    assert_eq!(reply.unwrap().usage(), Some(TokenUsage::new(21, 7).cached(16).reasoning(4)));
}

#[tokio::test]
async fn a_stream_of_openai_says_the_parts_too() {
    let kind = AdapterKind::OpenAI;
    let mut events = closed(kind, "stop");
    let usage = json!({"choices": [], "usage": {
        "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28,
        "prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 6},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }});
    let last = events.len() - 2;
    events[last] = event(kind, &usage);
    let (_, reply) = hear(kind, streamed(kind, events)).await;
    let expected = TokenUsage::new(21, 7).cached(10).cache_written(6).reasoning(4);
    assert_eq!(reply.unwrap().usage(), Some(expected));
}

#[tokio::test]
async fn a_stream_that_repeats_itself_is_not_without_origin() {
    let kind = AdapterKind::OpenAI;
    let start = json!({
        "id": "chatcmpl-1", "model": "m",
        "choices": [{"index": 0, "delta": {"content": "[\"Ondricka\""}, "finish_reason": null}],
    });
    let again = json!({
        "id": "chatcmpl-1", "model": "m",
        "choices": [{"index": 0, "delta": {"content": ", \"Ondricka\"".repeat(400)}, "finish_reason": null}],
    });
    let mut events = vec![event(kind, &start), event(kind, &again)];
    events.push("data: [DONE]\n\n".to_owned());
    let server = Server::start([streamed(kind, events)]);
    let agent = agent(kind, &server);
    let contract = crate::contract::Contract::from_schema(json!({"type": "array"})).unwrap();
    let error = contract.extract(&agent, "Who?").stream(true).max_attempts(1).await.unwrap_err();
    let record = &error.history()[0];
    assert_eq!(record.finish_reason, FinishReason::Repetition);
    assert_eq!(record.origin, origin(Some("m"), Some("chatcmpl-1")));
}

#[tokio::test]
async fn a_failure_has_the_status_and_the_request_id() {
    let body = json!({"error": {"message": "slow down"}});
    let error = fail(Answer::status("429 Too Many Requests", &body).header("x-request-id", "req_1")).await;
    assert_eq!((error.status(), error.request_id()), (Some(429), Some("req_1")));
    // Anthropic repeats it in the body.
    let body = json!({"type": "error", "error": {"type": "overloaded_error", "message": "…"}, "request_id": "req_2"});
    let error = ask(AdapterKind::Anthropic, Answer::status("529 Overloaded", &body)).await.unwrap_err();
    assert_eq!((error.status(), error.request_id()), (Some(529), Some("req_2")));
    // OpenRouter reports the status of the provider behind it in a success.
    let body = json!({"error": {"message": "bad gateway", "code": 502}, "request_id": "req_3"});
    let error = fail(Answer::json(&body)).await;
    assert_eq!((error.status(), error.request_id()), (Some(502), Some("req_3")));
    let error = ask(AdapterKind::OpenAI, Answer::Cut("{")).await.unwrap_err();
    assert_eq!((error.status(), error.request_id()), (None, None));
}

#[tokio::test]
async fn a_refusal_that_is_an_error_keeps_them() {
    let body = json!({"error": {"code": "content_filter", "message": "no"}});
    let answer = Answer::status("400 Bad Request", &body).header("apim-request-id", "az-1");
    let reply = ask(AdapterKind::OpenAI, answer).await.unwrap();
    assert_eq!(reply.origin(), Some(&ReplyOrigin::default().with_status(400).with_request_id("az-1")));
    let blocked =
        json!({"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "g", "responseId": "r"});
    let reply = ask(AdapterKind::Gemini, Answer::json(&blocked)).await.unwrap();
    assert_eq!(reply.origin(), Some(&origin(Some("g"), Some("r"))));
}

#[tokio::test]
async fn a_request_id_shows_no_key() {
    let body = json!({"error": {"message": "no"}});
    let error = fail(Answer::status("401 Unauthorized", &body).header("x-request-id", KEY)).await;
    assert!(!error.request_id().unwrap().contains(KEY), "{error:?}");
}

#[tokio::test]
async fn the_metrics_of_an_extraction_have_it_all() {
    let server = Server::start([
        Answer::status("503 Service Unavailable", &json!({})).header("x-request-id", "req_1"),
        Answer::json(&openai("8", "stop")),
    ]);
    let contract = crate::contract::Contract::from_schema(json!({"type": "integer"})).unwrap();
    let no_wait = crate::settings::TransportOptions::new()
        .backoff(std::time::Duration::from_millis(1), std::time::Duration::from_millis(1));
    let agent = agent(AdapterKind::OpenAI, &server);
    let (_, metrics) = contract.extract(&agent, "?").transport_options(no_wait).await.unwrap();
    assert_eq!(metrics.per_attempt[0].origin, origin(Some("some-model-2026-01-01"), Some("chatcmpl-1")));
    assert_eq!(
        (&*metrics.per_model[0].agent, metrics.per_model[0].name()),
        ("openai/some-model", "some-model-2026-01-01")
    );
    let failure = &metrics.transport_failures[0];
    assert_eq!((failure.status, failure.request_id.as_deref()), (Some(503), Some("req_1")));
}
