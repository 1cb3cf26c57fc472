//! Converse of Bedrock.

use extract::{
    Extractable as _, TokenUsage, Toolkit,
    agent::{
        Agent as _, AgentErrorKind, Conversation, Delta, DeltaSink, FinishReason, Part, Request, Role,
        ThinkingLevel, ToolCall, Turn,
    },
};
use extract_agents::{Profile, ProviderAgent};
use serde_json::{Value, json};

use crate::{
    KEY, agent, ask, contract,
    formats::{events, frame, kind, replied, stop, whole},
    legs, request,
    server::{Answer, Server},
    stream,
};

const CONVERSE: &str = "bedrock-converse";

async fn sent(request: &Request) -> Value {
    let server = Server::start([replied(CONVERSE, "{}")]);
    agent(CONVERSE, &server).respond(request).await.unwrap();
    server.only().body
}

#[tokio::test]
async fn the_model_is_in_the_path_and_the_key_is_a_bearer_token() {
    let server = Server::start([replied(CONVERSE, "{}"), replied(CONVERSE, "{}")]);
    for (model, path) in [
        ("us.anthropic.claude-sonnet-4-6-v1:0", "/model/us.anthropic.claude-sonnet-4-6-v1%3A0/converse"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/x",
            "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse",
        ),
    ] {
        let agent = ProviderAgent::at(server.url(""), format!("{CONVERSE}/{model}")).unwrap().key(KEY);
        agent.respond(&request()).await.unwrap();
        let received = server.received().pop().unwrap();
        assert_eq!(
            (&*received.path, received.header("authorization")),
            (path, Some(&*format!("Bearer {KEY}")))
        );
    }
    assert_eq!(Profile::find(CONVERSE).unwrap().key_variables[0], "AWS_BEARER_TOKEN_BEDROCK");
}

#[tokio::test]
async fn a_request_has_the_members_of_converse() {
    let mut request = request().with_schema(legs()).with_tools(Toolkit::untyped(contract()).tools());
    (request.max_output_tokens, request.temperature) = (Some(100), Some(0.5));
    let body = sent(&request).await;
    assert_eq!(body["system"], json!([{"text": "Answer in JSON."}]));
    assert_eq!(body["messages"], json!([{"role": "user", "content": [{"text": "How many legs?"}]}]));
    assert_eq!(body["inferenceConfig"], json!({"maxTokens": 100, "temperature": 0.5}));
    let format = &body["outputConfig"]["textFormat"];
    assert_eq!(
        (&format["type"], &format["structure"]["jsonSchema"]["name"]),
        (&json!("json_schema"), &json!("Legs"))
    );
    let schema = format["structure"]["jsonSchema"]["schema"].as_str().unwrap();
    let schema: Value = serde_json::from_str(schema).unwrap();
    assert_eq!(schema["properties"]["legs"]["type"], "integer");
    let tool = &body["toolConfig"]["tools"][0]["toolSpec"];
    assert!(tool["name"].is_string() && tool["inputSchema"]["json"].is_object(), "{tool}");
    assert!(body.get("model").is_none() && body.get("stream").is_none(), "{body}");
}

/// Bedrock refuses two messages of the same role in a row.
#[tokio::test]
async fn messages_of_the_same_role_become_one() {
    let call = ToolCall::new("submit", json!({"legs": 6})).with_id("c");
    let called = extract::agent::Reply::new("I submit it.").with_calls([call.clone()]);
    let conversation = Conversation::new()
        .with(Role::User, "A worked \"example\".")
        .with(Role::User, "How many legs?")
        .with_turn(Turn::of_calls(&called))
        .with_turn(Turn::of_results([call.answered("six is wrong", true)]))
        .with(Role::User, "Again.");
    let body = sent(&Request::new(conversation)).await;
    let result = json!({"toolUseId": "c", "content": [{"text": "six is wrong"}], "status": "error"});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"text": "A worked \"example\"."}, {"text": "How many legs?"}]},
            {"role": "assistant", "content": [
                {"text": "I submit it."},
                {"toolUse": {"toolUseId": "c", "name": "submit", "input": {"legs": 6}}},
            ]},
            {"role": "user", "content": [{"toolResult": result}, {"text": "Again."}]},
        ])
    );
}

#[tokio::test]
async fn images_and_documents_have_their_formats() {
    let parts = [
        Part::image([1, 2].as_slice(), "image/png"),
        Part::document([1, 2].as_slice(), "application/pdf").named("a  b_c.pdf"),
        Part::url("s3://bucket/a.csv", "text/csv"),
    ];
    let body = sent(&Request::new(Conversation::new().with_parts(Role::User, parts))).await;
    let bytes = json!({"bytes": "AQI="});
    let s3 = json!({"s3Location": {"uri": "s3://bucket/a.csv"}});
    assert_eq!(
        body["messages"][0]["content"],
        json!([
            {"image": {"format": "png", "source": bytes}},
            {"document": {"format": "pdf", "source": bytes, "name": "a b-c-pdf"}},
            {"document": {"format": "csv", "source": s3, "name": "document"}},
            {"text": "This is the document."},
        ])
    );
    for part in [Part::url("https://e.org/a.png", "image/png"), Part::image([1].as_slice(), "image/tiff")] {
        let request = Request::new(Conversation::new().with_parts(Role::User, [part]));
        let error = agent(CONVERSE, &Server::start([])).respond(&request).await.unwrap_err();
        assert!(error.message().contains("is not sent"), "{error}");
    }
}

#[tokio::test]
async fn a_reply_is_read_with_calls_thoughts_and_usage() {
    let content = json!([
        {"reasoningContent": {"reasoningText": {"text": "Eight.", "signature": "sig"}}},
        {"text": "I submit it."},
        {"toolUse": {"toolUseId": "c", "name": "submit", "input": {"legs": 8}}},
    ]);
    let usage = json!({"inputTokens": 10, "outputTokens": 7, "cacheReadInputTokens": 64, "cacheWriteInputTokens": 26});
    let body = json!({"output": {"message": {"content": content}}, "stopReason": "tool_use", "usage": usage});
    let answer = Answer::json(&body).header("x-amzn-RequestId", "req_7");
    let server = Server::start([answer, replied(CONVERSE, "{}")]);
    let reply = agent(CONVERSE, &server).respond(&request()).await.unwrap();
    assert_eq!((reply.text(), reply.finish_reason()), ("I submit it.", &FinishReason::Stop));
    assert_eq!(reply.calls(), [ToolCall::new("submit", json!({"legs": 8})).with_id("c")]);
    assert_eq!(reply.usage(), Some(TokenUsage::new(100, 7).cached(64).cache_written(26)));
    assert_eq!(reply.origin().unwrap().request_id.as_deref(), Some("req_7"));
    // The thoughts go back with the calls.
    let turns = Conversation::new().with(Role::User, "How many?").with_turn(Turn::of_calls(&reply));
    agent(CONVERSE, &server).respond(&Request::new(turns)).await.unwrap();
    assert_eq!(server.received()[1].body["messages"][1]["content"], content);
}

#[tokio::test]
async fn a_guardrail_refuses_in_one_request() {
    let blocked = whole(CONVERSE, "Sorry, I cannot answer this.", "guardrail_intervened");
    let server = Server::start([Answer::json(&blocked), replied(CONVERSE, "8")]);
    let error = u8::extract(&agent(CONVERSE, &server), "How many?").await.unwrap_err();
    let extract::ExtractionError::Refused { .. } = &error else { panic!("{error}") };
    assert!(error.to_string().contains("Sorry, I cannot answer this."), "{error}");
    assert_eq!(server.received().len(), 1);
}

fn event(name: &str, data: &Value) -> Vec<u8> {
    frame(&[(":event-type", name), (":content-type", "application/json"), (":message-type", "event")], data)
}

#[tokio::test]
async fn calls_and_thoughts_of_a_stream_are_those_of_a_whole_reply() {
    let delta = |index: u8, delta: Value| {
        event("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta}))
    };
    let start = json!({"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "c", "name": "submit"}}});
    let body = [
        delta(0, json!({"reasoningContent": {"text": "Ei"}})),
        delta(0, json!({"reasoningContent": {"text": "ght."}})),
        delta(0, json!({"reasoningContent": {"signature": "sig"}})),
        delta(1, json!({"text": "I submit it."})),
        event("contentBlockStart", &start),
        delta(2, json!({"toolUse": {"input": "{\"legs\""}})),
        delta(2, json!({"toolUse": {"input": ": 8}"}})),
        event("messageStop", &json!({"stopReason": "tool_use"})),
        event(
            "metadata",
            &json!({"usage": {"inputTokens": 21, "outputTokens": 7, "cacheReadInputTokens": 5}}),
        ),
    ];
    // Nothing follows the metadata, so the end of the connection is not waited for.
    let pieces = vec![body.concat()];
    let server = Server::start([Answer::Pieces { kind: kind(CONVERSE), pieces, stays_open: true }]);
    let (mut text, mut given, request) = (String::new(), String::new(), request());
    let sink = DeltaSink::new(|delta: Delta<'_>| match delta.call {
        Some(call) => {
            assert_eq!((call.index, call.name), (0, "submit"));
            given.push_str(delta.text);
        }
        None => text.push_str(delta.text),
    });
    let reply = agent(CONVERSE, &server).stream(&request, sink).await.unwrap();
    assert_eq!((reply.text(), &*text, &*given), ("I submit it.", "I submit it.", "{\"legs\": 8}"));
    assert_eq!(reply.calls(), [ToolCall::new("submit", json!({"legs": 8})).with_id("c")]);
    assert_eq!(reply.usage(), Some(TokenUsage::new(26, 7).cached(5)));
    let content = json!([
        {"reasoningContent": {"reasoningText": {"text": "Eight.", "signature": "sig"}}},
        {"text": "I submit it."},
        {"toolUse": {"toolUseId": "c", "name": "submit", "input": {"legs": 8}}},
    ]);
    assert_eq!(reply.provider_data().unwrap()["data"], content);
    assert!(server.only().path.ends_with("/converse-stream"));
}

#[tokio::test]
async fn an_exception_in_a_stream_is_the_error_of_the_request() {
    for (name, kind_of_error) in [
        ("throttlingException", AgentErrorKind::RateLimited),
        ("validationException", AgentErrorKind::Refused),
        ("modelStreamErrorException", AgentErrorKind::Transport),
        ("internalServerException", AgentErrorKind::Transport),
    ] {
        let headers = [(":message-type", "exception"), (":exception-type", name)];
        let start = events(CONVERSE, &["{\"legs\"", ": 8}"], stop(CONVERSE))[..2].concat();
        let body = [start, frame(&headers, &json!({"message": format!("no, {KEY}")}))].concat();
        let (reply, _) = stream(CONVERSE, Answer::bytes("200 OK", kind(CONVERSE), body)).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind(), kind_of_error, "{name}: {error}");
        assert!(error.message().contains("no, ") && !error.message().contains(KEY), "{name}: {error}");
    }
}

#[tokio::test]
async fn errors_of_bedrock_have_their_kinds() {
    use AgentErrorKind::{RateLimited, Refused, Timeout, TooLong, Transport};
    for (status, message, kind) in [
        ("400 Bad Request", "Input is too long for requested model.", TooLong),
        ("403 Forbidden", "The security token is invalid.", Refused),
        ("408 Request Timeout", "The model timed out.", Timeout),
        ("424 Failed Dependency", "The model failed.", Transport),
        ("429 Too Many Requests", "Too many tokens, please wait before trying again.", RateLimited),
        ("503 Service Unavailable", "Busy.", Transport),
    ] {
        let error = ask(CONVERSE, Answer::status(status, &json!({"message": message}))).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{status}: {error}");
        assert!(error.message().contains(message), "{error}");
    }
    let missing = ask(CONVERSE, Answer::json(&json!({"output": {}}))).await.unwrap_err();
    assert_eq!(missing.kind(), AgentErrorKind::Garbled);
}

#[tokio::test]
async fn a_parameter_that_is_refused_is_left_out_of_its_object() {
    let refused =
        Answer::status("400 Bad Request", &json!({"message": "`temperature` is deprecated for this model."}));
    let server = Server::start([refused, replied(CONVERSE, "{}")]);
    let mut request = request().with_schema(legs());
    (request.max_output_tokens, request.temperature) = (Some(9), Some(0.0));
    let reply = agent(CONVERSE, &server).respond(&request).await.unwrap();
    let note = "`some-model` refused `temperature`, so it is not sent";
    assert!(reply.notes().iter().any(|known| known == note), "{:?}", reply.notes());
    assert_eq!(server.received()[1].body["inferenceConfig"], json!({"maxTokens": 9}));
}

/// The body of a request to `model`, and the notes of the reply.
async fn sent_to(model: &str, request: &Request) -> (Value, Vec<String>) {
    let server = Server::start([replied(CONVERSE, "{}")]);
    let agent = ProviderAgent::at(server.url(""), format!("{CONVERSE}/{model}")).unwrap().key(KEY);
    let reply = agent.respond(request).await.unwrap();
    (server.only().body, reply.notes().to_vec())
}

#[tokio::test]
async fn models_that_are_cached_are_told_up_to_where() {
    let conversation = Conversation::new()
        .with(Role::System, "Answer in JSON.")
        .with(Role::User, "A worked example.")
        .with(Role::Assistant, "{}")
        .with(Role::User, "A document.");
    let request = Request::new(conversation);
    let point = json!({"cachePoint": {"type": "default"}});
    let marked = |text: &str| json!([{"text": text}, point]);
    for model in
        ["us.anthropic.claude-sonnet-4-6-v1:0", "amazon.nova-lite-v1:0", "us.anthropic.claude-3-5-haiku-v1:0"]
    {
        let (body, _) = sent_to(model, &request).await;
        assert_eq!(body["system"], marked("Answer in JSON."), "{model}");
        assert_eq!(body["messages"][0]["content"], json!([{"text": "A worked example."}]));
        assert_eq!(body["messages"][1]["content"], marked("{}"), "{model}");
        assert_eq!(body["messages"][2]["content"], marked("A document."), "{model}");
    }
    for model in ["meta.llama3-3-70b-instruct-v1:0", "anthropic.claude-3-haiku-20240307-v1:0"] {
        assert!(!sent_to(model, &request).await.0.to_string().contains("cachePoint"), "{model}");
    }
    let server = Server::start([replied(CONVERSE, "{}")]);
    let agent = ProviderAgent::at(server.url(""), "bedrock-converse/amazon.nova-lite-v1:0").unwrap();
    agent.key(KEY).caching(false).respond(&request).await.unwrap();
    assert!(!server.only().body.to_string().contains("cachePoint"));
}

#[tokio::test]
async fn claude_is_told_how_much_to_think() {
    let mut asked = request();
    (asked.temperature, asked.max_output_tokens) = (Some(0.5), Some(100));
    for (model, level, fields, inference) in [
        (
            "us.anthropic.claude-sonnet-4-6-v1:0",
            ThinkingLevel::Low,
            json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
            json!({"maxTokens": 100}),
        ),
        (
            "anthropic.claude-3-7-sonnet-20250219-v1:0",
            ThinkingLevel::Budget(2_000),
            json!({"thinking": {"type": "enabled", "budget_tokens": 2_000}}),
            json!({"maxTokens": 2_100}),
        ),
        (
            "anthropic.claude-3-7-sonnet-20250219-v1:0",
            ThinkingLevel::Off,
            json!({"thinking": {"type": "disabled"}}),
            json!({"maxTokens": 100, "temperature": 0.5}),
        ),
        (
            "meta.llama3-3-70b-instruct-v1:0",
            ThinkingLevel::High,
            Value::Null,
            json!({"maxTokens": 100, "temperature": 0.5}),
        ),
    ] {
        asked.thinking = Some(level);
        let (body, notes) = sent_to(model, &asked).await;
        assert_eq!(
            (&body["additionalModelRequestFields"], &body["inferenceConfig"]),
            (&fields, &inference),
            "{model}"
        );
        let is_noted = fields.is_null() || inference.get("temperature").is_none();
        assert_eq!(notes.len(), usize::from(is_noted), "{model}: {notes:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_no_object_is_a_call_of_nothing() {
    for call in [json!("x"), json!([]), json!(7), json!(null)] {
        let body = json!({"stopReason": "tool_use", "output": {"message": {"content": [{"toolUse": call}]}}});
        let reply = ask("bedrock-converse", Answer::json(&body)).await.unwrap();
        assert_eq!(reply.calls()[0].arguments, json!({}), "{call}");
    }
}
