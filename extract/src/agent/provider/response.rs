//! What a provider's response says besides its text, in the same forms for every adapter: its model, its
//! ids, and refusals.

use serde_json::Value;

use crate::metrics::ReplyOrigin;

/// Maximum bytes of a name. Longer ones are ignored, because a part of a name would be another
/// name.
const LONGEST_NAME: usize = 256;

/// OpenAI, xAI and most others; Anthropic; AWS; Azure (two); Mistral; DeepSeek; Kimi; NVIDIA; LiteLLM; Cloudflare, in
/// front of many.
const HEADERS: [&str; 11] = [
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "apim-request-id",
    "x-ms-request-id",
    "mistral-correlation-id",
    "x-ds-trace-id",
    "msh-request-id",
    "nvcf-reqid",
    "x-litellm-call-id",
    "cf-ray",
];

/// Fills in what `origin` lacks, from the body of a response or an event of a stream. The APIs of
/// Anthropic, OpenAI (Responses) and Gemini (Interactions) nest the response in some of their
/// events.
///
/// ```
/// use extract::{agent::provider::add_origin, metrics::ReplyOrigin};
///
/// let mut origin = ReplyOrigin::default();
/// add_origin(&mut origin, &serde_json::json!({"id": "chatcmpl-1", "model": "gpt-6-luna-2026-05-01"}));
/// assert_eq!(origin.response_id.as_deref(), Some("chatcmpl-1"));
/// ```
pub fn add_origin(origin: &mut ReplyOrigin, body: &Value) {
    let places = ["message", "response", "interaction"].map(|key| body.get(key));
    for place in [Some(body)].into_iter().chain(places).flatten() {
        let find = |keys: &[&str]| keys.iter().find_map(|key| checked_name(place.get(*key)?.as_str()?));
        origin.model = origin.model.take().or_else(|| find(&["model", "modelVersion"]));
        origin.response_id = origin.response_id.take().or_else(|| find(&["id", "responseId", "response_id"]));
        origin.request_id = origin.request_id.take().or_else(|| request_id_in(place));
    }
}

/// Returns the request id in the body of a response or an error. Groq has a field of its own.
pub(crate) fn request_id_in(body: &Value) -> Option<String> {
    let groq = || body.get("x_groq")?.get("id");
    checked_name(body.get("request_id").or_else(groq)?.as_str()?)
}

/// Returns the id of the request among the headers of a response. `header` looks a header up by its
/// name in lower case.
///
/// ```
/// use extract::agent::provider::request_id;
///
/// let id = request_id(|name| (name == "x-request-id").then_some("req_1"));
/// assert_eq!(id.as_deref(), Some("req_1"));
/// ```
pub fn request_id<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<String> {
    HEADERS.iter().find_map(|name| checked_name(header(name)?))
}

/// Returns `text`, if it can be the name of a model or an id: not empty, at most 256 bytes, without
/// control characters.
///
/// ```
/// use extract::agent::provider::checked_name;
///
/// assert_eq!(checked_name("req_1").as_deref(), Some("req_1"));
/// assert_eq!(checked_name("a\nb"), None);
/// ```
pub fn checked_name(text: &str) -> Option<String> {
    let is_name = !text.trim().is_empty() && text.len() <= LONGEST_NAME && !text.contains(char::is_control);
    is_name.then(|| text.to_owned())
}

/// Finish reasons of Gemini that mean a filter (`Candidate.FinishReason` in its API reference), and
/// OpenAI's.
const FILTERS: [&str; 11] = [
    "content_filter",
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
];

/// Returns whether a finish reason says that a filter stopped the reply.
///
/// ```
/// assert!(extract::agent::provider::is_filter("content_filter"));
/// assert!(!extract::agent::provider::is_filter("stop"));
/// ```
pub fn is_filter(reason: &str) -> bool {
    FILTERS.contains(&reason)
}

/// Returns the words of the refusal in the body of a response, or in an event of a stream: the
/// words of the model or the provider, otherwise the provider's name of the reason. `None` if there
/// are neither.
///
/// ```
/// let body = serde_json::json!({"choices": [{"message": {"content": null, "refusal": "I must not."}}]});
/// assert_eq!(extract::agent::provider::refusal_in(&body).as_deref(), Some("I must not."));
/// ```
pub fn refusal_in(body: &Value) -> Option<String> {
    of_chat(body).or_else(|| of_responses(body)).or_else(|| of_anthropic(body)).or_else(|| of_gemini(body))
}

/// Chat Completions: `refusal` in the message, or in the delta of a stream, or among its parts.
fn of_chat(body: &Value) -> Option<String> {
    let choice = body.pointer("/choices/0")?;
    let message = choice.get("message").or_else(|| choice.get("delta"))?;
    text(message, "refusal").or_else(|| of_parts(message.get("content")?))
}

/// The Responses API: parts of type `refusal`.
fn of_responses(body: &Value) -> Option<String> {
    let output = body.get("output")?.as_array()?.iter();
    let refusals: String = output.filter_map(|item| of_parts(item.get("content")?)).collect();
    Some(refusals).filter(|words| !words.is_empty())
}

fn of_parts(parts: &Value) -> Option<String> {
    let parts = parts.as_array()?.iter();
    let refusals = parts.filter(|part| part.get("type").is_some_and(|kind| kind == "refusal"));
    let words: String = refusals.filter_map(|part| text(part, "refusal")).collect();
    Some(words).filter(|words| !words.is_empty())
}

/// Anthropic: `stop_details` beside the stop reason `refusal`, also in the delta of a stream.
fn of_anthropic(body: &Value) -> Option<String> {
    let message = [body, body.get("delta").unwrap_or(body)];
    let message =
        message.into_iter().find(|message| text(message, "stop_reason").as_deref() == Some("refusal"))?;
    let details = message.get("stop_details")?;
    text(details, "explanation").or_else(|| text(details, "category"))
}

/// Gemini: the finish reason of the candidate, or the reason why the prompt was blocked.
fn of_gemini(body: &Value) -> Option<String> {
    let with_message = |reason: String, message: Option<String>| match message {
        Some(message) => format!("{reason}: {message}"),
        None => reason,
    };
    if let Some(feedback) = body.get("promptFeedback")
        && let Some(reason) = text(feedback, "blockReason").filter(|reason| is_block(reason))
    {
        let reason = format!("the prompt was blocked: {reason}");
        return Some(with_message(reason, text(feedback, "blockReasonMessage")));
    }
    let candidate = body.pointer("/candidates/0")?;
    let reason = text(candidate, "finishReason").filter(|reason| is_filter(reason))?;
    Some(with_message(reason, text(candidate, "finishMessage")))
}

/// The zero value of the enum, in Gemini and in Vertex AI, names no reason.
fn is_block(reason: &str) -> bool {
    !matches!(reason, "BLOCK_REASON_UNSPECIFIED" | "BLOCKED_REASON_UNSPECIFIED")
}

fn text(object: &Value, key: &str) -> Option<String> {
    object.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn origin_in(body: &Value) -> ReplyOrigin {
        let mut origin = ReplyOrigin::default();
        add_origin(&mut origin, body);
        origin
    }

    fn assert_origin(body: &Value, model: Option<&str>, response: Option<&str>, request: Option<&str>) {
        let origin = origin_in(body);
        let found = [&origin.model, &origin.response_id, &origin.request_id]
            .map(|name| name.as_deref().map(str::to_owned));
        assert_eq!(found, [model, response, request].map(|name| name.map(str::to_owned)), "{body}");
    }

    #[test]
    fn reads_what_each_provider_says() {
        assert_origin(&json!({"id": "chatcmpl-1", "model": "m"}), Some("m"), Some("chatcmpl-1"), None);
        assert_origin(&json!({"responseId": "r", "modelVersion": "g"}), Some("g"), Some("r"), None);
        assert_origin(&json!({"model": "m", "message": {"content": "8"}}), Some("m"), None, None);
        let groq = json!({"id": "c", "model": "m", "x_groq": {"id": "req_1"}});
        assert_origin(&groq, Some("m"), Some("c"), Some("req_1"));
        let started = json!({"type": "message_start", "message": {"id": "msg_1", "model": "m"}});
        assert_origin(&started, Some("m"), Some("msg_1"), None);
        let created = json!({"type": "response.created", "response": {"id": "resp_1", "model": "m"}});
        assert_origin(&created, Some("m"), Some("resp_1"), None);
    }

    #[test]
    fn takes_nothing_for_a_name_that_cannot_be_one() {
        for wrong in
            [json!(7), json!(null), json!(""), json!(" "), json!("a\nb"), json!("x".repeat(257)), json!([])]
        {
            assert_origin(&json!({"id": wrong, "model": wrong, "request_id": wrong}), None, None, None);
        }
        for body in [json!(null), json!([]), json!("text")] {
            assert_origin(&body, None, None, None);
        }
    }

    #[test]
    fn what_is_known_stays() {
        let mut origin = origin_in(&json!({"id": "first"}));
        add_origin(&mut origin, &json!({"id": "second", "model": "m"}));
        assert_eq!((origin.response_id.as_deref(), origin.model.as_deref()), (Some("first"), Some("m")));
    }

    #[test]
    fn finds_the_request_id_among_the_headers() {
        assert_eq!(request_id(|_| None), None);
        let found = request_id(|name| (name == "request-id").then_some("req_1"));
        assert_eq!(found.as_deref(), Some("req_1"));
    }

    #[test]
    fn reads_the_words_of_each_provider() {
        let part = json!({"type": "refusal", "refusal": "I must not."});
        for (body, words) in [
            (json!({"choices": [{"message": {"content": null, "refusal": "I must not."}}]}), "I must not."),
            (
                json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, part]}}]}),
                "I must not.",
            ),
            (json!({"choices": [{"delta": {"refusal": "I mu"}}]}), "I mu"),
            (
                json!({"output": [{"type": "reasoning"}, {"type": "message", "content": [part]}]}),
                "I must not.",
            ),
            (
                json!({"stop_reason": "refusal", "stop_details": {"category": "bio", "explanation": "Too risky."}}),
                "Too risky.",
            ),
            (
                json!({"delta": {"stop_reason": "refusal", "stop_details": {"category": "bio", "explanation": null}}}),
                "bio",
            ),
            (json!({"candidates": [{"finishReason": "SPII"}]}), "SPII"),
            (
                json!({"candidates": [{"finishReason": "RECITATION", "finishMessage": "A song."}]}),
                "RECITATION: A song.",
            ),
            (json!({"promptFeedback": {"blockReason": "OTHER"}}), "the prompt was blocked: OTHER"),
            (
                json!({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}}),
                "the prompt was blocked: SAFETY: No.",
            ),
        ] {
            assert_eq!(refusal_in(&body).as_deref(), Some(words), "{body}");
        }
    }

    #[test]
    fn finds_none_where_there_is_none() {
        for body in [
            json!(null),
            json!({"choices": []}),
            json!({"choices": [{"message": {"content": "I refuse.", "refusal": null}, "finish_reason": "stop"}]}),
            json!({"choices": [{"message": {"content": "", "refusal": ""}, "finish_reason": "content_filter"}]}),
            json!({"output": [{"content": [{"type": "output_text", "text": "refusal"}]}]}),
            json!({"stop_reason": "end_turn", "stop_details": {"explanation": "Done."}}),
            json!({"stop_reason": "refusal", "stop_details": null}),
            json!({"candidates": [{"finishReason": "STOP"}], "promptFeedback": {"safetyRatings": []}}),
            json!({"promptFeedback": {"blockReason": "BLOCK_REASON_UNSPECIFIED"}}),
        ] {
            assert_eq!(refusal_in(&body), None, "{body}");
        }
    }
}
