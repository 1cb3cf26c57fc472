//! The request, and the reply made of the response.

use std::sync::Arc;

use extract::{TokenUsage, metrics::ReplyOrigin};

use super::*;

/// The origin of the response of [`openai`].
fn origin() -> ReplyOrigin {
    ReplyOrigin::default().with_model("some-model-2026-01-01").with_response_id("chatcmpl-1")
}

const TEXT: &str = r#"{"legs": 8}"#;

fn history() -> Request {
    let conversation = Conversation::new()
        .with(Role::System, "Answer in JSON.")
        .with(Role::User, "A spider.")
        .with(Role::Assistant, "7")
        .with(Role::User, "No: 7 is wrong.");
    let mut request = Request::new(conversation).with_schema(Arc::new(contract().schema().clone()));
    request.temperature = Some(0.25);
    request.max_output_tokens = Some(99);
    request
}

#[tokio::test]
async fn a_model_is_sent_all_turns_and_settings() {
    let server = Server::start([Answer::json(&openai(TEXT, "stop"))]);
    model(&server.url("v1")).respond(&history()).await.unwrap();

    let [received] = server.received().try_into().unwrap();
    assert_eq!(received.path, "/v1/chat/completions");
    assert!(received.headers.contains(&("authorization".to_owned(), format!("Bearer {KEY}"))));
    let turns = [
        ("system", "Answer in JSON."),
        ("user", "A spider."),
        ("assistant", "7"),
        ("user", "No: 7 is wrong."),
    ];
    assert_eq!(said(&received.body), turns.map(|(role, text)| (role.to_owned(), text.to_owned())));
    assert_eq!(received.body["model"], "some-model");
    assert_eq!(received.body["temperature"], 0.25);
    let bound = received.body.get("max_tokens").or_else(|| received.body.get("max_completion_tokens"));
    assert_eq!(bound, Some(&json!(99)), "{}", received.body);
}

#[tokio::test]
async fn an_agent_is_sent_them_after_its_preamble() {
    let server = Server::start([Answer::json(&openai(TEXT, "stop"))]);
    clerk(chat(&server.url("v1"))).respond(&history()).await.unwrap();

    let [received] = server.received().try_into().unwrap();
    let turns = [
        ("system", "You count legs."),
        ("system", "Answer in JSON."),
        ("user", "A spider."),
        ("assistant", "7"),
        ("user", "No: 7 is wrong."),
    ];
    assert_eq!(said(&received.body), turns.map(|(role, text)| (role.to_owned(), text.to_owned())));
    assert_eq!(received.body["temperature"], 0.25);
    let bound = received.body.get("max_tokens").or_else(|| received.body.get("max_completion_tokens"));
    assert_eq!(bound, Some(&json!(99)), "{}", received.body);
    assert!(received.body.get("response_format").is_none(), "{}", received.body);
}

#[tokio::test]
async fn the_settings_of_an_agent_hold_where_none_are_asked_for() {
    let server = Server::start([Answer::json(&openai(TEXT, "stop"))]);
    let agent = RigAgent::from(AgentBuilder::new(chat(&server.url("v1"))).temperature(0.5).build());
    agent.respond(&request()).await.unwrap();
    assert_eq!(server.received()[0].body["temperature"], 0.5);
}

#[tokio::test]
async fn a_model_is_offered_the_schema() {
    let body = openai(TEXT, "stop");
    let server = Server::start([Answer::json(&body), Answer::json(&body)]);
    let model = model(&server.url("v1"));

    model.respond(&history()).await.unwrap();
    model.native_schema(false).respond(&history()).await.unwrap();

    let [native, prompted] = server.received().try_into().unwrap();
    let expected = json!({"type": "json_schema", "json_schema": {"name": "response_schema", "strict": true, "schema": {
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}},
        "required": ["legs"],
        "additionalProperties": false,
    }}});
    assert_eq!(native.body["response_format"], expected);
    assert!(prompted.body.get("response_format").is_none(), "{}", prompted.body);
}

#[tokio::test]
async fn a_list_is_asked_for_in_an_object_and_taken_out_of_it() {
    let server = Server::start([Answer::json(&openai(r#"{"answer": [8]}"#, "stop"))]);
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let request = request().with_schema(Arc::new(schema));
    let reply = model(&server.url("v1")).respond(&request).await.unwrap();
    assert_eq!(reply.text(), "[8]");
    let [received] = server.received().try_into().unwrap();
    let sent = &received.body["response_format"]["json_schema"]["schema"];
    assert_eq!(sent["properties"]["answer"]["items"], json!({"type": "integer"}));
}

#[tokio::test]
async fn replies_with_text_finish_reason_and_usage() {
    for (reason, expected) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("tired", FinishReason::Other("tired".to_owned())),
    ] {
        let reply = ask(&openai(TEXT, reason)).await.unwrap();
        let expected = Reply::new(TEXT).finished(expected).with_usage(TokenUsage::new(21, 7));
        assert_eq!(reply, expected.with_origin(origin().with_status(200)));
    }
}

#[tokio::test]
async fn an_agent_replies_with_them_too() {
    for (reason, expected) in [("stop", FinishReason::Stop), ("length", FinishReason::Length)] {
        let reply = ask_clerk(&openai(TEXT, reason)).await.unwrap();
        let expected = Reply::new(TEXT).finished(expected).with_usage(TokenUsage::new(21, 7));
        assert_eq!(reply, expected.with_origin(origin()));
    }
}

#[tokio::test]
async fn invents_neither_usage_nor_finish_reason() {
    let bare = |text: &str| json!({"choices": [{"message": {"role": "assistant", "content": text}}]});
    let nothing_but_the_status = ReplyOrigin::default().with_status(200);
    assert_eq!(ask(&bare("8")).await.unwrap(), Reply::new("8").with_origin(nothing_but_the_status));
    assert_eq!(ask(&bare("")).await.unwrap_err().kind(), AgentErrorKind::Garbled);
}

#[tokio::test]
async fn a_refusal_is_a_reply_that_says_so() {
    let mut body = openai("", "stop");
    body["choices"][0]["message"] = json!({"role": "assistant", "content": null, "refusal": "I must not."});
    let reply = ask(&body).await.unwrap();
    assert_eq!((reply.text(), reply.finish_reason()), ("I must not.", &FinishReason::Stop));
    assert_eq!(reply.refusal(), Some("I must not."));
}

#[tokio::test]
async fn names_are_those_of_the_provider_and_the_agent() {
    let model = chat("http://127.0.0.1:9/v1");
    assert_eq!(RigModel::from(model.clone()).name(), "openai/some-model");
    assert_eq!(RigModel::from(model.clone().erase()).name(), "openai/some-model");
    assert_eq!(clerk(model).name(), "rig/clerk");
}
