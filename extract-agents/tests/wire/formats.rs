//! Replies of each wire format, whole and as a stream.

use serde_json::{Value, json};

use crate::server::Answer;

/// One provider for each wire format that streams text.
pub(crate) const PROVIDERS: [&str; 5] = ["openai", "openai-responses", "anthropic", "gemini", "ollama"];

/// One provider for each wire format.
pub(crate) const FORMATS: [&str; 6] =
    ["openai", "openai-responses", "anthropic", "gemini", "ollama", "bedrock-converse"];

pub(crate) const EVENTS: &str = "text/event-stream; charset=utf-8";

/// The content type of a provider's streams.
pub(crate) fn kind(provider: &str) -> &'static str {
    match provider {
        "ollama" => "application/x-ndjson",
        "bedrock-converse" => "application/vnd.amazon.eventstream",
        _ => EVENTS,
    }
}

/// Stand for the halves of U+1F600, which no Rust string can have alone.
pub(crate) const HALVES: [char; 2] = ['\u{E000}', '\u{E001}'];

pub(crate) fn with_halves(json: &str) -> String {
    json.replace(HALVES[0], "\\ud83d").replace(HALVES[1], "\\ude00")
}

/// A binary frame of AWS with these headers.
pub(crate) fn frame(headers: &[(&str, &str)], payload: &Value) -> Vec<u8> {
    let (mut encoded, payload) = (Vec::new(), with_halves(&payload.to_string()));
    for (name, value) in headers {
        encoded.push(u8::try_from(name.len()).unwrap());
        encoded.extend(name.bytes().chain([7]));
        encoded.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        encoded.extend(value.bytes());
    }
    let length = u32::try_from(encoded.len() + payload.len() + 16).unwrap();
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(u32::try_from(encoded.len()).unwrap().to_be_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes.extend([&*encoded, payload.as_bytes()].concat());
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes
}

/// A reply with `text` that stopped for `stop`, the provider's own word, after 21 tokens in and 7
/// out.
pub(crate) fn whole(provider: &str, text: &str, stop: &str) -> Value {
    match provider {
        "openai-responses" => {
            let (status, details) = match stop {
                "completed" | "cancelled" | "failed" => (stop, Value::Null),
                reason => ("incomplete", json!({"reason": reason})),
            };
            json!({
                "id": "resp_1",
                "model": "some-model-2026",
                "status": status,
                "incomplete_details": details,
                "error": null,
                "output": [
                    {"type": "reasoning", "summary": []},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
                ],
                "usage": {"input_tokens": 21, "output_tokens": 7, "total_tokens": 28},
            })
        }
        "anthropic" => json!({
            "id": "msg_1",
            "model": "some-model-2026",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": text}],
            "stop_reason": stop,
            "usage": {"input_tokens": 21, "output_tokens": 7},
        }),
        "gemini" => json!({
            "responseId": "resp_1",
            "modelVersion": "some-model-2026",
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": stop}],
            "usageMetadata": {"promptTokenCount": 21, "candidatesTokenCount": 7, "totalTokenCount": 28},
        }),
        "ollama" => json!({
            "model": "some-model-2026",
            "message": {"role": "assistant", "content": text},
            "done": true,
            "done_reason": stop,
            "prompt_eval_count": 21,
            "eval_count": 7,
        }),
        "bedrock-converse" => json!({
            "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
            "stopReason": stop,
            "usage": {"inputTokens": 21, "outputTokens": 7, "totalTokens": 28},
            "metrics": {"latencyMs": 551},
        }),
        _ => json!({
            "id": "chatcmpl-1",
            "model": "some-model-2026",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": null},
                "finish_reason": stop,
            }],
            "usage": {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28},
        }),
    }
}

/// The stop reason of a whole reply.
pub(crate) fn stop(provider: &str) -> &'static str {
    match provider {
        "openai-responses" => "completed",
        "anthropic" | "bedrock-converse" => "end_turn",
        "gemini" => "STOP",
        _ => "stop",
    }
}

/// The events of the same reply in two deltas, up to the stop reason: OpenAI's usage and its end marker
/// are lost.
pub(crate) fn events_up_to_stop(provider: &str) -> Vec<Vec<u8>> {
    let mut all = events(provider, &["{\"legs\":", " 8}"], stop(provider));
    if provider == "openai" {
        all.truncate(4);
    }
    all
}

/// The events of the same reply, with one delta for each of `texts`.
pub(crate) fn events(provider: &str, texts: &[&str], stop: &str) -> Vec<Vec<u8>> {
    let data = |value: Value| format!("data: {value}\n\n").into_bytes();
    let named = |value: Value| {
        let name = value["type"].as_str().unwrap().to_owned();
        format!("event: {name}\ndata: {value}\n\n").into_bytes()
    };
    let mut events = Vec::new();
    match provider {
        "openai-responses" => {
            events
                .push(named(json!({"type": "response.created", "response": {"id": "resp_1", "model": "m"}})));
            for text in texts {
                events.push(named(json!({"type": "response.output_text.delta", "delta": text})));
            }
            let response = whole(provider, &texts.concat(), stop);
            let name = if stop == "completed" { "response.completed" } else { "response.incomplete" };
            events.push(named(json!({"type": name, "response": response})));
        }
        "anthropic" => {
            let mut start = whole(provider, "", stop);
            (start["content"], start["stop_reason"]) = (json!([]), Value::Null);
            start["usage"] = json!({"input_tokens": 21, "output_tokens": 1});
            events.push(named(json!({"type": "message_start", "message": start})));
            let block = json!({"type": "text", "text": ""});
            events.push(named(json!({"type": "content_block_start", "index": 0, "content_block": block})));
            for text in texts {
                events.push(named(json!({"type": "ping"})));
                let delta = json!({"type": "text_delta", "text": text});
                events.push(named(json!({"type": "content_block_delta", "index": 0, "delta": delta})));
            }
            events.push(named(json!({"type": "content_block_stop", "index": 0})));
            let delta = json!({"stop_reason": stop});
            events
                .push(named(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}})));
            events.push(named(json!({"type": "message_stop"})));
        }
        "gemini" => {
            for (index, text) in texts.iter().enumerate() {
                let mut chunk = whole(provider, text, stop);
                if index + 1 < texts.len() {
                    chunk["candidates"][0].as_object_mut().unwrap().remove("finishReason");
                }
                events.push(data(chunk));
            }
        }
        "bedrock-converse" => {
            let event =
                |name: &str, data: Value| frame(&[(":message-type", "event"), (":event-type", name)], &data);
            events.push(event("messageStart", json!({"role": "assistant"})));
            for text in texts {
                let delta = json!({"contentBlockIndex": 0, "delta": {"text": text}});
                events.push(event("contentBlockDelta", delta));
            }
            events.push(event("contentBlockStop", json!({"contentBlockIndex": 0})));
            events.push(event("messageStop", json!({"stopReason": stop})));
            let usage = whole(provider, "", stop)["usage"].clone();
            events.push(event("metadata", json!({"usage": usage, "metrics": {"latencyMs": 551}})));
        }
        "ollama" => {
            let line = |value: Value| format!("{value}\n").into_bytes();
            for text in texts {
                events.push(line(
                    json!({"model": "some-model-2026", "message": {"role": "assistant", "content": text}, "done": false}),
                ));
            }
            events.push(line(whole(provider, "", stop)));
        }
        _ => {
            let chunk =
                |choices: Value| json!({"id": "chatcmpl-1", "model": "some-model-2026", "choices": choices});
            events.push(data(chunk(json!([{"index": 0, "delta": {"role": "assistant", "content": ""}}]))));
            for text in texts {
                let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
                events.push(data(chunk(json!([choice]))));
            }
            events.push(data(chunk(json!([{"index": 0, "delta": {}, "finish_reason": stop}]))));
            let mut last = chunk(json!([]));
            last["usage"] = whole(provider, "", stop)["usage"].clone();
            events.push(data(last));
            events.push(b"data: [DONE]\n\n".to_vec());
        }
    }
    events
}

pub(crate) fn streamed(provider: &str, texts: &[&str]) -> Answer {
    Answer::bytes("200 OK", kind(provider), events(provider, texts, stop(provider)).concat())
}

pub(crate) fn replied(provider: &str, text: &str) -> Answer {
    Answer::json(&whole(provider, text, stop(provider)))
}
