//! What is known of a response beside its reply.

use std::sync::{Arc, Mutex};

use extract::{
    AttemptRecord, Event, Extractable as _,
    agent::{Agent as _, DeltaSink},
};
use extract_agents::{Answered, ProviderAgent};
use serde_json::{Value, json};

use crate::{
    KEY, agent, ask,
    formats::{PROVIDERS, kind, replied, stop, whole},
    request,
    server::{Answer, Server},
};

type Seen = Arc<Mutex<Vec<(Vec<(usize, usize, f64)>, Option<f64>, Option<String>)>>>;

fn observed(agent: ProviderAgent) -> (ProviderAgent, Seen) {
    let seen = Seen::default();
    let record = Arc::clone(&seen);
    let agent = agent.log_probabilities(true).observe(move |answered: &Answered<'_>| {
        assert!(!format!("{answered:?}").contains(KEY));
        assert!(serde_json::from_slice::<Value>(answered.request).is_ok() && answered.status == 200);
        let tokens = answered
            .reply
            .token_probabilities()
            .iter()
            .map(|token| (token.range.start, token.range.end, token.log_probability));
        let left = answered.header("x-ratelimit-remaining-tokens").map(str::to_owned);
        record.lock().unwrap().push((tokens.collect(), answered.reply.reported_cost(), left));
    });
    (agent, seen)
}

const TEXT: &str = "{\"legs\": 8}";

/// A reply of `provider` with the tokens of [`TEXT`].
fn with_tokens(provider: &str) -> Value {
    let tokens = json!([
        {"token": "{\"legs\":", "logprob": -0.5, "logProbability": -0.5},
        {"token": " 8", "logprob": -0.25, "logProbability": -0.25},
        {"token": "}", "logprob": 0.0, "logProbability": 0.0},
    ]);
    let mut body = whole(provider, TEXT, stop(provider));
    match provider {
        "openai" => body["choices"][0]["logprobs"] = json!({"content": tokens}),
        "openai-responses" => body["output"][1]["content"][0]["logprobs"] = tokens,
        "gemini" => body["candidates"][0]["logprobsResult"] = json!({"chosenCandidates": tokens}),
        "ollama" => body["logprobs"] = tokens,
        _ => {}
    }
    body
}

#[tokio::test]
async fn log_probabilities_are_asked_for_and_have_their_places() {
    for provider in PROVIDERS {
        let server = Server::start([Answer::json(&with_tokens(provider))]);
        let (agent, seen) = observed(agent(provider, &server));
        let reply = agent.respond(&request()).await.unwrap();
        let has = provider != "anthropic";
        assert_eq!(reply.notes().is_empty(), has, "{provider}: {:?}", reply.notes());
        let expected = [(0, 8, -0.5), (8, 10, -0.25), (10, 11, 0.0)];
        assert_eq!(seen.lock().unwrap()[0].0, &expected[..if has { 3 } else { 0 }], "{provider}");
        assert_eq!(server.only().body.to_string().to_lowercase().contains("logprobs"), has, "{provider}");
    }
}

#[tokio::test]
async fn the_tokens_of_a_stream_are_those_of_the_reply() {
    let chunk = |token: &str, logprob: f64| {
        let logprobs = json!({"content": [{"token": token, "logprob": logprob, "bytes": token.as_bytes()}]});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"content": token}, "logprobs": logprobs}]}))
    };
    let end = "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    let body = [chunk("[8", -0.5), chunk("]", -0.25), end.to_owned()].concat();
    let server = Server::start([Answer::bytes("200 OK", kind("openai"), body)]);
    let (agent, seen) = observed(agent("openai", &server));
    agent.stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
    assert_eq!(seen.lock().unwrap()[0].0, [(0, 2, -0.5), (2, 3, -0.25)]);
}

/// Together AI is asked for a number, and lists tokens and probabilities apart.
#[tokio::test]
async fn log_probabilities_in_another_form_are_read() {
    let chunk = |token: &str, logprob: f64| {
        format!("data: {}\n\n", json!({"choices": [{"delta": {"content": token}, "logprobs": logprob}]}))
    };
    let end = "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"eos\"}]}\n\ndata: [DONE]\n\n";
    let streamed = [chunk("[8", -0.5), chunk("]", -0.25), end.to_owned()].concat();
    let mut body = whole("together", "[8]", "eos");
    body["choices"][0]["logprobs"] = json!({"tokens": ["[8", "]"], "token_logprobs": [-0.5, -0.25]});
    let server = Server::start([Answer::json(&body), Answer::bytes("200 OK", kind("openai"), streamed)]);
    let (agent, seen) = observed(agent("together", &server));
    agent.respond(&request()).await.unwrap();
    agent.stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
    for (index, seen) in seen.lock().unwrap().iter().enumerate() {
        assert_eq!(seen.0, [(0, 2, -0.5), (2, 3, -0.25)]);
        assert_eq!(server.received()[index].body["logprobs"], 1);
    }
}

/// A list is asked for in an object, and a cut reply is continued: the ranges are still those of the
/// text that was judged.
#[tokio::test]
async fn the_record_of_an_attempt_has_them_in_its_own_text() {
    let tokens = |tokens: &[&str]| {
        let list = tokens.iter().map(|token| json!({"token": token, "logprob": -0.5})).collect::<Vec<_>>();
        json!({"content": list})
    };
    let of = |record: &AttemptRecord| {
        let ranges = record.token_probabilities.iter().map(|token| &record.raw_output[token.range.clone()]);
        ranges.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut body = whole("openai", "{\"answer\": [8]}", "stop");
    body["choices"][0]["logprobs"] = tokens(&["{\"answer\":", " [", "8", "]}"]);
    let server = Server::start([Answer::json(&body)]);
    let (agent, seen) = (agent("openai", &server).log_probabilities(true), Mutex::new(Vec::new()));
    let observe = |event: &Event<'_>| {
        if let Event::Judged { record, .. } = event {
            seen.lock().unwrap().push(of(record));
        }
    };
    Vec::<u8>::extract(&agent, "How many legs?").observe(observe).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [["[", "8", "]"]]);
    let (mut first, mut second) = (whole("vllm", "[8, 1", "length"), whole("vllm", "0]", "stop"));
    first["choices"][0]["logprobs"] = tokens(&["[8, ", "1"]);
    second["choices"][0]["logprobs"] = tokens(&["0", "]"]);
    let server = Server::start([Answer::json(&first), Answer::json(&second)]);
    let agent = crate::agent("vllm", &server).log_probabilities(true);
    seen.lock().unwrap().clear();
    let (legs, _) = Vec::<u8>::extract(&agent, "How many legs?").observe(observe).await.unwrap();
    assert_eq!(legs, [8, 10]);
    assert_eq!(seen.lock().unwrap().last().unwrap(), &["0", "]"]);
}

#[tokio::test]
async fn a_cost_in_a_header_is_read() {
    for (header, cost) in
        [("0.0125", Some(0.0125)), ("0", Some(0.0)), ("-1", None), ("inf", None), ("None", None)]
    {
        let answer = replied("litellm", TEXT).header("x-litellm-response-cost", header);
        let server = Server::start([answer]);
        let reply = agent("litellm", &server).respond(&request()).await.unwrap();
        assert_eq!(reply.reported_cost(), cost, "{header}");
    }
}

#[tokio::test]
async fn headers_of_successes_and_costs_are_seen() {
    for (provider, name, cost) in [
        ("openrouter", "cost", json!(0.0125)),
        ("perplexity", "cost", json!({"total_cost": 0.0125})),
        ("xai", "cost_in_usd_ticks", json!(125_000_000)),
        ("huggingface", "estimated_cost", json!(0.0125)),
    ] {
        let mut body = whole(provider, TEXT, "stop");
        body["usage"][name] = cost;
        let answer = Answer::json(&body).header("X-RateLimit-Remaining-Tokens", "149984");
        let server = Server::start([answer, replied(provider, TEXT)]);
        let (agent, seen) = observed(agent(provider, &server));
        agent.respond(&request()).await.unwrap();
        agent.respond(&request()).await.unwrap();
        let seen = seen.lock().unwrap();
        assert_eq!((seen[0].1, seen[0].2.as_deref()), (Some(0.0125), Some("149984")), "{provider}");
        assert_eq!((seen[1].1, seen[1].2.as_deref()), (None, None), "{provider}");
    }
}

/// OpenRouter charges little for a key of the caller, and the provider charges the caller.
#[tokio::test]
async fn the_cost_of_an_own_key_is_what_both_charge() {
    for (own, cost) in [(true, 0.021), (false, 0.001)] {
        let mut body = whole("openrouter", TEXT, "stop");
        body["usage"]["cost"] = 0.001.into();
        body["usage"]["is_byok"] = own.into();
        body["usage"]["cost_details"] = json!({"upstream_inference_cost": 0.02});
        let reply = ask("openrouter", Answer::json(&body)).await.unwrap();
        assert!((reply.reported_cost().unwrap() - cost).abs() < 1e-9, "{own}");
    }
}
