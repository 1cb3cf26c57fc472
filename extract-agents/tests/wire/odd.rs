//! Frames that servers and gateways send although no specification has them.

use std::time::Duration;

use extract::{
    Toolkit,
    agent::{
        Agent as _, AgentErrorKind, Conversation, Delta, DeltaSink, FinishReason, Request, Role, ToolCall,
    },
};
use serde_json::{Value, json};

use crate::{
    agent, ask, contract,
    formats::{EVENTS, PROVIDERS, events, events_up_to_stop, kind, replied, stop},
    request,
    server::{Answer, Server},
    stream,
};

fn frames(frames: &[Value]) -> Answer {
    let frames: Vec<_> = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    Answer::bytes("200 OK", EVENTS, frames.concat())
}

/// The calls of a streamed reply, and the arguments that were sent on for each.
async fn calls(deltas: &[Value]) -> (Vec<ToolCall>, Vec<String>) {
    let mut all: Vec<_> =
        deltas.iter().map(|call| json!({"choices": [{"delta": {"tool_calls": [call]}}]})).collect();
    all.push(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}));
    let server = Server::start([frames(&all)]);
    let (mut sent, request) = (Vec::<String>::new(), request());
    let sink = DeltaSink::new(|delta: Delta<'_>| {
        let index = delta.call.unwrap().index;
        sent.resize(sent.len().max(index + 1), String::new());
        sent[index].push_str(delta.text);
    });
    let reply = agent("openai", &server).stream(&request, sink).await.unwrap();
    (reply.calls().to_vec(), sent)
}

#[tokio::test]
async fn calls_that_all_have_the_number_0_stay_apart() {
    let call = |id: &str, legs: u8| {
        json!({"index": 0, "id": id, "type": "function",
        "function": {"name": "validate", "arguments": format!("{{\"legs\":{legs}}}")}})
    };
    let (found, sent) = calls(&[call("a", 6), call("b", 8)]).await;
    let expected = [("a", 6), ("b", 8)];
    let expected = expected.map(|(id, legs)| ToolCall::new("validate", json!({"legs": legs})).with_id(id));
    assert_eq!(found, expected);
    assert_eq!(sent, ["{\"legs\":6}", "{\"legs\":8}"]);
}

/// Gemini's compatible interface merges parallel calls.
#[tokio::test]
async fn whole_calls_without_ids_stay_apart_even_if_they_are_equal() {
    let call = |name: &str, legs: u8| json!({"index": 0, "id": "", "function": {"name": name, "arguments": format!("{{\"legs\":{legs}}}")}});
    let (found, sent) =
        calls(&[call("validate", 6), call("validate", 8), call("validate", 8), call("submit", 8)]).await;
    let found: Vec<_> = found.iter().map(|call| (&*call.name, call.arguments["legs"].clone())).collect();
    let expected = [("validate", 6), ("validate", 8), ("validate", 8), ("submit", 8)];
    assert_eq!(found, expected.map(|(name, legs)| (name, json!(legs))));
    assert_eq!(sent, ["{\"legs\":6}", "{\"legs\":8}", "{\"legs\":8}", "{\"legs\":8}"]);
}

/// LocalAI gives all calls one id, and sends the name before the arguments. Other servers send `{}` before them.
#[tokio::test]
async fn a_name_under_another_number_begins_a_call_and_an_empty_object_is_no_argument_yet() {
    let call = |index: u8, id: &str, name: &str, text: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": text}});
    let parts = [
        call(0, "x", "f", ""),
        call(0, "x", "", "{\"a\":1}"),
        call(1, "x", "g", ""),
        call(1, "x", "", "{\"b\":2}"),
    ];
    let (found, _) = calls(&parts).await;
    let found: Vec<_> = found.iter().map(|call| (&*call.name, call.arguments.clone())).collect();
    assert_eq!(found, [("f", json!({"a": 1})), ("g", json!({"b": 2}))]);
    let (found, _) =
        calls(&[call(0, "x", "f", "{}"), call(0, "", "", "{\"a\""), call(0, "", "", ":1}")]).await;
    let found: Vec<_> = found.iter().map(|call| (&*call.name, call.arguments.clone())).collect();
    assert_eq!(found, [("f", json!({"a": 1}))]);
}

/// LiteLLM repeats a call at the end, and LocalAI under other numbers.
#[tokio::test]
async fn a_call_that_is_repeated_is_one_call() {
    let delta = |index: u8, name: Value, arguments: &str| json!({"index": index, "id": "a", "function": {"name": name, "arguments": arguments}});
    let (named, none, whole) = (json!("submit"), Value::Null, "{\"legs\": {\"left\": 4}}");
    let parts = [
        delta(0, named.clone(), "{\"legs\": "),
        delta(0, none.clone(), "{\"left\""),
        delta(0, none.clone(), ": 4}}"),
    ];
    let again = |more: &[Value]| [&parts, more].concat();
    for deltas in [
        again(&[delta(0, named.clone(), whole)]),
        again(&[delta(0, none.clone(), "{\"legs\":{\"left\":4}}")]),
        again(&[delta(0, named.clone(), &json!(whole).to_string())]),
        again(&[delta(1, named.clone(), whole), delta(2, named.clone(), whole)]),
        vec![delta(0, named.clone(), ""), delta(1, named.clone(), whole)],
        vec![delta(0, named.clone(), "{\"legs\""), delta(1, named.clone(), whole)],
    ] {
        let (found, sent) = calls(&deltas).await;
        assert_eq!(found, [ToolCall::new("submit", json!({"legs": {"left": 4}})).with_id("a")], "{deltas:?}");
        assert_eq!(sent, [whole], "{deltas:?}");
    }
}

/// The same call goes on although its id changes.
#[tokio::test]
async fn a_call_with_another_id_in_each_delta_is_one_call() {
    let delta = |id: &str, arguments: &str| {
        json!({"index": 1, "id": id,
        "function": {"name": "submit", "arguments": arguments}})
    };
    let (found, sent) = calls(&[delta("a", ""), delta("b", "{\"legs\""), delta("c", ": 8}")]).await;
    assert_eq!(found, [ToolCall::new("submit", json!({"legs": 8})).with_id("c")]);
    assert_eq!(sent, ["{\"legs\": 8}"]);
}

#[tokio::test]
async fn blocks_of_anthropic_are_put_together_by_their_numbers() {
    let begin = |index: u8, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: u8, name: &str, text: &str| {
        json!({"type": "content_block_delta", "index": index,
        "delta": {"type": format!("{name}_delta"), name: text, "partial_json": text}})
    };
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
    let (reply, deltas) = stream(
        "anthropic",
        frames(&[
            begin(1, json!({"type": "text", "text": ""})),
            begin(2, json!({"type": "tool_use", "id": "a", "name": "submit", "input": {}})),
            delta(1, "text", "Eight"),
            delta(2, "input_json", "{\"legs\":"),
            delta(1, "text", "."),
            delta(2, "input_json", " 8}"),
            end.clone(),
        ]),
    )
    .await;
    let reply = reply.unwrap();
    assert_eq!(reply.text(), "Eight.");
    assert_eq!(reply.calls(), [ToolCall::new("submit", json!({"legs": 8})).with_id("a")]);
    assert_eq!(deltas.concat(), "Eight{\"legs\":. 8}");
    // A gateway that does not say where the text begins.
    let (reply, deltas) = stream("anthropic", frames(&[delta(0, "text", "{}"), end])).await;
    assert_eq!((reply.unwrap().text(), deltas.concat().as_str()), ("{}", "{}"));
}

#[tokio::test]
async fn items_that_the_last_event_of_responses_does_not_repeat_are_kept() {
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "a", "name": "submit",
        "arguments": "{\"legs\": 8}"});
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I must not."}]});
    for output in [json!([]), Value::Null] {
        let reply = |item: &Value| {
            frames(&[
                json!({"type": "response.output_item.done", "item": item}),
                json!({"type": "response.completed", "response": {"status": "completed", "output": output}}),
            ])
        };
        let (called, _) = stream("openai-responses", reply(&call)).await;
        let expected = ToolCall::new("submit", json!({"legs": 8})).with_id("a");
        assert_eq!(called.unwrap().calls(), [expected], "{output}");
        let (refused, _) = stream("openai-responses", reply(&refusal)).await;
        assert_eq!(refused.unwrap().refusal(), Some("I must not."), "{output}");
    }
}

#[tokio::test]
async fn an_end_marker_may_have_blanks_around_it() {
    for marker in ["data: [DONE] \r\n\r\n", "data:[DONE]\n\n", "data:  [DONE]", "[DONE]\n"] {
        let body = format!(
            "data: {}\n\n{marker}",
            json!({"choices": [{"delta": {"content": "8"}, "finish_reason": "stop"}]})
        );
        let (reply, _) = stream("openai", Answer::bytes("200 OK", EVENTS, body)).await;
        assert_eq!(reply.unwrap_or_else(|error| panic!("{marker:?}: {error}")).text(), "8");
    }
}

#[tokio::test]
async fn an_event_that_is_called_an_error_is_one_whatever_its_data() {
    for provider in PROVIDERS {
        for (data, error_kind, words) in [
            ("the engine crashed", AgentErrorKind::Transport, "engine crashed"),
            ("{\"message\": \"the engine crashed\"}", AgentErrorKind::Transport, "engine crashed"),
            ("{\"message\": \"wait\", \"code\": 429}", AgentErrorKind::RateLimited, "wait"),
        ] {
            let start = events(provider, &["1", "2"], stop(provider))[..2].concat();
            let body = [start, format!("event: error\ndata: {data}\n\n").into_bytes()].concat();
            let (reply, _) = stream(provider, Answer::bytes("200 OK", EVENTS, body)).await;
            let error = reply.unwrap_err();
            assert!(error.message().contains(words), "{provider}: {error}");
            assert_eq!(error.kind(), error_kind, "{provider}: {error}");
        }
    }
}

#[tokio::test]
async fn events_that_nobody_asked_for_are_read_under_any_content_type() {
    for provider in PROVIDERS {
        for other in ["application/json", "text/plain", ""] {
            let body = events(provider, &["{\"legs\":", " 8}"], stop(provider)).concat();
            let reply = ask(provider, Answer::bytes("200 OK", other, body)).await;
            let reply = reply.unwrap_or_else(|error| panic!("{provider} {other}: {error}"));
            assert_eq!((reply.text(), reply.finish_reason()), ("{\"legs\": 8}", &FinishReason::Stop));
        }
        // Half of them is no reply.
        let mut half = events(provider, &["{\"legs\":", " 8}"], stop(provider));
        half.truncate(if provider == "gemini" { 1 } else { 2 });
        let cut = ask(provider, Answer::bytes("200 OK", "text/plain", half.concat())).await;
        assert!(cut.is_err(), "{provider}: {cut:?}");
    }
}

#[tokio::test]
async fn all_calls_that_the_server_left_in_the_text_are_found() {
    let one = |legs: u8| format!("{{\"legs\": {legs}}}");
    let harmony = |legs: u8| {
        format!(
            "<|start|>assistant<|channel|>commentary to=functions.submit <|constrain|>json<|message|>{{\"legs\": {legs}}}<|call|>"
        )
    };
    let named = |legs: u8| format!("{{\"name\": \"submit\", \"arguments\": {{\"legs\": {legs}}}}}");
    let toolkit = Toolkit::untyped(contract());
    for text in [
        format!("[TOOL_CALLS]submit[ARGS]{}[TOOL_CALLS]submit[CALL_ID]b[ARGS]{}", one(6), one(8)),
        format!("[TOOL_CALLS][{}, {}]", named(6), named(8)),
        format!("<tool_call>{}</tool_call>\n<tool_call>{}</tool_call>", named(6), named(8)),
        format!("{}{}", harmony(6), harmony(8)),
    ] {
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let server = Server::start([Answer::json(&body)]);
        let request =
            Request::new(Conversation::new().with(Role::User, "How many?")).with_tools(toolkit.tools());
        let reply = agent("vllm", &server).respond(&request).await.unwrap();
        let legs: Vec<_> = reply.calls().iter().map(|call| call.arguments["legs"].clone()).collect();
        assert_eq!(legs, [6, 8], "{text}");
    }
}

#[tokio::test]
async fn a_call_that_is_only_thought_of_is_not_one() {
    let call = |legs: u8| {
        format!("<tool_call>{{\"name\": \"submit\", \"arguments\": {{\"legs\": {legs}}}}}</tool_call>")
    };
    let (draft, listed) = (call(6), "[TOOL_CALLS]submit[ARGS]{\"legs\": 6}");
    let quoted = "<tool_call>{\"name\": \"submit\", \"arguments\": {\"legs\": 8, \"why\": \"a </think> b\"}}</tool_call>";
    let toolkit = Toolkit::untyped(contract());
    for (text, legs) in [
        (format!("<think>maybe {draft}</think>\n{}", call(8)), vec![8]),
        (format!("<thinking>maybe {listed}</thinking>{}", call(8)), vec![8]),
        (format!("[THINK]maybe {draft}[/THINK]{}", call(8)), vec![8]),
        (format!("maybe {draft} or not</think>{}", call(8)), vec![8]),
        (format!("<think>maybe {draft}</think>\n{{\"legs\": 8}}"), vec![]),
        (format!("maybe {draft}</think>\n8"), vec![]),
        (format!("<think>maybe {draft}"), vec![]),
        (quoted.to_owned(), vec![8]),
        (format!("<think>hm</think>{quoted}"), vec![8]),
    ] {
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let server = Server::start([Answer::json(&body)]);
        let request =
            Request::new(Conversation::new().with(Role::User, "How many?")).with_tools(toolkit.tools());
        let reply = agent("vllm", &server).respond(&request).await.unwrap();
        let found: Vec<_> = reply.calls().iter().map(|call| call.arguments["legs"].clone()).collect();
        assert_eq!(found, legs, "{text}");
        assert!(!legs.is_empty() || reply.text() == text, "{}", reply.text());
    }
}

#[test]
fn what_the_agent_decides_may_not_be_in_the_body() {
    let server = Server::start([]);
    for (provider, body, path) in [
        ("openai", json!({"n": 2}), "n"),
        ("gemini", json!({"generationConfig": {"candidateCount": 3}}), "generationConfig.candidateCount"),
        ("gemini", json!({"generation_config": {"candidate_count": 3}}), "generation_config"),
        ("gemini", json!({"system_instruction": {}}), "system_instruction"),
        // Two members of the same name would be sent.
        (
            "gemini",
            json!({"generationConfig": {"responseJsonSchema": {}}}),
            "generationConfig.responseJsonSchema",
        ),
        ("anthropic", json!({"output_config": {"format": {}}}), "output_config.format"),
        ("openai-responses", json!({"text": {"format": {}}}), "text"),
    ] {
        let error = agent(provider, &server).body(body).unwrap_err();
        assert_eq!(error.message(), format!("`{path}` of the body is the agent's own"), "{provider}");
    }
    let other = json!({"generationConfig": {"topK": 3}, "output_config": {"effort": "low"}});
    assert!(agent("gemini", &server).body(other).is_ok());
}

/// Neither OpenAI's usage nor its end marker come, and the connection stays open.
#[tokio::test]
async fn a_stream_that_falls_silent_after_its_stop_reason_is_whole() {
    for provider in PROVIDERS {
        let pieces = events_up_to_stop(provider);
        let answer = || Answer::Pieces { kind: kind(provider), pieces: pieces.clone(), stays_open: true };
        let server = Server::start([answer()]);
        let agent = agent(provider, &server).silence_timeout(Duration::from_millis(300));
        let reply = agent.stream(&request(), DeltaSink::new(|_| {})).await;
        let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}"));
        assert_eq!(
            (reply.text(), reply.finish_reason()),
            ("{\"legs\": 8}", &FinishReason::Stop),
            "{provider}"
        );
    }
}

#[tokio::test]
async fn a_compressed_reply_is_called_so_and_not_asked_for_again() {
    for is_streamed in [false, true] {
        let answer = Answer::bytes("200 OK", "application/json", vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
            .header("Content-Encoding", "gzip");
        let server = Server::start([answer]);
        let (agent, request) = (agent("openai", &server), request());
        let asked = if is_streamed {
            agent.stream(&request, DeltaSink::new(|_| {}))
        } else {
            agent.respond(&request)
        };
        let error = asked.await.unwrap_err();
        let says = "the server compressed its response (gzip), although the request accepts only `identity`";
        assert_eq!((error.message(), error.is_transient()), (says, false));
        assert_eq!(server.only().header("accept-encoding"), Some("identity"));
    }
    let plain = replied("openai", "8").header("Content-Encoding", "identity");
    assert_eq!(ask("openai", plain).await.unwrap().text(), "8");
}

#[tokio::test]
async fn an_error_that_is_a_page_or_compressed_is_a_short_sentence() {
    let page =
        "<!DOCTYPE html>\n<html><head><title>\n 504 Gateway\n Time-out</title></head><body>x</body></html>";
    let bytes = vec![0x1F, 0x8B, 8, 0, 0, 0, 0xFF, 0xFE];
    let failed = |kind, body: Vec<u8>| Answer::bytes("504 Gateway Timeout", kind, body);
    for (answer, says) in [
        (failed("text/html", page.into()), "a page with the title `504 Gateway Time-out`"),
        (failed("text/html", "<html><body>no</body></html>".into()), "a page of 28 bytes"),
        (failed("text/html", bytes.clone()), "a body that is not text"),
        (
            failed("application/json", bytes).header("Content-Encoding", "gzip"),
            "a body of 8 bytes, encoded as gzip",
        ),
        (failed("application/json", r#"{"Message": "no"}"#.into()), "no"),
    ] {
        let error = ask("openai", answer).await.unwrap_err();
        assert_eq!(error.message(), format!("HTTP 504 Gateway Timeout: {says}"));
    }
    let login = ask("openai", Answer::bytes("200 OK", "text/html", page)).await.unwrap_err();
    let says = "expected application/json, got text/html: a page with the title `504 Gateway Time-out`";
    assert_eq!(login.message(), says);
}

#[tokio::test]
async fn too_many_headers_are_an_error_that_is_not_asked_for_again() {
    let many = (0..120).fold(replied("openai", "8"), |answer, at| answer.header(&format!("X-{at}"), "1"));
    for answer in [many, Answer::Headers(4 << 20)] {
        let error = ask("openai", answer).await.unwrap_err();
        assert!(error.message().starts_with("the server sent more than the 100 headers"), "{error}");
        assert!(!error.is_transient(), "{error}");
    }
}
