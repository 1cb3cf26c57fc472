//! A tool call as a toolkit receives it.

use crate::{
    agent::{FinishReason, ToolCall},
    metrics::ModelUsage,
    vocabulary::usage::TokenUsage,
};

/// A [`ToolCall`] with the known facts about its reply. Most callers know nothing more and pass the
/// call itself.
///
/// ```
/// use extract::{TokenUsage, toolkit::{ReceivedCall, ToolCall}};
///
/// let call = ToolCall::new("submit", serde_json::json!({"total": 3}));
/// let received = ReceivedCall::from(call).by("openai/gpt-5-mini").with_usage(TokenUsage::new(120, 6));
/// # let _ = received;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReceivedCall {
    /// The call.
    pub call: ToolCall,
    /// Why the agent stopped. Arguments that were cut at the token limit never count as whole.
    pub finish_reason: FinishReason,
    /// Tokens that the agent reported for this call.
    pub usage: Option<TokenUsage>,
    /// Name of the agent, for the history.
    pub agent: String,
}

impl From<ToolCall> for ReceivedCall {
    fn from(call: ToolCall) -> Self {
        Self { call, finish_reason: FinishReason::Unknown, usage: None, agent: String::new() }
    }
}

impl ReceivedCall {
    /// Sets why the agent stopped.
    #[must_use]
    pub fn finished(mut self, reason: FinishReason) -> Self {
        self.finish_reason = reason;
        self
    }

    /// Adds the token counts that the agent reported.
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The tokens of a call that does not count as an attempt, if it reports any.
    pub(super) fn used(&self) -> Option<ModelUsage> {
        Some(ModelUsage::of_reply(self.agent.clone(), None, self.usage?))
    }

    /// Sets the name of the agent.
    #[must_use]
    pub fn by(mut self, agent: impl Into<String>) -> Self {
        self.agent = agent.into();
        self
    }
}
