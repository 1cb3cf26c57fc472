//! Errors of a schema.

use crate::vocabulary::{path::Path, text::said};

/// A schema that does not compile.
///
/// ```
/// use extract::Contract;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"id": {"type": "strnig"}}});
/// let error = Contract::from_schema(schema).unwrap_err();
/// assert_eq!(error.path().to_string(), "$.properties.id.type");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the JSON Schema does not compile at {path}: {}", said(message))]
pub struct SchemaError {
    path: Path,
    message: String,
}

impl SchemaError {
    pub(crate) fn new(path: Path, message: impl Into<String>) -> Self {
        Self { path, message: message.into() }
    }

    /// Returns the path in the schema.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the reason, without the path.
    pub fn message(&self) -> &str {
        &self.message
    }
}
