//! Failures on the way, and their kinds.

use std::time::{Duration, Instant};

use super::{super::limited, *};
use crate::agent::DeltaSink;

const BUSY: &str = "429 Too Many Requests";

fn busy() -> Answer {
    let body = json!({"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}});
    Answer::status(BUSY, &body)
}

fn refusal(status: &'static str, message: &str) -> Answer {
    Answer::status(status, &json!({"error": {"message": message}}))
}

#[tokio::test]
async fn obeys_retry_after_in_seconds_and_as_a_date() {
    let error = fail(busy().header("Retry-After", "7")).await;
    assert_eq!(error.to_string(), "rate limited: HTTP 429 Too Many Requests: slow down");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));

    let dated = busy()
        .header("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        .header("Retry-After", "Sun, 06 Nov 1994 08:49:39 GMT");
    assert_eq!(fail(dated).await.retry_after(), Some(Duration::from_secs(2)));

    let in_a_minute = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(60));
    let wait = fail(busy().header("Retry-After", in_a_minute)).await.retry_after().unwrap();
    assert!((50..=60).contains(&wait.as_secs()), "{wait:?}");

    let error = fail(busy()).await;
    assert_kind(&error, AgentErrorKind::RateLimited);
    assert_eq!(error.retry_after(), None);
}

#[tokio::test]
async fn reads_where_gemini_states_the_wait() {
    let body = json!({"error": {
        "code": 429,
        "message": "quota exceeded",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "19s"}],
    }});
    let error = ask(AdapterKind::Gemini, Answer::status(BUSY, &body)).await.unwrap_err();
    assert_kind(&error, AgentErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(19)));
}

#[tokio::test]
async fn an_empty_purse_is_not_a_busy_server() {
    let body = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    assert_kind(&fail(Answer::status(BUSY, &body)).await, AgentErrorKind::Refused);
}

#[tokio::test]
async fn failures_of_the_server_are_transient() {
    for status in ["500 Internal Server Error", "502 Bad Gateway", "529 Overloaded"] {
        assert_kind(&fail(refusal(status, "sorry")).await, AgentErrorKind::Transport);
    }
    let overloaded = refusal("503 Service Unavailable", "loading").header("Retry-After", "3");
    assert_eq!(fail(overloaded).await.retry_after(), Some(Duration::from_secs(3)));
    let page = Answer::bytes("502 Bad Gateway", "text/html", "<h1>Bad\n  Gateway</h1>");
    assert_eq!(fail(page).await.to_string(), "transport failure: HTTP 502 Bad Gateway: <h1>Bad Gateway</h1>");
    assert_kind(&fail(refusal("408 Request Timeout", "too slow")).await, AgentErrorKind::Timeout);
}

#[tokio::test]
async fn refusals_are_permanent_and_say_why() {
    for status in ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found"] {
        let error = fail(refusal(status, "no such model")).await;
        assert_eq!(error.to_string(), format!("request refused: HTTP {status}: no such model"));
        assert!(!error.is_transient());
    }
}

#[tokio::test]
async fn takes_no_key_to_where_it_is_redirected() {
    let elsewhere = Server::start([Answer::json(&openai("8", "stop"))]);
    let redirect = refusal("307 Temporary Redirect", "moved").header("Location", elsewhere.url(""));
    let server = Server::start([redirect]);
    let host = server.url("");
    let client = super::super::default_client(|name| (name == "OLLAMA_HOST").then(|| host.clone()));
    let agent = GenaiAgent::with_client(client.unwrap(), "ollama/some-model").unwrap();

    let error = agent.respond(&request()).await.unwrap_err();

    assert_eq!(error.to_string(), "request refused: HTTP 307 Temporary Redirect: moved");
    assert!(elsewhere.received().is_empty());
}

#[tokio::test]
async fn knows_a_prompt_that_is_too_long() {
    for message in [
        "This model's maximum context length is 4096 tokens. However, you requested 5000.",
        "prompt is too long: 215000 tokens > 200000 maximum",
        "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
        "the request exceeds the available context size, try increasing it",
    ] {
        assert_kind(&fail(refusal("400 Bad Request", message)).await, AgentErrorKind::TooLong);
    }
    let code = json!({"error": {"message": "too big", "code": "context_length_exceeded"}});
    assert_kind(&fail(Answer::status("400 Bad Request", &code)).await, AgentErrorKind::TooLong);
    assert_kind(&fail(refusal("413 Payload Too Large", "")).await, AgentErrorKind::TooLong);
}

#[tokio::test]
async fn a_broken_connection_is_transient() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let agent = agent_at(AdapterKind::OpenAI, format!("http://{nobody}/"));
    let refused = agent.respond(&request()).await.unwrap_err();
    assert_kind(&refused, AgentErrorKind::Transport);
    assert!(refused.message().contains("tcp connect error"), "{refused}");

    assert_kind(&fail(Answer::Reset).await, AgentErrorKind::Transport);
    let cut = fail(Answer::Cut(r#"{"choices": [{"mess"#)).await;
    assert_kind(&cut, AgentErrorKind::Transport);
}

#[tokio::test]
async fn a_client_with_a_time_limit_says_that_it_ran_out() {
    let server = Server::start([Answer::Silence(Duration::from_secs(1))]);
    let limit = Duration::from_millis(100);
    let http = reqwest::Client::builder().no_proxy().timeout(limit).build().unwrap();
    let target = (Endpoint::from_owned(server.url("")), AuthData::from_single(KEY));
    let client = Client::builder()
        .with_reqwest(http)
        .append_provider_config(AdapterKind::OpenAI, target)
        .build()
        .unwrap();
    let agent = GenaiAgent::with_client(client, "openai/some-model").unwrap();
    assert_kind(&agent.respond(&request()).await.unwrap_err(), AgentErrorKind::Timeout);
}

#[tokio::test]
async fn what_is_no_reply_is_garbled() {
    let truncated = Answer::bytes("200 OK", "application/json", r#"{"choices": [{"message": "#);
    assert_kind(&fail(truncated).await, AgentErrorKind::Garbled);
    let page = fail(Answer::bytes("200 OK", "text/html", "<h1>Hello</h1>")).await;
    assert_eq!(page.to_string(), "garbled reply: expected application/json, got text/html: <h1>Hello</h1>");
    for kind in [
        AdapterKind::OpenAI,
        AdapterKind::OpenAIResp,
        AdapterKind::Anthropic,
        AdapterKind::Gemini,
        AdapterKind::Ollama,
    ] {
        let error = ask(kind, Answer::json(&json!({"hello": "world"}))).await.unwrap_err();
        assert_kind(&error, AgentErrorKind::Garbled);
    }
}

#[tokio::test]
async fn what_is_not_utf8_is_garbled() {
    let mut body = openai("caf?", "stop").to_string().into_bytes();
    let at = body.iter().position(|byte| *byte == b'?').unwrap();
    body[at] = 0xE9;
    let answer = Answer::bytes("200 OK", "application/json", body);
    assert_kind(&fail(answer.clone()).await, AgentErrorKind::Garbled);

    // The model may repeat text that it was shown.
    let server = Server::start([answer]);
    let shown = Request::new(Conversation::new().with(Role::User, "Copy: caf\u{fffd}"));
    let reply = agent(AdapterKind::OpenAI, &server).respond(&shown).await.unwrap();
    assert_eq!(reply.text(), "caf\u{fffd}");
}

#[tokio::test]
async fn finds_the_error_in_a_successful_response() {
    use AgentErrorKind::{RateLimited, Refused, TooLong, Transport};
    for (body, kind) in [
        (json!({"error": {"code": 429, "message": "busy"}}), RateLimited),
        (json!({"error": {"code": 502, "message": "upstream"}}), Transport),
        (json!({"error": {"code": 1, "type": "rate_limit_error", "message": "busy"}}), RateLimited),
        (json!({"error": {"type": "invalid_request_error", "message": "no"}}), Refused),
        (json!({"error": {"code": "context_length_exceeded", "message": "no"}}), TooLong),
        (json!({"error": "model crashed"}), Transport),
        (
            json!({"choices": [{"error": {"code": 503, "message": "m"}, "message": {"content": "{"}}]}),
            Transport,
        ),
    ] {
        let error = ask(AdapterKind::OpenAI, Answer::json(&body)).await.unwrap_err();
        assert_kind(&error, kind);
        assert!(error.message().starts_with("an error in a successful response: "), "{error}");
    }
    let body = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let error = ask(AdapterKind::Anthropic, Answer::json(&body)).await.unwrap_err();
    assert_eq!(error.to_string(), "transport failure: an error in a successful response: Overloaded");
    let body = json!({"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}});
    assert_kind(&ask(AdapterKind::Gemini, Answer::json(&body)).await.unwrap_err(), Refused);
    let body = json!({"error": "model not loaded"});
    assert_kind(&ask(AdapterKind::Ollama, Answer::json(&body)).await.unwrap_err(), Transport);
}

#[tokio::test]
async fn shows_the_start_of_a_large_body_only() {
    let error = fail(Answer::bytes("400 Bad Request", "text/plain", "ab ".repeat(1_000_000))).await;
    assert!(error.message().len() < 600, "{}", error.message().len());
}

#[test]
fn outside_of_a_runtime_it_is_an_error() {
    let agent = agent_at(AdapterKind::OpenAI, "http://127.0.0.1:9/".to_owned());
    let error = crate::testing::block_on(agent.respond(&request())).unwrap_err();
    assert_kind(&error, AgentErrorKind::Unavailable);
    assert!(error.message().contains("no tokio runtime"), "{error}");
}

#[tokio::test]
async fn a_silent_server_is_given_up_without_a_limit_of_the_extraction() {
    let silence = Duration::from_millis(300);
    for is_streamed in [false, true] {
        let server = Server::start([Answer::Stall("{\"choices\": [", 30 * silence)]);
        let http = limited(reqwest::Client::builder().no_proxy(), silence).build().unwrap();
        let agent = agent_through(http, AdapterKind::OpenAI, server.url("api/"));
        let start = Instant::now();
        let request = request();
        let asked = if is_streamed {
            agent.stream(&request, DeltaSink::new(|_| ()))
        } else {
            agent.respond(&request)
        };
        assert_kind(&asked.await.unwrap_err(), AgentErrorKind::Timeout);
        assert!(start.elapsed() < 20 * silence, "{:?}", start.elapsed());
    }
}
