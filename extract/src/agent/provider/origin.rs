//! The origin that a provider gives for a response: its model and its ids.

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
}
