//! Converts errors of `genai` to [`AgentError`].

use std::{error::Error, string::FromUtf8Error, time::Duration};

use genai::{resolver, webc};
use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;

use crate::{
    agent::{
        AgentError, AgentErrorKind, FinishReason, Reply,
        provider::{
            add_origin,
            detail::{Detail, kind_of_code, kind_of_status, line, shortened},
            refusal_in, request_id, retry_after,
        },
    },
    metrics::ReplyOrigin,
    redaction::Keys,
};

/// An [`AgentError`] in the making, which may still contain keys.
pub(super) struct Failure {
    kind: AgentErrorKind,
    message: String,
    /// The known parts of the response; its status only if that is an error.
    origin: Box<ReplyOrigin>,
    /// The status in an error in the body of a success.
    named_status: Option<u16>,
    retry_after: Option<Duration>,
    /// Without its URL, which may contain a key.
    source: Option<reqwest::Error>,
    /// Whether the message is a refusal, which becomes a reply.
    is_refusal: bool,
}

impl Failure {
    fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            origin: Box::default(),
            named_status: None,
            retry_after: None,
            source: None,
            is_refusal: false,
        }
    }

    /// Returns whether the same request may succeed without the schema: the server found it
    /// malformed, failed to compile it (as some report by HTTP 500), or does not know the endpoint
    /// that was chosen because of the schema (`is_rerouted`).
    pub(super) fn may_be_about_the_schema(&self, is_rerouted: bool) -> bool {
        let is_refused = self.kind == AgentErrorKind::Refused && !self.is_refusal;
        match self.origin.status {
            Some(400 | 422) => is_refused,
            Some(404) => is_refused && is_rerouted,
            Some(500) => self.kind == AgentErrorKind::Transport,
            _ => false,
        }
    }

    /// Returns whether the server failed, which need not be about the request.
    pub(super) fn is_of_the_server(&self) -> bool {
        self.origin.status == Some(500)
    }

    pub(super) fn garbled(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    pub(super) fn transport(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Transport, message)
    }

    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Refused, message)
    }

    /// The model or the provider refused to answer, with these words.
    fn refusal(words: impl Into<String>) -> Self {
        Self { is_refusal: true, ..Self::refused(words) }
    }

    /// The words of a refusal, if it is one.
    pub(super) fn words(&self) -> Option<&str> {
        self.is_refusal.then_some(&*self.message)
    }

    /// The reply, if it is a refusal; otherwise the error. Both without `secrets`.
    pub(super) fn settled(self, secrets: &Keys) -> Result<Reply, AgentError> {
        match self.words() {
            Some(words) => {
                let reply = Reply::new("").finished(FinishReason::ContentFilter);
                Ok(reply.with_refusal(secrets.redact(words)).with_origin(self.origin(secrets)))
            }
            None => Err(self.without(secrets)),
        }
    }

    /// Returns the known parts of the response.
    fn origin(&self, secrets: &Keys) -> ReplyOrigin {
        let redacted = |name: &Option<String>| name.as_deref().map(|name| secrets.redact(name).into_owned());
        let ReplyOrigin { model, response_id, request_id, status, .. } = &*self.origin;
        ReplyOrigin {
            model: redacted(model),
            response_id: redacted(response_id),
            request_id: redacted(request_id),
            status: status.or(self.named_status),
            agent: None,
        }
    }

    fn unavailable(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Unavailable, message)
    }

    pub(super) fn without(self, secrets: &Keys) -> AgentError {
        let mut error = AgentError::new(self.kind, shortened(secrets.redact(&self.message).into_owned()));
        let ReplyOrigin { status, request_id, .. } = self.origin(secrets);
        error = status.into_iter().fold(error, AgentError::with_status);
        error = request_id.into_iter().fold(error, AgentError::with_request_id);
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
    /// Never shows `genai`'s own text of an error that contains the request or the response.
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
            E::WebStream { error, .. } => of_stream(error),
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

/// The failure of a stream. `genai` passes on the error of its cause.
fn of_stream(error: Box<dyn Error + Send + Sync>) -> Failure {
    let error = match error.downcast::<genai::Error>() {
        Ok(error) => return Failure::from(*error),
        Err(error) => error,
    };
    match error.downcast::<reqwest::Error>() {
        Ok(error) => of_request(error.without_url()),
        Err(error) if error.is::<FromUtf8Error>() => Failure::garbled("the reply is not UTF-8"),
        Err(error) if error.is::<webc::StreamTimeout>() => {
            Failure::new(AgentErrorKind::Timeout, line(&error.to_string()))
        }
        Err(error) => Failure::transport(line(&error.to_string())),
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
    let header = |name: &str| headers.get(name)?.to_str().ok();
    let detail = Detail::of_text(body);
    let origin = ReplyOrigin {
        request_id: request_id(header).or_else(|| detail.request_id.clone()),
        status: Some(status.as_u16()),
        ..ReplyOrigin::default()
    };
    let origin = Box::new(origin);
    if detail.is_refusal() {
        return Failure { origin, ..Failure::refusal(detail.message) };
    }
    let kind = kind_of_status(status.as_u16(), &detail);
    let message = if detail.message.is_empty() {
        format!("HTTP {status}")
    } else {
        format!("HTTP {status}: {}", detail.message)
    };
    let retry_after = retry_after(header).or(detail.retry_after);
    Failure { origin, retry_after, ..Failure::new(kind, message) }
}

/// The failure that a successful response reports, if any.
pub(super) fn error_in_body(body: &Value) -> Option<Failure> {
    // `Value::pointer` would take ten times as long, and every reply passes here.
    let in_choice = || body.get("choices")?.get(0)?.get("error");
    let error = body.get("error").or_else(in_choice)?;
    if error.is_null() || error.as_str().is_some_and(str::is_empty) {
        return None;
    }
    let mut failure = of_error(error);
    add_origin(&mut failure.origin, body);
    Some(failure)
}

fn of_error(error: &Value) -> Failure {
    let detail = Detail::of(error);
    let kind = detail.status.map_or_else(|| kind_of_code(&detail), |status| kind_of_status(status, &detail));
    let is_refusal = detail.is_refusal();
    let Detail { message, status: named_status, retry_after, request_id, .. } = detail;
    let failure = if is_refusal {
        Failure::refusal(message)
    } else {
        Failure::new(kind, format!("an error in a successful response: {message}"))
    };
    let origin = Box::new(ReplyOrigin { request_id, ..ReplyOrigin::default() });
    Failure { origin, named_status, retry_after, ..failure }
}

/// The failure that an event of a stream reports, if any. In the Responses API the error is inside
/// the response, or the event itself is the error.
pub(super) fn error_in_event(event: &Value) -> Option<Failure> {
    let is_error = || event.get("type").is_some_and(|kind| kind == "error");
    of_body(event)
        .or_else(|| event.get("response").and_then(error_in_body))
        .or_else(|| is_error().then(|| of_error(event)))
}

/// `genai` turns a blocked prompt into an error, because there is no candidate.
fn of_body(body: &Value) -> Option<Failure> {
    let is_blocked = || body.get("promptFeedback").is_some() && body.get("candidates").is_none();
    let refusal = || {
        let mut origin = Box::<ReplyOrigin>::default();
        add_origin(&mut origin, body);
        Some(Failure { origin, ..Failure::refusal(refusal_in(body).filter(|_| is_blocked())?) })
    };
    error_in_body(body).or_else(refusal)
}
