//! The tools `example`, `validate` and `submit`: what an agent is told about them, and what a call of one hands in.

mod argument_form;
mod arguments;
mod describe;
mod kind;
pub(crate) mod messages;
mod names;
mod tool_set;

pub(crate) use self::{kind::ToolKind, tool_set::ToolSet};
