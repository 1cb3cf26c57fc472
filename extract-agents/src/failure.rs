//! Why there is no reply: the failures of servers, in any provider's form.

use std::time::Duration;

use extract::{
    agent::{
        AgentError, AgentErrorKind, FinishReason, Reply,
        provider::{Keys, checked_name},
    },
    metrics::ReplyOrigin,
};
use hyper::StatusCode;
use serde_json::Value;

use crate::retry_after;

/// Maximum characters of a message that are shown.
const LONGEST_MESSAGE: usize = 500;

/// Maximum bytes of an error body that are read. Many more than are shown, because keys have to be
/// found before the text is shortened: half a key must not be visible either.
const LONGEST_DETAIL: usize = 64 << 10;

/// An [`AgentError`] in the making, which may still contain keys.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: AgentErrorKind,
    pub(crate) message: String,
    /// The status of the response, or the one in an error in the body of a success.
    pub(crate) status: Option<u16>,
    /// Whether the response itself had the status.
    is_of_response: bool,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) request_id: Option<String>,
    /// The parameter of the request that the server says it is about.
    pub(crate) parameter: Option<String>,
    /// Whether the message is a refusal of the model or a filter, which becomes a reply.
    pub(crate) is_refusal: bool,
    /// Whether it was about a parameter that the next request does not have.
    pub(crate) is_learned: bool,
}

impl Failure {
    pub(crate) fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            is_of_response: false,
            retry_after: None,
            request_id: None,
            parameter: None,
            is_refusal: false,
            is_learned: false,
        }
    }

    pub(crate) fn garbled(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Unavailable, message)
    }

    /// A response with a `status` that is not a success.
    pub(crate) fn of_status(status: u16, detail: &Detail) -> Self {
        let code = StatusCode::from_u16(status).map_or_else(|_| status.to_string(), |code| code.to_string());
        let message = match &*detail.message {
            "" => format!("HTTP {code}"),
            message => format!("HTTP {code}: {message}"),
        };
        let failure = Self::of(kind_of_status(status, detail), message, detail);
        Self { status: Some(status), is_of_response: true, ..failure }
    }

    /// An error in the body of a success, or in an event of a stream.
    pub(crate) fn in_success(error: &Value) -> Self {
        let detail = Detail::of(error);
        let kind =
            detail.status.map_or_else(|| kind_of_code(&detail), |status| kind_of_status(status, &detail));
        let message = format!("an error in a successful response: {}", detail.message);
        Self { status: detail.status, ..Self::of(kind, message, &detail) }
    }

    fn of(kind: AgentErrorKind, message: String, detail: &Detail) -> Self {
        let message = if detail.is_refusal() { detail.message.clone() } else { message };
        Self {
            retry_after: detail.retry_after,
            request_id: detail.request_id.clone(),
            parameter: detail.parameter.clone(),
            is_refusal: detail.is_refusal(),
            ..Self::new(kind, message)
        }
    }

    /// Returns whether the same request may succeed without its schema: the server found the
    /// request malformed, or failed to compile the schema, as some report by HTTP 500.
    pub(crate) fn may_be_about_the_schema(&self) -> bool {
        let is_refused = self.kind == AgentErrorKind::Refused && !self.is_refusal;
        self.is_of_response
            && match self.status {
                Some(400 | 422) => is_refused,
                Some(500) => self.kind == AgentErrorKind::Transport,
                _ => false,
            }
    }

    /// Returns whether the server failed, which need not be about the request.
    pub(crate) fn is_of_the_server(&self) -> bool {
        self.status == Some(500)
    }

    /// Returns whether the server found the request malformed.
    pub(crate) fn is_about_the_request(&self) -> bool {
        self.is_of_response && matches!(self.status, Some(400 | 422)) && !self.is_refusal
    }

    /// The reply, if it is a refusal; otherwise the error. Both without `keys`.
    pub(crate) fn settled(self, keys: &Keys) -> Result<Reply, AgentError> {
        let message = keys.redact(&line(&self.message)).into_owned();
        let request_id = self.request_id.map(|id| keys.redact(&id).into_owned());
        if self.is_refusal {
            let mut origin = ReplyOrigin::default();
            (origin.status, origin.request_id) = (self.status, request_id);
            let reply = Reply::new("").finished(FinishReason::ContentFilter).with_refusal(message);
            return Ok(reply.with_origin(origin));
        }
        let error = AgentError::new(self.kind, shortened(message));
        let error = self.status.into_iter().fold(error, AgentError::with_status);
        let error = request_id.into_iter().fold(error, AgentError::with_request_id);
        Err(self.retry_after.into_iter().fold(error, AgentError::with_retry_after))
    }
}

/// The error in the body of a success, if there is one: on its own, or in the first choice.
pub(crate) fn error_in(body: &Value) -> Option<Failure> {
    let in_choice = || body.get("choices")?.get(0)?.get("error");
    let is_error = |error: &&Value| !error.is_null() && error.as_str().is_none_or(|text| !text.is_empty());
    // vLLM's, before version 0.10.
    let is_whole = || body.get("object").is_some_and(|object| object == "error").then_some(body);
    let error =
        body.get("error").filter(is_error).or_else(|| in_choice().filter(is_error)).or_else(is_whole)?;
    let failure = Failure::in_success(error);
    let request_id = failure.request_id.or_else(|| checked_name(body.get("request_id")?.as_str()?));
    Some(Failure { request_id, ..failure })
}

fn kind_of_status(status: u16, detail: &Detail) -> AgentErrorKind {
    match status {
        408 => AgentErrorKind::Timeout,
        413 => AgentErrorKind::TooLong,
        // OpenAI answers with this when the account has no money left; waiting does not help.
        429 if detail.has_code("insufficient_quota") => AgentErrorKind::Refused,
        429 => AgentErrorKind::RateLimited,
        _ if status < 500 && detail.is_about_length() => AgentErrorKind::TooLong,
        500.. => AgentErrorKind::Transport,
        _ => AgentErrorKind::Refused,
    }
}

/// An unknown code counts as transient: trying again costs little, and the number of tries is
/// bounded.
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

/// The details of an error of a server.
pub(crate) struct Detail {
    message: String,
    /// In lower case: OpenAI's `code` and `type`, Anthropic's `type`, Google's `status`.
    codes: Vec<String>,
    /// The `code` of Google and OpenRouter, which is an HTTP status.
    status: Option<u16>,
    retry_after: Option<Duration>,
    request_id: Option<String>,
    /// OpenAI's `param`.
    parameter: Option<String>,
}

impl Detail {
    /// The details in a body of any kind.
    pub(crate) fn of_text(body: &str) -> Self {
        Self::of(&serde_json::from_str(body).unwrap_or_else(|_| Value::from(line(body))))
    }

    /// The details in a whole body or in the error in it, in any provider's form.
    fn of(body: &Value) -> Self {
        let body = body.as_array().and_then(|errors| errors.first()).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let said = |key: &str| error.get(key).or_else(|| body.get(key)).and_then(Value::as_str);
        let message = error.as_str().or_else(|| said("message")).or_else(|| said("detail"));
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let codes = ["code", "type", "status"].iter().filter_map(|key| said(key)).map(str::to_lowercase);
        let request_id = |place: &Value| checked_name(place.get("request_id")?.as_str()?);
        // OpenRouter's own message is "Provider returned error"; the provider's message is within.
        let inner = error.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(Value::as_str);
        let mut message = message.map_or_else(|| line(&error.to_string()), line);
        if let Some(inner) = inner {
            message = format!("{message}: {}", line(inner));
        }
        Self {
            message: if message == "{}" { String::new() } else { message },
            codes: codes.collect(),
            status: status.filter(|status| (400..600).contains(status)),
            retry_after: retry_after::in_error(error).or_else(|| retry_after::in_error(body)),
            request_id: request_id(body).or_else(|| request_id(error)),
            parameter: said("param").and_then(checked_name),
        }
    }

    fn has_code(&self, code: &str) -> bool {
        self.codes.iter().any(|said| said.contains(code))
    }

    /// Returns whether a filter refused the prompt: `content_filter` of Azure OpenAI, and
    /// `content_policy_violation` of OpenAI.
    fn is_refusal(&self) -> bool {
        self.has_code("content_filter") || self.has_code("content_policy_violation")
    }

    /// Returns whether the conversation was too long: the codes of OpenAI and llama.cpp, and the
    /// words of OpenAI and vLLM, Anthropic, Gemini, llama.cpp and Ollama (two), in this order.
    fn is_about_length(&self) -> bool {
        const WORDS: [&str; 6] = [
            "maximum context length",
            "prompt is too long",
            "exceeds the maximum number of tokens",
            "exceeds the available context size",
            "exceeds the context length",
            "exceeds maximum context length",
        ];
        let message = self.message.to_lowercase();
        self.has_code("context_length_exceeded")
            || self.has_code("exceed_context_size")
            || WORDS.iter().any(|words| message.contains(words))
    }
}

/// The start of a text in one line; the text may have many megabytes.
pub(crate) fn line(text: &str) -> String {
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
