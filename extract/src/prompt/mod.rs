//! The first question: the prompt, and what the answer must satisfy.

mod instructions;
mod opening;
mod options;
mod shot;
mod written;

pub use self::{
    instructions::Instructions,
    options::{PromptOptions, SchemaNotation, SchemaPlace, ShotPlace},
};
pub(crate) use self::{
    instructions::WriteInstructions,
    opening::{Opening, OpeningOptions},
    shot::Shot,
};
