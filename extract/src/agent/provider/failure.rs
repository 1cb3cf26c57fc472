//! Converts the error of a provider to ours: its status, its headers and its body.

use std::time::Duration;

use serde_json::Value;

use super::{
    detail::{Detail, kind_of_code, kind_of_status, line, shortened},
    origin::{checked_name, request_id, request_id_in},
    retry_after::retry_after,
};
use crate::{
    agent::{AgentError, AgentErrorKind, FinishReason, Reply},
    metrics::ReplyOrigin,
    redaction::Keys,
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
    request_id: Option<String>,
    /// Whether the message is a refusal, which becomes a reply.
    is_refusal: bool,
}

impl ProviderFailure {
    /// Creates a failure with this message. White space in it, also line breaks, becomes one space.
    pub fn new(kind: AgentErrorKind, message: &str) -> Self {
        let message = line(message);
        Self { kind, message, retry_after: None, status: None, request_id: None, is_refusal: false }
    }

    /// Creates the failure that the response is not a reply; see [`AgentErrorKind::Garbled`].
    pub fn garbled(message: &str) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    /// Creates the failure that the request was refused for good; see [`AgentErrorKind::Refused`].
    pub fn refused(message: &str) -> Self {
        Self::new(AgentErrorKind::Refused, message)
    }

    /// Creates the failure that the model or the provider refused to answer, with these words.
    pub fn refusal(words: &str) -> Self {
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
        let detail = Detail::of_text(body);
        let request_id = request_id(&header).or_else(|| detail.request_id.clone());
        if detail.is_refusal() {
            return Self { status: Some(status), request_id, ..Self::refusal(&detail.message) };
        }
        let kind = kind_of_status(status, &detail);
        let message = if detail.message.is_empty() {
            format!("HTTP {status} {reason}")
        } else {
            format!("HTTP {status} {reason}: {}", detail.message)
        };
        let retry_after = retry_after(&header).or(detail.retry_after);
        Self { retry_after, status: Some(status), request_id, ..Self::new(kind, &message) }
    }

    /// Sets the provider's id of the request, if there is one.
    #[must_use]
    pub fn with_request_id(self, id: Option<&str>) -> Self {
        Self { request_id: id.and_then(checked_name).or(self.request_id), ..self }
    }

    /// Returns the error in the body of a success.
    pub fn in_success(body: &str) -> Self {
        Self::of_detail(&Detail::of_text(body))
    }

    /// Like [`in_success`](Self::in_success), if there is an error in `body`.
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    /// use serde_json::json;
    ///
    /// assert!(ProviderFailure::find(&json!({"error": {"code": 502, "message": "upstream"}})).is_some());
    /// assert!(ProviderFailure::find(&json!({"error": null, "choices": []})).is_none());
    /// ```
    pub fn find(body: &Value) -> Option<Self> {
        let error = ["/error", "/choices/0/error"].iter().find_map(|place| body.pointer(place))?;
        let is_none = error.is_null() || error.as_str().is_some_and(str::is_empty);
        (!is_none).then(|| {
            let failure = Self::of_detail(&Detail::of(error));
            let request_id = failure.request_id.or_else(|| request_id_in(body));
            Self { request_id, ..failure }
        })
    }

    fn of_detail(detail: &Detail) -> Self {
        let (status, request_id) = (detail.status, detail.request_id.clone());
        if detail.is_refusal() {
            return Self { status, request_id, ..Self::refusal(&detail.message) };
        }
        let kind =
            detail.status.map_or_else(|| kind_of_code(detail), |status| kind_of_status(status, detail));
        let message = format!("an error in a successful response: {}", detail.message);
        Self { retry_after: detail.retry_after, status, request_id, ..Self::new(kind, &message) }
    }

    /// Returns the reply, if it is a refusal. `keys` are redacted, and the message is cut to 500
    /// characters.
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
        Err(match self.retry_after {
            Some(wait) => error.with_retry_after(wait),
            None => error,
        })
    }
}
