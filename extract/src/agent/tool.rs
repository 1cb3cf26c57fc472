//! A tool that an agent may call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool as it is described to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// The name to call it by.
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// The tool's effect and cost.
    pub description: String,
    /// JSON Schema of the arguments, which are always an object: the schema of the type if that is
    /// an object, otherwise an object with the value under `value`.
    pub input_schema: Value,
    /// JSON Schema of [`ToolResult::structured`](crate::toolkit::ToolResult::structured).
    pub output_schema: Value,
    /// Whether it has no side effects: `example` and `validate`.
    pub is_read_only: bool,
}
