//! The first question: the prompt, worked examples, and the requirements on the answer.

mod instructions;
mod options;

use std::fmt::{self, Write as _};

use serde_json::Value;

pub(crate) use self::instructions::{AnswerStart, WriteInstructions};
pub use self::{
    instructions::Instructions,
    options::{PromptOptions, SchemaNotation, SchemaPosition, ShotPosition},
};
use crate::{
    agent::{Constraint, Conversation, Parts, Prompt, Role, Turn},
    contract::Contract,
    vocabulary::text::fenced,
};

/// Content of the first message besides the contract.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpeningOptions<'o> {
    pub(crate) prompt: &'o Prompt,
    /// The user's own standing instructions.
    pub(crate) system: Option<&'o str>,
    pub(crate) options: &'o PromptOptions,
    pub(crate) write: Option<&'o WriteInstructions>,
    pub(crate) shots: &'o [WorkedExample],
    pub(crate) start: AnswerStart,
}

/// The conversation of the first attempt.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpeningConversation {
    pub(crate) conversation: Conversation,
    /// Whether it describes the answer.
    pub(crate) describes_schema: bool,
}

impl OpeningOptions<'_> {
    /// For an agent that is constrained by `constraint`.
    pub(crate) fn opening(&self, contract: &Contract, constraint: &Constraint) -> OpeningConversation {
        let instructions = Instructions::of(self.options, contract, constraint, self.start);
        let text = self.in_words(&instructions);
        let describes_schema = instructions.is_described_in(&text);
        let shots = self.shots_in(self.options.shot_position);
        OpeningConversation {
            conversation: self.conversation(text, self.options.place, shots),
            describes_schema,
        }
    }

    /// For an agent that submits the answer by the tool `submit`, which has the schema.
    pub(crate) fn with_tools(
        &self,
        contract: &Contract,
        submit: (&str, Option<&str>),
    ) -> OpeningConversation {
        let instructions = Instructions::with_tools(self.options, contract, submit, self.start);
        let (text, shots) = (self.in_words(&instructions), self.shots_in(ShotPosition::System));
        let conversation = self.conversation(text, SchemaPosition::System, shots);
        OpeningConversation { conversation, describes_schema: true }
    }

    fn in_words(&self, instructions: &Instructions<'_>) -> String {
        self.write.map_or_else(|| instructions.to_string(), |write| write.write(instructions))
    }

    /// The shots that are turns, and those that are text.
    fn shots_in(&self, place: ShotPosition) -> (&[WorkedExample], ShotParagraphs<'_>) {
        match place {
            ShotPosition::Turns => (self.shots, ShotParagraphs { shots: &[] }),
            ShotPosition::System => (&[], ShotParagraphs { shots: self.shots }),
        }
    }

    fn conversation(
        &self,
        mut instructions: String,
        place: SchemaPosition,
        (as_turns, as_text): (&[WorkedExample], ShotParagraphs<'_>),
    ) -> Conversation {
        if !as_text.shots.is_empty() {
            let _ = write!(instructions, "\n\n{as_text}");
        }
        let turns = self.prompt.conversation().turns();
        let is_system = turns.first().is_some_and(|first| first.role() == Role::System);
        let (standing, rest) = turns.split_at(usize::from(is_system));
        let own = self.system.into_iter().chain(standing.iter().map(Turn::text));
        let (last, system) = match place {
            SchemaPosition::System => (None, own.chain([&*instructions]).collect::<Vec<_>>()),
            SchemaPosition::AfterPrompt => (Some(&instructions), own.collect()),
        };
        let start = match &*system {
            [] => Conversation::new(),
            paragraphs => Conversation::new().with(Role::System, paragraphs.join("\n\n")),
        };
        let shown = as_turns.iter().fold(start, |conversation, shot| shot.append_to(conversation));
        let asked = rest.iter().cloned().fold(shown, Conversation::with_turn);
        match last {
            Some(instructions) => asked.with_user_text(instructions),
            None => asked,
        }
    }
}

/// A worked example: a text, and the right answer to it.
#[derive(Debug, Clone)]
pub(crate) struct WorkedExample {
    pub(crate) parts: Parts,
    pub(crate) answer: Value,
}

impl WorkedExample {
    /// `conversation` with both sides as turns.
    fn append_to(&self, conversation: Conversation) -> Conversation {
        let asked = Turn::of_parts(Role::User, &self.parts);
        conversation.with_turn(asked).with(Role::Assistant, self.answer.to_string())
    }
}

/// Shots as one paragraph each. Texts are fenced, so that they cannot pose as instructions.
struct ShotParagraphs<'s> {
    shots: &'s [WorkedExample],
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
