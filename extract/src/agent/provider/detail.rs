//! The errors of providers in the body of a response: the same forms for every adapter.

use std::time::Duration;

use serde_json::Value;

use super::{
    origin::{checked_name, request_id_in},
    retry_after,
};
use crate::agent::{AgentErrorKind, Conversation, Reply};

/// Maximum characters of a message that are shown.
const LONGEST_MESSAGE: usize = 500;

/// Maximum bytes of an error body that are read. Many more than are shown, because keys have to be
/// found before the text is shortened: half a key must not be visible either.
const LONGEST_DETAIL: usize = 64 * 1024;

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

pub(super) fn kind_of_status(status: u16, detail: &ErrorDetail) -> AgentErrorKind {
    match status {
        408 => AgentErrorKind::Timeout,
        413 => AgentErrorKind::TooLong,
        // OpenAI answers with this when the account has no money left; waiting does not help.
        429 if detail.has_code("insufficient_quota") => AgentErrorKind::Refused,
        429 => AgentErrorKind::RateLimited,
        _ if status < 500 && detail.is_about_length() => AgentErrorKind::TooLong,
        // A conflict and "too early", which the clients of providers ask again after, a failure of a
        // model of Bedrock, and a lack of capacity at Groq.
        409 | 424 | 425 | 498 | 500.. => AgentErrorKind::Transport,
        _ => AgentErrorKind::Refused,
    }
}

/// An unknown code counts as transient: trying again costs little, and the number of tries is
/// bounded.
pub(super) fn kind_of_code(detail: &ErrorDetail) -> AgentErrorKind {
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
    } else if RATE.iter().any(|code| detail.has_code(code)) {
        AgentErrorKind::RateLimited
    } else if REFUSED.iter().any(|code| detail.has_code(code)) {
        AgentErrorKind::Refused
    } else {
        AgentErrorKind::Transport
    }
}

/// The details of an error of a server.
pub(super) struct ErrorDetail {
    pub(super) message: String,
    /// In lower case: OpenAI's `code` and `type`, Anthropic's `type`, Google's `status`.
    codes: Vec<String>,
    /// The `code` of Google and OpenRouter, which is an HTTP status, and that of others, which may be
    /// a string or have another name.
    pub(super) status: Option<u16>,
    pub(super) retry_after: Option<Duration>,
    pub(super) request_id: Option<String>,
    /// OpenAI's `param`.
    pub(super) parameter: Option<String>,
    /// Whether it has the reasons of a moderation.
    is_moderated: bool,
}

impl ErrorDetail {
    pub(super) fn of_text(body: &str) -> Self {
        Self::of(&serde_json::from_str(body).unwrap_or_else(|_| Value::from(line(body))))
    }

    /// The details in a whole body or in the error in it, in any provider's form.
    pub(super) fn of(body: &Value) -> Self {
        let body = body.as_array().and_then(|errors| errors.first()).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let said = |key: &str| error.get(key).or_else(|| body.get(key)).and_then(Value::as_str);
        let message = error.as_str().or_else(|| said("message")).or_else(|| said("detail"));
        let number = |code: &Value| code.as_u64().or_else(|| code.as_str()?.parse().ok());
        let numbers = ["code", "status", "status_code"].into_iter().filter_map(|key| number(error.get(key)?));
        let status =
            numbers.filter_map(|code| u16::try_from(code).ok()).find(|code| (400..600).contains(code));
        let codes = ["code", "type", "status"].iter().filter_map(|key| said(key)).map(str::to_lowercase);
        // OpenRouter's own message is "Provider returned error"; the provider's message is within.
        let metadata = |key: &str| error.get("metadata").and_then(|metadata| metadata.get(key));
        let inner = metadata("raw").and_then(Value::as_str);
        let mut message = message.map_or_else(|| line(&error.to_string()), line);
        let retry_after = retry_after::in_error(error).or_else(|| retry_after::in_error(body));
        let retry_after = retry_after.or_else(|| retry_after::in_words(&message));
        if let Some(inner) = inner {
            message = format!("{message}: {}", line(inner));
        }
        Self {
            message: if message == "{}" { String::new() } else { message },
            codes: codes.collect(),
            status,
            retry_after,
            request_id: request_id_in(body).or_else(|| request_id_in(error)),
            parameter: said("param").and_then(checked_name),
            is_moderated: metadata("reasons").and_then(Value::as_array).is_some_and(|all| !all.is_empty()),
        }
    }

    fn has_code(&self, code: &str) -> bool {
        self.codes.iter().any(|said| said.contains(code))
    }

    /// Returns whether a filter refused the prompt: the codes of Azure OpenAI and Kimi, of OpenAI,
    /// Qwen and Z.ai, the words of DeepSeek, and the reasons of OpenRouter's moderation.
    pub(super) fn is_refusal(&self) -> bool {
        const CODES: [&str; 3] = ["content_filter", "content_policy_violation", "data_inspection_failed"];
        CODES.iter().any(|code| self.has_code(code))
            || self.codes.iter().any(|code| code == "1301")
            || self.message.eq_ignore_ascii_case("Content Exists Risk")
            || self.is_moderated
    }

    /// Returns whether the conversation was too long: the codes of OpenAI and llama.cpp, and the
    /// words of OpenAI and vLLM, Anthropic, Gemini, llama.cpp, Ollama (two) and Bedrock, in this order.
    fn is_about_length(&self) -> bool {
        const WORDS: [&str; 7] = [
            "maximum context length",
            "prompt is too long",
            "exceeds the maximum number of tokens",
            "exceeds the available context size",
            "exceeds the context length",
            "exceeds maximum context length",
            "input is too long",
        ];
        let message = self.message.to_lowercase();
        self.has_code("context_length_exceeded")
            || self.has_code("exceed_context_size")
            || WORDS.iter().any(|words| message.contains(words))
    }
}

/// The start of a text in one line; the text may have many megabytes.
pub(super) fn line(text: &str) -> String {
    let mut end = text.len().min(LONGEST_DETAIL);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn shortened(mut message: String) -> String {
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
        for status in [409, 424, 425, 498, 500, 529] {
            assert_eq!(kind(status), AgentErrorKind::Transport, "{status}");
        }
        for status in [400, 401, 404, 410, 499] {
            assert_eq!(kind(status), AgentErrorKind::Refused, "{status}");
        }
    }

    #[test]
    fn a_filter_is_known_by_its_code_its_words_or_its_reasons() {
        for (error, is_refusal) in [
            (json!({"type": "content_filter", "message": "high risk"}), true),
            (json!({"code": "content_policy_violation"}), true),
            (json!({"code": "data_inspection_failed", "message": "inappropriate"}), true),
            (json!({"code": "1301", "message": "sensitive"}), true),
            (json!({"message": "Content Exists Risk", "code": "invalid_request_error"}), true),
            (json!({"code": 403, "metadata": {"reasons": ["violence"]}}), true),
            (json!({"code": 403, "metadata": {"reasons": []}}), false),
            (json!({"code": "13010", "message": "Invalid schema"}), false),
        ] {
            assert_eq!(ErrorDetail::of(&json!({"error": error})).is_refusal(), is_refusal, "{error}");
        }
    }

    #[test]
    fn a_status_is_a_number_or_a_string_of_one_under_any_usual_name() {
        for (error, status) in [
            (json!({"code": 429}), Some(429)),
            (json!({"code": "429"}), Some(429)),
            (json!({"code": "slow_down", "status": 503}), Some(503)),
            (json!({"code": 1302, "status_code": "429"}), Some(429)),
            (json!({"code": 1302}), None),
            (json!({"status": "RESOURCE_EXHAUSTED"}), None),
        ] {
            assert_eq!(ErrorDetail::of(&json!({"error": error})).status, status, "{error}");
        }
    }
}
