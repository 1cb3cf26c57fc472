//! The first question: the prompt, and the requirements on the answer.

mod instructions;
mod opening;
mod options;

pub use self::{
    instructions::Instructions,
    options::{PromptOptions, SchemaNotation, SchemaPosition, ShotPosition},
};
pub(crate) use self::{
    instructions::{AnswerStart, WriteInstructions},
    opening::{OpeningConversation, OpeningOptions, WorkedExample},
};
