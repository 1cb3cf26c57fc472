//! How much a model should think, in the form of each provider.

use super::*;
use crate::{agent::ThinkingLevel, contract::Contract};

use ThinkingLevel::{Budget, High, Low, Max, Medium, Minimal, Off};

/// The request for `model` of `kind`, and the notes. The server refuses, because only the request
/// matters.
async fn sent(kind: AdapterKind, model: &str, level: ThinkingLevel) -> (Value, Vec<String>) {
    let body = match kind {
        AdapterKind::Anthropic => providers::anthropic("8", "end_turn"),
        AdapterKind::Gemini => providers::gemini("8", "STOP"),
        AdapterKind::OpenAIResp => providers::openai_resp("8", "completed", None),
        AdapterKind::Ollama => providers::ollama("8", "stop"),
        _ => openai("8", "stop"),
    };
    let server = Server::start([Answer::json(&body)]);
    let target = (Endpoint::from_owned(server.url("api/")), AuthData::from_single(KEY));
    let client = Client::builder().with_reqwest(HTTP.clone()).append_provider_config(kind, target);
    let name = format!("{}/{model}", kind.as_lower_str());
    let agent = GenaiAgent::with_client(client.build().unwrap(), name).unwrap();
    let mut request = request();
    request.thinking = Some(level);
    let reply = agent.respond(&request).await.unwrap();
    (server.received().remove(0).body, reply.notes().to_vec())
}

async fn assert_sent(kind: AdapterKind, model: &str, level: ThinkingLevel, place: &str, expected: Value) {
    let (body, notes) = sent(kind, model, level).await;
    assert_eq!(body.pointer(place).cloned().unwrap_or_default(), expected, "{kind} {model} {level}: {body}");
    assert_eq!(notes, [] as [String; 0], "{kind} {model} {level}");
}

#[tokio::test]
async fn each_provider_is_told_in_its_own_way() {
    for (level, word) in [(Off, "none"), (Minimal, "minimal"), (Low, "low"), (High, "high"), (Max, "max")] {
        assert_sent(AdapterKind::OpenAI, "m", level, "/reasoning_effort", json!(word)).await;
        assert_sent(AdapterKind::OpenAIResp, "m", level, "/reasoning/effort", json!(word)).await;
    }
    let budget = "/generationConfig/thinkingConfig/thinkingBudget";
    assert_sent(AdapterKind::Gemini, "gemini-2.5-flash", Off, budget, json!(0)).await;
    assert_sent(AdapterKind::Gemini, "gemini-2.5-flash", Budget(77), budget, json!(77)).await;
    assert_sent(AdapterKind::Gemini, "gemini-2.5-flash", Medium, budget, json!(8000)).await;
    let word = "/generationConfig/thinkingConfig/thinkingLevel";
    assert_sent(AdapterKind::Gemini, "gemini-3.5-flash-lite", Low, word, json!("LOW")).await;
    assert_sent(
        AdapterKind::Anthropic,
        "claude-sonnet-4-0",
        Budget(2048),
        "/thinking/budget_tokens",
        json!(2048),
    )
    .await;
    assert_sent(AdapterKind::Ollama, "m", Low, "/think", json!("low")).await;
    assert_sent(AdapterKind::Ollama, "m", Off, "/think", json!(false)).await;
}

#[tokio::test]
async fn what_is_not_sent_is_noted() {
    for (kind, model, level, note) in [
        (
            AdapterKind::OpenAI,
            "m",
            Budget(64),
            "`openai/m` takes a thinking level and no budget, so the `budget of 64 tokens` is not sent",
        ),
        (
            AdapterKind::Ollama,
            "m",
            Budget(64),
            "`ollama/m` takes a thinking level and no budget, so the `budget of 64 tokens` is not sent",
        ),
        (
            AdapterKind::Gemini,
            "gemini-3.5-flash",
            Budget(64),
            "`gemini/gemini-3.5-flash` takes a thinking level and no budget, so the `budget of 64 tokens` is not sent",
        ),
        (
            AdapterKind::OpenAI,
            "m-high",
            Low,
            "the name of `openai/m-high` sets how much it thinks, so `low` is not sent",
        ),
    ] {
        let (body, notes) = sent(kind, model, level).await;
        assert_eq!(notes, [note]);
        let (plain, _) = without_thinking(kind, model).await;
        assert_eq!(body, plain, "{kind} {model} {level}");
    }
    let (body, notes) = sent(AdapterKind::Gemini, "gemini-3.5-flash", Off).await;
    assert_eq!(body["generationConfig"]["thinkingConfig"]["thinkingLevel"], "MINIMAL");
    let note =
        "`gemini/gemini-3.5-flash` cannot be told not to think, so it is told to think as little as it can";
    assert_eq!(notes, [note]);
}

async fn without_thinking(kind: AdapterKind, model: &str) -> (Value, Vec<String>) {
    let server = Server::start([Answer::json(&json!({}))]);
    let target = (Endpoint::from_owned(server.url("api/")), AuthData::from_single(KEY));
    let client = Client::builder().with_reqwest(HTTP.clone()).append_provider_config(kind, target);
    let name = format!("{}/{model}", kind.as_lower_str());
    let agent = GenaiAgent::with_client(client.build().unwrap(), name).unwrap();
    let _ = agent.respond(&request()).await;
    (server.received().remove(0).body, Vec::new())
}

#[tokio::test]
async fn it_is_sent_beside_the_schema_and_with_a_stream() {
    let stream = stream::streamed(AdapterKind::OpenAI, stream::closed(AdapterKind::OpenAI, "stop"));
    let server = Server::start([Answer::json(&openai("8", "stop")), stream]);
    let contract =
        Contract::from_schema(json!({"type": "object", "properties": {"legs": {"type": "integer"}}}))
            .unwrap();
    let agent = agent(AdapterKind::OpenAI, &server);
    for is_streamed in [false, true] {
        let asked =
            contract.extract(&agent, "?").thinking(Low).temperature(1.0).stream(is_streamed).max_attempts(1);
        let _ = asked.await;
        let body = server.received().pop().unwrap().body;
        assert_eq!((&body["reasoning_effort"], &body["temperature"]), (&json!("low"), &json!(1.0)), "{body}");
        assert!(body.get("response_format").is_some(), "{body}");
    }
}

#[tokio::test]
async fn a_provider_without_levels_is_noted_once() {
    let body = json!({
        "response_id": "c-1", "finish_reason": "COMPLETE",
        "chat_history": [{"role": "CHATBOT", "message": "8"}],
        "meta": {"tokens": {"input_tokens": 21, "output_tokens": 7}},
    });
    let server = Server::start([Answer::json(&body)]);
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = agent(AdapterKind::Cohere, &server).structured_output(super::super::StructuredOutput::Off);
    let (_, metrics) = contract.extract(&agent, "?").thinking(Low).await.unwrap();
    let attempt = &metrics.per_attempt[0];
    assert_eq!(attempt.notes, ["`cohere/some-model` sets no thinking level, so `low` may have no effect"]);
    assert_eq!(attempt.origin, origin(None, Some("c-1")));
}
