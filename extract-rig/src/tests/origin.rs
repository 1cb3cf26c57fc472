//! The origin of replies and failures, and the parts of the tokens.

use extract::{Contract, TokenUsage, metrics::ReplyOrigin};

use super::*;

fn body() -> Value {
    let mut body = openai("8", "stop");
    body["usage"] = json!({
        "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28,
        "prompt_tokens_details": {"cached_tokens": 10},
        "completion_tokens_details": {"reasoning_tokens": 4},
    });
    body
}

#[tokio::test]
async fn a_reply_has_the_request_id_of_its_header() {
    let answer = || Answer::json(&body()).header("x-request-id", "req_1");
    let server = Server::start([answer(), answer(), answer()]);
    let url = server.url("v1");
    let expected = ReplyOrigin::default()
        .with_model("some-model-2026-01-01")
        .with_response_id("chatcmpl-1")
        .with_request_id("req_1");
    let agents: [(Box<dyn Agent>, _); 3] = [
        (Box::new(model(&url)), expected.clone().with_status(200)),
        (Box::new(bounded(&url)), expected.clone().with_status(200)),
        (Box::new(clerk(chat(&url))), expected),
    ];
    for (agent, expected) in agents {
        let reply = agent.respond(&request()).await.unwrap();
        assert_eq!(reply.origin(), Some(&expected));
        assert_eq!(reply.usage(), Some(TokenUsage::new(21, 7).cached(10).reasoning(4)));
    }
}

#[tokio::test]
async fn what_anthropic_wrote_to_its_cache_is_part_of_the_input() {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
        "content": [{"type": "text", "text": "8"}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {
            "input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 6,
        },
    });
    let server = Server::start([Answer::json(&body).header("request-id", "req_1")]);
    let client = rig_core::providers::anthropic::AnthropicConfig::new(KEY)
        .with_base_url(server.url(""))
        .connect(ReqwestClient::from(HTTP.clone()));
    let mut request = request();
    request.max_output_tokens = Some(50);
    let reply = RigModel::from(client.completion("claude-x")).respond(&request).await.unwrap();
    assert_eq!(reply.usage(), Some(TokenUsage::new(21, 7).cached(10).cache_written(6)));
    assert_eq!(reply.origin().unwrap().request_id.as_deref(), Some("req_1"));
    assert_eq!(reply.origin().unwrap().response_id.as_deref(), Some("msg_1"));
}

#[tokio::test]
async fn a_failure_has_the_status_and_the_request_id() {
    let answer = || {
        Answer::status("429 Too Many Requests", &json!({"error": {"message": "slow down"}}))
            .header("x-request-id", "req_1")
    };
    let server = Server::start([answer(), answer(), answer(), answer()]);
    for (name, agent) in agents(&server.url("v1")) {
        let error = agent.respond(&request()).await.unwrap_err();
        assert_eq!((error.status(), error.request_id()), (Some(429), Some("req_1")), "{name}: {error}");
    }
    let error = ask(&json!({"error": {"message": "bad gateway", "code": 502}})).await.unwrap_err();
    assert_eq!(error.status(), Some(502), "{error}");
}

#[tokio::test]
async fn a_stream_that_repeats_itself_is_not_without_origin() {
    let event = |text: &str| {
        let delta = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
        format!("data: {}\n\n", json!({"id": "chatcmpl-1", "model": "m", "choices": [delta]}))
    };
    let events = event("[\"Ondricka\"") + &event(&", \"Ondricka\"".repeat(400)) + "data: [DONE]\n\n";
    let answer = Answer::bytes("200 OK", "text/event-stream", events).header("x-request-id", "req_1");
    let server = Server::start([answer]);
    let contract = Contract::from_schema(json!({"type": "array"})).unwrap();
    let model = model(&server.url("v1"));
    let error = contract.extract(&model, "Who?").stream(true).max_attempts(1).await.unwrap_err();
    let record = &error.history()[0];
    assert_eq!(record.finish_reason, FinishReason::Repetition);
    let origin = &record.origin;
    assert_eq!((origin.status, origin.request_id.as_deref()), (Some(200), Some("req_1")));
    assert_eq!(origin.response_id.as_deref(), Some("chatcmpl-1"));
}

#[tokio::test]
async fn no_key_is_in_an_origin() {
    let server = Server::start([Answer::json(&openai("8", "stop")).header("x-request-id", KEY)]);
    let reply = model(&server.url("v1")).respond(&request()).await.unwrap();
    assert!(!format!("{:?}", reply.origin()).contains(KEY), "{:?}", reply.origin());
}
