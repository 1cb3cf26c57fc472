//! Changes a schema at one path.
//!
//! The part there gets its own schemas: a definition on the way that is used elsewhere too is
//! copied, so that nothing else changes. In a recursive type the way is unrolled, with one copy per
//! step.

mod definitions;
mod part;
mod walk;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use self::part::{
    FittingValues, NarrowedPart, NarrowingFailure, ReachedSchemas, described, is_sensitive, listed,
};
use self::walk::NarrowingWalk;
use crate::vocabulary::{path::PathPattern, text::said};

/// Replaces the parts of `root` at `place`. Drops examples with a value there that `allows`
/// rejects.
///
/// # Errors
///
/// If `root` does not describe the path, or the way there passes the same definitions too often.
pub(crate) fn narrowed<'s>(
    root: &'s Value,
    place: &PathPattern,
    replace: &mut dyn FnMut(&'s Value) -> NarrowedPart,
    allows: &dyn Fn(&Value) -> bool,
) -> Result<NarrowedPart, NarrowingFailure> {
    let mut walk = NarrowingWalk::new(root, place.steps(), replace, allows);
    let (schema, fits) = walk.root()?;
    let (moved, copies) = walk.into_parts();
    Ok((definitions::settled(schema, root, &moved, copies), fits))
}

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
