//! Errors of a narrowing.

use crate::vocabulary::{path::PathPattern, text::said};

/// A narrowing that does not fit the contract: the path does not exist, a value is not allowed
/// there, or no value would be left.
///
/// ```
/// use extract::Contract;
/// use serde_json::json;
///
/// let contract = Contract::from_schema(json!({
///     "type": "object",
///     "properties": {"category": {"type": "string"}},
/// }))?;
/// let error = contract.one_of("$.categry", ["a"]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the contract cannot be narrowed at $.categry: `$` has no key `categry`; did you mean `category`?",
/// );
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the contract cannot be narrowed at {place}: {}", said(message))]
pub struct NarrowingError {
    place: PathPattern,
    message: String,
}

impl NarrowingError {
    pub(crate) fn new(place: &PathPattern, message: impl Into<String>) -> Self {
        Self { place: place.clone(), message: message.into() }
    }

    /// Returns the place to be narrowed.
    pub fn place(&self) -> &PathPattern {
        &self.place
    }

    /// Returns the reason and the remedy, without the path.
    pub fn message(&self) -> &str {
        &self.message
    }
}
