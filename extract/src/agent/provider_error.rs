//! Converts the error of a provider to ours: its status, its headers and its body.

use std::time::Duration;

use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;

use super::{
    AgentError, AgentErrorKind, FinishReason, Reply,
    provider_detail::{Detail, kind_of_code, kind_of_status, line, shortened},
    provider_origin::{name, request_id_in, request_id_in_headers},
    retry_after,
};
use crate::{metrics::ReplyOrigin, redaction::Keys};

/// An [`AgentError`] in the making, which may still contain keys.
#[derive(Debug)]
pub(super) struct Failure {
    kind: AgentErrorKind,
    message: String,
    retry_after: Option<Duration>,
    /// The status of the response, or the one in an error in the body of a success.
    status: Option<u16>,
    request_id: Option<String>,
    /// Whether the message is a refusal, which becomes a reply.
    is_refusal: bool,
}

impl Failure {
    pub(super) fn new(kind: AgentErrorKind, message: &str) -> Self {
        let message = line(message);
        Self { kind, message, retry_after: None, status: None, request_id: None, is_refusal: false }
    }

    pub(super) fn garbled(message: &str) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    pub(super) fn refused(message: &str) -> Self {
        Self::new(AgentErrorKind::Refused, message)
    }

    /// The model or the provider refused to answer, with these words.
    pub(super) fn refusal(words: &str) -> Self {
        Self { is_refusal: true, ..Self::refused(words) }
    }

    /// A response that is not a success.
    pub(super) fn of_status(status: StatusCode, body: &str, headers: Option<&HeaderMap>) -> Self {
        let detail = Detail::of_text(body);
        let request_id = headers.and_then(request_id_in_headers).or_else(|| detail.request_id.clone());
        if detail.is_refusal() {
            let status = Some(status.as_u16());
            return Self { status, request_id, ..Self::refusal(&detail.message) };
        }
        let kind = kind_of_status(status.as_u16(), &detail);
        let message = if detail.message.is_empty() {
            format!("HTTP {status}")
        } else {
            format!("HTTP {status}: {}", detail.message)
        };
        let retry_after = headers.and_then(retry_after::in_headers).or(detail.retry_after);
        let status = Some(status.as_u16());
        Self { retry_after, status, request_id, ..Self::new(kind, &message) }
    }

    /// The same failure with the request id of rig, if rig has one.
    pub(super) fn with_request_id(self, id: Option<&str>) -> Self {
        Self { request_id: id.and_then(name).or(self.request_id), ..self }
    }

    /// The error in the body of a success.
    pub(super) fn in_success(body: &str) -> Self {
        Self::of_detail(&Detail::of_text(body))
    }

    /// As [`in_success`](Self::in_success), if there is an error in `body`.
    pub(super) fn find(body: &Value) -> Option<Self> {
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

    /// The reply, if it is a refusal; otherwise the error. Both without `secrets`.
    pub(super) fn settled(self, secrets: &Keys) -> Result<Reply, AgentError> {
        let message = secrets.redact(&self.message).into_owned();
        let request_id = self.request_id.map(|id| secrets.redact(&id).into_owned());
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
