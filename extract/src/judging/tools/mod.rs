//! The tools `example`, `validate` and `submit`: their descriptions and their arguments.

mod argument_form;
mod arguments;
mod describe;
mod kind;
pub(crate) mod messages;
mod names;
mod nested;
mod submission;
mod tool_set;

pub(crate) use self::{kind::ToolKind, submission::ToolSubmission, tool_set::ToolSet};
