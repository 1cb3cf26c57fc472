//! Chat completions with one text and nothing else to look at, and events of them, as nearly all are. They
//! are read without a tree of the body.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::answer::Answer;

/// All that such a body has. With any other member, or with more in one of these, it is one for
/// [`Chat`](super::chat::Chat).
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlainBody<'b> {
    id: &'b str,
    object: ObjectName,
    created: IgnoredAny,
    model: &'b str,
    #[serde(borrow)]
    choices: [PlainChoice<'b>; 1],
    #[serde(borrow)]
    usage: Option<&'b RawValue>,
    service_tier: IgnoredAny,
    system_fingerprint: IgnoredAny,
    // vLLM.
    prompt_logprobs: (),
    prompt_token_ids: (),
    kv_transfer_params: (),
    // llama.cpp.
    timings: IgnoredAny,
    // OpenRouter.
    provider: IgnoredAny,
    // Azure.
    prompt_filter_results: IgnoredAny,
}

#[derive(Default, Deserialize)]
enum ObjectName {
    #[default]
    #[serde(rename = "chat.completion")]
    Completion,
    #[serde(rename = "chat.completion.chunk")]
    Chunk,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlainChoice<'b> {
    index: u64,
    message: Option<PlainMessage>,
    delta: Option<PlainMessage>,
    finish_reason: Option<&'b str>,
    logprobs: (),
    // vLLM.
    stop_reason: (),
    token_ids: (),
    // Azure.
    content_filter_results: IgnoredAny,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlainMessage {
    role: IgnoredAny,
    content: Option<String>,
    refusal: (),
    annotations: Option<[(); 0]>,
    audio: (),
    function_call: (),
    tool_calls: Option<[(); 0]>,
    reasoning: (),
    reasoning_content: (),
}

/// The answer in `body`, if that is all it has.
pub(super) fn plain_answer(body: &[u8]) -> Option<Answer> {
    let PlainBody { id, model, object, choices: [choice], usage, .. } = serde_json::from_slice(body).ok()?;
    let (ObjectName::Completion, None, Some(reason)) = (object, choice.delta, choice.finish_reason) else {
        return None;
    };
    let text = choice.message?.content.filter(|_| !reason.is_empty())?;
    let mut answer = Answer::of_text(text, model, id);
    if let Some(usage) = usage {
        answer.read_raw_usage(usage);
    }
    answer.stopped(reason);
    Some(answer)
}

/// The text and the usage in an event of the reply with the number 0, if that is all it has.
pub(super) fn plain_delta(data: &str) -> Option<(String, Option<&RawValue>)> {
    let PlainBody { object, choices: [choice], usage, .. } = serde_json::from_str(data).ok()?;
    let is_plain = matches!(object, ObjectName::Chunk)
        && choice.index == 0
        && choice.message.is_none()
        && choice.finish_reason.is_none();
    Some((choice.delta?.content?, usage)).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use extract::agent::DeltaSink;
    use serde_json::{Value, json};

    use super::{
        super::{chat::Chat, collector::Collector},
        *,
    };
    use crate::{events::Event, format::WireFormat};

    fn body() -> Value {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": "gpt-6-luna",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": "{\"a\": \"é\\n\"}", "refusal": null, "annotations": []},
                "logprobs": null,
                "finish_reason": "stop",
            }],
            "usage": {
                "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28, "cost": 0.5,
                "prompt_tokens_details": {"cached_tokens": 16},
            },
            "service_tier": "default",
            "system_fingerprint": null,
        })
    }

    fn plain(body: &Value) -> Option<Answer> {
        plain_answer(body.to_string().as_bytes())
    }

    #[test]
    fn a_plain_completion_is_read_as_its_tree_is() {
        let mut cut = body();
        cut["choices"][0]["finish_reason"] = "length".into();
        let mut bare = body();
        bare["choices"][0] =
            json!({"index": 1, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"});
        bare["usage"] = Value::Null;
        let mut unnamed = body();
        (unnamed["id"], unnamed["model"]) = ("".into(), " ".into());
        let mut without_calls = body();
        without_calls["choices"][0]["message"]["tool_calls"] = json!([]);
        for body in [body(), cut, bare, unnamed, without_calls] {
            let (plain, tree) = (plain(&body).unwrap(), Chat::default().whole(body).unwrap());
            let all = |answer: &Answer| {
                let Answer { text, thoughts, stops, refusal, counts, calls, origin, cost, end, .. } = answer;
                format!("{:?}", (text, thoughts, stops, refusal, counts, calls, origin, cost, end))
            };
            assert_eq!(all(&plain), all(&tree));
        }
    }

    #[test]
    fn a_body_with_anything_else_is_not_plain() {
        let call =
            json!([{"id": "1", "type": "function", "function": {"name": "submit", "arguments": "{}"}}]);
        for (pointer, name, value) in [
            ("", "error", json!({"message": "overloaded"})),
            ("", "object", json!("error")),
            ("", "request_id", json!("req_1")),
            ("", "x_groq", json!({"id": "req_1"})),
            ("", "choices", json!([])),
            ("", "choices", json!([body()["choices"][0], body()["choices"][0]])),
            ("/choices/0", "error", json!({"code": 502})),
            ("/choices/0", "native_finish_reason", json!("length")),
            ("/choices/0", "finish_reason", json!(null)),
            ("/choices/0", "finish_reason", json!("")),
            ("/choices/0", "logprobs", json!({"content": []})),
            ("/choices/0/message", "content", json!(null)),
            ("/choices/0/message", "content", json!([{"type": "text", "text": "1"}])),
            ("/choices/0/message", "content", json!({"a": 1})),
            ("/choices/0/message", "refusal", json!("I will not do that.")),
            ("/choices/0/message", "reasoning_content", json!("The total is")),
            ("/choices/0/message", "reasoning", json!("The total is")),
            ("/choices/0/message", "reasoning_details", json!([])),
            ("/choices/0/message", "tool_calls", call),
            ("/choices/0/message", "annotations", json!([{"type": "url_citation"}])),
        ] {
            let mut body = body();
            body.pointer_mut(pointer).unwrap()[name] = value;
            assert!(plain(&body).is_none(), "{body}");
        }
    }

    fn event(delta: &Value) -> Value {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "gpt-6-luna",
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}],
            "usage": null, "service_tier": "default", "system_fingerprint": "fp_1",
        })
    }

    #[test]
    fn a_plain_event_has_the_text_of_a_delta() {
        let plain = |body: &Value| {
            let body = body.to_string();
            let (text, usage) = plain_delta(&body)?;
            Some((text, usage.map(|usage| serde_json::from_str::<Value>(usage.get()).unwrap())))
        };
        let text = event(&json!({"content": "[1, \"é\""}));
        assert_eq!(plain(&text), Some(("[1, \"é\"".to_owned(), None)));
        let mut used = text.clone();
        used["usage"] = json!({"prompt_tokens": 21});
        assert_eq!(plain(&used).unwrap().1.unwrap(), used["usage"]);
        let call = json!([{"index": 0, "function": {"arguments": "{"}}]);
        for delta in [
            json!({}),
            json!({"content": null}),
            json!({"content": "1", "reasoning_content": "I"}),
            json!({"content": "1", "tool_calls": call}),
            json!({"content": "1", "refusal": "No."}),
        ] {
            assert_eq!(plain(&event(&delta)), None, "{delta}");
        }
        for (pointer, name, value) in [
            ("", "error", json!({"message": "overloaded"})),
            ("", "object", json!("chat.completion")),
            ("", "x_groq", json!({"id": "req_1"})),
            ("", "choices", json!([])),
            ("/choices/0", "index", json!(1)),
            ("/choices/0", "finish_reason", json!("stop")),
            ("/choices/0", "logprobs", json!({"content": []})),
            ("/choices/0", "message", json!({"content": "1"})),
            ("/choices/0", "usage", json!({"prompt_tokens": 21})),
        ] {
            let mut other = text.clone();
            other.pointer_mut(pointer).unwrap()[name] = value;
            assert_eq!(plain(&other), None, "{other}");
        }
        assert_eq!(plain(&body()), None);
        assert!(plain_answer(text.to_string().as_bytes()).is_none());
    }

    #[test]
    fn a_stream_is_read_alike_with_and_without_a_tree_of_each_event() {
        let text = |text: &str| event(&json!({"content": text}));
        let with = |mut event: Value, name: &str, value: Value| {
            event["choices"][0][name] = value;
            event
        };
        let mut used = text("4");
        used["usage"] = json!({"prompt_tokens": 21, "completion_tokens": 7, "cost": 0.5});
        let mut used_again = with(text("5"), "finish_reason", json!("stop"));
        used_again["usage"] = json!({"prompt_tokens": 22, "completion_tokens": 9});
        let kinds = [
            event(&json!({"role": "assistant", "content": ""})),
            text("[1, "),
            text(""),
            used,
            with(text("2"), "index", json!(1)),
            with(text("3"), "finish_reason", json!("stop")),
            with(event(&json!({})), "finish_reason", json!("length")),
            with(event(&json!({"content": null})), "message", json!({"content": "[1, "})),
            used_again,
        ];
        let read = |stream: &[usize], name: Option<&str>| {
            let mut deltas = Vec::new();
            let mut sink = DeltaSink::new(|delta| deltas.push(delta.text.to_owned()));
            let mut collector = Collector::new(WireFormat::ChatCompletions);
            for kind in stream {
                let event = Event { name: name.map(str::to_owned), data: kinds[*kind].to_string() };
                collector.event(&event, &mut sink).unwrap();
            }
            drop(sink);
            format!("{:?}", (collector.end(), deltas))
        };
        let all = kinds.len();
        for number in 0..all.pow(4) {
            let stream: Vec<_> =
                [0, 1].into_iter().chain((0..4).map(|place| number / all.pow(place) % all)).collect();
            // An event with a name is read by its tree.
            assert_eq!(read(&stream, None), read(&stream, Some("chunk")), "{stream:?}");
        }
    }

    #[test]
    fn the_text_is_that_of_the_only_message() {
        let mut elsewhere = body();
        elsewhere["usage"] = json!({"content": "elsewhere"});
        elsewhere["choices"][0]["message"]["content"] = "".into();
        assert_eq!(plain(&elsewhere).unwrap().text, "");
        let twice = body().to_string().replacen("\"role\"", r#""content":"","role""#, 1);
        assert!(plain_answer(twice.as_bytes()).is_none());
        let spaced = serde_json::to_string_pretty(&body()).unwrap();
        assert_eq!(plain_answer(spaced.as_bytes()).unwrap().text, r#"{"a": "é\n"}"#);
        let cut = &spaced[..spaced.len() - 2];
        assert!(plain_answer(cut.as_bytes()).is_none());
    }
}
