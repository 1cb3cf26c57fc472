//! Responses that differ from the description of their format, and are read all the same.

use std::time::Duration;

use extract::{
    TokenUsage,
    agent::{Agent as _, AgentError, AgentErrorKind, DeltaSink, FinishReason, ToolCall},
};
use serde_json::{Value, json};

use crate::{
    agent, ask,
    formats::{EVENTS, PROVIDERS, events_up_to_stop, kind, stop, whole},
    request,
    server::{Answer, Server},
    stream,
};

/// A stream of these events.
fn frames(frames: &[Value]) -> Answer {
    Answer::bytes("200 OK", EVENTS, bytes_of(frames))
}

fn bytes_of(frames: &[Value]) -> Vec<u8> {
    let frames: Vec<_> = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    frames.concat().into_bytes()
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
        ("openai", [delta(0, "8"), delta(1, "6"), delta(0, "0"), end(0), end(1)]),
        (
            "gemini",
            [
                candidate(0, "8", Value::Null),
                candidate(1, "6", json!("STOP")),
                candidate(0, "0", json!("STOP")),
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

#[tokio::test]
async fn an_error_in_a_list_is_an_error() {
    let error = json!({"error": {"code": 429, "message": "Exhausted", "status": "RESOURCE_EXHAUSTED"}});
    for list in [json!([error]), json!([whole("gemini", "1", "STOP"), error])] {
        let alone = ask("gemini", Answer::json(&list)).await.unwrap_err();
        assert_eq!(alone.kind(), AgentErrorKind::RateLimited, "{list}: {alone}");
        let (streamed, _) = stream("gemini", frames(std::slice::from_ref(&list))).await;
        assert_eq!(streamed.unwrap_err().kind(), AgentErrorKind::RateLimited, "{list}");
    }
}

#[tokio::test]
async fn the_words_of_a_refusal_that_no_item_repeats_are_kept() {
    let delta = |text: &str| json!({"type": "response.refusal.delta", "delta": text});
    let end = |output: Value| json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
    let item = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I must not."}]});
    for output in [json!([]), json!([item])] {
        let events = frames(&[delta("I mu"), delta("st not."), end(output)]);
        let (reply, _) = stream("openai-responses", events).await;
        assert_eq!(reply.unwrap().refusal(), Some("I must not."));
    }
}

#[tokio::test]
async fn a_stream_that_ends_with_the_whole_message_has_it_once() {
    let choice = |key: &str, text: &str, reason: Option<&str>| json!({"choices": [{"index": 0, key: {"content": text}, "finish_reason": reason}]});
    let (reply, _) =
        stream("openai", frames(&[choice("message", "1", None), choice("message", "1", Some("stop"))])).await;
    assert_eq!(reply.unwrap().text(), "11", "a server that streams messages");
    for (last, expected) in [("{\"legs\": 8}", "{\"legs\": 8}"), ("!", "{\"legs\": 8}!")] {
        let parts = [("delta", "{\"legs\":", None), ("delta", " 8}", None), ("message", last, Some("stop"))];
        let events = frames(&parts.map(|(key, text, reason)| choice(key, text, reason)));
        let (reply, deltas) = stream("openai", events).await;
        assert_eq!((reply.unwrap().text(), deltas.concat()), (expected, expected.to_owned()));
    }
}

#[tokio::test]
async fn a_refusal_without_a_content_is_one() {
    for (provider, body) in [
        ("anthropic", json!({"content": null, "stop_reason": "refusal"})),
        ("anthropic", json!({"stop_reason": "refusal"})),
        ("azure", json!({"choices": [{"finish_reason": "content_filter"}]})),
        ("azure", json!({"choices": [{"message": null, "finish_reason": "content_filter"}]})),
    ] {
        let reply = ask(provider, Answer::json(&body)).await;
        assert!(reply.unwrap_or_else(|error| panic!("{body}: {error}")).is_refusal(), "{body}");
    }
    for (provider, body) in [("anthropic", json!({"content": null})), ("openai", json!({"choices": [{}]}))] {
        let error = ask(provider, Answer::json(&body)).await.unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Garbled, "{body}");
    }
}

#[tokio::test]
async fn a_content_in_another_form_is_read() {
    let chat =
        |content: Value| json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]});
    let text = |text: &str| json!({"type": "text", "text": text});
    for (provider, body) in [
        ("anthropic", json!({"content": "{\"legs\": 8}", "stop_reason": "end_turn"})),
        ("anthropic", json!({"content": [text("{\"legs\":"), text(" 8}")], "stop_reason": "end_turn"})),
        ("openai", chat(json!([text("{\"legs\":"), text(" 8}"), {"type": "refusal", "refusal": ""}]))),
        ("openai", chat(serde_json::from_str("{\"legs\": 8}").unwrap())),
        ("openai", chat(json!([{"type": "reasoning", "text": "{\"legs\": 6}"}, text("{\"legs\": 8}")]))),
    ] {
        let reply = ask(provider, Answer::json(&body)).await.unwrap();
        let value: Value = serde_json::from_str(reply.text()).unwrap();
        assert_eq!((value, reply.refusal()), (json!({"legs": 8}), None), "{body}");
        assert_eq!(reply.finish_reason(), &FinishReason::Stop, "{body}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_stop_reason_takes_nothing() {
    for provider in PROVIDERS {
        let cut = Answer::Cut(kind(provider), events_up_to_stop(provider).concat());
        let (reply, _) = stream(provider, cut).await;
        let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}"));
        assert_eq!(
            (reply.text(), reply.finish_reason()),
            ("{\"legs\": 8}", &FinishReason::Stop),
            "{provider}"
        );
    }
}

#[tokio::test]
async fn the_text_after_thoughts_that_nothing_begins_is_text() {
    let block = json!({"type": "thinking", "thinking": ""});
    let begin = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let thought = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    for index in [json!(1), json!(null), json!(2)] {
        let text = json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": "8"}});
        let events = [begin.clone(), thought.clone(), text.clone(), text, end.clone()];
        let (reply, deltas) = stream("anthropic", frames(&events)).await;
        assert_eq!((reply.unwrap().text(), &*deltas.concat()), ("88", "88"), "{index}");
    }
}

#[tokio::test]
async fn a_usage_that_says_nothing_is_none_and_zeros_at_the_end_change_nothing() {
    for provider in ["openai", "openai-responses", "anthropic"] {
        for usage in
            [json!(null), json!([]), json!("x"), json!({}), json!({"input_tokens": -1, "prompt_tokens": "1"})]
        {
            let mut body = whole(provider, "8", stop(provider));
            body["usage"] = usage.clone();
            assert_eq!(
                ask(provider, Answer::json(&body)).await.unwrap().usage(),
                None,
                "{provider}: {usage}"
            );
        }
    }
    let usage = json!({"input_tokens": 21, "cache_read_input_tokens": 5, "output_tokens": 1});
    let text = json!({"type": "text_delta", "text": "8"});
    let end = json!({"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 7});
    let events = [
        json!({"type": "message_start", "message": {"content": [], "usage": usage}}),
        json!({"type": "content_block_delta", "index": 0, "delta": text}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end}),
    ];
    let (reply, _) = stream("anthropic", frames(&events)).await;
    assert_eq!(reply.unwrap().usage(), Some(TokenUsage::new(26, 7).cached(5)));
}

#[tokio::test]
async fn one_body_under_the_type_of_a_stream_is_read() {
    for provider in PROVIDERS {
        let body = whole(provider, "8", stop(provider));
        for body in [body.to_string(), format!("\u{feff}\n{body:#}")] {
            let (reply, deltas) = stream(provider, Answer::bytes("200 OK", EVENTS, body)).await;
            let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}"));
            assert_eq!((reply.text(), &*deltas.concat()), ("8", "8"), "{provider}");
        }
        let error = json!({"error": {"message": "slow down", "code": 429}});
        let (reply, _) = stream(provider, Answer::bytes("200 OK", EVENTS, format!("{error:#}"))).await;
        assert_eq!(reply.unwrap_err().kind(), AgentErrorKind::RateLimited, "{provider}");
        let (empty, _) = stream(provider, Answer::bytes("200 OK", EVENTS, "")).await;
        assert!(empty.unwrap_err().is_transient(), "{provider}");
    }
}

#[tokio::test]
async fn what_gemini_says_of_the_end_is_noted() {
    let body =
        json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "submit("}]});
    let reply = ask("gemini", Answer::json(&body)).await.unwrap();
    assert_eq!(reply.notes(), ["the server says of the end: submit("]);
}

#[tokio::test]
async fn a_call_under_the_older_name_or_with_empty_arguments_is_read() {
    let reply = |message: Value| json!({"choices": [{"message": message, "finish_reason": "function_call"}]});
    let function = |arguments: &str| json!({"name": "submit", "arguments": arguments});
    let delta = |function: Value| json!({"choices": [{"delta": {"function_call": function}}]});
    let submit = |arguments: Value| [ToolCall::new("submit", arguments).with_id("call00000")];
    for arguments in ["{\"legs\": 8}", "", " "] {
        let expected = submit(serde_json::from_str(arguments).unwrap_or(json!({})));
        for message in [
            json!({"content": null, "function_call": function(arguments)}),
            json!({"tool_calls": [{"function": function(arguments)}]}),
        ] {
            let reply = ask("openai", Answer::json(&reply(message))).await.unwrap();
            assert_eq!(reply.calls(), expected, "{arguments:?}");
        }
    }
    let end = json!({"choices": [{"delta": {}, "finish_reason": "function_call"}]});
    let events = [delta(function("{\"legs\"")), delta(json!({"arguments": ": 8}"})), end];
    let (streamed, _) = stream("openai", frames(&events)).await;
    assert_eq!(streamed.unwrap().calls(), submit(json!({"legs": 8})));
}

/// LiteLLM, One API and CLIProxyAPI: the reason says nothing, so a connection that breaks took something.
#[tokio::test]
async fn a_stop_reason_before_more_text_does_not_end_a_stream() {
    let part = |text: &str, thought: bool, stop: Value| {
        let part = json!({"text": text, "thought": thought});
        json!({"candidates": [{"content": {"parts": [part]}, "finishReason": stop}]})
    };
    let chat = |text: &str, stop: Value| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": stop}]});
    let stop = || json!("STOP");
    for (provider, events) in [
        ("gemini", vec![part("12", false, stop())]),
        ("gemini", vec![part("", false, stop()), part("Hm.", true, Value::Null)]),
        (
            "gemini",
            vec![part("1", false, Value::Null), part("2", false, stop()), part("5", false, Value::Null)],
        ),
        ("openai", vec![chat("12", json!("stop"))]),
        ("openai", vec![chat("", json!("stop"))]),
    ] {
        let sent: Vec<_> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let (cut, _) = stream(provider, Answer::Cut(EVENTS, sent.concat().into_bytes())).await;
        assert_eq!(cut.unwrap_err().kind(), AgentErrorKind::Transport, "{provider}: {events:?}");
        // Nothing has said that the last text is the end.
        let is_open = events.len() > 2;
        let (ended, _) = stream(provider, frames(&events)).await;
        assert_eq!(ended.is_err(), is_open, "{provider}: {events:?}");
    }
    let half = format!(
        "data: {}\n\ndata: {}\n\ndata: {{\"candidates\": [",
        part("1", false, Value::Null),
        part("2", false, stop())
    );
    let (reply, _) = stream("gemini", Answer::bytes("200 OK", EVENTS, half)).await;
    assert_eq!(
        reply.unwrap_err().kind(),
        AgentErrorKind::Garbled,
        "text came with the reason, and may be in the half"
    );
    let (reply, _) = stream("gemini", frames(&[part("12", false, stop()), part("50", false, stop())])).await;
    assert_eq!(reply.unwrap().text(), "1250");
}

/// Where a reason says nothing, the end of the body does, if it has one, and the end marker of a format that has
/// one. A connection that is closed says nothing.
#[tokio::test]
async fn a_stream_with_a_stop_reason_in_every_chunk_needs_another_end() {
    let gemini = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    let chat =
        |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]});
    let role = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]});
    let done = "data: [DONE]\n\n";
    for (provider, events, marker, is_whole_by_length, is_whole_when_closed) in [
        ("openai", vec![chat("1"), chat("2")], "", false, false),
        ("openai", vec![role, chat("1"), chat("2")], "", false, false),
        ("openai", vec![chat("1"), chat("2")], done, true, true),
        ("openai", vec![chat("12")], "", true, false),
        ("gemini", vec![gemini("1"), gemini("2")], "", true, false),
        ("gemini", vec![gemini("12")], "", true, false),
    ] {
        let sent: Vec<_> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let sent = sent.concat() + marker;
        let closed = Answer::Pieces { kind: EVENTS, pieces: vec![sent.clone().into()], stays_open: false };
        for (answer, is_whole) in [
            (Answer::bytes("200 OK", EVENTS, sent.clone()), is_whole_by_length),
            (closed, is_whole_when_closed),
        ] {
            let (reply, _) = stream(provider, answer).await;
            let found = reply.as_ref().map(|reply| reply.text().to_owned()).map_err(AgentError::kind);
            let expected = if is_whole { Ok("12".to_owned()) } else { Err(AgentErrorKind::Transport) };
            assert_eq!(found, expected, "{provider}: {sent}");
        }
    }
}

/// Some gateways say in the first event how the message will end, or say it twice.
#[tokio::test]
async fn an_early_stop_reason_of_a_message_does_not_end_it() {
    let start =
        |reason: Value| json!({"type": "message_start", "message": {"content": [], "stop_reason": reason}});
    let begin =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let text = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let end = || json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    for (name, before, after) in [
        ("at the start", vec![start(json!("end_turn")), begin.clone(), text("12")], vec![text("34"), end()]),
        (
            "before the text",
            vec![start(json!(null)), end(), begin.clone(), text("12")],
            vec![text("34"), end()],
        ),
        (
            "in the text",
            vec![start(json!(null)), begin, text("1"), end(), text("2")],
            vec![text("34"), end()],
        ),
    ] {
        for closing in [frames(&before), Answer::Cut(EVENTS, bytes_of(&before))] {
            let (cut, _) = stream("anthropic", closing).await;
            assert_eq!(cut.unwrap_err().kind(), AgentErrorKind::Transport, "{name}");
        }
        // Longer than what may follow a stop reason is waited for.
        let (whole, _) = stream("anthropic", frames(&[before.clone(), after].concat())).await;
        assert_eq!(whole.unwrap().text(), "1234", "{name}");
        let pieces = vec![bytes_of(&before)];
        let server = Server::start([Answer::Pieces { kind: EVENTS, pieces, stays_open: true }]);
        let (agent, request) = (agent("anthropic", &server), request());
        let asking = agent.stream(&request, DeltaSink::new(|_| {}));
        let waited = tokio::time::timeout(Duration::from_millis(5_500), asking).await;
        assert!(waited.is_err(), "{name}: {waited:?}");
    }
}

/// Neither is a part of the other.
#[tokio::test]
async fn the_texts_of_two_messages_are_two_lines() {
    let message = |id: &str, texts: &[&str]| {
        let parts: Vec<_> = texts.iter().map(|text| json!({"type": "output_text", "text": text})).collect();
        json!({"type": "message", "id": id, "content": parts})
    };
    let delta =
        |id: &str, text: &str| json!({"type": "response.output_text.delta", "item_id": id, "delta": text});
    let items = [message("z", &[]), message("a", &["1", "2"]), message("b", &["34"])];
    let body = json!({"status": "completed", "output": items});
    let reply = ask("openai-responses", Answer::json(&body)).await.unwrap();
    assert_eq!(reply.text(), "12\n34");
    for output in [json!(items), json!([])] {
        let end =
            json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
        let events = [delta("a", "1"), delta("a", "2"), delta("b", "3"), delta("b", "4"), end];
        let (reply, deltas) = stream("openai-responses", frames(&events)).await;
        assert_eq!((reply.unwrap().text(), &*deltas.concat()), ("12\n34", "12\n34"));
    }
}

/// Google omits the number 0.
#[tokio::test]
async fn a_reply_without_a_number_is_the_first() {
    let candidate = |text: &str| json!({"content": {"parts": [{"text": text}]}, "finishReason": "STOP"});
    let numbered = |text: &str| {
        let mut candidate = candidate(text);
        candidate["index"] = 1.into();
        candidate
    };
    for events in [
        vec![json!([candidate("8"), numbered("6")]), json!([numbered("7")]), json!([candidate("0")])],
        vec![json!([candidate("80")]), json!([numbered("6")])],
    ] {
        let events: Vec<_> = events.into_iter().map(|all| json!({"candidates": all})).collect();
        let (reply, _) = stream("gemini", frames(&events)).await;
        assert_eq!(reply.unwrap().text(), "80", "{events:?}");
    }
    let body = json!({"candidates": [numbered("6"), candidate("8")]});
    assert_eq!(ask("gemini", Answer::json(&body)).await.unwrap().text(), "8");
}

#[tokio::test]
async fn deltas_of_a_commentary_are_not_the_reply() {
    let begin = |id: &str, phase: &str| json!({"type": "response.output_item.added", "item": {"type": "message", "id": id, "phase": phase}});
    let delta =
        |id: &str, text: &str| json!({"type": "response.output_text.delta", "item_id": id, "delta": text});
    let end = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let said = [begin("a", "commentary"), delta("a", "I look at {\"legs\": 6}.")];
    let answered = [begin("b", "final_answer"), delta("b", "8")];
    for (events, expected) in [(said.to_vec(), ""), ([said, answered].concat(), "8")] {
        let (reply, deltas) = stream("openai-responses", frames(&[events, vec![end.clone()]].concat())).await;
        assert_eq!((reply.unwrap().text(), &*deltas.concat()), (expected, expected));
    }
}
