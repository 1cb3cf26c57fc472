//! From a type to its JSON Schema.

mod absence;
mod aliases;
mod bounds;
#[cfg(test)]
pub(crate) mod constraints;
pub mod dialect;
mod each;
mod example;
mod flatten;
mod keyed;
mod keyword;
mod mistake;
mod notation;
mod part;
mod property;
mod root;
mod shape;
mod shown;
mod source;
mod takes;
mod union_;

use serde_json::Value;

pub(crate) use self::example::{example, format_example};
pub(crate) use self::union_::OTHER;
pub(crate) use self::{
    absence::{Absence, absence},
    bounds::{Unbounded, check_nesting, depth, nests_deeper},
    mistake::mistake,
    notation::types,
    part::part_at,
    root::root,
    shown::{drop_marks, shown},
};
pub use self::{
    keyed::HasKeys,
    keyword::{Keyword, bound, examples, key, text_example, values},
    property::Property,
    shape::{Shape, struct_},
    source::Source,
    takes::{Length, TakesElements, TakesEntries, TakesLength, TakesPattern, TakesRange},
    union_::{Tagging, Variant, enum_},
};
/// Whether `schema` describes another name of a field, which is understood but not asked for.
pub(crate) fn is_deprecated(schema: &Value) -> bool {
    schema.get("deprecated").is_some_and(|is_deprecated| *is_deprecated == true)
}
