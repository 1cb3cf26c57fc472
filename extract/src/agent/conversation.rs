//! Who said what.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use crate::text::fenced;

/// Who speaks in a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions; for an extraction the contract (schema, example, JSON only).
    System,
    /// The caller: the prompt, and later the feedback.
    User,
    /// The agent itself: an earlier submission.
    Assistant,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        })
    }
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    role: Role,
    text: String,
}

impl Turn {
    /// A turn of `role` that says `text`.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into() }
    }

    /// Who speaks.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What is said.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The turns that an agent answers, oldest first.
///
/// A conversation of the loop is short: a system turn with the contract, the prompt, and after a
/// failed attempt the submission and the feedback to it. Earlier failed pairs are not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    turns: Vec<Turn>,
}

impl Conversation {
    /// A conversation in which nothing was said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn at the end.
    #[must_use]
    pub fn with(mut self, role: Role, text: impl Into<String>) -> Self {
        self.turns.push(Turn::new(role, text));
        self
    }

    /// Adds `text` to what is said last.
    pub(crate) fn append_to_last(mut self, text: &str) -> Self {
        if let Some(last) = self.turns.last_mut() {
            last.text.push_str(text);
        }
        self
    }

    /// The turns, oldest first.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The whole conversation as one text, for agents that take a single prompt.
    ///
    /// System and user turns follow each other as paragraphs. What the agent itself said stands in a
    /// code fence longer than any in it, so that a reply cannot pose as instructions.
    ///
    /// ```
    /// use extract::agent::{Conversation, Role};
    ///
    /// let conversation = Conversation::new()
    ///     .with(Role::System, "Answer in JSON.")
    ///     .with(Role::User, "What is the total?");
    /// assert_eq!(conversation.to_text(), "Answer in JSON.\n\nWhat is the total?");
    /// ```
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for turn in &self.turns {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            match turn.role {
                Role::System | Role::User => text.push_str(&turn.text),
                Role::Assistant => {
                    let _ = write!(text, "Your previous answer was:\n{}", fenced("", &turn.text));
                }
            }
        }
        text
    }

    /// Number of characters in all turns; what token estimates are made from.
    pub fn chars(&self) -> usize {
        self.turns.iter().map(|turn| turn.text.chars().count()).sum()
    }
}
