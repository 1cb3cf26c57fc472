//! JSON Schema: generating it from types, reading it, and writing it for models and providers.

pub(crate) mod accepts;
mod alternatives;
mod bounds;
mod check;
pub(crate) mod constraint;
pub mod dialect;
mod drafts;
mod example;
mod flat_fields;
pub(crate) mod flatten;
mod forms;
mod from_types;
mod joint;
pub(crate) mod keyword;
pub(crate) mod marks;
pub(crate) mod mistakes;
mod narrow;
mod notation;
mod relaxed;
pub(crate) mod shape;
mod shown;
pub(crate) mod union_;
mod validators;
pub(crate) mod view;
mod written;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::{HashMap, HashSet};

pub use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

pub(crate) use self::{
    alternatives::{SchemaAlternative, alternatives},
    bounds::{Subschemas, ValueBounds, bounds, check_nesting, nests_deeper},
    check::check,
    dialect::TOKENS_BEFORE,
    drafts::modern,
    example::{example, format_example},
    forms::{AbsenceRules, SchemaForms},
    from_types::from_types,
    joint::constrain_values,
    marks::{
        DECIMAL, GROUNDED, KEEP_VALID_ITEMS, KEY, MERGE, OTHER, QUOTE, SENSITIVE, TypeOrders, ValueOrder,
        any_within, is_marked, is_marked_within,
    },
    mistakes::{
        NARROWER, STRING_KEYS, SerdeRefusal, check_buffered, check_keys, keys_of_type, mistake, note_mistake,
        note_refused, unbuffered,
    },
    narrow::{FittingValues, NarrowingFailure, ReachedSchemas, described, is_sensitive, listed, narrowed},
    notation::{OutlineOptions, types},
    relaxed::relaxed,
    shape::SchemaSource,
    shown::{F32_MAX, drop_marks, shown},
    validators::validator_options,
    view::{
        MAX_CHAIN, REFERENCES, SchemaView, each,
        keywords::says_of_null,
        merged,
        pointer::{decoded, steps},
        replace_references,
    },
    written::{PartialMembers, PartialSchema, part_at},
};
pub use self::{from_types::TypesError, narrow::NarrowingError};
use crate::vocabulary::{path::Path, text::said};

/// Returns whether `schema` describes an alias of a field, which is accepted but not asked for.
pub(crate) fn is_deprecated(schema: &Value) -> bool {
    schema.get("deprecated").is_some_and(|is_deprecated| *is_deprecated == true)
}

/// Names that differ from each other: of definitions, and of types in a notation.
#[derive(Default)]
pub(crate) struct DistinctNames {
    taken: HashSet<String>,
    /// The last number given to each name.
    numbers: HashMap<String, usize>,
}

impl DistinctNames {
    /// Others than these.
    pub(crate) fn beside(taken: impl IntoIterator<Item = String>) -> Self {
        Self { taken: taken.into_iter().collect(), numbers: HashMap::new() }
    }

    /// `wanted`, with a number if it is taken.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_owned()) { wanted.to_owned() } else { self.numbered(wanted) }
    }

    /// `wanted` with a number, from 2.
    pub(crate) fn numbered(&mut self, wanted: &str) -> String {
        let number = self.numbers.entry(wanted.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{wanted}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

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
