//! Worked examples.

use std::fmt;

use serde_json::Value;

use crate::{
    agent::{Conversation, Parts, Role, Turn},
    vocabulary::text::fenced,
};

/// A worked example: a text, and the right answer to it.
#[derive(Debug, Clone)]
pub(crate) struct WorkedExample {
    pub(crate) parts: Parts,
    pub(crate) answer: Value,
}

impl WorkedExample {
    /// `conversation` with both sides as turns.
    pub(super) fn append_to(&self, conversation: Conversation) -> Conversation {
        let asked = Turn::of_parts(Role::User, &self.parts);
        conversation.with_turn(asked).with(Role::Assistant, self.answer.to_string())
    }
}

/// Shots as one paragraph each. Texts are fenced, so that they cannot pose as instructions.
pub(super) struct ShotParagraphs<'s> {
    pub(super) shots: &'s [WorkedExample],
}

impl fmt::Display for ShotParagraphs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, WorkedExample { parts, answer }) in self.shots.iter().enumerate() {
            let asked = Turn::of_parts(Role::User, parts);
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}For example, the right answer to\n{}\nis\n{answer}", fenced("", asked.text()))?;
        }
        Ok(())
    }
}
