//! Tools that an agent calls, and what it is told.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call of a tool, made by an agent: in its [`Reply`](super::Reply), or to a [`Toolkit`](crate::Toolkit).
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
    /// What tells it from other calls; the provider's own word for it. Empty where there is none.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// What it is called with: an object, or a string that holds one, however messy.
    pub arguments: Value,
}

impl ToolCall {
    /// A call of the tool `name`. Providers that hand over the arguments as a string need not have it parsed: it is read as a
    /// reply is.
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self { id: String::new(), name: name.into(), arguments: arguments.into() }
    }

    /// Adds the provider's own word for it, which its result has too.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// What the agent is told about it.
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

/// What an agent is told about a [`ToolCall`]: once for people and models, and, by a [`Toolkit`](crate::Toolkit), once for
/// programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// That of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// In words.
    pub text: String,
    /// As an object that satisfies the [`output_schema`](super::Tool::output_schema) of the tool; null within an extraction,
    /// where the words are all that an agent is told.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// Whether the call failed: a rejected `submit`, any `validate` or `submit` after the end, an unknown tool. A `validate`
    /// that finds something wrong did what it was asked to, so it did not fail.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// The same, for programs too.
    pub(crate) fn with_structured(self, structured: Value) -> Self {
        Self { structured, ..self }
    }
}
