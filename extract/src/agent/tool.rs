//! A tool that an agent may call, its calls, and their results.

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

/// A tool call by an agent, in its [`Reply`](super::Reply) or to a [`Toolkit`](crate::Toolkit).
///
/// ```
/// use extract::agent::{Reply, ToolCall};
///
/// let call = ToolCall::new("submit", serde_json::json!({"total": 3})).with_id("call_1");
/// let reply = Reply::new("").with_calls([call]);
/// assert_eq!(reply.calls()[0].name, "submit");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The provider's identifier of the call; empty if there is none.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments: an object, or a string that holds one, however messy.
    pub arguments: Value,
}

impl ToolCall {
    /// Creates a call of the tool `name`. If a provider returns the arguments as a string, pass the
    /// string: it is read as leniently as a reply.
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self { id: String::new(), name: name.into(), arguments: arguments.into() }
    }

    /// Sets the provider's identifier, which the result repeats.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Returns the result of this call.
    pub fn answered(&self, text: impl Into<String>, is_error: bool) -> ToolResult {
        let (id, name) = (self.id.clone(), self.name.clone());
        ToolResult { id, name, text: text.into(), structured: Value::Null, is_error }
    }

    /// `submit({"total":3})`
    pub(super) fn shown(&self) -> String {
        match &self.arguments {
            Value::String(text) => format!("{}({text})", self.name),
            arguments => format!("{}({arguments})", self.name),
        }
    }
}

/// The result of a [`ToolCall`]: as text for people and models and, from a
/// [`Toolkit`](crate::Toolkit), as JSON for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// Identifier of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The result as text.
    pub text: String,
    /// The result as an object that satisfies the [`output_schema`](super::Tool::output_schema) of
    /// the tool. Null within an extraction, where the agent only gets the text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// Whether the call failed: a rejected `submit`, any `validate` or `submit` after the end, or
    /// an unknown tool. A `validate` that finds violations has worked, so it did not fail.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// Adds the result for programs.
    pub(crate) fn with_structured(self, structured: Value) -> Self {
        Self { structured, ..self }
    }
}
