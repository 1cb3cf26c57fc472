//! The rules of a dialect: what it supports.

use serde_json::{Map, Value};

use super::{projection::Inexpressible, unenforced::UNSUPPORTED};
use crate::schema::constraint::{DialectColumns, DialectSupport, constraint};

/// The rules of a dialect.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about a provider")]
pub(super) struct DialectRules {
    /// Whether an object may have unnamed properties.
    pub(super) objects: ObjectRules,
    /// Whether every property is required. An optional one may then be `null`.
    pub(super) requires_all: bool,
    /// Whether a value of any type can be expressed.
    pub(super) has_any: bool,
    pub(super) has_const: bool,
    pub(super) has_tuples: bool,
    /// Support for a keyword of a scalar, or for the size of a list.
    pub(super) takes: fn(&KeywordUse<'_>) -> KeywordSupport,
    /// Checks the whole schema: its root, its cycles and its sizes.
    pub(super) check: fn(&Map<String, Value>) -> Result<(), Inexpressible>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectRules {
    /// Never: every object has `additionalProperties: false`.
    Closed,
    /// In maps; every object states `additionalProperties`.
    Stated,
    /// As in JSON Schema.
    Open,
}

/// A keyword with its value and its siblings.
pub(super) struct KeywordUse<'v> {
    pub(super) name: &'v str,
    pub(super) value: &'v Value,
    pub(super) beside: &'v Map<String, Value>,
}

impl KeywordUse<'_> {
    /// The support according to a column of the table of constraints.
    pub(super) fn in_table(&self, column: fn(&DialectColumns) -> DialectSupport) -> KeywordSupport {
        match constraint(self.name).map_or(DialectSupport::No, |row| column(&row.dialects)) {
            DialectSupport::Yes => KeywordSupport::AsIs,
            DialectSupport::ForIntegers if self.beside.get("type").is_some_and(|of| of == "integer") => {
                KeywordSupport::AsIs
            }
            DialectSupport::ForIntegers => KeywordSupport::No("is supported for integers only"),
            DialectSupport::No | DialectSupport::Depends => KeywordSupport::No(UNSUPPORTED),
        }
    }

    pub(super) fn is_text_of(&self, list: &[&str]) -> bool {
        self.value.as_str().is_some_and(|value| list.contains(&value))
    }
}

/// How far a keyword is supported.
pub(super) enum KeywordSupport {
    AsIs,
    /// As another value with the same meaning.
    As(Value),
    /// In part, and why.
    Weakened(Value, &'static str),
    No(&'static str),
}

pub(super) const UNSUPPORTED_FORMAT: &str = "is of a kind that is not among the supported ones";
