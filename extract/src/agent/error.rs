//! Errors of agents.

use std::{borrow::Cow, error::Error, fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    metrics::TransportFailure,
    vocabulary::{
        redaction::{Keys, SensitiveValues},
        usage::TokenUsage,
    },
};

/// Kinds of [`AgentError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentErrorKind {
    /// The connection or the server (5xx) failed. Transient.
    Transport,
    /// Too many requests (429). Transient; see [`AgentError::retry_after`].
    RateLimited,
    /// No reply within the time limit. Transient.
    Timeout,
    /// The response could not be understood as a reply. Transient.
    Garbled,
    /// The request was refused: a wrong key, an unknown model, an invalid argument. Permanent. A
    /// model that refuses to answer is not an error but a [reply](super::Reply::is_refusal).
    Refused,
    /// The conversation is too long for the agent. Permanent.
    TooLong,
    /// The agent cannot work at all: a missing model file, a failed start. Permanent.
    Unavailable,
}

impl fmt::Display for AgentErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transport => "transport failure",
            Self::RateLimited => "rate limited",
            Self::Timeout => "timeout",
            Self::Garbled => "garbled reply",
            Self::Refused => "request refused",
            Self::TooLong => "prompt too long",
            Self::Unavailable => "agent unavailable",
        })
    }
}

/// Why an agent gave no reply.
///
/// ```
/// use std::time::Duration;
/// use extract::agent::AgentError;
///
/// let error = AgentError::rate_limited("429 Too Many Requests").with_retry_after(Duration::from_secs(2));
/// assert!(error.is_transient());
/// assert_eq!(error.to_string(), "rate limited: 429 Too Many Requests");
/// ```
#[derive(Debug)]
pub struct AgentError {
    kind: AgentErrorKind,
    message: String,
    retry_after: Option<Duration>,
    status: Option<u16>,
    request_id: Option<Box<str>>,
    source: Option<Box<dyn Error + Send + Sync>>,
    usage: Option<Box<TokenUsage>>,
    scope: ErrorScope,
}

/// Which requests fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorScope {
    /// The kind and the status decide.
    Unsaid,
    /// The agent worked, and failed at this request.
    Request,
    /// All of the account.
    Account,
}

impl AgentError {
    /// Creates an error of `kind`; `message` says what happened, without naming the kind.
    pub fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let (retry_after, status, request_id, source) = (None, None, None, None);
        let scope = ErrorScope::Unsaid;
        Self { kind, message, retry_after, status, request_id, source, usage: None, scope }
    }

    /// Creates an error of kind [`AgentErrorKind::Transport`].
    pub fn transport(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Transport, message)
    }

    /// Creates an error of kind [`AgentErrorKind::RateLimited`].
    pub fn rate_limited(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::RateLimited, message)
    }

    /// Creates an error of kind [`AgentErrorKind::Timeout`].
    pub fn timeout(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Timeout, message)
    }

    /// Creates an error of kind [`AgentErrorKind::Garbled`].
    pub fn garbled(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Garbled, message)
    }

    /// Creates an error of kind [`AgentErrorKind::Refused`].
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Refused, message)
    }

    /// Creates an error of kind [`AgentErrorKind::TooLong`].
    pub fn too_long(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::TooLong, message)
    }

    /// Creates an error of kind [`AgentErrorKind::Unavailable`].
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(AgentErrorKind::Unavailable, message)
    }

    /// Asks the loop to wait this long before the next request, as the HTTP header `Retry-After`
    /// does (RFC 9110, section 10.2.3).
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Sets the HTTP status of the failure.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the provider's id of the request, which its support asks for.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into().into());
        self
    }

    /// Sets the tokens that the failed request cost, if the agent reports them. An extraction counts
    /// them.
    ///
    /// ```
    /// use extract::{TokenUsage, agent::AgentError};
    ///
    /// let error = AgentError::transport("broken off").with_usage(TokenUsage::new(20, 5));
    /// assert_eq!(error.usage(), Some(TokenUsage::new(20, 5)));
    /// ```
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {
        self.usage = Some(Box::new(usage));
        self
    }

    /// Takes everything from `other` except kind, message and source.
    pub(crate) fn responding_as(self, other: &Self) -> Self {
        let (status, retry_after, scope) = (other.status, other.retry_after, other.scope);
        let (request_id, usage) = (other.request_id.clone(), other.usage.clone());
        Self { retry_after, status, request_id, usage, scope, ..self }
    }

    /// Sets the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Says that the agent worked, and failed at this request, so that others may succeed. A job
    /// then gives up this document and goes on, where a wrong key would stop it.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// let error = AgentError::refused("the page has no text").of_request();
    /// ```
    #[must_use]
    pub fn of_request(self) -> Self {
        Self { scope: ErrorScope::Request, ..self }
    }

    /// Says that the account is the reason, which has no money or quota left, so that all other requests fail too. A
    /// job then ends, and goes on when it is run again.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// let error = AgentError::refused("Your credit balance is too low").with_status(400).of_account();
    /// assert!(error.is_of_account() && error.is_of_agent());
    /// ```
    #[must_use]
    pub fn of_account(self) -> Self {
        Self { scope: ErrorScope::Account, ..self }
    }

    /// Returns whether the request more likely caused the failure than the connection: the reply
    /// was garbled, or a program that works failed at it. Of many requests, only this one then has
    /// to wait.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// assert!(AgentError::garbled("a reply that is not JSON").is_of_request());
    /// assert!(!AgentError::transport("connection refused").is_of_request());
    /// ```
    pub fn is_of_request(&self) -> bool {
        self.scope == ErrorScope::Request || self.kind == AgentErrorKind::Garbled
    }

    /// Returns whether the account is the reason: its key is wrong (HTTP 401), or it has no money or quota left (HTTP
    /// 402, or [the agent says so](Self::of_account)). This may happen after many replies.
    pub fn is_of_account(&self) -> bool {
        self.scope == ErrorScope::Account
            || self.scope == ErrorScope::Unsaid && matches!(self.status, Some(401 | 402))
    }

    /// Returns whether the agent refuses all requests, whatever they ask: its key is wrong, its model is unknown, or
    /// it cannot work at all. Nothing more can be asked of it.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// assert!(AgentError::refused("invalid x-api-key").with_status(401).is_of_agent());
    /// assert!(!AgentError::refused("invalid argument").with_status(400).is_of_agent());
    /// ```
    pub fn is_of_agent(&self) -> bool {
        let is_refused = || matches!(self.status, Some(401..=404));
        !self.is_of_request()
            && (self.is_of_account() || self.kind == AgentErrorKind::Unavailable || is_refused())
    }

    /// A boxed `AgentError` is returned as it is. Any other error counts as a transport failure:
    /// nothing is known about it, retrying costs little, and retries are limited.
    pub(crate) fn from_boxed(error: Box<dyn Error + Send + Sync>) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::transport(error.to_string()).with_source(error),
        }
    }

    /// Adds that the agent asked for a longer wait than `setting` allows.
    pub(crate) fn with_wait_refused(self, setting: &str, longest: Duration) -> Self {
        let asked = self.retry_after.unwrap_or_default();
        self.with_note(&format!("it asked to wait {asked:?}; `{setting}` allows {longest:?}"))
    }

    /// Redacts sensitive values. A source that contains one is dropped.
    pub(crate) fn without(self, values: &SensitiveValues) -> Self {
        if values.is_empty() {
            return self;
        }
        self.redacted(|text| values.redact(text), |text| values.is_quoted_in(text))
    }

    /// Redacts what looks like a key, and the keys in the environment. A source that contains one
    /// is dropped.
    pub(crate) fn without_keys(self) -> Self {
        let keys = Keys::of_environment();
        let has_key = |text: &str| matches!(keys.redact(text), Cow::Owned(redacted) if redacted != text);
        self.redacted(|text| keys.redact(text), has_key)
    }

    fn redacted(mut self, redact: impl Fn(&str) -> Cow<'_, str>, is_found: impl Fn(&str) -> bool) -> Self {
        self.message = redact(&self.message).into_owned();
        self.request_id = self.request_id.filter(|id| !is_found(id));
        let mut cause = self.source();
        while let Some(error) = cause {
            if is_found(&format!("{error} {error:?}")) {
                self.source = None;
                break;
            }
            cause = error.source();
        }
        self
    }

    /// Adds context to the message, in parentheses.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// let error = AgentError::timeout("no reply within 60s").with_note("3 requests failed");
    /// assert_eq!(error.message(), "no reply within 60s (3 requests failed)");
    /// ```
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.message = format!("{} ({note})", self.message);
        self
    }

    /// Returns the entry in [metrics](crate::ExtractionMetrics::transport_failures) for this
    /// failure, for whoever repeats the request of an attempt.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// let failure = AgentError::rate_limited("HTTP 429").with_status(429).to_transport_failure(1);
    /// assert_eq!((failure.attempt, failure.status), (1, Some(429)));
    /// ```
    pub fn to_transport_failure(&self, attempt: u32) -> TransportFailure {
        let request_id = self.request_id.as_deref().map(str::to_owned);
        TransportFailure { attempt, error: self.to_string(), status: self.status, request_id }
    }

    /// Returns the kind of failure.
    pub fn kind(&self) -> AgentErrorKind {
        self.kind
    }

    /// Returns the message, without the kind.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns how long the agent asked to wait, if it did.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the HTTP status of the failure, if the server gave one: the status of the response,
    /// or the status in an error in the body of a success.
    ///
    /// ```
    /// use extract::agent::AgentError;
    ///
    /// let error = AgentError::rate_limited("HTTP 429").with_status(429).with_request_id("req_1");
    /// assert_eq!((error.status(), error.request_id()), (Some(429), Some("req_1")));
    /// ```
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the provider's id of the request, if it gave one.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Returns the tokens that the failed request cost, if the agent reported them.
    pub fn usage(&self) -> Option<TokenUsage> {
        self.usage.as_deref().copied()
    }

    /// Returns whether the same request may succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self.kind {
            AgentErrorKind::Transport
            | AgentErrorKind::RateLimited
            | AgentErrorKind::Timeout
            | AgentErrorKind::Garbled => true,
            AgentErrorKind::Refused | AgentErrorKind::TooLong | AgentErrorKind::Unavailable => false,
        }
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl Error for AgentError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
