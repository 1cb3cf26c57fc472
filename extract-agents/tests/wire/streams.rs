//! Streams, whole and not.

use extract::{
    Extractable as _, TokenUsage,
    agent::{Agent as _, AgentErrorKind, DeltaSink, FinishReason, Reply},
    partials::PartialStep,
};
use serde_json::json;

use crate::{
    agent,
    formats::{EVENTS, FORMATS, PROVIDERS, events, kind, replied, stop, streamed},
    request,
    server::{Answer, Server},
    stream,
};

const TEXTS: [&str; 4] = ["{\"le", "gs\":", " 8, \"ü\": \"", "\u{1F577}\"}"];

#[tokio::test]
async fn the_deltas_are_the_reply_wherever_the_bytes_are_cut() {
    for provider in FORMATS {
        let bytes = events(provider, &TEXTS, stop(provider)).concat();
        for size in [1, 7, 64, 100_000] {
            let pieces = bytes.chunks(size).map(<[u8]>::to_vec).collect();
            // One byte a millisecond would take long, so those are sent at once.
            let answer = if size == 1 || size == 7 {
                Answer::bytes("200 OK", kind(provider), bytes.clone())
            } else {
                Answer::Pieces { kind: kind(provider), pieces, stays_open: false }
            };
            let (reply, deltas) = stream(provider, answer).await;
            let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}"));
            assert_eq!(
                (reply.text(), deltas.concat().as_str()),
                (&*TEXTS.concat(), &*TEXTS.concat()),
                "{provider}"
            );
            let usage = reply.usage().unwrap();
            assert_eq!((usage.input_tokens, usage.output_tokens), (21, 7), "{provider}");
            assert_eq!(reply.finish_reason(), &FinishReason::Stop, "{provider}");
            let has_model = provider != "bedrock-converse";
            assert_eq!(reply.origin().unwrap().model.is_some(), has_model, "{provider}");
        }
    }
}

#[tokio::test]
async fn lines_may_end_with_cr_lf_and_comments_are_passed_over() {
    let text = String::from_utf8(events("openai", &TEXTS, "stop").concat()).unwrap();
    let body = format!(": keep-alive\r\n\r\n{}", text.replace('\n', "\r\n"));
    let (reply, _) = stream("openai", Answer::bytes("200 OK", EVENTS, body)).await;
    assert_eq!(reply.unwrap().text(), TEXTS.concat());
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_as_a_whole() {
    for provider in FORMATS {
        let (reply, deltas) = stream(provider, replied(provider, "{\"legs\": 8}")).await;
        assert_eq!(
            (reply.unwrap().text(), deltas.concat().as_str()),
            ("{\"legs\": 8}", "{\"legs\": 8}"),
            "{provider}"
        );
    }
}

#[tokio::test]
async fn a_stream_that_was_not_asked_for_is_read() {
    for provider in FORMATS {
        let reply = crate::ask(provider, streamed(provider, &TEXTS)).await.unwrap();
        assert_eq!(reply.text(), TEXTS.concat(), "{provider}");
    }
}

#[tokio::test]
async fn events_under_another_content_type_are_read() {
    for provider in PROVIDERS {
        for kind in ["application/json", "text/plain", "application/octet-stream"] {
            let body = events(provider, &TEXTS, stop(provider)).concat();
            let (reply, _) = stream(provider, Answer::bytes("200 OK", kind, body)).await;
            assert_eq!(reply.unwrap().text(), TEXTS.concat(), "{provider} {kind}");
        }
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_an_error() {
    for provider in FORMATS {
        let all = events(provider, &TEXTS, stop(provider));
        let cut = all[..3].concat();
        let (reply, _) = stream(provider, Answer::bytes("200 OK", kind(provider), cut.clone())).await;
        let error = reply.unwrap_err();
        assert!(error.is_transient(), "{provider}: {error}");
        let half = [cut, b"data: {\"half".to_vec()].concat();
        let (reply, _) = stream(provider, Answer::bytes("200 OK", kind(provider), half)).await;
        assert_eq!(reply.unwrap_err().kind(), AgentErrorKind::Garbled, "{provider}");
    }
}

#[tokio::test]
async fn an_error_in_a_stream_is_the_error_of_the_request() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let limited = json!({"error": {"type": "rate_limit_error", "message": "Slow down"}});
    let failed = json!({"type": "response.failed", "response": {"status": "failed",
        "error": {"code": "server_error", "message": "Crashed"}}});
    let alone = json!({"type": "error", "code": "server_error", "message": "Crashed", "param": null});
    for (provider, event, kind_of_error, words) in [
        ("anthropic", overloaded, AgentErrorKind::Transport, "Overloaded"),
        ("openai", limited.clone(), AgentErrorKind::RateLimited, "Slow down"),
        ("gemini", limited, AgentErrorKind::RateLimited, "Slow down"),
        (
            "ollama",
            json!({"error": "llama runner process has terminated"}),
            AgentErrorKind::Transport,
            "terminated",
        ),
        ("openai-responses", failed, AgentErrorKind::Transport, "Crashed"),
        ("openai-responses", alone, AgentErrorKind::Transport, "Crashed"),
        (
            "openrouter",
            json!({"choices": [{"error": {"code": 502, "message": "upstream"}, "delta": {"content": ""}}]}),
            AgentErrorKind::Transport,
            "upstream",
        ),
    ] {
        let start = events(provider, &TEXTS, "stop")[..2].concat();
        let event = if provider == "ollama" { format!("{event}\n") } else { format!("data: {event}\n\n") };
        let body = [start, event.into_bytes()].concat();
        let (reply, _) = stream(provider, Answer::bytes("200 OK", kind(provider), body)).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind(), kind_of_error, "{provider}: {error}");
        assert!(error.message().contains(words), "{provider}: {error}");
    }
}

#[tokio::test]
async fn an_error_that_is_null_is_none() {
    let body = "data: {\"error\": null, \"choices\": [{\"delta\": {\"content\": \"8\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    let (reply, _) = stream("openai", Answer::bytes("200 OK", EVENTS, body)).await;
    assert_eq!(reply.unwrap().text(), "8");
}

#[tokio::test]
async fn a_stream_that_stays_open_behind_its_end_marker_is_whole() {
    for provider in ["openai", "openai-responses", "anthropic", "ollama"] {
        let pieces = events(provider, &TEXTS, stop(provider));
        let (reply, _) =
            stream(provider, Answer::Pieces { kind: kind(provider), pieces, stays_open: true }).await;
        assert_eq!(reply.unwrap().text(), TEXTS.concat(), "{provider}");
    }
}

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    for provider in FORMATS {
        let pieces = events(provider, &TEXTS, stop(provider))[..2].to_vec();
        let server = Server::start([Answer::Pieces { kind: kind(provider), pieces, stays_open: true }]);
        let (agent, request) = (agent(provider, &server), request());
        let asking = agent.stream(&request, DeltaSink::new(|_| {}));
        assert!(tokio::time::timeout(std::time::Duration::from_millis(300), asking).await.is_err());
        let is_closed = tokio::task::spawn_blocking(move || server.is_closed_soon());
        assert!(is_closed.await.unwrap(), "{provider}");
    }
}

/// Each token comes with some hundred bytes around it.
#[tokio::test]
async fn a_long_stream_is_read_to_its_end() {
    for provider in FORMATS {
        let texts = vec!["word "; 2_000];
        let server = Server::start([streamed(provider, &texts)]);
        let agent = agent(provider, &server).max_body(64 << 10);
        let reply = agent.stream(&request(), DeltaSink::new(|_| {})).await;
        assert_eq!(reply.unwrap_or_else(|error| panic!("{provider}: {error}")).text().len(), 10_000);
    }
}

#[tokio::test]
async fn a_refusal_in_a_stream_has_its_words() {
    let body = "data: {\"choices\": [{\"delta\": {\"refusal\": \"I mu\"}}]}\n\n\
        data: {\"choices\": [{\"delta\": {\"refusal\": \"st not.\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    let (reply, _) = stream("openai", Answer::bytes("200 OK", EVENTS, body)).await;
    assert_eq!(reply.unwrap().refusal(), Some("I must not."));
    let body = "event: message_delta\ndata: {\"type\": \"message_delta\", \"delta\": {\"stop_reason\": \"refusal\", \
        \"stop_details\": {\"explanation\": \"Too risky.\"}}}\n\nevent: message_stop\ndata: {\"type\": \"message_stop\"}\n\n";
    let (reply, _) = stream("anthropic", Answer::bytes("200 OK", EVENTS, body)).await;
    assert_eq!(reply.unwrap().refusal(), Some("Too risky."));
}

/// OpenAI and DashScope.
#[tokio::test]
async fn a_filter_in_a_stream_is_a_refusal() {
    let error = json!({"code": "cyber_policy", "message": "flagged for high-risk cyber activity"});
    let failed = json!({"type": "response.failed", "response": {"status": "failed", "error": error}});
    let inspected = json!({"code": "DataInspectionFailed", "message": "inappropriate content"});
    for (provider, event) in [
        ("openai-responses", format!("data: {failed}\n\n")),
        ("qwen", format!("event:error\ndata:{inspected}\n\n")),
    ] {
        let (reply, _) = stream(provider, Answer::bytes("200 OK", EVENTS, event)).await;
        assert!(reply.as_ref().is_ok_and(Reply::is_refusal), "{provider}: {reply:?}");
    }
    let throttled =
        "event:error\ndata:{\"code\":\"Throttling.AllocationQuota\",\"message\":\"Too many tokens\"}\n\n";
    let (reply, _) = stream("qwen", Answer::bytes("200 OK", EVENTS, throttled)).await;
    assert_eq!(reply.unwrap_err().kind(), AgentErrorKind::RateLimited);
}

/// Kimi.
#[tokio::test]
async fn the_usage_in_a_choice_of_a_stream_counts() {
    let usage = json!({"prompt_tokens": 21, "completion_tokens": 7, "cached_tokens": 16});
    let choice = json!({"index": 0, "delta": {"content": "8"}, "finish_reason": "stop", "usage": usage});
    let body = format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [choice]}));
    let (reply, _) = stream("kimi", Answer::bytes("200 OK", EVENTS, body)).await;
    assert_eq!(reply.unwrap().usage(), Some(TokenUsage::new(21, 7).cached(16)));
}

#[tokio::test]
async fn events_that_arrive_together_are_passed_on_one_after_the_other() {
    for provider in FORMATS {
        let texts = ["[1, ", "2, ", "3, ", "4]"];
        let all = events(provider, &texts, stop(provider)).concat();
        let server = Server::start([Answer::bytes("200 OK", kind(provider), all)]);
        let agent = agent(provider, &server);
        let mut partials = Vec::<u8>::extract(&agent, "Count.").partials();
        let mut shown = Vec::new();
        while let Some(step) = partials.next().await {
            if let PartialStep::Partial(partial) = step.unwrap() {
                shown.push(partial.to_value().as_array().map_or(0, Vec::len));
            }
        }
        // A number is shown once it is complete.
        assert_eq!(shown, [1, 2, 3, 4], "{provider}");
    }
}
