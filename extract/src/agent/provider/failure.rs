//! Converts the error of a provider to ours: its status, its headers and its body, in the same forms
//! for every adapter.

use std::time::Duration;

use serde_json::Value;

use super::{
    detail::{ErrorDetail, line},
    response::{checked_name, request_id, request_id_in},
    retry_after,
};
use crate::{
    agent::{AgentError, AgentErrorKind, Conversation, FinishReason, Reply},
    metrics::ReplyOrigin,
    vocabulary::{redaction::Keys, usage::TokenUsage},
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
    /// Whether a part of the reply came before it.
    is_after_text: bool,
    request_id: Option<String>,
    parameter: Option<String>,
    /// Whether the message is a refusal, which becomes a reply.
    is_refusal: bool,
    /// Whether the account, its key or the model's name is the cause.
    is_of_account: bool,
    usage: Option<Box<TokenUsage>>,
}

impl ProviderFailure {
    /// Creates a failure with this message. White space in it, also line breaks, becomes one space.
    pub fn new(kind: AgentErrorKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            message: line(message.as_ref()),
            retry_after: None,
            status: None,
            is_after_text: false,
            request_id: None,
            parameter: None,
            is_refusal: false,
            is_of_account: false,
            usage: None,
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
        let mut detail = ErrorDetail::of_text(body);
        let until_reset = || retry_after::until_reset(&header).filter(|_| status == 429);
        detail.retry_after = retry_after(&header).or(detail.retry_after).or_else(until_reset);
        let code = if reason.is_empty() { status.to_string() } else { format!("{status} {reason}") };
        let message = match &*detail.message {
            "" => format!("HTTP {code}"),
            message => format!("HTTP {code}: {message}"),
        };
        let failure = Self::of_detail(kind_of_status(status, &detail), &message, detail);
        Self { status: Some(status), request_id: request_id(&header).or(failure.request_id), ..failure }
    }

    /// Sets the provider's id of the request, if there is one.
    #[must_use]
    pub fn with_request_id(self, id: Option<&str>) -> Self {
        Self { request_id: id.and_then(checked_name).or(self.request_id), ..self }
    }

    /// Sets the tokens that the failed request cost, if the provider reports them.
    #[must_use]
    pub fn with_usage(self, usage: Option<TokenUsage>) -> Self {
        Self { usage: usage.map(Box::new).or(self.usage), ..self }
    }

    /// Says that a part of the reply came before the error, so that the form of the request is not its
    /// cause.
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    ///
    /// let error = || ProviderFailure::in_success(r#"{"error": {"code": 400, "message": "aborted"}}"#);
    /// assert!(error().is_about_the_request());
    /// assert!(!error().after_text().is_about_the_request());
    /// ```
    #[must_use]
    pub fn after_text(self) -> Self {
        Self { is_after_text: true, ..self }
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
    /// choice, or the body itself, as of vLLM before version 0.10 and of servers that name it
    /// `error_message`.
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    /// use serde_json::json;
    ///
    /// assert!(ProviderFailure::find(&json!({"error": {"code": 502, "message": "upstream"}})).is_some());
    /// let nothing = [json!(null), json!(false), json!(""), json!([]), json!({"message": "", "code": null})];
    /// for nothing in nothing {
    ///     assert!(ProviderFailure::find(&json!({"error": nothing, "choices": []})).is_none());
    /// }
    /// ```
    pub fn find(body: &Value) -> Option<Self> {
        // `Value::pointer` would take ten times as long, and every reply passes here.
        let in_choice = || body.get("choices")?.get(0)?.get("error");
        let is_error = |error: &&Value| says_something(error);
        let is_whole = || is_bare_error(body).then_some(body);
        let error =
            body.get("error").filter(is_error).or_else(|| in_choice().filter(is_error)).or_else(is_whole)?;
        let failure = Self::of_error(error);
        let request_id = failure.request_id.or_else(|| request_id_in(body));
        Some(Self { request_id, ..failure })
    }

    fn of_detail(kind: AgentErrorKind, message: &str, detail: ErrorDetail) -> Self {
        let (is_refusal, is_of_account) = (detail.is_refusal(), detail.is_about_the_account());
        let ErrorDetail { message: words, retry_after, request_id, parameter, .. } = detail;
        let message = if is_refusal { &words } else { message };
        Self { retry_after, request_id, parameter, is_refusal, is_of_account, ..Self::new(kind, message) }
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

    /// Returns whether the server found the request malformed: HTTP 400 or 422, or the same in the body of
    /// a success before any text.
    pub fn is_about_the_request(&self) -> bool {
        !self.is_after_text && matches!(self.status, Some(400 | 422)) && !self.is_refusal
    }

    /// Returns whether the same request may succeed without its schema: the server found the request
    /// malformed, and not the account, its key or the model's name, or it failed to compile the schema, as some report by HTTP 500 with a message that
    /// [speaks of it](Self::speaks_of_the_schema).
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    ///
    /// let of = |status, body| ProviderFailure::of_status(status, "", body, |_| None);
    /// assert!(of(400, "{}").may_be_about_the_schema());
    /// assert!(of(500, "failed to compile the grammar").may_be_about_the_schema());
    /// assert!(!of(400, "Your credit balance is too low").may_be_about_the_schema());
    /// assert!(!of(500, "{}").may_be_about_the_schema() && !of(401, "{}").may_be_about_the_schema());
    /// ```
    pub fn may_be_about_the_schema(&self) -> bool {
        let is_refused = self.kind == AgentErrorKind::Refused && !self.is_refusal && !self.is_of_account;
        !self.is_after_text
            && match self.status {
                Some(400 | 422) => is_refused,
                // OpenRouter, where `require_parameters` leaves no server.
                Some(404) => is_refused && self.message.contains("handle the requested parameters"),
                Some(500) => self.kind == AgentErrorKind::Transport && self.speaks_of_the_schema(),
                _ => false,
            }
    }

    /// Returns whether the message speaks of the schema, its grammar or the format of the reply.
    ///
    /// ```
    /// use extract::agent::provider::ProviderFailure;
    ///
    /// assert!(ProviderFailure::refused("Invalid schema for response_format").speaks_of_the_schema());
    /// assert!(!ProviderFailure::refused("temperature is out of range").speaks_of_the_schema());
    /// ```
    pub fn speaks_of_the_schema(&self) -> bool {
        const WORDS: [&str; 8] = [
            "schema",
            "grammar",
            "response_format",
            "response format",
            "required for format",
            "output_config",
            "structured",
            "requested parameters",
        ];
        let message = self.message.to_lowercase();
        WORDS.iter().any(|word| message.contains(word))
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
            let reply = self.usage.into_iter().fold(reply, |reply, usage| reply.with_usage(*usage));
            return Ok(reply.with_origin(origin));
        }
        let error = AgentError::new(self.kind, shortened(message));
        let error = self.status.into_iter().fold(error, AgentError::with_status);
        let error = self.usage.into_iter().fold(error, |error, usage| error.with_usage(*usage));
        let error = request_id.into_iter().fold(error, AgentError::with_request_id);
        // A rate that is refused for good is a quota that is used up.
        let is_used_up = self.kind == AgentErrorKind::Refused && self.status == Some(429);
        let error = if self.is_of_account || is_used_up { error.of_account() } else { error };
        Err(self.retry_after.into_iter().fold(error, AgentError::with_retry_after))
    }
}

/// Maximum characters of a message that are shown.
const LONGEST_MESSAGE: usize = 500;

/// Returns whether `reply` was not UTF-8. HTTP clients replace invalid bytes by U+FFFD. A reply that
/// contains one that is not in the `conversation` counts as invalid, because a value read from it
/// would contain text that nobody wrote.
///
/// ```
/// use extract::agent::{Conversation, Reply, Role, provider::has_lost_bytes};
///
/// let shown = Conversation::new().with(Role::User, "What is \u{fffd} called?");
/// assert!(has_lost_bytes(&Reply::new("caf\u{fffd}"), &Conversation::new()));
/// assert!(!has_lost_bytes(&Reply::new("\u{fffd}"), &shown));
/// ```
pub fn has_lost_bytes(reply: &Reply, conversation: &Conversation) -> bool {
    let is_replaced = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
    let is_told = || conversation.turns().iter().any(|turn| is_replaced(turn.text()));
    let mut calls = reply.calls().iter().map(|call| call.arguments.to_string());
    (is_replaced(reply.text()) || calls.any(|arguments| is_replaced(&arguments))) && !is_told()
}

/// Returns whether an error says anything. Some servers write an empty one beside a reply.
fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(members) => members.values().any(says_something),
        Value::Array(errors) => errors.iter().any(says_something),
        Value::Number(code) => code.as_u64() != Some(0),
        Value::Bool(true) => true,
    }
}

/// Returns whether a body without a reply is itself an error.
fn is_bare_error(body: &Value) -> bool {
    let is_text = |key: &str| body.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    // Some report a success by 0, 200 or a word.
    let is_code = || match body.get("code") {
        Some(Value::String(code)) => match code.parse() {
            Ok(code) => is_failure(code),
            Err(_) => !["", "ok", "success"].contains(&&*code.to_lowercase()),
        },
        code => code.and_then(Value::as_u64).is_some_and(is_failure),
    };
    let has_reply = ["choices", "output", "content", "candidates"]
        .iter()
        .any(|key| body.get(*key).and_then(Value::as_array).is_some_and(|all| !all.is_empty()));
    body.get("object").is_some_and(|object| object == "error")
        || !has_reply && (is_text("error_message") || is_text("message") && is_code())
}

fn is_failure(code: u64) -> bool {
    code >= 400
}

fn kind_of_status(status: u16, detail: &ErrorDetail) -> AgentErrorKind {
    match status {
        408 => AgentErrorKind::Timeout,
        413 => AgentErrorKind::TooLong,
        429 if detail.is_above_the_limit_of_a_minute() => AgentErrorKind::TooLong,
        429 if detail.is_used_up() => AgentErrorKind::Refused,
        429 => AgentErrorKind::RateLimited,
        // llama.cpp and LM Studio say it by 500 too.
        _ if detail.is_about_length() => AgentErrorKind::TooLong,
        // A call that the model wrote wrong, at Groq. The next one may be right.
        400 if detail.has_code("tool_use_failed") => AgentErrorKind::Garbled,
        // A conflict and "too early", which the clients of providers ask again after, a failure of a
        // model of Bedrock, a lack of capacity at Groq, and `CANCELLED` of Google.
        409 | 424 | 425 | 498 | 499 | 500.. => AgentErrorKind::Transport,
        _ => AgentErrorKind::Refused,
    }
}

/// An unknown code counts as transient: trying again costs little, and the number of tries is
/// bounded.
fn kind_of_code(detail: &ErrorDetail) -> AgentErrorKind {
    const RATE: [&str; 4] = ["rate_limit", "resource_exhausted", "too_many_requests", "throttling"];
    const REFUSED: [&str; 9] = [
        "invalid",
        "authentication",
        "unauthenticated",
        "permission",
        "not_found",
        "billing",
        "insufficient_quota",
        "content_policy",
        "validation",
    ];
    if detail.is_about_length() {
        AgentErrorKind::TooLong
    } else if detail.is_about_the_account() {
        AgentErrorKind::Refused
    } else if RATE.iter().any(|code| detail.has_code(code)) {
        if detail.is_used_up() { AgentErrorKind::Refused } else { AgentErrorKind::RateLimited }
    } else if REFUSED.iter().any(|code| detail.has_code(code)) {
        AgentErrorKind::Refused
    } else {
        AgentErrorKind::Transport
    }
}

fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_that_passes_is_transient() {
        let kind = |status| kind_of_status(status, &ErrorDetail::of(&json!({})));
        for status in [409, 424, 425, 498, 499, 500, 529] {
            assert_eq!(kind(status), AgentErrorKind::Transport, "{status}");
        }
        for status in [400, 401, 404, 410] {
            assert_eq!(kind(status), AgentErrorKind::Refused, "{status}");
        }
    }

    #[test]
    fn a_call_that_the_model_wrote_wrong_is_transient() {
        let error =
            json!({"message": "Failed to call a function.", "code": "tool_use_failed", "status_code": 400});
        let body = json!({"error": error}).to_string();
        for failure in
            [ProviderFailure::of_status(400, "", &body, |_| None), ProviderFailure::in_success(&body)]
        {
            assert_eq!(failure.kind, AgentErrorKind::Garbled);
            assert!(!failure.may_be_about_the_schema());
        }
    }

    #[test]
    fn the_reset_of_a_limit_is_waited_for_only_after_too_many_requests() {
        for (status, retry_after, expected) in
            [(429, None, Some(6)), (429, Some("7"), Some(7)), (503, None, None)]
        {
            let failure = ProviderFailure::of_status(status, "", "{}", |name| match name {
                "retry-after" => retry_after,
                "x-ratelimit-reset-tokens" => Some("6s"),
                _ => None,
            });
            assert_eq!(failure.retry_after, expected.map(Duration::from_secs), "{status}, {retry_after:?}");
        }
    }

    #[test]
    fn a_request_that_is_too_long_is_so_with_any_status() {
        let large = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 36278. The \
            input or output tokens must be reduced in order to run successfully.";
        let kept = "The number of tokens to keep from the initial prompt is greater than the context length";
        for (status, error) in [
            (429, json!({"message": large, "type": "tokens", "code": "rate_limit_exceeded"})),
            (400, json!(kept)),
            (500, json!("Cannot truncate prompt with n_keep (9000) >= n_ctx (4096)")),
            (500, json!("Context size has been exceeded.")),
            (500, json!({"type": "exceed_context_size_error", "message": "too many tokens"})),
        ] {
            let detail = ErrorDetail::of(&json!({"error": error}));
            assert_eq!(kind_of_status(status, &detail), AgentErrorKind::TooLong, "{error}");
            assert_eq!(kind_of_code(&detail), AgentErrorKind::TooLong, "{error}");
        }
        let limited = ErrorDetail::of(&json!("Limit 30000, Used 20000, Requested 16278. Try again in 7s."));
        assert_eq!(kind_of_status(429, &limited), AgentErrorKind::RateLimited);
    }

    #[test]
    fn an_account_without_money_or_quota_is_not_asked_again() {
        let of_gemini = |quota: &str| {
            let failure = json!({"violations": [{"quotaMetric": "requests", "quotaId": quota}]});
            json!({"status": "RESOURCE_EXHAUSTED", "details": [failure, {"retryDelay": "34s"}]})
        };
        for (error, kind) in [
            (json!({"code": "insufficient_quota"}), AgentErrorKind::Refused),
            (of_gemini("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), AgentErrorKind::Refused),
            (of_gemini("GenerateRequestsPerMinutePerProjectPerModel"), AgentErrorKind::RateLimited),
            (json!("You are limited to 1000 API calls / month."), AgentErrorKind::Refused),
            (json!("Rate limit reached on requests per day (RPD)"), AgentErrorKind::Refused),
            // The window moves, and the wait is known.
            (json!("on tokens per day (TPD). Please try again in 7.5s."), AgentErrorKind::RateLimited),
            (json!({"code": "1308", "message": "Usage limit reached for 5 hour."}), AgentErrorKind::Refused),
            (json!({"type": "exceeded_current_quota_error"}), AgentErrorKind::Refused),
            (json!({"code": "billing_not_active", "type": "invalid_request_error"}), AgentErrorKind::Refused),
            (json!({"code": "1113", "message": "Insufficient balance"}), AgentErrorKind::Refused),
            (json!({"code": "1302", "message": "Too many requests"}), AgentErrorKind::RateLimited),
        ] {
            assert_eq!(kind_of_status(429, &ErrorDetail::of(&json!({"error": error}))), kind, "{error}");
            let failure = ProviderFailure::of_status(429, "", &json!({"error": error}).to_string(), |_| None);
            let settled = failure.settle(&Keys::of_environment()).unwrap_err();
            assert_eq!(settled.is_of_account(), kind == AgentErrorKind::Refused, "{error}");
        }
        for (status, message, expected) in
            [(400, "Your credit balance is too low", true), (400, "malformed", false), (401, "", true)]
        {
            let settled =
                ProviderFailure::of_status(status, "", message, |_| None).settle(&Keys::of_environment());
            assert_eq!(settled.unwrap_err().is_of_account(), expected, "{message}");
        }
        for (error, kind) in [
            (json!({"type": "insufficient_quota"}), AgentErrorKind::Refused),
            (json!({"type": "rate_limit_error", "message": "the limit per day"}), AgentErrorKind::Refused),
            (json!({"type": "overloaded_error", "message": "our daily peak"}), AgentErrorKind::Transport),
            (json!({"code": "Throttling.AllocationQuota"}), AgentErrorKind::RateLimited),
            (json!({"code": "RateLimitExceeded"}), AgentErrorKind::RateLimited),
            (json!({"code": "Arrearage", "message": "Access denied."}), AgentErrorKind::Refused),
        ] {
            assert_eq!(kind_of_code(&ErrorDetail::of(&error)), kind, "{error}");
        }
        let per_minute = "Rate limit exceeded: free-models-per-min. Add 10 credits for 1000 requests per day";
        let headers = json!({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"});
        let error = json!({"code": 429, "message": per_minute, "metadata": {"headers": headers}});
        let failure = ProviderFailure::of_status(429, "", &json!({"error": error}).to_string(), |_| None);
        let expected = (AgentErrorKind::RateLimited, Some(Duration::from_secs(60)));
        assert_eq!((failure.kind, failure.retry_after), expected);
        let detail = ErrorDetail::of(&json!("Please wait 62943 seconds before retrying."));
        assert_eq!(detail.retry_after, Some(Duration::from_secs(62_943)));
    }
}
