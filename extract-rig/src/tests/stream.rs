//! Replies that are streamed.

use std::sync::Arc;

use extract::{TokenUsage, agent::Delta, metrics::ReplyOrigin};

use super::*;

const DELTAS: [&str; 3] = ["{\"legs\"", ": ", "8}"];
const WHOLE: &str = "{\"legs\": 8}";

fn chunk(delta: &Value, reason: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
    let chunk =
        json!({"id": "c", "object": "chat.completion.chunk", "model": "some-model", "choices": [choice]});
    format!("data: {chunk}\n\n")
}

fn open() -> String {
    DELTAS.map(|text| chunk(&json!({"content": text}), &Value::Null)).concat()
}

fn closed(reason: &str) -> String {
    let usage = json!({"choices": [], "usage": {
        "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28,
        "prompt_tokens_details": {"cached_tokens": 16},
    }});
    open() + &chunk(&json!({}), &json!(reason)) + &format!("data: {usage}\n\ndata: [DONE]\n\n")
}

fn events(text: String) -> Answer {
    Answer::bytes("200 OK", "text/event-stream", text)
}

/// The deltas, each with whether it was the first, and the reply.
async fn hear(agent: &dyn Agent) -> (Vec<(String, bool)>, Result<Reply, AgentError>) {
    let mut told = Vec::new();
    let request = request();
    let sink = DeltaSink::new(|Delta { text, is_first, .. }| told.push((text.to_owned(), is_first)));
    let reply = agent.stream(&request, sink).await;
    (told, reply)
}

async fn hear_model(answer: Answer) -> (Vec<(String, bool)>, Result<Reply, AgentError>) {
    let server = Server::start([answer]);
    hear(&model(&server.url("v1"))).await
}

fn all_deltas() -> Vec<(String, bool)> {
    DELTAS.iter().enumerate().map(|(index, text)| ((*text).to_owned(), index == 0)).collect()
}

#[tokio::test]
async fn the_deltas_of_an_answer_in_an_object_are_those_of_the_answer() {
    let texts = ["{\"answer\"", ": [8", "]}"].map(|text| chunk(&json!({"content": text}), &Value::Null));
    let end = chunk(&json!({}), &json!("stop")) + "data: [DONE]\n\n";
    let server = Server::start([events(texts.concat() + &end)]);
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let request = request().with_schema(Arc::new(schema));
    let mut told = Vec::new();
    let sink = DeltaSink::new(|Delta { text, is_first, .. }| told.push((text.to_owned(), is_first)));
    let reply = model(&server.url("v1")).stream(&request, sink).await.unwrap();
    assert_eq!(reply.text(), "[8]");
    assert_eq!(told, [("[8".to_owned(), true), ("]".to_owned(), false)]);
}

#[tokio::test]
async fn the_deltas_of_a_model_make_up_its_reply() {
    for (said, reason) in [("stop", FinishReason::Stop), ("length", FinishReason::Length)] {
        let answers = || Server::start([events(closed(said))]);
        let (plain, bounded, erased) = (answers(), answers(), answers());
        let models = [
            model(&plain.url("v1")),
            self::bounded(&bounded.url("v1")),
            chat(&erased.url("v1")).erase().into(),
        ];
        for model in models {
            let (told, reply) = hear(&model).await;
            assert_eq!(told, all_deltas());
            let usage = TokenUsage::new(21, 7).cached(16);
            let expected = Reply::new(WHOLE).finished(reason.clone()).with_usage(usage);
            let origin =
                ReplyOrigin::default().with_model("some-model").with_response_id("c").with_status(200);
            assert_eq!(reply.unwrap(), expected.with_origin(origin));
        }
        assert_eq!(plain.received()[0].body["stream"], true);
    }
}

#[tokio::test]
async fn the_reply_of_an_agent_is_one_delta() {
    let server = Server::start([Answer::json(&openai(WHOLE, "stop"))]);
    let (told, reply) = hear(&clerk(chat(&server.url("v1")))).await;
    assert_eq!((told, reply.unwrap().text()), (vec![(WHOLE.to_owned(), true)], WHOLE));
}

/// The Responses API repeats the text at the end.
#[tokio::test]
async fn what_was_lost_on_the_way_is_told_at_the_end() {
    let message = |content: Value, status: &str| json!({"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": content});
    let whole = message(json!([{"type": "output_text", "text": WHOLE, "annotations": []}]), "completed");
    let mut response = json!({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "some-model", "status": "in_progress", "error": null,
        "incomplete_details": null, "output": [],
    });
    let created = json!({"type": "response.created", "response": response});
    response["status"] = json!("completed");
    response["output"] = json!([whole]);
    response["usage"] = json!({"input_tokens": 21, "output_tokens": 7, "total_tokens": 28});
    let all = [
        created,
        json!({"type": "response.output_item.added", "output_index": 0, "item": message(json!([]), "in_progress")}),
        json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": DELTAS[0]}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": whole}),
        json!({"type": "response.completed", "response": response}),
    ];
    let all = all.map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    let server = Server::start([events(all.concat())]);
    let model = client(&server.url("v1"), ReqwestClient::from(HTTP.clone())).completion("some-model");
    let (told, reply) = hear(&RigModel::from(model)).await;
    assert_eq!(reply.unwrap().text(), WHOLE);
    assert_eq!(told, [(DELTAS[0].to_owned(), true), (": 8}".to_owned(), false)]);
}

#[tokio::test]
async fn a_stream_without_its_end_is_no_short_reply() {
    for answer in
        [events(open()), Answer::Cut("data: {\"choices\": [{\"delta\": {\"content\": \"{\"}}]}\n\n")]
    {
        let (told, reply) = hear_model(answer).await;
        assert!(!told.is_empty());
        let error = reply.unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
}

#[tokio::test]
async fn failures_are_those_of_a_reply_without_a_stream() {
    let error = json!({"error": {"message": format!("slow down, {KEY}"), "code": 429}});
    let server = Server::start([events(open() + &format!("data: {error}\n\n"))]);
    let agent = model(&server.url("v1")).redacting(KEY);
    let (told, reply) = hear(&agent).await;
    assert_eq!(told, all_deltas());
    let error = reply.unwrap_err();
    assert!(error.is_transient() && error.message().contains("slow down"), "{error}");
    assert!(!everything(&error).contains(KEY), "{error}");

    let busy = Answer::status("429 Too Many Requests", &error_body());
    let error = hear_model(busy.header("Retry-After", "7")).await.1.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::RateLimited, "{error}");
    assert_eq!(error.retry_after(), Some(std::time::Duration::from_secs(7)));
}

fn error_body() -> Value {
    json!({"error": {"message": "slow down"}})
}

#[tokio::test]
async fn a_reply_of_a_model_that_only_repeats_itself_is_ended() {
    let copies = chunk(&json!({"content": "\"Ondricka\", "}), &Value::Null).repeat(1_000);
    let server = Server::start([events(copies + &closed("stop"))]);
    let (model, request, mut text) = (model(&server.url("v1")), request(), String::new());
    let sink = DeltaSink::new(|delta| text.push_str(delta.text)).watching(&request);
    let reply = model.stream(&request, sink).await.unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::Repetition);
    assert_eq!(reply.text(), text);
    assert!((2_048..4_000).contains(&text.len()), "{}", text.len());
}

#[tokio::test]
async fn the_arguments_of_calls_are_streamed_as_they_are_written() {
    let part = |call: Value| chunk(&json!({"tool_calls": [call]}), &Value::Null);
    let function = |name: &str| json!({"name": name, "arguments": ""});
    let call = |index: u8, function: &Value| json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function});
    let text = part(call(0, &function("validate")))
        + &part(json!({"index": 0, "function": {"arguments": "{}"}}))
        + &part(call(1, &function("submit")))
        + &DELTAS.map(|text| part(json!({"index": 1, "function": {"arguments": text}}))).concat()
        + &chunk(&json!({}), &json!("tool_calls"))
        + "data: [DONE]\n\n";
    let server = Server::start([events(text)]);
    let mut told = Vec::new();
    let (model, request) = (model(&server.url("v1")), request());
    let sink = DeltaSink::new(|Delta { text, call, .. }| {
        told.push((call.map(|call| (call.index, call.name.to_owned())), text.to_owned()));
    });
    let reply = model.stream(&request, sink).await.unwrap();
    assert_eq!(reply.calls()[1].arguments, json!({"legs": 8}));
    let submit = DELTAS.map(|text| (Some((1, "submit".to_owned())), text.to_owned()));
    let validate = (Some((0, "validate".to_owned())), "{}".to_owned());
    assert_eq!(told, [validate].into_iter().chain(submit).collect::<Vec<_>>());
}
