//! The details of an error of a server, in the forms of all providers.

use std::{borrow::Cow, time::Duration};

use serde_json::Value;

use super::{
    response::{checked_name, request_id_in},
    retry_after,
};

/// Maximum bytes of an error body that are read. Many more than are shown, because keys have to be
/// found before the text is shortened: half a key must not be visible either. Where it is cut, its last
/// word is left out.
const LONGEST_DETAIL: usize = 64 * 1024;

/// The details of an error of a server.
pub(super) struct ErrorDetail {
    pub(super) message: String,
    /// As [`plain`] spells them: OpenAI's `code` and `type`, Anthropic's `type`, Google's `status`, its
    /// reasons and the ids of its quotas.
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
        let in_words = || Value::from(line(&readable_body(body)));
        Self::of(&serde_json::from_str(body).ok().or_else(|| in_event(body)).unwrap_or_else(in_words))
    }

    /// The details in a whole body or in the error in it, in any provider's form.
    pub(super) fn of(body: &Value) -> Self {
        let body = first(body);
        // Cloudflare has a list.
        let error = ["error", "errors"].iter().find_map(|key| body.get(*key).filter(|all| !all.is_null()));
        let error = error.map_or(body, first);
        let said = |key: &str| error.get(key).or_else(|| body.get(key)).and_then(Value::as_str);
        let message = ["message", "Message", "detail", "error_message"].iter().find_map(|key| said(key));
        let message = error.as_str().or(message);
        let number = |code: &Value| code.as_u64().or_else(|| code.as_str()?.parse().ok());
        let numbers = ["code", "status", "status_code"].into_iter().filter_map(|key| number(error.get(key)?));
        let status =
            numbers.filter_map(|code| u16::try_from(code).ok()).find(|code| (400..600).contains(code));
        let metadata = |key: &str| error.get("metadata").and_then(|metadata| metadata.get(key));
        // OpenRouter's own message is "Provider returned error"; the provider's error is within.
        let inner = metadata("raw").map(|raw| raw.as_str().map_or_else(|| Self::of(raw), Self::of_text));
        let codes = ["code", "type", "status", "error_type"].iter().filter_map(|key| said(key));
        let codes = codes.chain(metadata("error_type").and_then(Value::as_str)).chain(codes_of_google(error));
        let mut codes: Vec<_> = codes.map(plain).collect();
        let mut message = message.map_or_else(|| line(&error.to_string()), line);
        let retry_after = retry_after::in_error(error).or_else(|| retry_after::in_error(body));
        let is_limited = status == Some(429);
        let quoted = || retry_after::in_quoted_headers(metadata("headers").filter(|_| is_limited)?);
        let mut retry_after = retry_after.or_else(|| retry_after::in_words(&message)).or_else(quoted);
        let mut parameter = said("param").and_then(checked_name);
        let mut is_moderated =
            metadata("reasons").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        if let Some(inner) = inner {
            message = format!("{message}: {}", inner.message);
            codes.extend(inner.codes);
            retry_after = retry_after.or(inner.retry_after);
            parameter = parameter.or(inner.parameter);
            is_moderated |= inner.is_moderated;
        }
        Self {
            message: if message == "{}" { String::new() } else { message },
            codes,
            status,
            retry_after,
            request_id: request_id_in(body).or_else(|| request_id_in(error)),
            parameter,
            is_moderated,
        }
    }

    pub(super) fn has_code(&self, code: &str) -> bool {
        let code = plain(code);
        self.codes.iter().any(|said| said.contains(&code))
    }

    /// Returns whether waiting a little does not help, because the account has no money left or a quota
    /// of hours or longer is used up: codes of OpenAI, Kimi, Gemini and Z.ai, and the words of Cohere and
    /// others. Words do not count beside a wait, because the window of such a quota may move.
    pub(super) fn is_used_up(&self) -> bool {
        const CODES: [&str; 4] = ["insufficient_quota", "exceeded_current_quota", "perday", "permonth"];
        const OF_ZAI: [&str; 5] = ["1113", "1304", "1308", "1309", "1310"];
        const WORDS: [&str; 7] = ["per day", "per-day", "/ day", "daily", "per month", "/ month", "monthly"];
        let message = self.message.to_lowercase();
        CODES.iter().any(|code| self.has_code(code))
            || self.is_about_the_account()
            || self.codes.iter().any(|code| OF_ZAI.contains(&&**code))
            || self.retry_after.is_none() && WORDS.iter().any(|words| message.contains(words))
    }

    /// Returns whether the account, its key, its country or the model's name is the cause, so that no
    /// other form of the request succeeds.
    pub(super) fn is_about_the_account(&self) -> bool {
        let message = self.message.to_lowercase();
        // A message about a schema may quote any words of it.
        !message.contains("schema")
            && OF_ACCOUNTS.iter().any(|words| message.contains(words) || self.has_code(words))
    }

    /// Returns whether a filter refused the prompt: the codes of Azure OpenAI and Kimi, of Qwen, of OpenAI
    /// (four) and Z.ai, the words of DeepSeek, Anthropic, OpenAI, xAI, Vertex AI, Mistral, LiteLLM,
    /// OpenRouter and Cloudflare, and the reasons of OpenRouter's moderation.
    pub(super) fn is_refusal(&self) -> bool {
        const CODES: [&str; 6] = [
            "content_filter",
            "data_inspection_failed",
            "content_policy_violation",
            "invalid_prompt",
            "cyber_policy",
            "bio_policy",
        ];
        const WORDS: [&str; 9] = [
            "content filtering policy",
            "violating our usage",
            "violates usage guidelines",
            "responsible ai practices",
            "contentpolicyviolationerror",
            "content moderated",
            "violated guardrail policy",
            "request blocked: prompt injection",
            "prompt blocked",
        ];
        let message = self.message.to_lowercase();
        CODES.iter().any(|code| self.has_code(code))
            || self.codes.iter().any(|code| code == "1301")
            || message == "content exists risk"
            || WORDS.iter().any(|words| message.contains(words))
            || self.is_moderated
    }

    /// Returns whether the request alone has more tokens than a minute allows, so that waiting never helps:
    /// the words of OpenAI and Groq.
    pub(super) fn is_above_the_limit_of_a_minute(&self) -> bool {
        self.message.to_lowercase().contains("request too large for")
    }

    /// Returns whether the conversation was too long: the codes of OpenAI and llama.cpp, and the
    /// words of xAI, Kimi, Qwen, Z.ai, SGLang, vLLM, TGI (two), Bedrock, Cohere, LM Studio (three), Ollama's
    /// cloud, OpenAI and vLLM, Anthropic (two), Gemini, llama.cpp (two), Ollama (two), Bedrock and OpenAI's
    /// code, in this order.
    pub(super) fn is_about_length(&self) -> bool {
        const WORDS: [&str; 24] = [
            "maximum prompt length",
            "exceeded model token limit",
            "range of input length",
            "prompt exceeds max length",
            "longer than the model's context length",
            "longer than the maximum model length",
            "`inputs` tokens + `max_new_tokens` must be",
            "`inputs` must have less than",
            "input tokens exceeded",
            "too many tokens: size limit",
            "trying to keep the first",
            "tokens to keep from the initial prompt is greater than",
            "cannot truncate prompt with n_keep",
            "exceeded max context length",
            "maximum context length",
            "prompt is too long",
            "exceed context limit",
            "exceeds the maximum number of tokens",
            "exceeds the available context size",
            "context size has been exceeded",
            "exceeds the context length",
            "exceeds maximum context length",
            "input is too long",
            "context_length_exceeded",
        ];
        let message = self.message.to_lowercase();
        self.has_code("context_length_exceeded")
            || self.has_code("exceed_context_size")
            || self.is_above_the_limit_of_a_minute()
            || WORDS.iter().any(|words| message.contains(words))
            || says_the_prompt_is_too_long(&message)
    }
}

/// Returns whether a sentence of `message`, in lower case, says that the prompt has more tokens than fit: "Your
/// input exceeds the context window of this model" of OpenAI, "Please reduce the length of the messages or
/// completion" of Groq, and the like. A limit of a rate, of a reply or of a schema is another matter.
fn says_the_prompt_is_too_long(message: &str) -> bool {
    const PROMPT: [&str; 4] = ["input", "prompt", "messages", "conversation"];
    const OTHERS: [&str; 12] = [
        "rate limit",
        "per min",
        "per hour",
        "per day",
        "tpm",
        "quota",
        "schema",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "maxoutputtokens",
        "output token",
    ];
    let has_one = |sentence: &str, words: &[&str]| words.iter().any(|words| sentence.contains(words));
    !has_one(message, &OTHERS)
        && message.split(". ").filter(|sentence| has_one(sentence, &PROMPT)).any(|sentence| {
            sentence.contains("reduce the length")
                || sentence.contains("exceed")
                    && has_one(sentence, &["token", "context window", "context length"])
        })
}

/// Codes and words of servers about accounts, keys, countries and names of models: of Anthropic (two),
/// DeepSeek, OpenAI (two) and Qwen (two) about money, of Gemini, OpenAI and xAI about keys, of Gemini about countries, and of OpenAI,
/// Mistral, LiteLLM, OpenRouter, Bedrock, DeepSeek and Z.ai about models.
const OF_ACCOUNTS: [&str; 26] = [
    "credit balance is too low",
    "reached your specified api usage limits",
    "insufficient balance",
    "billing_not_active",
    "billing_hard_limit_reached",
    "arrearage",
    "account is in good standing",
    "api key not valid",
    "api key expired",
    "api_key_invalid",
    "invalid api key",
    "invalid_api_key",
    "incorrect api key",
    "location is not supported",
    "country, region, or territory not supported",
    "organization must be verified",
    "model_not_found",
    "invalid_model",
    "invalid model name",
    "invalid model:",
    "not a valid model id",
    "model identifier is invalid",
    "with on-demand throughput",
    "model not exist",
    "model does not exist",
    "unknown model",
];

/// The first error in a body that has events, as of Groq and older versions of llama.cpp, otherwise the first object.
fn in_event(body: &str) -> Option<Value> {
    let fields = || body.lines().filter_map(|line| line.split_once(':'));
    let object = |data: &str| serde_json::from_str::<Value>(data).ok().filter(Value::is_object);
    let error = |(field, data)| match field {
        "error" => object(data),
        "data" => object(data).filter(|object| object.get("error").is_some()),
        _ => None,
    };
    let first = || fields().filter(|(field, _)| *field == "data").find_map(|(_, data)| object(data));
    fields().find_map(error).or_else(first)
}

/// The first of a list, or what is not one.
fn first(value: &Value) -> &Value {
    value.as_array().and_then(|all| all.first()).unwrap_or(value)
}

/// A code in the one spelling of `data_inspection_failed` and `DataInspectionFailed`.
fn plain(code: &str) -> String {
    code.replace(['_', '-'], "").to_lowercase()
}

/// The reasons and the ids of quotas that an error of Google names.
fn codes_of_google(error: &Value) -> impl Iterator<Item = &str> {
    let details = || error.get("details").and_then(Value::as_array).into_iter().flatten();
    let reasons = details().filter_map(|detail| detail.get("reason")?.as_str());
    let violations = details().filter_map(|detail| detail.get("violations")?.as_array()).flatten();
    reasons.chain(violations.filter_map(|violation| violation.get("quotaId")?.as_str()))
}

/// Returns an error's body in words for an error message: of a page its title, or its size, and of one
/// that is not text only that. Other text is returned as it is.
///
/// ```
/// use extract::agent::provider::readable_body;
///
/// assert_eq!(readable_body("<html><title>502 Bad Gateway</title>"), "a page with the title `502 Bad Gateway`");
/// assert_eq!(readable_body("<!DOCTYPE html><p>Hi"), "a page of 20 bytes");
/// assert_eq!(readable_body("\u{1f}\u{fffd}\u{8}"), "a body that is not text");
/// assert_eq!(readable_body("upstream is down"), "upstream is down");
/// ```
pub fn readable_body(body: &str) -> Cow<'_, str> {
    let is_no_text = |char: &char| *char == char::REPLACEMENT_CHARACTER || char.is_control();
    let start = || body.chars().take(LONGEST_DETAIL).filter(|char| !char.is_whitespace());
    // Single bytes may be of another encoding of text.
    if start().filter(is_no_text).count() * 8 > start().count() {
        return Cow::Borrowed("a body that is not text");
    }
    if !body.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return Cow::Borrowed(body);
    }
    let lower = body.to_ascii_lowercase();
    if !["<html", "<!doctype html", "<head", "<body"].iter().any(|tag| lower.contains(tag)) {
        return Cow::Borrowed(body);
    }
    let title = || {
        let start = lower.find("<title")?;
        let start = start + lower[start..].find('>')? + 1;
        let end = start + lower[start..].find("</title")?;
        Some(line(&body[start..end])).filter(|title| !title.is_empty())
    };
    Cow::Owned(match title() {
        Some(title) => format!("a page with the title `{title}`"),
        None => format!("a page of {} bytes", body.len()),
    })
}

/// The start of a text in one line; the text may have many megabytes. A word that the cut goes through may be
/// half a key, which would not be found, so it is left out.
pub(super) fn line(text: &str) -> String {
    let mut start = text;
    if text.len() > LONGEST_DETAIL {
        let is_boundary = |end: &usize| text.is_char_boundary(*end);
        start = &text[..(0..=LONGEST_DETAIL).rev().find(is_boundary).unwrap_or(0)];
        let is_between = |char: char| char.is_whitespace() || "\"'`,;<>()[]{}".contains(char);
        start = &start[..start.rfind(is_between).unwrap_or(0)];
    }
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_of_the_account_is_known_by_its_code_or_its_words() {
        for (error, is_of_account) in [
            (json!("Your credit balance is too low to access the Anthropic API."), true),
            (
                json!(
                    "You have reached your specified API usage limits. You will regain access on 2026-12-01."
                ),
                true,
            ),
            (json!({"code": "billing_hard_limit_reached"}), true),
            (json!("Your organization must be verified to use the model `o9`."), true),
            (json!({"message": "Access denied.", "code": "Arrearage"}), true),
            (json!("API key not valid. Please pass a valid API key."), true),
            (json!({"message": "Bad key", "details": [{"reason": "API_KEY_INVALID"}]}), true),
            (json!("User location is not supported for the API use."), true),
            (json!("The provided model identifier is invalid."), true),
            (json!("Invocation of model ID x with on-demand throughput isn’t supported."), true),
            (json!("gpt-7 is not a valid model ID"), true),
            (json!({"message": "Invalid model: x", "type": "invalid_model"}), true),
            (json!("Model Not Exist"), true),
            (json!("Invalid schema: `unknown model` is no type"), false),
            (json!("This model does not support response_format."), false),
            (json!("The model returned invalid JSON."), false),
        ] {
            let detail = ErrorDetail::of(&json!({"error": error}));
            assert_eq!(detail.is_about_the_account(), is_of_account, "{error}");
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
            (
                json!({"code": "cyber_policy", "message": "flagged for potentially high-risk cyber activity"}),
                true,
            ),
            (json!({"code": "bio_policy"}), true),
            (json!({"code": "DataInspectionFailed", "message": "inappropriate content"}), true),
            (json!({"message": "Violated guardrail policy", "code": "400"}), true),
            (json!({"code": 403, "message": "Request blocked: prompt injection patterns detected"}), true),
            (json!([{"code": 2016, "message": "Prompt blocked due to security configurations"}]), true),
            (json!({"code": 403, "metadata": {"reasons": []}}), false),
            (json!({"code": "Throttling.AllocationQuota"}), false),
            (json!({"message": "Request blocked."}), false),
            (json!({"code": "13010", "message": "Invalid schema"}), false),
        ] {
            assert_eq!(ErrorDetail::of(&json!({"error": error})).is_refusal(), is_refusal, "{error}");
        }
    }

    #[test]
    fn a_prompt_that_is_too_long_is_known_by_the_words_about_it() {
        for (message, is_about_length) in [
            ("Your input exceeds the context window of this model. Please adjust your input.", true),
            ("Input tokens exceed the configured limit of 272000 tokens.", true),
            ("Please reduce the length of the messages or completion.", true),
            ("Prompt tokens limit exceeded: 9000 > 8000. To increase, upgrade your account.", true),
            ("context_length_exceeded", true),
            ("The prompt exceeds the model's context length", true),
            ("This request would exceed your rate limit of 40,000 input tokens per minute", false),
            ("Input tokens exceed the limit of 30000 TPM", false),
            ("You exceeded your current quota: input_token_count, limit: 250000 tokens", false),
            ("max_tokens exceeds the context window that the prompt leaves", false),
            ("Output tokens exceed what the prompt asks for", false),
            ("The input schema exceeds the limit of 5000 tokens", false),
            ("The token is invalid. The prompt is fine. The limit of images is exceeded", false),
            ("Invalid 'messages[0].name': string too long", false),
        ] {
            assert_eq!(
                ErrorDetail::of(&json!({"error": message})).is_about_length(),
                is_about_length,
                "{message}"
            );
        }
    }

    #[test]
    fn a_word_that_a_cut_goes_through_is_left_out() {
        for gap in [" ", "\"", ",", "{"] {
            let start = " ".repeat(LONGEST_DETAIL - 12);
            let text = line(&format!("{start}key{gap}sk-1234567890"));
            assert_eq!(text.trim_end(), "key", "{gap}");
        }
        let whole = "x".repeat(LONGEST_DETAIL);
        assert_eq!(line(&whole), whole);
        assert_eq!(line(&format!("{whole}é")), "");
        assert_eq!(line(&format!("a {}é", &whole[3..])), "a");
    }

    #[test]
    fn the_error_that_openrouter_quotes_counts_as_its_own() {
        let quoting = |raw: Value| {
            let metadata = json!({"raw": raw, "provider_name": "Azure"});
            ErrorDetail::of(
                &json!({"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}}),
            )
        };
        let wait = quoting(json!("Rate limit reached. Please try again in 7.66s."));
        assert_eq!(wait.retry_after, Some(Duration::from_millis(7_660)));
        assert_eq!(wait.message, "Provider returned error: Rate limit reached. Please try again in 7.66s.");
        let quota = json!({"error": {"message": "You have no quota", "code": "insufficient_quota"}});
        for raw in [json!(quota.to_string()), quota, json!("data: {\"code\": \"insufficient_quota\"}")] {
            assert!(quoting(raw).is_used_up());
        }
        let filtered = json!({"error": {"code": "content_filter", "param": "prompt", "message": "policies"}});
        let filtered = quoting(json!(filtered.to_string()));
        assert!(filtered.is_refusal());
        assert_eq!(
            (&*filtered.message, filtered.parameter.as_deref()),
            ("Provider returned error: policies", Some("prompt"))
        );
        let of_type = |kind: &str| {
            ErrorDetail::of(
                &json!({"error": {"code": 400, "message": "no", "metadata": {"error_type": kind}}}),
            )
        };
        assert!(of_type("context_length_exceeded").is_about_length());
        assert!(of_type("content_policy_violation").is_refusal());
    }

    #[test]
    fn an_error_among_events_is_found() {
        let error = "{\"error\": {\"message\": \"too long\", \"code\": \"context_length_exceeded\"}}";
        for body in [
            format!("data: {{\"type\": \"ping\"}}\n\nevent: error\ndata: {error}\n\n"),
            format!("event: error\ndata: {error}\n\n"),
            format!(": comment\n\ndata:{error}\n\ndata: [DONE]\n\n"),
            format!("error: {error}\n"),
        ] {
            let detail = ErrorDetail::of_text(&body);
            assert!(detail.is_about_length(), "{body}");
            assert_eq!(detail.message, "too long");
        }
        assert_eq!(ErrorDetail::of_text("data: 7\nerror: \"no\"").message, "data: 7 error: \"no\"");
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
