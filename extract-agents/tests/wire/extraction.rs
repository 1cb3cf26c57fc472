//! Whole extractions.

use std::time::Duration;

use extract::{
    Extractable, ExtractionError, TokenUsage,
    agent::{Agent as _, FinishReason},
    settings::TransportOptions,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    agent,
    formats::{FORMATS, events, kind, replied, stop, streamed, whole},
    request,
    server::{Answer, Server},
};

#[derive(Debug, Deserialize, PartialEq, Extractable)]
pub(crate) struct Animal {
    name: String,
    legs: u8,
}

pub(crate) fn spider() -> Animal {
    Animal { name: "spider".to_owned(), legs: 8 }
}

#[tokio::test]
async fn a_value_is_extracted_over_every_format() {
    for provider in FORMATS {
        let wrong = replied(provider, r#"{"name": "spider", "legs": "many"}"#);
        let server = Server::start([wrong, replied(provider, r#"{"name": "spider", "legs": 8}"#)]);
        let agent = agent(provider, &server);
        let (animal, metrics) = Animal::extract(&agent, "A spider has eight legs.").await.unwrap();
        assert_eq!((animal, metrics.attempts), (spider(), 2), "{provider}");
        assert_eq!(metrics.usage.input_tokens, 42, "{provider}");
    }
}

#[tokio::test]
async fn a_list_is_taken_out_of_the_object_around_it() {
    for is_streamed in [false, true] {
        let text = r#"{"answer": [1, 2, 3]}"#;
        let answer = if is_streamed { streamed("openai", &[text]) } else { replied("openai", text) };
        let server = Server::start([answer]);
        let agent = agent("openai", &server);
        let (numbers, _) = Vec::<u8>::extract(&agent, "One, two, three.").stream(is_streamed).await.unwrap();
        assert_eq!(numbers, [1, 2, 3]);
        let schema = &server.only().body["response_format"]["json_schema"]["schema"];
        assert_eq!(schema["properties"]["answer"]["type"], "array");
    }
}

/// `12` may be the beginning of `1234`.
#[tokio::test]
async fn a_number_that_a_broken_off_reply_stopped_in_is_not_accepted() {
    for (provider, reason) in [
        ("deepseek", "insufficient_system_resource"),
        ("vllm", "abort"),
        ("mistral", "error"),
        ("openrouter", "error"),
        ("groq", "something_new"),
        ("vllm", ""),
    ] {
        let broken = || {
            let mut body = whole(provider, "12", reason);
            if reason.is_empty() {
                body["choices"][0]["finish_reason"] = serde_json::Value::Null;
            }
            Answer::json(&body)
        };
        let server = Server::start([broken(), Answer::json(&whole(provider, "1234", "stop"))]);
        let agent = agent(provider, &server).structured_output(extract_agents::StructuredOutput::Off);
        let (number, metrics) = u32::extract(&agent, "One thousand two hundred thirty-four.").await.unwrap();
        assert_eq!((number, metrics.attempts), (1_234, 2), "{provider}");
    }
}

#[tokio::test]
async fn a_cut_reply_is_continued_where_the_server_can() {
    let cut = r#"{"name": "spi"#;
    let server = Server::start([
        Answer::json(&whole("ollama", cut, "length")),
        replied("ollama", r#"der", "legs": 8}"#),
    ]);
    let agent = agent("ollama", &server);
    let (animal, metrics) = Animal::extract(&agent, "A spider has eight legs.").await.unwrap();
    assert_eq!((animal, metrics.continuations), (spider(), 1));
    let messages = server.received()[1].body["messages"].clone();
    assert_eq!(messages.as_array().unwrap().last().unwrap(), &json!({"role": "assistant", "content": cut}));
}

/// "Empty" would be wrong for a model that wrote its answer, and gives it nothing to change.
#[tokio::test]
async fn an_answer_in_the_thoughts_is_asked_for_as_the_reply() {
    let thoughts = r#"So it is {"name": "spider", "legs": 8}."#;
    for provider in FORMATS {
        let mut body = whole(provider, "", stop(provider));
        match provider {
            "openai-responses" => {
                body["output"][0] =
                    json!({"type": "reasoning", "content": [{"type": "reasoning_text", "text": thoughts}]});
            }
            "anthropic" => {
                body["content"] = json!([{"type": "thinking", "thinking": thoughts, "signature": "s"}]);
            }
            "gemini" => {
                body["candidates"][0]["content"]["parts"] = json!([{"text": thoughts, "thought": true}]);
            }
            "ollama" => body["message"]["thinking"] = thoughts.into(),
            "bedrock-converse" => {
                body["output"]["message"]["content"] =
                    json!([{"reasoningContent": {"reasoningText": {"text": thoughts}}}]);
            }
            _ => body["choices"][0]["message"]["reasoning_content"] = thoughts.into(),
        }
        let server =
            Server::start([Answer::json(&body), replied(provider, r#"{"name": "spider", "legs": 8}"#)]);
        let (animal, _) = Animal::extract(&agent(provider, &server), "A spider.").await.unwrap();
        assert_eq!(animal, spider(), "{provider}");
        let second = server.received()[1].body.to_string();
        assert!(second.contains("the answer is in the thoughts") && !second.contains("is empty"), "{second}");
        let server = Server::start([Answer::json(&body)]);
        let error =
            Animal::extract(&agent(provider, &server), "A spider.").max_attempts(1).await.unwrap_err();
        assert!(error.to_string().contains("in the thoughts"), "{provider}: {error}");
    }
}

#[tokio::test]
async fn a_refusal_ends_it_in_one_request() {
    for (provider, body) in [
        ("bedrock", whole("bedrock", "", "guardrail_intervened")),
        ("gemini", json!({"promptFeedback": {"blockReason": "SAFETY"}})),
        ("anthropic", whole("anthropic", "", "refusal")),
    ] {
        let server = Server::start([Answer::json(&body)]);
        let agent = agent(provider, &server);
        let error = Animal::extract(&agent, "A spider.").await.unwrap_err();
        assert!(matches!(error, ExtractionError::Refused { .. }), "{provider}: {error}");
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test]
async fn a_reply_that_runs_in_circles_is_ended() {
    for provider in FORMATS {
        let texts = vec!["\"Ondricka\", "; 4_000];
        let pieces = [&["{\"name\": ["][..], &texts].concat();
        let pieces = vec![events(provider, &pieces, stop(provider)).concat()];
        let endless = Answer::Pieces { kind: kind(provider), pieces, stays_open: true };
        let server = Server::start([endless, streamed(provider, &[r#"{"name": "spider", "legs": 8}"#])]);
        let agent = agent(provider, &server);
        let (animal, metrics) = Animal::extract(&agent, "A spider.").stream(true).await.unwrap();
        assert_eq!((animal, metrics.attempts), (spider(), 2), "{provider}");
    }
}

#[tokio::test]
async fn a_reply_that_the_model_ended_before_its_end_is_not_told_to_need_more_tokens() {
    for (stop, says) in
        [("stop", "the agent ended it itself"), ("length", "give the agent more output tokens")]
    {
        let server = Server::start([Answer::json(&whole("openai", r#"{"name": "spi"#, stop))]);
        let agent = agent("openai", &server);
        let asked = Animal::extract(&agent, "A spider.").max_attempts(1).max_continuations(0);
        let error = asked.await.unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}

/// A gateway that lost its provider in the middle of the reply.
#[tokio::test]
async fn tokens_of_a_failure_count() {
    let mut lost = whole("openrouter", r#"{"name": "spi"#, "error");
    lost["choices"][0]["error"] = json!({"code": 502, "message": "Provider disconnected"});
    lost["usage"] = json!({"prompt_tokens": 20, "completion_tokens": 5});
    let mut right = whole("openrouter", r#"{"name": "spider", "legs": 8}"#, "stop");
    right["usage"] = json!({"prompt_tokens": 30, "completion_tokens": 9});
    let server = Server::start([&lost, &right, &lost].map(Answer::json));
    let agent = agent("openrouter", &server);
    let once = TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::from_secs(1));
    let (_, metrics) = Animal::extract(&agent, "A spider.").transport_options(once).await.unwrap();
    assert_eq!((metrics.transport_retries, metrics.usage), (1, TokenUsage::new(50, 14)));
    let never = TransportOptions::new().retries(0);
    let error = Animal::extract(&agent, "A spider.").transport_options(never).await.unwrap_err();
    assert_eq!(error.metrics().usage, TokenUsage::new(20, 5));
}

/// Some gateways say `stop` of every reply.
#[tokio::test]
async fn a_reply_with_as_many_tokens_as_its_limit_is_cut_whatever_the_server_says() {
    for (limit, output, thoughts, finish) in [
        (2, json!(2), "", FinishReason::Length),
        (2, json!(3), "", FinishReason::Length),
        (3, json!(2), "", FinishReason::Stop),
        (2, json!(null), "", FinishReason::Stop),
        (2, json!(3), "It is more than ten.", FinishReason::Stop),
    ] {
        let mut body = whole("litellm", "12", "stop");
        body["usage"] = json!({"prompt_tokens": 20, "completion_tokens": output});
        body["choices"][0]["message"]["reasoning_content"] = thoughts.into();
        let server = Server::start([Answer::json(&body)]);
        let mut request = request();
        request.max_output_tokens = Some(limit);
        let reply = agent("litellm", &server).respond(&request).await.unwrap();
        assert_eq!(*reply.finish_reason(), finish, "{limit}, {output}, {thoughts}");
    }
}
