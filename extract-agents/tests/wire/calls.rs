//! Tools: offered, called, answered.

use extract::{
    Toolkit,
    agent::{Agent as _, Conversation, Delta, DeltaSink, Reply, Request, Role, ToolCall, Turn},
};
use serde_json::{Value, json};

use crate::{
    agent, contract,
    formats::{EVENTS, FORMATS, PROVIDERS, kind, replied},
    server::{Answer, Server},
};

fn request() -> Request {
    let toolkit = Toolkit::untyped(contract());
    let conversation = Conversation::new().with(Role::User, "How many legs?");
    Request::new(conversation).with_tools(toolkit.tools())
}

/// A reply of `provider` that calls `submit`.
pub(crate) fn called(provider: &str) -> Value {
    match provider {
        "openai-responses" => json!({"status": "completed", "output": [
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "abc", "summary": []},
            {"type": "function_call", "call_id": "call_1", "name": "submit", "arguments": "{\"legs\": 8}"},
        ]}),
        "anthropic" => json!({"stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": "Eight.", "signature": "sig"},
            {"type": "text", "text": "I submit it."},
            {"type": "tool_use", "id": "call_1", "name": "submit", "input": {"legs": 8}},
        ]}),
        "gemini" => json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
            {"text": "Eight.", "thought": true},
            {"functionCall": {"name": "submit", "args": {"legs": 8}}, "thoughtSignature": "sig"},
        ]}}]}),
        "ollama" => {
            json!({"done": true, "done_reason": "stop", "message": {"role": "assistant", "content": "", "tool_calls": [
                {"function": {"name": "submit", "arguments": {"legs": 8}}},
            ]}})
        }
        "bedrock-converse" => json!({"stopReason": "tool_use", "output": {"message": {"content": [
            {"reasoningContent": {"reasoningText": {"text": "Eight.", "signature": "sig"}}},
            {"toolUse": {"toolUseId": "call_1", "name": "submit", "input": {"legs": 8}}},
        ]}}}),
        _ => json!({"choices": [{"finish_reason": "tool_calls", "message": {"content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "submit", "arguments": "{\"legs\": 8}"}},
        ]}}]}),
    }
}

async fn reply(provider: &str, body: &Value) -> Reply {
    let server = Server::start([Answer::json(body)]);
    agent(provider, &server).respond(&request()).await.unwrap()
}

#[tokio::test]
async fn tools_are_offered_and_calls_are_read() {
    for provider in PROVIDERS {
        let server = Server::start([Answer::json(&called(provider))]);
        let reply = agent(provider, &server).respond(&request()).await.unwrap();
        let [call] = reply.calls() else { panic!("{provider}: {:?}", reply.calls()) };
        assert_eq!((&*call.name, &call.arguments), ("submit", &json!({"legs": 8})), "{provider}");
        let tools = server.only().body["tools"].clone();
        let tools = tools[0].get("functionDeclarations").unwrap_or(&tools).clone();
        let names: Vec<_> = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| {
                tool.get("name")
                    .or_else(|| tool["function"].get("name"))
                    .unwrap()
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert!(names.contains(&"submit".to_owned()), "{provider}: {names:?}");
    }
}

/// What the provider wants back goes back to it as it was, and to no other.
#[tokio::test]
async fn calls_and_their_results_are_sent_back() {
    for provider in FORMATS {
        let first = reply(provider, &called(provider)).await;
        let result = first.calls()[0].answered("wrong", true);
        let conversation = Conversation::new()
            .with(Role::User, "How many legs?")
            .with_turn(Turn::of_calls(&first))
            .with_turn(Turn::of_results([result]))
            .with(Role::User, "Again.");
        for other in FORMATS {
            let server = Server::start([replied(other, "{}")]);
            let request = Request::new(conversation.clone()).with_tools(request().tools.unwrap());
            agent(other, &server).respond(&request).await.unwrap();
            let body = server.only().body.to_string();
            let data = ["\"sig\"", "\"abc\""].iter().any(|data| body.contains(data));
            let has_data = provider == other && !matches!(provider, "openai" | "ollama");
            assert_eq!(data, has_data, "{provider} to {other}: {body}");
            assert!(body.contains("submit") && body.contains("wrong"), "{provider} to {other}: {body}");
        }
    }
}

/// Mistral refuses ids that are empty or not of nine letters and digits.
#[tokio::test]
async fn calls_without_ids_get_some_that_go_back_with_their_results() {
    let call = |legs: u8| json!({"function": {"name": "submit", "arguments": {"legs": legs}}});
    let calls = json!({"content": null, "tool_calls": [call(6), call(8)]});
    let called = json!({"choices": [{"finish_reason": "tool_calls", "message": calls}]});
    let first = reply("mistral", &called).await;
    let results: Vec<_> = first.calls().iter().map(|call| call.answered("wrong", true)).collect();
    let conversation = Conversation::new()
        .with(Role::User, "How many legs?")
        .with_turn(Turn::of_calls(&first))
        .with_turn(Turn::of_results(results));
    let server = Server::start([Answer::json(&called)]);
    let request = Request::new(conversation).with_tools(request().tools.unwrap());
    let second = agent("mistral", &server).respond(&request).await.unwrap();
    let messages = &server.only().body["messages"];
    let text = |place: &str| messages.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned();
    for (index, id) in ["call00000", "call00001"].into_iter().enumerate() {
        assert_eq!(first.calls()[index].id, id);
        assert_eq!(text(&format!("/1/tool_calls/{index}/id")), id);
        assert_eq!(text(&format!("/{}/tool_call_id", index + 2)), id);
    }
    let ids: Vec<_> = second.calls().iter().map(|call| &*call.id).collect();
    assert_eq!(ids, ["call00002", "call00003"]);
}

/// Thoughts of DeepSeek, Kimi and OpenRouter, and the signatures of Gemini's compatible interface.
#[tokio::test]
async fn thoughts_and_signatures_of_chat_completions_are_sent_back_with_the_calls() {
    let extra = json!({"google": {"thought_signature": "sig"}});
    let details = json!([{"type": "reasoning.text", "index": 0, "text": "Eight.", "signature": "sig"}]);
    let call = |extra: &Value| {
        let function = json!({"name": "submit", "arguments": "{\"legs\": 8}"});
        let mut call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
        if !extra.is_null() {
            call["extra_content"] = extra.clone();
        }
        json!({"tool_calls": [call]})
    };
    for (provider, deltas, place, expected) in [
        (
            "deepseek",
            vec![
                json!({"reasoning_content": "Ei"}),
                json!({"reasoning_content": "ght."}),
                call(&Value::Null),
            ],
            "/reasoning_content",
            json!("Eight."),
        ),
        (
            "openrouter",
            vec![
                json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Ei"}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "ght."}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "sig"}]}),
                call(&Value::Null),
            ],
            "/reasoning_details",
            details,
        ),
        ("openai", vec![call(&extra)], "/tool_calls/0/extra_content", extra.clone()),
    ] {
        let chunk = |delta: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
        let body = deltas.iter().map(chunk).collect::<String>()
            + "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"tool_calls\"}]}\n\ndata: [DONE]\n\n";
        let server = Server::start([Answer::bytes("200 OK", EVENTS, body)]);
        let streamed = agent(provider, &server).stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
        let mut message = call(&if provider == "openai" { extra.clone() } else { Value::Null });
        if provider != "openai" {
            message[&place[1..]] = expected.clone();
        }
        let whole = json!({"choices": [{"finish_reason": "tool_calls", "message": message}]});
        for first in [streamed, reply(provider, &whole).await] {
            let conversation = Conversation::new()
                .with(Role::User, "How many legs?")
                .with_turn(Turn::of_calls(&first))
                .with_turn(Turn::of_results([first.calls()[0].answered("wrong", true)]));
            for other in [provider, "groq"] {
                let server = Server::start([replied(other, "{}")]);
                let request = Request::new(conversation.clone()).with_tools(request().tools.unwrap());
                agent(other, &server).respond(&request).await.unwrap();
                let sent = server.only().body.pointer(&format!("/messages/1{place}")).cloned();
                assert_eq!(
                    sent,
                    Some(expected.clone()).filter(|_| other == provider),
                    "{provider} to {other}"
                );
            }
        }
    }
}

#[tokio::test]
async fn calls_without_numbers_or_with_wrong_ones_are_read_from_a_stream() {
    let call = |index: Value, id: Value, name: Value, arguments: &str| {
        let mut call = json!({"function": {"name": name, "arguments": arguments}});
        if !index.is_null() {
            call["index"] = index;
        }
        if !id.is_null() {
            call["id"] = id;
        }
        call
    };
    let none = Value::Null;
    for calls in [
        vec![
            call(json!(0), json!("a"), json!("submit"), ""),
            call(json!(0), none.clone(), none.clone(), "{\"legs\":"),
            call(json!(0), none.clone(), none.clone(), " 8}"),
        ],
        vec![
            call(json!(1), json!("a"), json!("submit"), "{\"legs\":"),
            call(json!(1), none.clone(), none.clone(), " 8}"),
        ],
        vec![
            call(none.clone(), json!("a"), json!("submit"), "{\"legs\":"),
            call(none.clone(), none.clone(), none.clone(), " 8}"),
        ],
        vec![call(none.clone(), json!("a"), json!("submit"), "{\"legs\": 8}")],
    ] {
        let chunk =
            |call: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}));
        let body: String = calls.iter().map(chunk).collect();
        let body = body
            + "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"tool_calls\"}]}\n\ndata: [DONE]\n\n";
        let server = Server::start([Answer::bytes("200 OK", EVENTS, body)]);
        let (mut arguments, request) = (String::new(), request());
        let sink = DeltaSink::new(|delta: Delta<'_>| {
            assert_eq!(delta.call.unwrap().name, "submit");
            arguments.push_str(delta.text);
        });
        let reply = agent("openai", &server).stream(&request, sink).await.unwrap();
        assert_eq!(reply.calls(), [ToolCall::new("submit", json!({"legs": 8})).with_id("a")], "{calls:?}");
        assert_eq!(arguments, "{\"legs\": 8}");
    }
}

#[tokio::test]
async fn two_calls_in_one_stream_stay_apart() {
    let delta = |index: u64, id: &str, arguments: &str| json!({"index": index, "id": id, "function": {"name": "validate", "arguments": arguments}});
    let calls = json!([delta(0, "a", "{\"legs\": 6}"), delta(1, "b", "{\"legs\": 8}")]);
    let body = format!(
        "data: {}\n\ndata: {{\"choices\": [{{\"delta\": {{}}, \"finish_reason\": \"tool_calls\"}}]}}\n\ndata: [DONE]\n\n",
        json!({"choices": [{"delta": {"tool_calls": calls}}]})
    );
    let server = Server::start([Answer::bytes("200 OK", EVENTS, body)]);
    let reply = agent("openai", &server).stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
    let legs: Vec<_> = reply.calls().iter().map(|call| call.arguments["legs"].as_u64().unwrap()).collect();
    assert_eq!(legs, [6, 8]);
}

#[tokio::test]
async fn calls_of_a_stream_are_the_same_as_those_of_a_whole_reply() {
    let named = |value: Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap());
    let anthropic = [
        json!({"type": "content_block_start", "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Eight."}}),
        json!({"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "sig"}}),
        json!({"type": "content_block_start", "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "I submit it."}}),
        json!({"type": "content_block_start", "content_block": {"type": "tool_use", "id": "call_1", "name": "submit", "input": {}}}),
        json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{\"legs\""}}),
        json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": ": 8}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let responses = [
        json!({"type": "response.output_item.added", "item": {"type": "function_call", "id": "fc_1", "name": "submit"}}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": "{\"legs\": 8}"}),
        json!({"type": "response.completed", "response": called("openai-responses")}),
    ];
    for (provider, body) in [
        ("anthropic", anthropic.into_iter().map(named).collect::<String>()),
        ("openai-responses", responses.into_iter().map(named).collect()),
        ("gemini", format!("data: {}\n\n", called("gemini"))),
        ("ollama", format!("{}\n", called("ollama"))),
    ] {
        let server = Server::start([Answer::bytes("200 OK", kind(provider), body)]);
        let mut arguments = String::new();
        let request = request();
        let sink = DeltaSink::new(|delta: Delta<'_>| {
            if delta.call.is_some() {
                arguments.push_str(delta.text);
            }
        });
        let streamed = agent(provider, &server).stream(&request, sink).await.unwrap();
        let whole = reply(provider, &called(provider)).await;
        assert_eq!(streamed.calls(), whole.calls(), "{provider}");
        assert_eq!(streamed.provider_data(), whole.provider_data(), "{provider}");
        assert_eq!(serde_json::from_str::<Value>(&arguments).unwrap(), json!({"legs": 8}), "{provider}");
    }
}

#[tokio::test]
async fn calls_that_the_server_left_in_the_text_are_found() {
    for text in [
        "<tool_call>\n{\"name\": \"submit\", \"arguments\": {\"legs\": 8}}\n</tool_call>",
        "[TOOL_CALLS][{\"name\": \"submit\", \"arguments\": {\"legs\": 8}}]",
        "[TOOL_CALLS]submit[ARGS]{\"legs\": 8}",
        "<|channel|>commentary to=functions.submit <|constrain|>json<|message|>{\"legs\": 8}<|call|>",
    ] {
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let reply = reply("vllm", &body).await;
        let [call] = reply.calls() else { panic!("{text}: {:?}", reply.calls()) };
        assert_eq!(
            (&*call.name, &call.arguments, reply.text()),
            ("submit", &json!({"legs": 8}), ""),
            "{text}"
        );
        assert!(reply.notes()[0].contains("left the tool calls in the text"));
    }
    for text in [
        "<tool_call>{\"name\": \"other\", \"arguments\": {}}</tool_call>",
        "<tool_call> is a word",
        "{\"legs\": 8}",
    ] {
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let reply = reply("vllm", &body).await;
        assert_eq!((reply.calls(), reply.text()), (&[][..], text));
    }
}

#[tokio::test]
async fn the_text_around_calls_in_the_text_stays() {
    let call = "{\"name\": \"submit\", \"arguments\": {\"legs\": 8}}";
    for (text, around) in [
        (format!("A spider.\n<tool_call>{call}</tool_call>\nIt is done."), "A spider.\n\nIt is done."),
        (format!("A spider.<tool_call>{call}"), "A spider."),
        (format!("A spider. [TOOL_CALLS][{call}] It is done."), "A spider.  It is done."),
        ("A spider.[TOOL_CALLS]submit[ARGS]{\"legs\": 8}\nIt is done.".to_owned(), "A spider.\nIt is done."),
        (
            "<|channel|>analysis<|message|>A spider.<|end|><|start|>assistant<|channel|>commentary \
             to=functions.submit <|constrain|>json<|message|>{\"legs\": 8}<|call|>"
                .to_owned(),
            "A spider.",
        ),
        (
            "<|start|>assistant to=functions.submit<|channel|>commentary json<|message|>{\"legs\": 8}<|call|>\
             <|start|>assistant<|channel|>final<|message|>It is done.<|return|>"
                .to_owned(),
            "It is done.",
        ),
    ] {
        let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let reply = reply("vllm", &body).await;
        assert_eq!((reply.calls().len(), reply.text()), (1, around), "{text}");
        assert_eq!(reply.calls()[0].arguments, json!({"legs": 8}), "{text}");
    }
}

/// A value would keep the last of two members, and round the number.
#[tokio::test]
async fn arguments_of_which_a_value_would_lose_something_keep_their_spelling() {
    for text in ["{\"legs\": 8, \"legs\": 6}", "{\"no\": [94001118992231234567890]}"] {
        let arguments = json!(text);
        let function = json!({"name": "submit", "arguments": text});
        let tool_calls = json!([{"index": 0, "id": "a", "function": function}]);
        let chat =
            json!({"choices": [{"message": {"tool_calls": tool_calls}, "finish_reason": "tool_calls"}]});
        let item = json!({"type": "function_call", "call_id": "a", "name": "submit", "arguments": text});
        let in_text = format!("<tool_call>{{\"name\": \"submit\", \"arguments\": {text}}}</tool_call>");
        let in_text = json!({"choices": [{"message": {"content": in_text}, "finish_reason": "stop"}]});
        for (provider, body) in [
            ("openai", chat),
            ("openai-responses", json!({"status": "completed", "output": [item]})),
            ("vllm", in_text),
        ] {
            assert_eq!(reply(provider, &body).await.calls()[0].arguments, arguments, "{provider}");
        }
        let block = json!({"type": "tool_use", "id": "a", "name": "submit", "input": {}});
        let events = [
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": text}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        ];
        let events: Vec<_> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let server =
            Server::start([Answer::bytes("200 OK", EVENTS, events.concat()), replied("anthropic", "{}")]);
        let anthropic = agent("anthropic", &server);
        let first = anthropic.stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
        assert_eq!(first.calls()[0].arguments, arguments);
        // It takes back only objects.
        let conversation = Conversation::new()
            .with(Role::User, "How many legs?")
            .with_turn(Turn::of_calls(&first))
            .with_turn(Turn::of_results([first.calls()[0].answered("wrong", true)]));
        let again = Request::new(conversation).with_tools(request().tools.unwrap());
        anthropic.respond(&again).await.unwrap();
        let input = server.received()[1].body.pointer("/messages/1/content/0/input").cloned();
        assert!(input.is_some_and(|input| input.is_object()));
    }
}

#[tokio::test]
async fn arguments_with_all_digits_are_a_value() {
    let text = "{\"a\": [1.25, -18446744073709, 18446744073709551615, 1e-7, \"94001118992231234567890: \\\"1\\\"\"]}";
    let function = json!({"name": "submit", "arguments": text});
    let body =
        json!({"choices": [{"message": {"tool_calls": [{"function": function}]}, "finish_reason": "stop"}]});
    assert!(reply("openai", &body).await.calls()[0].arguments.is_object());
}
