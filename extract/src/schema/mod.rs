//! JSON Schema: generating it from types, reading it, and writing it for models and providers.

mod absence;
pub(crate) mod accepts;
mod additions;
mod aliases;
mod alternatives;
mod bounds;
mod buffered;
pub(crate) mod constraint;
mod decimal;
pub mod dialect;
mod drafts;
mod each;
mod error;
mod example;
mod flatten;
mod forms;
mod from_types;
mod grounded;
pub(crate) mod keyed;
pub(crate) mod keyword;
mod map_keys;
mod marks;
mod mistake;
mod narrow;
mod notation;
pub(crate) mod orders;
mod part;
pub(crate) mod property;
pub(crate) mod refused;
mod relaxed;
mod root;
pub(crate) mod shape;
mod shown;
pub(crate) mod source;
#[cfg(test)]
pub(crate) mod tests;
mod type_name;
pub(crate) mod union_;
mod validators;
pub(crate) mod view;
mod written;

use serde_json::Value;

pub(crate) use self::alternatives::{SchemaAlternative, alternatives};
pub(crate) use self::dialect::TOKENS_BEFORE;
pub(crate) use self::example::{example, format_example};
pub(crate) use self::orders::{TypeOrders, ValueOrder};
pub(crate) use self::refused::SerdeRefusal;
pub(crate) use self::source::SchemaSource;
pub(crate) use self::{
    absence::{AbsenceRules, says_of_null},
    bounds::{ValueBounds, bounds, check_nesting, nests_deeper},
    buffered::{NARROWER, STRING_KEYS, check_buffered, unbuffered},
    drafts::modern,
    each::each,
    forms::SchemaForms,
    from_types::from_types,
    grounded::constrain_values,
    map_keys::{check_keys, keys_of_type},
    marks::{
        DECIMAL, GROUNDED, KEEP_VALID_ITEMS, KEY, MERGE, OTHER, QUOTE, SENSITIVE, any_within, is_marked,
        is_marked_within,
    },
    mistake::{mistake, note_mistake},
    narrow::{FittingValues, NarrowingFailure, ReachedSchemas, described, is_sensitive, listed, narrowed},
    notation::{OutlineOptions, types},
    part::part_at,
    refused::note_refused,
    relaxed::relaxed,
    shown::{F32_MAX, drop_marks, shown},
    validators::validator_options,
    view::{
        MAX_CHAIN, REFERENCES, SchemaView, merged,
        pointer::{decoded, steps},
    },
    written::{PartialMembers, PartialSchema},
};
pub use self::{error::SchemaError, from_types::TypesError, narrow::NarrowingError};
pub use schemars::{Schema, SchemaGenerator, json_schema};

/// Returns whether `schema` describes an alias of a field, which is accepted but not asked for.
pub(crate) fn is_deprecated(schema: &Value) -> bool {
    schema.get("deprecated").is_some_and(|is_deprecated| *is_deprecated == true)
}
