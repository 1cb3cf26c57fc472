//! Responses that differ from the description of their format, and are read all the same.

use serde_json::{Value, json};

use crate::{formats::EVENTS, server::Answer, stream};

/// A stream of these events.
fn frames(frames: &[Value]) -> Answer {
    let frames: Vec<_> = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    Answer::bytes("200 OK", EVENTS, frames.concat())
}

#[tokio::test]
async fn of_several_replies_the_first_counts_and_the_others_are_noted() {
    let delta = |index: u8, text: &str| json!({"choices": [{"index": index, "delta": {"content": text}}]});
    let end = |index: u8| json!({"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]});
    let candidate = |index: u8, text: &str, stop: Value| {
        let content = json!({"parts": [{"text": text}]});
        json!({"candidates": [{"index": index, "content": content, "finishReason": stop}]})
    };
    for (provider, events) in [
        ("openai", [delta(1, "8"), delta(0, "6"), delta(1, "0"), end(1), end(0)]),
        (
            "gemini",
            [
                candidate(1, "8", Value::Null),
                candidate(0, "6", json!("STOP")),
                candidate(1, "0", json!("STOP")),
                json!({}),
                json!({"usageMetadata": {}}),
            ],
        ),
    ] {
        let (reply, deltas) = stream(provider, frames(&events)).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text(), &*deltas.concat()), ("80", "80"), "{provider}");
        assert_eq!(reply.notes(), ["the server sent several replies; only the first counts"], "{provider}");
    }
}
