//! Values that a person decided on.

use std::collections::HashMap;

use serde_json::Value;

/// The value that a reviewer found right for a document. It takes precedence over the extracted one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReviewedValue {
    /// The right value.
    pub value: Value,
    /// Who reviewed it.
    pub by: String,
}

impl ReviewedValue {
    /// Creates the decision of a reviewer.
    pub fn new(value: Value, by: impl Into<String>) -> Self {
        Self { value, by: by.into() }
    }
}

/// Reviewed values by the key of the document.
pub(super) type ReviewedValues = HashMap<String, ReviewedValue>;
