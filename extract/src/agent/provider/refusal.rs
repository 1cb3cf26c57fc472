//! The refusals of providers in the body of a response: the same forms for every adapter.

use serde_json::Value;

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
