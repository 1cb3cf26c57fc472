//! One line of a file of requests, and of a file of answers, in the form of `OpenAI`.
//!
//! Source: <https://platform.openai.com/docs/api-reference/batch>, November 2026.

use extract::agent::{AgentError, Reply, Request, provider::ProviderFailure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{agent::ProviderAgent, format::WireFormat};

#[derive(Serialize)]
struct RequestLine<'a> {
    custom_id: &'a str,
    method: &'a str,
    url: &'a str,
    body: &'a RawValue,
}

#[derive(Deserialize)]
struct AnswerLine<'a> {
    #[serde(borrow, default)]
    response: Option<AnswerBody<'a>>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct AnswerBody<'a> {
    status_code: u16,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
}

/// Returns the path of the requests in a file, if files can have requests of this format.
pub(super) fn endpoint(wire: WireFormat) -> Option<&'static str> {
    match wire {
        WireFormat::ChatCompletions => Some("/v1/chat/completions"),
        WireFormat::Responses => Some("/v1/responses"),
        _ => None,
    }
}

/// Returns the line of a request.
pub(super) fn write(
    agent: &ProviderAgent,
    endpoint: &str,
    id: &str,
    request: &Request,
) -> Result<Vec<u8>, AgentError> {
    let written = agent.batch_body(request).and_then(|body| {
        let garbled = |error: serde_json::Error| ProviderFailure::garbled(error.to_string());
        let body: &RawValue = serde_json::from_slice(&body.bytes).map_err(garbled)?;
        serde_json::to_vec(&RequestLine { custom_id: id, method: "POST", url: endpoint, body })
            .map_err(garbled)
    });
    written.map_err(|failure| to_error(agent, failure))
}

/// Reads the line of an answer.
pub(super) fn read(agent: &ProviderAgent, request: &Request, line: &[u8]) -> Result<Reply, AgentError> {
    read_line(agent, request, line).or_else(|failure| failure.settle(&agent.keys()))
}

fn read_line(agent: &ProviderAgent, request: &Request, line: &[u8]) -> Result<Reply, ProviderFailure> {
    let line: AnswerLine<'_> = serde_json::from_slice(line)
        .map_err(|error| ProviderFailure::garbled(format!("not an answer of a batch: {error}")))?;
    match line.response {
        Some(AnswerBody { status_code, request_id, body: Some(body) }) => {
            agent.batch_reply(request, status_code, request_id.as_deref(), body.get())
        }
        // It expired, or was cancelled.
        _ => Err(ProviderFailure::garbled(format!(
            "the request has no answer in its batch: {}",
            line.error.unwrap_or(Value::Null)
        ))),
    }
}

/// Returns the id of the request that a line answers.
pub(super) fn id(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Id {
        custom_id: String,
    }
    serde_json::from_slice::<Id>(line).ok().map(|line| line.custom_id)
}

/// Returns the error of a failure, without keys.
pub(super) fn to_error(agent: &ProviderAgent, failure: ProviderFailure) -> AgentError {
    let message = failure.message().to_owned();
    match failure.settle(&agent.keys()) {
        Err(error) => error,
        Ok(_) => AgentError::refused(agent.keys().redact(&message).into_owned()),
    }
}
