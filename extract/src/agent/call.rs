//! Tools that an agent calls in its reply.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call of a tool, made by an agent in its [`Reply`](super::Reply).
///
/// ```
/// use extract::agent::{Call, Reply};
///
/// let reply = Reply::new("").with_calls([Call::new("call_1", "submit", serde_json::json!({"total": 3}))]);
/// assert_eq!(reply.calls()[0].name, "submit");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Call {
    /// What tells it from other calls; the provider's own word for it.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// What it is called with; an object, or the text of one that is not JSON.
    pub arguments: Value,
}

impl Call {
    /// A call of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }

    /// What the agent is told about it.
    pub fn answered(&self, text: impl Into<String>, is_error: bool) -> CallResult {
        CallResult { id: self.id.clone(), name: self.name.clone(), text: text.into(), is_error }
    }

    /// `submit({"total":3})`
    pub(super) fn shown(&self) -> String {
        match &self.arguments {
            Value::String(text) => format!("{}({text})", self.name),
            arguments => format!("{}({arguments})", self.name),
        }
    }
}

/// What an agent is told about a [`Call`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallResult {
    /// That of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// In words.
    pub text: String,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
}
