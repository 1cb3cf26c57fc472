//! Where a reply came from.

use serde::{Deserialize, Serialize};

/// Where a reply came from, as far as the provider said it. What it did not say is `None`; nothing
/// is guessed.
///
/// | agent | model | response id | request id | status |
/// |---|---|---|---|---|
/// | `GenaiAgent` | where the response names it | the `id` of the response | `request_id` of the response, which few have | not of a success, whose headers `genai` does not hand on |
/// | models of rig | where the response names it | the `id` of the response | the header `x-request-id`, `request-id` or the provider's own | yes |
/// | agents of rig | of the last turn | of the last turn | of the last turn | not of a success, which rig does not hand on |
/// | others | what they set with [`Reply::with_origin`](crate::agent::Reply::with_origin) | | | |
///
/// Of a failure, [`AgentError::status`](crate::agent::AgentError::status) and
/// [`AgentError::request_id`](crate::agent::AgentError::request_id) have what the response said.
///
/// ```
/// use extract::metrics::ReplyOrigin;
///
/// let origin = ReplyOrigin::default().with_model("gpt-6-luna-2026-05-01").with_status(200);
/// assert_eq!(origin.model.as_deref(), Some("gpt-6-luna-2026-05-01"));
/// assert_eq!(origin.request_id, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReplyOrigin {
    /// The model, as the provider names it in its response. It may differ from the one that was
    /// asked for, such as `gpt-6-luna-2026-05-01` for `gpt-6-luna`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the provider calls the response, such as `chatcmpl-…` or `msg_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// What the provider calls the request, which its support asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The HTTP status of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Name of the agent that replied, if it is not the one that was asked, such as the second of a
    /// [`Fallback`](crate::agent::Fallback).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl ReplyOrigin {
    /// Sets the model, as the provider names it.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets what the provider calls the response.
    #[must_use]
    pub fn with_response_id(mut self, id: impl Into<String>) -> Self {
        self.response_id = Some(id.into());
        self
    }

    /// Sets what the provider calls the request.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// Sets the HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
