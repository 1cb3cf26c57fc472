//! The errors of `genai` to ours.

use std::{error::Error, time::Duration};

use genai::{resolver, webc};
use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;

use super::{retry_after, secrets::Secrets};
use crate::agent::{AgentError, AgentErrorKind};

/// Characters of a message that are worth showing.
const LONGEST_MESSAGE: usize = 500;

/// Bytes of what a server said that are looked at. Many more than are shown, because keys have to be found before
/// the rest is cut off: half a key must not be seen either.
const LONGEST_DETAIL: usize = 64 * 1024;

/// An [`AgentError`] to be, which may still hold keys.
pub(super) struct Failure {
    kind: AgentErrorKind,
    message: String,
    /// The HTTP status, if the server answered with one that is an error.
    status: Option<u16>,
    retry_after: Option<Duration>,
    /// Without its URL, which may hold a key.
    source: Option<reqwest::Error>,
}

impl Failure {
    fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, retry_after: None, source: None }
    }

    /// Whether the same request may be taken without the schema: the server found it malformed, or does not know the
    /// way that it took because of the schema (`is_rerouted`).
    pub(super) fn may_be_about_the_schema(&self, is_rerouted: bool) -> bool {
        let is_about_it = match self.status {
            Some(400 | 422) => true,
            Some(404) => is_rerouted,
            _ => false,
        };
        is_about_it && self.kind == AgentErrorKind::Refused
    }

    pub(super) fn garbled(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Refused, message)
    }

    fn unavailable(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Unavailable, message)
    }

    pub(super) fn without(self, secrets: &Secrets) -> AgentError {
        let mut error = AgentError::new(self.kind, shortened(secrets.redact(&self.message)));
        if let Some(wait) = self.retry_after {
            error = error.with_retry_after(wait);
        }
        match self.source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }
}

impl From<genai::Error> for Failure {
    /// Never shows `genai`'s own text of an error that holds the request or the response.
    fn from(error: genai::Error) -> Self {
        use genai::Error as E;
        match error {
            E::WebModelCall { webc_error, .. } | E::WebAdapterCall { webc_error, .. } => of_web(webc_error),
            E::HttpError { status, body, headers, .. } => of_status(status, &body, &headers),
            E::ChatResponseGeneration { response_body, cause, .. } => {
                of_body(&response_body).unwrap_or_else(|| not_a_reply(&cause))
            }
            E::ChatResponse { body, .. } => {
                of_body(&body).unwrap_or_else(|| not_a_reply("the server reported an error"))
            }
            E::WebStream { cause, .. } => Self::new(AgentErrorKind::Transport, line(&cause)),
            E::Resolver { resolver_error: resolver::Error::ApiKeyEnvNotFound { env_name }, .. } => {
                Self::unavailable(format!("no key: `{env_name}` is not set"))
            }
            error @ (E::Resolver { .. }
            | E::RequiresApiKey { .. }
            | E::NoAuthResolver { .. }
            | E::NoAuthData { .. }
            | E::ModelMapperFailed { .. }
            | E::AdapterKindMismatch { .. }
            | E::AdapterNotSupported { .. }
            | E::ClientBuildFail { .. }
            | E::Internal(_)) => Self::unavailable(line(&error.to_string())),
            error @ (E::NoChatResponse { .. }
            | E::InvalidJsonResponseElement { .. }
            | E::StreamParse { .. }
            | E::JsonValueExt(_)
            | E::SerdeJson(_)) => not_a_reply(&error.to_string()),
            error => Self::new(AgentErrorKind::Refused, line(&error.to_string())),
        }
    }
}

fn not_a_reply(cause: &str) -> Failure {
    Failure::garbled(format!("the response is not a reply: {}", line(cause)))
}

fn of_web(error: webc::Error) -> Failure {
    match error {
        webc::Error::ResponseFailedStatus { status, body, headers } => of_status(status, &body, &headers),
        webc::Error::ResponseFailedNotJson { content_type, body } => {
            let content_type = if content_type.is_empty() { "no content type" } else { &content_type };
            let (content_type, body) = (line(content_type), line(&body));
            Failure::garbled(format!("expected application/json, got {content_type}: {body}"))
        }
        webc::Error::ResponseFailedInvalidJson { cause, .. } => {
            Failure::garbled(format!("the response is not JSON: {}", line(&cause)))
        }
        webc::Error::JsonValueExt(error) => not_a_reply(&error.to_string()),
        webc::Error::Reqwest(error) => of_request(error.without_url()),
    }
}

fn of_request(error: reqwest::Error) -> Failure {
    let message = with_causes(&error);
    let kind = if error.is_timeout() {
        AgentErrorKind::Timeout
    } else if error.is_builder() || error.is_redirect() {
        AgentErrorKind::Refused
    } else {
        AgentErrorKind::Transport
    };
    Failure { source: Some(error), ..Failure::new(kind, message) }
}

/// `error sending request: client error (Connect): tcp connect error: Connection refused`
fn with_causes(error: &reqwest::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(": ");
        message.push_str(&error.to_string());
        cause = error.source();
    }
    line(&message)
}

fn of_status(status: StatusCode, body: &str, headers: &HeaderMap) -> Failure {
    let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(line(body)));
    let detail = Detail::of(&body);
    let kind = kind_of_status(status.as_u16(), &detail);
    let message = if detail.message.is_empty() {
        format!("HTTP {status}")
    } else {
        format!("HTTP {status}: {}", detail.message)
    };
    let retry_after = retry_after::in_headers(headers).or(detail.retry_after);
    let status = Some(status.as_u16());
    Failure { status, retry_after, ..Failure::new(kind, message) }
}

/// The failure that a successful response tells of, if it does.
pub(super) fn error_in_body(body: &Value) -> Option<Failure> {
    let error = ["/error", "/choices/0/error"].iter().find_map(|place| body.pointer(place))?;
    if error.is_null() || error.as_str().is_some_and(str::is_empty) {
        return None;
    }
    let detail = Detail::of(error);
    let message = format!("an error in a successful response: {}", detail.message);
    let kind = detail.status.map_or_else(|| kind_of_code(&detail), |status| kind_of_status(status, &detail));
    Some(Failure { retry_after: detail.retry_after, ..Failure::new(kind, message) })
}

fn of_body(body: &Value) -> Option<Failure> {
    error_in_body(body).or_else(|| {
        let reason = body.pointer("/promptFeedback/blockReason")?.as_str()?;
        let message = format!("the provider blocked the prompt: {}", line(reason));
        Some(Failure::new(AgentErrorKind::Refused, message))
    })
}

fn kind_of_status(status: u16, detail: &Detail) -> AgentErrorKind {
    match status {
        408 => AgentErrorKind::Timeout,
        413 => AgentErrorKind::TooLong,
        // OpenAI answers so when the account has no money left; waiting does not help.
        429 if detail.has_code("insufficient_quota") => AgentErrorKind::Refused,
        429 => AgentErrorKind::RateLimited,
        500.. => AgentErrorKind::Transport,
        _ if detail.is_about_length() => AgentErrorKind::TooLong,
        _ => AgentErrorKind::Refused,
    }
}

/// Where nothing is known it counts as transient: trying again costs little, and the number of tries is bounded.
fn kind_of_code(detail: &Detail) -> AgentErrorKind {
    const RATE: [&str; 3] = ["rate_limit", "resource_exhausted", "too_many_requests"];
    const REFUSED: [&str; 8] = [
        "invalid",
        "authentication",
        "unauthenticated",
        "permission",
        "not_found",
        "billing",
        "insufficient_quota",
        "content_policy",
    ];
    if detail.is_about_length() {
        AgentErrorKind::TooLong
    } else if RATE.iter().any(|code| detail.has_code(code)) {
        AgentErrorKind::RateLimited
    } else if REFUSED.iter().any(|code| detail.has_code(code)) {
        AgentErrorKind::Refused
    } else {
        AgentErrorKind::Transport
    }
}

/// What a server says about its error.
struct Detail {
    message: String,
    /// In lower case: OpenAI's `code` and `type`, Anthropic's `type`, Google's `status`.
    codes: Vec<String>,
    /// The `code` of Google and OpenRouter, which is an HTTP status.
    status: Option<u16>,
    retry_after: Option<Duration>,
}

impl Detail {
    /// Of a whole body or of the error in it, whichever form the provider gives it.
    fn of(body: &Value) -> Self {
        let body = body.as_array().and_then(|errors| errors.first()).unwrap_or(body);
        let error = body.get("error").unwrap_or(body);
        let said = |key: &str| error.get(key).or_else(|| body.get(key)).and_then(Value::as_str);
        let message = error.as_str().or_else(|| said("message")).or_else(|| said("detail"));
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let codes = ["code", "type", "status"].iter().filter_map(|key| said(key)).map(str::to_lowercase);
        Self {
            message: message.map_or_else(|| line(&error.to_string()), line),
            codes: codes.collect(),
            status: status.filter(|status| (400..600).contains(status)),
            retry_after: retry_after::in_error(error),
        }
    }

    fn has_code(&self, code: &str) -> bool {
        self.codes.iter().any(|said| said.contains(code))
    }

    /// Whether the conversation was too long: the codes of OpenAI and llama.cpp, and the words of OpenAI and
    /// vLLM, Anthropic, Gemini, llama.cpp and Ollama, in this order.
    fn is_about_length(&self) -> bool {
        const WORDS: [&str; 5] = [
            "maximum context length",
            "prompt is too long",
            "exceeds the maximum number of tokens",
            "exceeds the available context size",
            "exceeds the context length",
        ];
        let message = self.message.to_lowercase();
        self.has_code("context_length_exceeded")
            || self.has_code("exceed_context_size")
            || WORDS.iter().any(|words| message.contains(words))
    }
}

/// The start of a text, which may have many megabytes, in one line.
fn line(text: &str) -> String {
    let mut end = text.len().min(LONGEST_DETAIL);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}
