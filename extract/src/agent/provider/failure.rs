//! Converts the error of a provider to ours: its status, its headers and its body.

use std::time::Duration;

use serde_json::Value;

use super::{
    detail::{ErrorDetail, kind_of_code, kind_of_status, line, shortened},
    origin::{checked_name, request_id, request_id_in},
    retry_after::retry_after,
};
use crate::{
    agent::{AgentError, AgentErrorKind, FinishReason, Reply},
    metrics::ReplyOrigin,
    vocabulary::redaction::Keys,
};

/// A failure of a provider that may still contain keys: an [`AgentError`] in the making, or the
/// reply of a provider that refused. [`settle`](Self::settle) makes one of them.
///
/// Its kind is found by the status, the code and the words of the error, in the forms of all
/// providers. The [module](super) has an example.
#[derive(Debug)]
pub struct ProviderFailure {
    kind: AgentErrorKind,
    message: String,
    retry_after: Option<Duration>,
    /// The status of the response, or the one in an error in the body of a success.
    status: Option<u16>,
    /// Whether the response itself had the status.
    is_of_response: bool,
    request_id: Option<String>,
    parameter: Option<String>,
    /// Whether the message is a refusal, which becomes a reply.
    is_refusal: bool,
}

impl ProviderFailure {
    /// Creates a failure with this message. White space in it, also line breaks, becomes one space.
    pub fn new(kind: AgentErrorKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            message: line(message.as_ref()),
            retry_after: None,
            status: None,
            is_of_response: false,
            request_id: None,
            parameter: None,
            is_refusal: false,
        }
    }

    /// Creates the failure that the response is not a reply; see [`AgentErrorKind::Garbled`].
    pub fn garbled(message: impl AsRef<str>) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    /// Creates the failure that the request was refused for good; see [`AgentErrorKind::Refused`].
    pub fn refused(message: impl AsRef<str>) -> Self {
        Self::new(AgentErrorKind::Refused, message)
    }

    /// Creates the failure that the model or the provider refused to answer, with these words.
    pub fn refusal(words: impl AsRef<str>) -> Self {
        Self { is_refusal: true, ..Self::refused(words) }
    }

    /// Creates the failure of a response that is not a success: its status, such as 429, the reason
    /// of its status line, such as `Too Many Requests`, and its body. `header` looks a header up by
    /// its name in lower case.
    pub fn of_status<'h>(
        status: u16,
        reason: &str,
        body: &str,
        header: impl Fn(&str) -> Option<&'h str>,
    ) -> Self {
        let detail = ErrorDetail::of_text(body);
        let code = if reason.is_empty() { status.to_string() } else { format!("{status} {reason}") };
        let message = match &*detail.message {
            "" => format!("HTTP {code}"),
            message => format!("HTTP {code}: {message}"),
        };
        let failure = Self::of_detail(kind_of_status(status, &detail), &message, detail);
        Self {
            retry_after: retry_after(&header).or(failure.retry_after),
            status: Some(status),
            is_of_response: true,
            request_id: request_id(&header).or(failure.request_id),
            ..failure
        }
    }

    /// Sets the provider's id of the request, if there is one.
    #[must_use]
    pub fn with_request_id(self, id: Option<&str>) -> Self {
        Self { request_id: id.and_then(checked_name).or(self.request_id), ..self }
    }

    /// Returns the error in the body of a success.
    pub fn in_success(body: &str) -> Self {
        Self::of_error(&serde_json::from_str(body).unwrap_or_else(|_| Value::from(body)))
    }

    /// Returns the failure for an error in the body of a success, or in an event of a stream.
    pub fn of_error(error: &Value) -> Self {
        let detail = ErrorDetail::of(error);
        let status = detail.status;
        let kind = status.map_or_else(|| kind_of_code(&detail), |status| kind_of_status(status, &detail));
        let message = format!("an error in a successful response: {}", detail.message);
        Self { status, ..Self::of_detail(kind, &message, detail) }
    }

    /// Like [`of_error`](Self::of_error), if there is an error in `body`: on its own, in the first
    /// choice, or the body itself, as of vLLM before version 0.10.
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    /// use serde_json::json;
    ///
    /// assert!(ProviderFailure::find(&json!({"error": {"code": 502, "message": "upstream"}})).is_some());
    /// for nothing in [json!(null), json!(false), json!(""), json!({}), json!([])] {
    ///     assert!(ProviderFailure::find(&json!({"error": nothing, "choices": []})).is_none());
    /// }
    /// ```
    pub fn find(body: &Value) -> Option<Self> {
        // `Value::pointer` would take ten times as long, and every reply passes here.
        let in_choice = || body.get("choices")?.get(0)?.get("error");
        let is_error = |error: &&Value| match error {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Object(members) => !members.is_empty(),
            Value::Array(errors) => !errors.is_empty(),
            _ => true,
        };
        let is_whole = || body.get("object").is_some_and(|object| object == "error").then_some(body);
        let error =
            body.get("error").filter(is_error).or_else(|| in_choice().filter(is_error)).or_else(is_whole)?;
        let failure = Self::of_error(error);
        let request_id = failure.request_id.or_else(|| request_id_in(body));
        Some(Self { request_id, ..failure })
    }

    fn of_detail(kind: AgentErrorKind, message: &str, detail: ErrorDetail) -> Self {
        let is_refusal = detail.is_refusal();
        let ErrorDetail { message: words, retry_after, request_id, parameter, .. } = detail;
        let message = if is_refusal { &words } else { message };
        Self { retry_after, request_id, parameter, is_refusal, ..Self::new(kind, message) }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> AgentErrorKind {
        self.kind
    }

    /// Returns the message, which may contain keys.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the status of the response, or the one in an error in the body of a success.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the parameter of the request that the provider names as the cause, such as
    /// `max_tokens`.
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// Returns whether the model or the provider refused to answer.
    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }

    /// Returns whether the server found the request malformed (HTTP 400 or 422).
    pub fn is_about_the_request(&self) -> bool {
        self.is_of_response && matches!(self.status, Some(400 | 422)) && !self.is_refusal
    }

    /// Returns whether the same request may succeed without its schema: the server found the request
    /// malformed, or failed to compile the schema, as some report by HTTP 500.
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    ///
    /// let of = |status| ProviderFailure::of_status(status, "", "{}", |_| None);
    /// assert!(of(400).may_be_about_the_schema() && of(500).may_be_about_the_schema());
    /// assert!(!of(401).may_be_about_the_schema());
    /// ```
    pub fn may_be_about_the_schema(&self) -> bool {
        let is_refused = self.kind == AgentErrorKind::Refused && !self.is_refusal;
        self.is_of_response
            && match self.status {
                Some(400 | 422) => is_refused,
                Some(500) => self.kind == AgentErrorKind::Transport,
                _ => false,
            }
    }

    /// Returns the reply, if it is a refusal. `keys` are redacted, and the message of an error is
    /// cut to 500 characters.
    ///
    /// # Errors
    ///
    /// The error, if it is not a refusal.
    pub fn settle(self, keys: &Keys) -> Result<Reply, AgentError> {
        let message = keys.redact(&self.message).into_owned();
        let request_id = self.request_id.map(|id| keys.redact(&id).into_owned());
        if self.is_refusal {
            let origin = ReplyOrigin { status: self.status, request_id, ..ReplyOrigin::default() };
            let reply = Reply::new("").finished(FinishReason::ContentFilter).with_refusal(message);
            return Ok(reply.with_origin(origin));
        }
        let error = AgentError::new(self.kind, shortened(message));
        let error = self.status.into_iter().fold(error, AgentError::with_status);
        let error = request_id.into_iter().fold(error, AgentError::with_request_id);
        Err(self.retry_after.into_iter().fold(error, AgentError::with_retry_after))
    }
}
