//! Tokens by model.

use serde::{Deserialize, Serialize};

use crate::vocabulary::usage::TokenUsage;

/// Tokens of one model, as one agent asked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelUsage {
    /// Name of the agent that replied.
    pub agent: String,
    /// The model, if the provider [named](super::ReplyOrigin::model) it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Number of replies.
    pub replies: u32,
    /// Their tokens.
    pub usage: TokenUsage,
}

impl ModelUsage {
    /// Creates the entry of one reply: the name of the agent, the model if the provider named it,
    /// and the tokens.
    pub fn of_reply(agent: String, model: Option<String>, usage: TokenUsage) -> Self {
        Self { agent, model, replies: 1, usage }
    }

    /// Returns the name of the model; if that is unknown, the name of the agent; `unknown` if the
    /// agent has no name.
    pub fn name(&self) -> &str {
        match self.model.as_deref().unwrap_or(&self.agent) {
            "" => "unknown",
            name => name,
        }
    }

    /// Adds this to the entry of the same agent and model in `all`.
    pub fn add_to(self, all: &mut Vec<Self>) {
        match all.iter_mut().find(|known| known.agent == self.agent && known.model == self.model) {
            Some(known) => {
                known.replies = known.replies.saturating_add(self.replies);
                known.usage.add(self.usage);
            }
            None => all.push(self),
        }
    }
}
