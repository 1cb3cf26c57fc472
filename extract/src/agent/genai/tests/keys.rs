//! Keys are never shown.

use std::{error::Error, fmt::Write as _};

use super::*;

/// Everything that can be printed of an error and of its causes.
fn everything(error: &AgentError) -> String {
    let mut text = format!("{error} {error:?} {error:#?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, " {error} {error:?}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn no_failure_shows_the_key() {
    let echo = json!({"error": {"message": format!("wrong key {KEY} in `Bearer {KEY}`")}});
    let answers = [
        Answer::status("401 Unauthorized", &echo),
        Answer::status("500 Internal Server Error", &echo),
        Answer::json(&echo),
        Answer::bytes("200 OK", "text/plain", KEY),
        Answer::bytes("200 OK", "application/json", format!("{{{KEY}")),
        Answer::bytes("403 Forbidden", "text/plain", KEY),
        Answer::Cut(KEY),
        Answer::Reset,
    ];
    let kinds = [AdapterKind::OpenAI, AdapterKind::OpenAIResp, AdapterKind::Anthropic, AdapterKind::Gemini];
    for kind in kinds {
        for answer in &answers {
            // The key in the URL, where Gemini also accepts it, and in the header.
            let server = Server::start([answer.clone()]);
            let agent = agent_at(kind, server.url(&format!("api/?key={KEY}&path=/")));
            let error = agent.respond(&request()).await.unwrap_err();
            assert!(!everything(&error).contains(KEY), "{kind}: {}", everything(&error));
            assert!(!format!("{agent:?} {agent:#?}").contains(KEY));
        }
    }
}

#[tokio::test]
async fn no_failure_shows_half_of_the_key() {
    for padding in [455, 462, 470, 478, 485] {
        let body = format!("{}{KEY}", "-".repeat(padding));
        let message = fail(Answer::bytes("403 Forbidden", "text/plain", body)).await.to_string();
        assert!(!message.contains(&KEY[..6]), "{message}");
    }
}

#[tokio::test]
async fn no_failure_to_connect_shows_the_url() {
    for url in [
        format!("http://127.0.0.1:1/?key={KEY}"),
        format!("http://me:{KEY}@127.0.0.1:1/"),
        format!("nonsense?key={KEY}"),
    ] {
        for kind in [AdapterKind::OpenAI, AdapterKind::Gemini] {
            let error = agent_at(kind, url.clone()).respond(&request()).await.unwrap_err();
            assert!(!everything(&error).contains(KEY), "{}", everything(&error));
        }
    }
}

#[tokio::test]
async fn a_key_that_is_no_header_is_refused_without_showing_it() {
    let target = (Endpoint::from_static("http://127.0.0.1:1/"), AuthData::from_single(format!("{KEY}\n")));
    let client = Client::builder()
        .with_reqwest(HTTP.clone())
        .append_provider_config(AdapterKind::OpenAI, target)
        .build()
        .unwrap();
    let agent = GenaiAgent::with_client(client, "openai/some-model").unwrap();
    let error = agent.respond(&request()).await.unwrap_err();
    assert_kind(&error, AgentErrorKind::Refused);
    assert!(!everything(&error).contains(KEY), "{}", everything(&error));
}

#[tokio::test]
async fn names_the_variable_of_a_missing_key() {
    let client = Client::builder()
        .append_provider_config(AdapterKind::OpenAI, AuthData::from_env("EXTRACT_TEST_KEY_THAT_NOBODY_SETS"))
        .build()
        .unwrap();
    let agent = GenaiAgent::with_client(client, "openai/some-model").unwrap();
    let error = agent.respond(&request()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent unavailable: no key: `EXTRACT_TEST_KEY_THAT_NOBODY_SETS` is not set"
    );
}
