//! Where a reply came from.

use serde::{Deserialize, Serialize};

/// Where a reply came from. Anything the provider did not report is `None`; nothing is guessed.
///
/// | agent | model | response id | request id | status |
/// |---|---|---|---|---|
/// | `ProviderAgent` of `extractable-agents` | if the response names it | the `id` of the response | the header `x-request-id`, `request-id` or the provider's own, or the body | yes |
/// | models of rig | if the response names it | the `id` of the response | the header `x-request-id`, `request-id` or the provider's own | yes |
/// | agents of rig | of the last turn | of the last turn | of the last turn | not of a success, which rig does not pass on |
/// | others | what they set with [`Reply::with_origin`](crate::agent::Reply::with_origin) | | | |
///
/// For a failure, [`AgentError::status`](crate::agent::AgentError::status) and
/// [`AgentError::request_id`](crate::agent::AgentError::request_id) have what the response
/// reported.
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
    /// The model, as the provider names it in its response. It may differ from the requested one,
    /// such as `gpt-6-luna-2026-05-01` for `gpt-6-luna`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's id of the response, such as `chatcmpl-…` or `msg_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// The provider's id of the request, which its support asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The HTTP status of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Name of the agent that replied, if another one was asked, such as for the second agent of a
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

    /// Sets the provider's id of the response.
    #[must_use]
    pub fn with_response_id(mut self, id: impl Into<String>) -> Self {
        self.response_id = Some(id.into());
        self
    }

    /// Sets the provider's id of the request.
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

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
