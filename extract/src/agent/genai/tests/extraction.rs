//! Whole extractions.

use std::time::{Duration, Instant};

use super::*;
use crate::{contract::Contract, error::ExtractionError, settings::TransportOptions};

fn contract() -> Contract {
    let schema = json!({
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}},
        "required": ["legs"],
    });
    Contract::from_schema(schema).unwrap()
}

#[tokio::test]
async fn a_wrong_reply_is_fed_back_and_corrected() {
    let wrong = Answer::json(&openai(r#"{"legs": "eight"}"#, "stop"));
    let right = Answer::json(&openai(r#"{"legs": 8}"#, "stop"));
    let server = Server::start([wrong, right]);
    let agent = agent(AdapterKind::OpenAI, &server);

    let (value, metrics) = contract().extract(&agent, "A spider.").await.unwrap();

    assert_eq!(value, json!({"legs": 8}));
    assert_eq!((metrics.attempts, metrics.transport_retries), (2, 0));
    assert_eq!((metrics.usage.input_tokens, metrics.usage.output_tokens), (42, 14));
    assert!(!metrics.usage.is_estimated);
    let second = server.received()[1].body["messages"].to_string();
    assert!(second.contains("eight") && second.contains("$.legs"), "{second}");
}

#[tokio::test]
async fn a_busy_server_costs_no_attempt() {
    let busy = Answer::status("429 Too Many Requests", &json!({"error": {"message": "slow down"}}));
    let right = Answer::json(&openai(r#"{"legs": 8}"#, "stop"));
    let server = Server::start([busy.header("Retry-After", "1"), right]);
    let agent = agent(AdapterKind::OpenAI, &server);

    let start = Instant::now();
    let (_, metrics) = contract().extract(&agent, "A spider.").await.unwrap();

    assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1));
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn nothing_is_retried_behind_the_back_of_the_loop() {
    let broken = Answer::status("503 Service Unavailable", &json!({}));
    let server = Server::start([broken.clone(), broken.clone(), broken]);
    let agent = agent(AdapterKind::OpenAI, &server);
    let extraction = contract().extract(&agent, "A spider.");

    let error = extraction
        .transport_options(TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::ZERO))
        .await
        .unwrap_err();

    assert!(matches!(error, ExtractionError::Agent { .. }), "{error}");
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn a_silent_server_is_given_up_in_time() {
    let time = Duration::from_secs(5);
    for answer in [Answer::Silence(time), Answer::Stall("{\"choices\": [", time)] {
        let server = Server::start([answer]);
        let agent = agent(AdapterKind::OpenAI, &server);
        let start = Instant::now();
        let extraction =
            contract().extract(&agent, "A spider.").transport_options(TransportOptions::new().retries(0));

        let error = extraction.timeout(Duration::from_millis(100)).await.unwrap_err();

        assert!(error.to_string().contains("no reply within 100ms"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    }
}
