//! The result of a projection.

use std::fmt;

use serde_json::Value;

use super::unenforced::UnenforcedConstraint;
use crate::vocabulary::{path::Path, text::listed};

/// A schema in a dialect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Projection {
    /// The schema for the provider.
    pub schema: Value,
    /// The constraints it does not enforce; the contract still does. Empty if the dialect supports
    /// everything.
    pub unenforced: Vec<UnenforcedConstraint>,
    /// Whether `schema` describes an object that holds the answer under its only key, `answer`; see
    /// [`Dialect::offer`](super::Dialect::offer).
    pub is_enveloped: bool,
}

/// Maximum keywords that a note names.
const NOTED: usize = 8;

impl Projection {
    /// Returns the constraints that the decoder does not enforce, in one line with the first eight
    /// keywords; `None` if it enforces all. Meant for the [notes](crate::agent::Reply::with_note)
    /// of a reply.
    ///
    /// ```
    /// use extract::schema::dialect::Dialect;
    ///
    /// let schema = serde_json::json!({"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}});
    /// assert_eq!(
    ///     Dialect::OpenAi.project(&schema)?.note().unwrap(),
    ///     "the decoder does not enforce: \
    ///      $.properties.name: `minLength` is not among the supported keywords",
    /// );
    /// # Ok::<(), extract::schema::dialect::Inexpressible>(())
    /// ```
    pub fn note(&self) -> Option<String> {
        let reasons = UnenforcedConstraint::lines(&self.unenforced);
        let listed_reasons = listed(&reasons, NOTED);
        (!reasons.is_empty()).then(|| format!("the decoder does not enforce: {listed_reasons}"))
    }
}

/// Why a schema cannot be expressed in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inexpressible {
    /// The path in the schema.
    pub path: Path,
    /// The reason.
    pub reason: String,
}

impl Inexpressible {
    pub(super) fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.clone(), reason: reason.into() }
    }
}

/// `$.properties.prices: a map with free keys`
impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl std::error::Error for Inexpressible {}
