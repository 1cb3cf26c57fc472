//! The limits of our HTTP client.

use std::time::{Duration, Instant};

use super::*;

async fn flood(status: &'static str, is_announced: bool) -> (AgentError, usize) {
    let server = Server::start([Answer::Flood { status, megabytes: 100, is_announced }]);
    let start = Instant::now();
    let error = bounded(&server.url("v1")).respond(&request()).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    (error, server.sent())
}

#[tokio::test]
async fn reads_no_more_of_a_reply_than_is_allowed() {
    for is_announced in [true, false] {
        let (error, sent) = flood("200 OK", is_announced).await;
        assert_eq!(error.kind(), AgentErrorKind::Garbled);
        assert!(error.message().contains("more than 1048576 bytes"), "{error}");
        assert!(sent < BUFFERS, "{sent}");
    }
}

#[tokio::test]
async fn reads_no_more_of_a_failure_than_is_shown() {
    let (error, sent) = flood("500 Internal Server Error", false).await;
    assert_eq!(error.kind(), AgentErrorKind::Transport);
    assert!(error.message().starts_with("HTTP 500 Internal Server Error: \""), "{error}");
    assert!(error.message().len() < 600 && sent < BUFFERS, "{sent} {error}");
}

#[tokio::test]
async fn a_reply_of_just_the_allowed_length_is_read() {
    let body = openai("8", "stop").to_string();
    let server = Server::start(vec![Answer::bytes("200 OK", "application/json", body.clone()); 2]);
    for (max, is_read) in [(body.len(), true), (body.len() - 1, false)] {
        let http = BoundedHttp::with_client(HTTP.clone()).max_body_bytes(max);
        let model = RigModel::from(client(&server.url("v1"), http).chat("some-model"));
        assert_eq!(model.respond(&request()).await.is_ok(), is_read, "{max}");
    }
}

/// An error of a connection names its cause, even if it comes from an agent.
#[tokio::test]
async fn names_the_cause_through_an_agent() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let agent = clerk(bounded_chat(&format!("http://{nobody}/v1")));
    let error = agent.respond(&request()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Transport);
    assert!(error.message().contains("tcp connect error"), "{error}");
}

#[tokio::test]
async fn takes_no_key_to_where_it_is_redirected() {
    let elsewhere = Server::start([Answer::json(&openai("8", "stop"))]);
    let moved = Answer::status("307 Temporary Redirect", &json!({"error": {"message": "moved"}}));
    let server = Server::start([moved.header("Location", elsewhere.url(""))]);
    let model = RigModel::from(client(&server.url("v1"), BoundedHttp::new().unwrap()).chat("some-model"));
    let error = model.respond(&request()).await.unwrap_err();
    assert_eq!(error.to_string(), "request refused: HTTP 307 Temporary Redirect: moved");
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn streams_are_bounded_too() {
    use futures_util::StreamExt as _;
    let server = Server::start([Answer::Flood { status: "200 OK", megabytes: 100, is_announced: false }]);
    let http = BoundedHttp::with_client(HTTP.clone()).max_body_bytes(1 << 20);
    let asked = rig_core::http_client::Request::post(server.url("")).body(bytes::Bytes::new()).unwrap();
    let body = http.send_streaming(asked).await.unwrap().into_body();
    let chunks: Vec<_> = body.collect().await;
    let length: usize = chunks.iter().flatten().map(bytes::Bytes::len).sum();
    assert!(chunks.last().unwrap().is_err() && length <= 1 << 20, "{length}");
}

#[test]
fn outside_of_a_runtime_it_is_an_error() {
    let agent = bounded("http://127.0.0.1:9/v1");
    let error = extract::testing::block_on(agent.respond(&request())).unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Unavailable, "{error}");
    assert!(error.message().contains("no tokio runtime"), "{error}");
}
