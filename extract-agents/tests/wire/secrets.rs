//! Keys are seen nowhere, and redirects do not carry them to another server.

use extract::agent::Agent as _;
use serde_json::json;

use crate::{
    KEY, agent,
    faults::everything,
    formats::{PROVIDERS, replied},
    request,
    server::{Answer, Server},
};

fn redirect(status: &'static str, to: &str) -> Answer {
    Answer::bytes(status, "text/plain", "").header("Location", to)
}

#[tokio::test]
async fn a_redirect_to_another_server_loses_the_key() {
    for provider in PROVIDERS {
        let other = Server::start([replied(provider, "{}")]);
        let server = Server::start([redirect("307 Temporary Redirect", &other.url("/elsewhere"))]);
        let agent = agent(provider, &server).header("X-Team", "secretheader1").unwrap();
        agent.respond(&request()).await.unwrap();
        let received = other.only();
        assert_eq!(received.path, "/elsewhere");
        for name in ["authorization", "x-api-key", "x-goog-api-key", "x-team"] {
            assert_eq!(received.header(name), None, "{provider}: {name}");
        }
        assert!(received.body.is_object(), "the request itself arrives");
    }
}

#[tokio::test]
async fn a_redirect_on_the_same_server_keeps_the_key() {
    let server = Server::start([redirect("308 Permanent Redirect", "/v2/chat"), replied("openai", "{}")]);
    agent("openai", &server).respond(&request()).await.unwrap();
    let received = &server.received()[1];
    assert_eq!(
        (&*received.path, received.header("authorization")),
        ("/v2/chat", Some(&*format!("Bearer {KEY}")))
    );
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_is_an_error() {
    for (status, to) in [
        ("301 Moved Permanently", "http://127.0.0.1:9/"),
        ("302 Found", "/other"),
        ("307 Temporary Redirect", "ftp://127.0.0.1/"),
        ("307 Temporary Redirect", "//evil.example/"),
        ("307 Temporary Redirect", "http:///"),
    ] {
        let server = Server::start([redirect(status, to)]);
        let error = agent("openai", &server).respond(&request()).await.unwrap_err();
        assert!(!error.is_transient(), "{status} {to}: {error}");
    }
    let server = Server::start((0..9).map(|_| redirect("307 Temporary Redirect", "/again")));
    let error = agent("openai", &server).respond(&request()).await.unwrap_err();
    assert!(error.message().contains("more than 3 redirects"), "{error}");
}

#[tokio::test]
async fn neither_debug_output_nor_an_error_shows_a_secret() {
    for provider in PROVIDERS {
        let message = format!("{KEY}, `Bearer {KEY}`, secretheader1 and secretquery1 are wrong");
        for status in ["401 Unauthorized", "500 Internal Server Error", "200 OK"] {
            let server =
                Server::start([Answer::status(status, &json!({"error": {"message": message}}))
                    .header("X-Request-Id", KEY)]);
            let url = server.url("/api?token=secretquery1");
            let agent = extract_agents::ProviderAgent::at(url, format!("{provider}/m")).unwrap();
            let agent = agent.key(KEY).header("X-Team", "secretheader1").unwrap();
            let error = agent.respond(&request()).await.unwrap_err();
            let shown = format!("{} {agent:?} {agent:#?}", everything(&error));
            for secret in [KEY, "secretheader1", "secretquery1"] {
                assert!(!shown.contains(secret), "{provider}: {shown}");
            }
            assert!(shown.contains("are wrong"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_have_is_an_error_without_it() {
    let server = Server::start([]);
    let error = agent("openai", &server).key("secret\nkey0123456789").respond(&request()).await.unwrap_err();
    assert!(!everything(&error).contains("key0123456789"), "{error:?}");
}
