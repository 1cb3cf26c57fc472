//! The refusals of each provider, with and without a stream.

use super::{
    providers::{anthropic, gemini, openai_resp},
    stream::{event, hear, streamed},
    *,
};
use crate::{agent::FinishReason, contract::Contract, error::ExtractionError};

const WORDS: &str = "I must not count legs.";

fn refused(words: &str) -> (Option<&str>, bool) {
    (Some(words), true)
}

fn refusal_of(reply: &Reply) -> (Option<&str>, bool) {
    (reply.refusal(), reply.is_refusal())
}

/// Each response, and the words of its refusal.
fn responses() -> Vec<(AdapterKind, Value, &'static str)> {
    let mut message = openai("", "stop");
    message["choices"][0]["message"] = json!({"role": "assistant", "content": null, "refusal": WORDS});
    let mut parts = openai_resp("", "completed", None);
    parts["output"][0]["content"] = json!([{"type": "refusal", "refusal": WORDS}]);
    let mut explained = anthropic("", "refusal");
    explained["stop_details"] = json!({"type": "refusal", "category": "bio", "explanation": WORDS});
    let mut recited = gemini("", "RECITATION");
    recited["candidates"][0]["finishMessage"] = json!("A song.");
    let blocked = json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []},
        "usageMetadata": {"promptTokenCount": 21, "totalTokenCount": 21},
    });
    vec![
        (AdapterKind::OpenAI, message, WORDS),
        (AdapterKind::OpenAIResp, parts, WORDS),
        (AdapterKind::Anthropic, explained, WORDS),
        (AdapterKind::Gemini, recited, "RECITATION: A song."),
        (AdapterKind::Gemini, gemini("", "SPII"), "SPII"),
        (AdapterKind::Gemini, blocked, "the prompt was blocked: PROHIBITED_CONTENT"),
    ]
}

#[tokio::test]
async fn a_refusal_has_the_words_of_the_provider() {
    for (kind, body, words) in responses() {
        let reply = ask(kind, Answer::json(&body)).await.unwrap();
        assert_eq!(refusal_of(&reply), refused(words), "{kind}: {body}");
        assert_eq!(reply.text(), "", "{kind}");
    }
}

#[tokio::test]
async fn it_ends_an_extraction() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    for (kind, body, words) in responses() {
        let server = Server::start([Answer::json(&body)]);
        let error = contract.extract(&agent(kind, &server), "A spider.").await.unwrap_err();
        let ExtractionError::Refused { message, .. } = error else { panic!("{kind}: {error}") };
        assert_eq!(message, words);
    }
}

#[tokio::test]
async fn a_filter_without_words_is_a_refusal() {
    for (kind, body) in [
        (AdapterKind::OpenAI, openai("", "content_filter")),
        (AdapterKind::OpenAIResp, openai_resp("", "incomplete", Some("content_filter"))),
        (AdapterKind::Anthropic, anthropic("", "refusal")),
    ] {
        let reply = ask(kind, Answer::json(&body)).await.unwrap();
        assert_eq!(refusal_of(&reply), (None, true), "{kind}");
    }
}

#[tokio::test]
async fn a_prompt_that_a_filter_refuses_is_a_refusal_and_not_a_mistake() {
    let error = json!({"error": {
        "message": "The response was filtered because of the prompt.", "code": "content_filter", "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation"},
    }});
    for answer in [Answer::status("400 Bad Request", &error), Answer::json(&error)] {
        // This is not about the schema, so the request is not repeated without it.
        let server = Server::start([answer]);
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let request = request().with_schema(std::sync::Arc::new(schema));
        let reply = agent(AdapterKind::OpenAI, &server).respond(&request).await.unwrap();
        assert_eq!(refusal_of(&reply), refused("The response was filtered because of the prompt."));
        assert_eq!(server.received().len(), 1);
    }
    let echo = json!({"error": {"message": format!("no, {KEY}"), "code": "content_policy_violation"}});
    let reply = ask(AdapterKind::OpenAI, Answer::status("400 Bad Request", &echo)).await.unwrap();
    assert!(!format!("{reply:?}").contains(KEY), "{reply:?}");
}

#[tokio::test]
async fn a_stream_has_the_words_too() {
    let chat = |delta: Value, reason: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let mut parts = openai_resp("", "completed", None);
    parts["output"][0]["content"] = json!([{"type": "refusal", "refusal": WORDS}]);
    let stop = json!({"stop_reason": "refusal", "stop_details": {"category": "bio", "explanation": WORDS}});
    let start = json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "usage": {"input_tokens": 5, "output_tokens": 1}}});
    for (kind, events, words) in [
        (
            AdapterKind::OpenAI,
            vec![
                chat(json!({"role": "assistant", "refusal": "I must not "}), Value::Null),
                chat(json!({"refusal": "count legs."}), Value::Null),
                chat(json!({}), json!("stop")),
            ],
            WORDS,
        ),
        (
            AdapterKind::OpenAIResp,
            vec![
                json!({"type": "response.refusal.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": WORDS}),
                json!({"type": "response.completed", "response": parts}),
            ],
            WORDS,
        ),
        (
            AdapterKind::Anthropic,
            vec![
                start,
                json!({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 7}}),
                json!({"type": "message_stop"}),
            ],
            WORDS,
        ),
        (AdapterKind::Gemini, vec![json!({"candidates": [{"finishReason": "BLOCKLIST"}]})], "BLOCKLIST"),
        (
            AdapterKind::Gemini,
            vec![json!({"promptFeedback": {"blockReason": "SAFETY"}})],
            "the prompt was blocked: SAFETY",
        ),
    ] {
        let mut events: Vec<String> = events.iter().map(|data| event(kind, data)).collect();
        if kind == AdapterKind::OpenAI {
            events.push("data: [DONE]\n\n".to_owned());
        }
        let (told, reply) = hear(kind, streamed(kind, events)).await;
        let reply = reply.unwrap();
        assert_eq!(refusal_of(&reply), refused(words), "{kind}");
        assert_eq!((told, reply.text()), (vec![], ""), "{kind}");
    }
}

/// Text that was streamed before is the text of the reply, as for any other reply.
#[tokio::test]
async fn a_block_in_the_middle_of_a_stream_keeps_the_text_before_it() {
    let kind = AdapterKind::Gemini;
    let start =
        json!({"candidates": [{"content": {"parts": [{"text": "{\"legs\""}], "role": "model"}, "index": 0}]});
    let events = [start, json!({"promptFeedback": {"blockReason": "SAFETY"}})];
    let (told, reply) = hear(kind, streamed(kind, events.map(|data| event(kind, &data)).into())).await;
    let reply = reply.unwrap();
    assert_eq!((told, reply.text()), (vec![("{\"legs\"".to_owned(), true)], "{\"legs\""));
    assert_eq!(reply.finish_reason(), &FinishReason::ContentFilter);
    assert_eq!(reply.refusal(), Some("the prompt was blocked: SAFETY"));
}
