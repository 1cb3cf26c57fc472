//! What an agent answers.

use serde::{Deserialize, Serialize};

use super::AgentError;

/// An agent's answer: raw text, why it ended, what it cost.
///
/// ```
/// use extract::agent::{FinishReason, Reply, Usage};
///
/// let reply = Reply::new(r#"{"total": 3}"#)
///     .finished(FinishReason::Stop)
///     .with_usage(Usage::new(120, 6));
/// assert_eq!(reply.usage().unwrap().output_tokens, 6);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    text: String,
    finish_reason: FinishReason,
    usage: Option<Usage>,
}

impl Reply {
    /// A reply of which nothing but the text is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), finish_reason: FinishReason::Unknown, usage: None }
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
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The text, exactly as the agent wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text and the finish reason, without a copy.
    pub(crate) fn into_parts(self) -> (String, FinishReason) {
        (self.text, self.finish_reason)
    }

    /// Why the agent stopped.
    pub fn finish_reason(&self) -> &FinishReason {
        &self.finish_reason
    }

    /// What the agent reported to have used; `None` when it reports nothing.
    pub fn usage(&self) -> Option<Usage> {
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
    /// The agent did not say.
    #[default]
    Unknown,
    /// It was done.
    Stop,
    /// It ran into its token limit: the reply is cut.
    Length,
    /// A filter of the provider held the rest back: the reply is cut, and asking again rarely helps.
    ContentFilter,
    /// Anything else, in the agent's words.
    Other(String),
}

/// Tokens of one reply, as the agent counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the conversation that went in.
    pub input_tokens: u64,
    /// Tokens of the reply that came out.
    pub output_tokens: u64,
}

impl Usage {
    /// `input` tokens in, `output` tokens out.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input_tokens: input, output_tokens: output }
    }

    /// Both sides together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
