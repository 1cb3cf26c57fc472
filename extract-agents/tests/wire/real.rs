//! The same on a real server: llama.cpp with a model of half a billion parameters, which
//! `extract-agents/oracle/run` starts. Without the variable that names it, there is nothing to ask.

use std::sync::{Arc, Mutex};

use extract::{
    Extractable,
    agent::{Agent as _, FinishReason, Role},
};
use extract_agents::ProviderAgent;
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Animal {
    /// The animal, in one word.
    name: String,
    #[extract(range(max = 100))]
    legs: u8,
}

const TEXT: &str = "A spider is an animal with eight legs (8).";

fn agent() -> Option<ProviderAgent> {
    let Ok(url) = std::env::var("EXTRACT_LLAMA_CPP") else {
        eprintln!("skipped: `EXTRACT_LLAMA_CPP` names no server");
        return None;
    };
    Some(ProviderAgent::at(url, "llama.cpp/qwen2.5").unwrap().seed(1))
}

#[tokio::test]
async fn a_real_server_is_constrained_streams_and_reports() {
    let Some(agent) = agent() else { return };
    for is_streamed in [false, true] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        let agent = agent.clone().log_probabilities(true).observe(move |answered| {
            record.lock().unwrap().push(answered.reply.token_probabilities().to_vec());
        });
        let extraction = Animal::extract(&agent, TEXT).temperature(0.0).stream(is_streamed);
        let (animal, metrics) = extraction.await.unwrap();
        assert!(animal.name.to_lowercase().contains("spider") && animal.legs == 8, "{animal:?}");
        assert_eq!(metrics.attempts, 1);
        assert!(!metrics.usage.is_estimated && metrics.usage.input_tokens > 20, "{}", metrics.usage);
        assert!(metrics.per_attempt[0].notes.is_empty(), "{:?}", metrics.per_attempt[0].notes);
        let tokens = seen.lock().unwrap()[0].clone();
        assert!(tokens.len() > 5 && tokens.iter().all(|token| token.log_probability <= 0.0), "{tokens:?}");
        assert!(tokens.windows(2).all(|pair| pair[0].range.end == pair[1].range.start), "{tokens:?}");
    }
}

#[tokio::test]
async fn a_real_server_continues_a_reply() {
    let Some(agent) = agent() else { return };
    let conversation = extract::agent::Conversation::new()
        .with(Role::System, "Answer with nothing but JSON.")
        .with(Role::User, "List the numbers from 1 to 9 as a JSON list: [1, 2, …]");
    let mut request = extract::agent::Request::new(conversation);
    (request.temperature, request.max_output_tokens) = (Some(0.0), Some(40));
    request.prefill = Some("[1, 2, 3, 4,".into());
    let reply = agent.respond(&request).await.unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::Stop, "{}", reply.text());
    let whole = format!("[1, 2, 3, 4,{}", reply.text());
    assert_eq!(serde_json::from_str::<Vec<u8>>(whole.trim()).ok(), Some((1..=9).collect()), "{whole}");
    request.prefill = None;
    request.max_output_tokens = Some(3);
    let cut = agent.respond(&request).await.unwrap();
    assert_eq!(cut.finish_reason(), &FinishReason::Length);
}
