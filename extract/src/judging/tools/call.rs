//! What an agent calls, and what it is told.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{agent::FinishReason, usage::TokenUsage};

/// A call that an agent makes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// What it is called with; an object, or a text that holds one, however messy.
    pub arguments: Value,
    /// Why the agent stopped; arguments that were cut at the token limit are never taken for whole ones.
    pub finish_reason: FinishReason,
    /// Tokens that the agent reported for this call.
    pub usage: Option<TokenUsage>,
    /// Name of the agent, for the history.
    pub agent: String,
}

impl ToolCall {
    /// A call of the tool `name`. Providers that hand over the arguments as text need not have it parsed: a `String` is read as
    /// a reply is.
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self {
            name: name.into(),
            arguments: arguments.into(),
            finish_reason: FinishReason::Unknown,
            usage: None,
            agent: String::new(),
        }
    }

    /// Says why the agent stopped.
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

    /// Says which agent calls.
    #[must_use]
    pub fn by(mut self, agent: impl Into<String>) -> Self {
        self.agent = agent.into();
        self
    }
}

/// What the agent is told, once for people and models and once for programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// In words.
    pub text: String,
    /// As an object that satisfies the [`output_schema`](crate::agent::Tool::output_schema) of the tool.
    pub structured: Value,
    /// Whether the call failed: a rejected `submit`, any `validate` or `submit` after the end, an unknown tool. A `validate`
    /// that finds something wrong did what it was asked to, so it did not fail.
    pub is_error: bool,
}
