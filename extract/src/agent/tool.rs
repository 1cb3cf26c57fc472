//! A tool that an agent may call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool, as it is described to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// What it is called by.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it does, what it costs.
    pub description: String,
    /// JSON Schema of the arguments, which are an object: the type's own where that is one, else an object with the value
    /// under `value`.
    pub input_schema: Value,
    /// JSON Schema of [`ToolResult::structured`](crate::toolkit::ToolResult::structured).
    pub output_schema: Value,
    /// Whether it changes nothing outside: `example` and `validate`.
    pub is_read_only: bool,
}
