//! Common parts of providers' responses, for agents that ask them.
//!
//! An adapter has the status, the headers and the body of a response, and needs a
//! [`Reply`](super::Reply) or an [`AgentError`](super::AgentError). The APIs of OpenAI and the many
//! servers like it, Anthropic, Gemini and Ollama report errors, refusals, waits and ids in a few
//! forms, and these functions know all of them. They know no HTTP client: a header is looked up by
//! a closure.
//!
//! ```
//! use extract::agent::{AgentErrorKind, provider::{Keys, ProviderFailure}};
//! use std::time::Duration;
//!
//! // What the server has sent:
//! let body = r#"{"error": {"message": "slow down, my-key", "code": "rate_limit_exceeded"}}"#;
//! let headers = [("retry-after", "7"), ("x-request-id", "req_1")];
//!
//! let header = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
//! let failure = ProviderFailure::of_status(429, "Too Many Requests", body, header);
//! let mut keys = Keys::of_environment();
//! keys.insert("my-key");
//! let error = failure.settle(&keys).unwrap_err();
//! assert_eq!(error.kind(), AgentErrorKind::RateLimited);
//! assert_eq!(error.message(), "HTTP 429 Too Many Requests: slow down, [redacted]");
//! assert_eq!((error.retry_after(), error.request_id()), (Some(Duration::from_secs(7)), Some("req_1")));
//! ```
//!
//! For native structured output, see [`Request::native_schema`](super::Request::native_schema).

mod detail;
mod envelope;
mod failure;
mod response;
mod retry_after;

pub use self::{
    detail::readable_body,
    envelope::{open_envelope, opening_envelope},
    failure::{ProviderFailure, has_lost_bytes},
    response::{add_origin, checked_name, is_filter, refusal_in, request_id},
    retry_after::retry_after,
};
pub use crate::{agent::cut_prompt::check_whole_prompt, vocabulary::redaction::Keys};
