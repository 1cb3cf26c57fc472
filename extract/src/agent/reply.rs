//! What an agent answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    AgentError, ToolCall,
    route::{Branch, Route},
};
use crate::{reading::ReplyEnd, usage::TokenUsage};

/// An agent's answer: raw text, why it ended, what it cost.
///
/// ```
/// use extract::{TokenUsage, agent::{FinishReason, Reply}};
///
/// let reply = Reply::new(r#"{"total": 3}"#)
///     .finished(FinishReason::Stop)
///     .with_usage(TokenUsage::new(120, 6));
/// assert_eq!(reply.usage().unwrap().output_tokens, 6);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    text: String,
    finish_reason: FinishReason,
    usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Seldom there, so it takes little room where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_use: Option<Box<ToolUse>>,
    /// Which agent wrote it, where there are several behind one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    route: Option<Box<Route>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ToolUse {
    calls: Vec<ToolCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider_data: Option<Value>,
}

impl Reply {
    /// A reply of which nothing but the text is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish_reason: FinishReason::Unknown,
            usage: None,
            notes: Vec::new(),
            tool_use: None,
            route: None,
        }
    }

    /// A reply from bytes that a transport delivered.
    ///
    /// # Errors
    ///
    /// [`AgentErrorKind::Garbled`](super::AgentErrorKind::Garbled), which is transient, when the bytes
    /// are not UTF-8. They are not decoded with replacement characters: a value read from those would
    /// hold text that nobody wrote.
    pub fn from_utf8(bytes: Vec<u8>) -> Result<Self, AgentError> {
        String::from_utf8(bytes).map(Self::new).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            AgentError::garbled(format!("the reply is not UTF-8 from byte {at} on")).with_source(error)
        })
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

    /// Adds something that the caller should know of how the agent was asked, such as that a schema could not be sent to
    /// it. It is kept in the [record](crate::AttemptRecord::notes) and the [metrics](crate::metrics::AttemptMetrics::notes) of the
    /// attempt.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says which tools of the [request](super::Request::tools) the agent calls.
    #[must_use]
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let calls: Vec<ToolCall> = calls.into_iter().collect();
        if self.tool_use.is_some() || !calls.is_empty() {
            self.tool_use.get_or_insert_default().calls = calls;
        }
        self
    }

    /// Adds the reply in a form of the agent's own, which it wants to be given back with the calls (such as the signatures of
    /// its thoughts): the next request has it in [`Turn::provider_data`](super::Turn::provider_data). Nobody else looks into it.
    #[must_use]
    pub fn with_provider_data(mut self, form: Value) -> Self {
        self.tool_use.get_or_insert_default().provider_data = Some(form);
        self
    }

    /// The tools that the agent calls, in its order.
    pub fn calls(&self) -> &[ToolCall] {
        self.tool_use.as_ref().map_or(&[], |tool_use| &tool_use.calls)
    }

    /// The reply in a form of the agent's own, if it gave one.
    pub fn provider_data(&self) -> Option<&Value> {
        self.tool_use.as_ref()?.provider_data.as_ref()
    }

    /// What the caller should know of how the agent was asked.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The text, exactly as the agent wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same reply with another text.
    pub(crate) fn with_text(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// The same reply, written by the agent at `branch`.
    pub(crate) fn written_at(self, branch: Branch) -> Self {
        Self { route: Some(Box::new(Route { branch, rest: self.route })), ..self }
    }

    /// Which agent wrote it, where there are several behind one.
    pub(crate) fn route(&self) -> Option<&Route> {
        self.route.as_deref()
    }

    /// Number of characters that the agent wrote; what token estimates are made from.
    pub(crate) fn chars(&self) -> usize {
        let calls = self.calls().iter().map(|call| call.shown().chars().count());
        self.text.chars().count() + calls.sum::<usize>()
    }

    /// The text, the finish reason and the notes, without a copy.
    pub(crate) fn into_parts(self) -> (String, FinishReason, Vec<String>) {
        (self.text, self.finish_reason, self.notes)
    }

    /// Why the agent stopped.
    pub fn finish_reason(&self) -> &FinishReason {
        &self.finish_reason
    }

    /// What it cost: what the agent reported, else an estimate from the number of characters that it read.
    pub(crate) fn cost(&self, chars_read: impl FnOnce() -> usize) -> TokenUsage {
        self.usage.unwrap_or_else(|| TokenUsage::estimated(chars_read(), self.chars()))
    }

    /// What the agent reported to have used; `None` when it reports nothing.
    pub fn usage(&self) -> Option<TokenUsage> {
        self.usage
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Why an agent stopped writing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The agent did not say, as closures and commands that return only text. The reply is whole unless its text shows
    /// otherwise, see [`ReplyEnd::Unknown`]: a number or a word that was cut looks like a whole one. An agent whose
    /// replies may be cut should say so.
    #[default]
    Unknown,
    /// It was done.
    Stop,
    /// It ran into its token limit: the reply is cut. A value in it is taken as whole only where [`ReplyEnd::Cut`] allows.
    Length,
    /// A filter of the provider held the rest back: the reply is cut, and asking again rarely helps.
    ContentFilter,
    /// Anything else, in the agent's words. Read as `Unknown`.
    Other(String),
}

impl From<&FinishReason> for ReplyEnd {
    fn from(reason: &FinishReason) -> Self {
        match reason {
            FinishReason::Stop => Self::Whole,
            FinishReason::Length | FinishReason::ContentFilter => Self::Cut,
            FinishReason::Unknown | FinishReason::Other(_) => Self::Unknown,
        }
    }
}
