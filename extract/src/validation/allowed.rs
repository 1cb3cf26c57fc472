//! Which keys an object may have.

use serde_json::Value;

use super::nodes::SchemaNodes;
use crate::{
    schema::{SchemaView, is_deprecated},
    vocabulary::text::{cut, named},
};

/// Maximum number of allowed keys that a message names.
const MAX_NAMED: usize = 40;

/// Maximum characters of a pattern of keys.
const MAX_PATTERN_CHARS: usize = 160;

/// The keyword that forbids other keys than those that a schema names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyRule {
    Additional,
    /// References and alternatives beside it count too.
    Unevaluated,
}

impl KeyRule {
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Additional => "additionalProperties",
            Self::Unevaluated => "unevaluatedProperties",
        }
    }
}

/// The keys that an object may have.
pub(super) struct AllowedKeys<'s> {
    pub(super) names: Vec<&'s str>,
    /// All of them, described.
    pub(super) expected: String,
    /// The keyword that forbids other keys.
    pub(super) keyword: &'static str,
}

impl<'s> AllowedKeys<'s> {
    /// The keys that `schema` allows by this keyword.
    pub(super) fn of(schema: &'s Value, by: KeyRule, view: &SchemaView<'s>) -> Self {
        if by == KeyRule::Unevaluated {
            let nodes = SchemaNodes::new(view, [schema]);
            let patterns = nodes.keys("patternProperties");
            return Self::new(nodes.keys("properties"), &patterns, by.keyword());
        }
        let keys = |keyword: &str| {
            let found = schema.get(keyword).and_then(Value::as_object);
            let found = found.into_iter().flatten();
            // Deprecated aliases are accepted but not listed.
            let current = found.filter(|(_, schema)| !is_deprecated(schema));
            current.map(|(key, _)| key.as_str()).collect::<Vec<_>>()
        };
        Self::new(keys("properties"), &keys("patternProperties"), by.keyword())
    }

    pub(super) fn new(names: Vec<&'s str>, patterns: &[&str], keyword: &'static str) -> Self {
        let patterns = first_of(patterns, |pattern| cut(pattern, MAX_PATTERN_CHARS));
        let listed = first_of(&names, named);
        let expected = match (listed.is_empty(), patterns.is_empty()) {
            (true, true) => "no such key".to_owned(),
            (false, true) => ["only the keys ", &listed].concat(),
            (true, false) => format!("only keys that match {patterns}"),
            (false, false) => format!("only the keys {listed} and keys that match {patterns}"),
        };
        Self { names, expected, keyword }
    }
}

/// The first of `names`, each as `shown`, and the number of the others.
pub(super) fn first_of(names: &[&str], shown: impl Fn(&str) -> String) -> String {
    let listed: Vec<_> = names.iter().take(MAX_NAMED).map(|name| shown(name)).collect();
    match names.len().saturating_sub(MAX_NAMED) {
        0 => listed.join(", "),
        omitted => format!("{}, … {omitted} more", listed.join(", ")),
    }
}
