//! What decides whether a list has an element twice.

use serde_json::Value;

use crate::schema::any_within;

/// The keyword of lists that have no element twice.
pub(super) const UNIQUE: &str = "uniqueItems";

/// What decides whether a list has an element twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RepetitionCheck {
    Schema,
    /// What the type knows of the elements.
    Type,
}

impl RepetitionCheck {
    /// The one for a type with this schema.
    pub(super) fn of_type(schema: &Value) -> Self {
        let is_unique = |part: &Value| part.get(UNIQUE).is_some();
        if any_within(schema, &is_unique) { Self::Type } else { Self::Schema }
    }
}
