//! What a dialect can say.

use serde_json::{Map, Value};

use super::projection::Inexpressible;

/// What makes a dialect one.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about a provider")]
pub(super) struct Rules {
    /// Whether there may be other properties than the ones that are named.
    pub(super) objects: Objects,
    /// Every property is required; an optional one may be `null` instead.
    pub(super) requires_all: bool,
    /// There are words for a value of any type.
    pub(super) has_any: bool,
    pub(super) has_const: bool,
    pub(super) has_tuples: bool,
    /// Whether a keyword of a scalar or the size of a list is taken.
    pub(super) takes: fn(&Keyword<'_>) -> Taken,
    /// What only the whole shows: the root, circles, sizes.
    pub(super) check: fn(&Map<String, Value>) -> Result<(), Inexpressible>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// Never: `additionalProperties` is `false` on each of them.
    Closed,
    /// In maps; `additionalProperties` is stated on each of them.
    Stated,
    /// As in JSON Schema.
    Open,
}

/// A keyword with its value, and what stands beside it.
pub(super) struct Keyword<'v> {
    pub(super) name: &'v str,
    pub(super) value: &'v Value,
    pub(super) beside: &'v Map<String, Value>,
}

impl Keyword<'_> {
    pub(super) fn is_of(&self, kind: &str) -> bool {
        self.beside.get("type").is_some_and(|of| of == kind)
    }

    pub(super) fn is_text_of(&self, list: &[&str]) -> bool {
        self.value.as_str().is_some_and(|value| list.contains(&value))
    }
}

/// What becomes of a keyword.
pub(super) enum Taken {
    AsIs,
    /// Other words that mean the same.
    As(Value),
    /// Less than it means, and why.
    Weakened(Value, &'static str),
    No(&'static str),
}

pub(super) const UNSUPPORTED: &str = "is not among the supported keywords";
pub(super) const UNSUPPORTED_FORMAT: &str = "is of a kind that is not among the supported ones";
