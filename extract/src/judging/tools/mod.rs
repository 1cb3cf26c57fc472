//! The tools `example`, `validate` and `submit`: what an agent is told about them, and what a call of one hands in.

mod arguments;
mod call;
mod describe;
mod input;
mod kind;
mod names;
mod offer;
pub(crate) mod words;

pub use self::call::{ToolCall, ToolResult};
pub(crate) use self::{
    kind::Kind,
    offer::{Offer, example},
};
