//! Failures in the body of a success: what they cost, what is learned from them, and whose they are.

use extract::{
    TokenUsage,
    agent::{Agent as _, AgentErrorKind, DeltaSink},
};
use serde_json::{Value, json};

use crate::{
    agent, ask,
    formats::{EVENTS, events, kind, replied, whole},
    legs, request,
    server::{Answer, Server},
    stream,
};

fn frames(frames: &[Value]) -> Answer {
    let frames: Vec<_> = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    Answer::bytes("200 OK", EVENTS, frames.concat())
}

fn delta(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}}]})
}

/// Of OpenRouter and SGLang.
#[tokio::test]
async fn a_schema_that_is_refused_in_a_success_is_left_to_the_prompt() {
    let message = "Failed to compile json grammar: Cannot find field $defs";
    let refused = json!({"error": {"code": 400, "message": message}});
    for answer in [Answer::json(&refused), frames(std::slice::from_ref(&refused))] {
        let server = Server::start([answer, replied("openrouter", "{}"), replied("openrouter", "{}")]);
        let (agent, request) = (agent("openrouter", &server), request().with_schema(legs()));
        for _ in 0..2 {
            agent.stream(&request, DeltaSink::new(|_| {})).await.unwrap();
        }
        let has_schema = |body: &Value| body.get("response_format").is_some();
        let sent: Vec<_> = server.received().iter().map(|received| has_schema(&received.body)).collect();
        assert_eq!(sent, [true, false, false]);
    }
    // After text, the request was right.
    let server = Server::start([frames(&[delta("{"), refused]), replied("openrouter", "{}")]);
    let request = request().with_schema(legs());
    let asked = agent("openrouter", &server);
    let error = asked.stream(&request, DeltaSink::new(|_| {})).await.unwrap_err();
    assert_eq!((error.kind(), server.received().len()), (AgentErrorKind::Refused, 1), "{error}");
}

#[tokio::test]
async fn a_parameter_that_is_refused_in_a_success_is_left_out() {
    let error = json!({"code": 400, "message": "Unsupported parameter", "param": "temperature"});
    let server = Server::start([Answer::json(&json!({"error": error})), replied("openrouter", "{}")]);
    let mut request = request();
    request.temperature = Some(0.5);
    agent("openrouter", &server).respond(&request).await.unwrap();
    let sent: Vec<_> =
        server.received().iter().map(|received| received.body.get("temperature").is_some()).collect();
    assert_eq!(sent, [true, false]);
}

#[tokio::test]
async fn tokens_that_were_reported_before_a_failure_are_counted() {
    let start = |usage: Value| json!({"type": "message_start", "message": {"content": [], "usage": usage}});
    let start = start(json!({"input_tokens": 21, "output_tokens": 1}));
    let begun = format!("data: {start}\n\n");
    let failed = json!({"status": "failed", "error": {"code": "server_error", "message": "Crashed"},
        "usage": {"input_tokens": 21, "output_tokens": 1}});
    let failed = json!({"type": "response.failed", "response": failed});
    for (name, provider, answer) in [
        ("broken off", "anthropic", Answer::Cut(EVENTS, begun.clone().into_bytes())),
        ("no end", "anthropic", Answer::bytes("200 OK", EVENTS, begun.clone())),
        ("not JSON", "anthropic", Answer::bytes("200 OK", EVENTS, format!("{begun}data: {{]\n\n"))),
        (
            "an error",
            "anthropic",
            Answer::bytes("200 OK", EVENTS, format!("{begun}event: error\ndata: no\n\n")),
        ),
        ("failed", "openai-responses", frames(&[failed])),
    ] {
        let (reply, _) = stream(provider, answer).await;
        let error = reply.unwrap_err();
        assert!(error.is_transient(), "{name}: {error}");
        assert_eq!(error.usage(), Some(TokenUsage::new(21, 1)), "{name}: {error}");
    }
    let filtered = json!({"error": {"type": "content_filter", "message": "no"}});
    let (refusal, _) = stream("anthropic", frames(&[start, filtered])).await;
    assert_eq!(refusal.unwrap().usage(), Some(TokenUsage::new(21, 1)));
}

#[tokio::test]
async fn tokens_of_a_reply_that_does_not_count_are_counted() {
    let mut cut = whole("ollama", "{}", "stop");
    cut["prompt_eval_count"] = 8192.into();
    let error = ask("ollama", Answer::json(&cut)).await.unwrap_err();
    assert_eq!((error.kind(), error.usage()), (AgentErrorKind::TooLong, Some(TokenUsage::new(8192, 7))));
    let error = ask("openai", replied("openai", "caf\u{fffd}")).await.unwrap_err();
    assert_eq!((error.kind(), error.usage()), (AgentErrorKind::Garbled, Some(TokenUsage::new(21, 7))));
}

#[tokio::test]
async fn half_an_event_after_the_stop_reason_takes_nothing() {
    for provider in ["openai", "bedrock-converse"] {
        let mut sent = events(provider, &["{\"legs\":", " 8}"], crate::formats::stop(provider));
        sent.truncate(if provider == "openai" { 5 } else { 6 });
        let mut sent = sent.concat();
        sent.truncate(sent.len() - 20);
        for answer in
            [Answer::bytes("200 OK", kind(provider), sent.clone()), Answer::Cut(kind(provider), sent)]
        {
            let (reply, _) = stream(provider, answer).await;
            assert_eq!(reply.unwrap().text(), "{\"legs\": 8}", "{provider}");
        }
    }
}

#[tokio::test]
async fn a_stream_of_an_end_marker_alone_is_garbled() {
    let role = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]});
    for start in [String::new(), format!("data: {role}\n\n")] {
        let (reply, _) =
            stream("openai", Answer::bytes("200 OK", EVENTS, format!("{start}data: [DONE]\n\n"))).await;
        assert_eq!(reply.unwrap_err().kind(), AgentErrorKind::Garbled, "{start}");
        let under_another_name = Answer::bytes("200 OK", "text/plain", "data: [DONE]\n\n");
        assert_eq!(ask("openai", under_another_name).await.unwrap_err().kind(), AgentErrorKind::Garbled);
    }
}

#[tokio::test]
async fn a_failure_in_a_success_has_the_id_of_the_request() {
    let failed = json!({"error": {"message": "crashed"}});
    for answer in [
        Answer::json(&failed),
        frames(&[failed]),
        Answer::bytes("200 OK", EVENTS, "data: {]\n\n"),
        Answer::json(&json!({})),
        replied("openai", "caf\u{fffd}"),
    ] {
        let (reply, _) = stream("openai", answer.header("request-id", "req_7")).await;
        assert_eq!(reply.unwrap_err().request_id(), Some("req_7"));
    }
}

/// Of llama.cpp, DeepInfra, Venice and Gemini.
#[tokio::test]
async fn an_error_in_an_unusual_form_keeps_its_kind_its_words_and_its_wait() {
    let long = "This model's maximum context length is 8192 tokens";
    let of_llama = json!({"code": 400, "message": long, "type": "exceed_context_size_error"});
    let named = json!({"choices": null, "error_message": long, "error_type": "invalid_request_error"});
    let retry = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"});
    let limited = json!({"error": {"code": 429, "message": "Exhausted", "details": [retry]}});
    let begun = format!("data: {}\n\n", json!({"candidates": [{"content": {"parts": [{"text": "{"}]}}]}));
    for (provider, body, kind, words) in [
        ("llama.cpp", format!("error: {of_llama}\n\ndata: [DONE]\n\n"), AgentErrorKind::TooLong, long),
        ("openai", format!("data: {named}\n\n"), AgentErrorKind::TooLong, long),
        ("gemini", format!("{begun}{limited:#}\n"), AgentErrorKind::RateLimited, "Exhausted"),
        ("gemini", format!("{begun}[{limited:#}\n]\n"), AgentErrorKind::RateLimited, "Exhausted"),
    ] {
        let (reply, _) = stream(provider, Answer::bytes("200 OK", EVENTS, body)).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(words), "{error}");
        assert_eq!(error.retry_after().is_some(), provider == "gemini", "{error}");
    }
    for (body, kind) in [
        (json!({"code": "invalid_request", "message": "Bad tools"}), AgentErrorKind::Refused),
        (json!({"code": 1302, "message": "Bad tools", "choices": []}), AgentErrorKind::Transport),
        (json!({"code": 0, "message": "Bad tools"}), AgentErrorKind::Garbled),
    ] {
        let error = ask("openai", Answer::json(&body)).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.message().contains("Bad tools"), kind != AgentErrorKind::Garbled, "{error}");
    }
    let mut whole = whole("openai", "8", "stop");
    (whole["code"], whole["message"]) = (1000.into(), "done".into());
    assert_eq!(ask("openai", Answer::json(&whole)).await.unwrap().text(), "8");
}

#[tokio::test]
async fn an_error_that_says_nothing_takes_nothing() {
    for error in [
        json!({"message": "", "code": null}),
        json!({"message": "", "type": "", "param": null, "code": 0}),
        json!({"message": null, "metadata": {}}),
        json!([{"message": ""}]),
        json!(0),
    ] {
        for provider in crate::formats::PROVIDERS {
            let mut body = whole(provider, "8", crate::formats::stop(provider));
            body["error"] = error.clone();
            let reply = ask(provider, Answer::json(&body)).await;
            assert_eq!(reply.unwrap_or_else(|failure| panic!("{provider}: {failure}")).text(), "8");
        }
        let mut event = delta("8");
        event["error"] = error.clone();
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        let (reply, _) = stream("openai", frames(&[event, end])).await;
        assert_eq!(reply.unwrap().text(), "8", "{error}");
    }
    let mut body = whole("openai", "8", "stop");
    body["error"] = json!({"message": "", "code": 502});
    assert_eq!(ask("openai", Answer::json(&body)).await.unwrap_err().kind(), AgentErrorKind::Transport);
}
