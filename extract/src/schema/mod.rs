//! From a type to its JSON Schema.

mod absence;
mod aliases;
mod bounds;
#[cfg(test)]
pub(crate) mod constraints;
pub mod dialect;
mod each;
mod example;
mod field;
mod flatten;
mod keyed;
mod keyword;
mod notation;
mod part;
mod property;
mod root;
mod shape;
mod shown;
mod source;
mod takes;
mod union_;

use std::any::{TypeId, type_name};

use schemars::generate::SchemaSettings;
use serde_json::Value;

pub(crate) use self::example::{example, format_example};
pub(crate) use self::union_::OTHER;
pub(crate) use self::{
    absence::{Absence, absence},
    bounds::{Bounds, Unbounded, bounds, check_nesting, nests_deeper},
    field::Field,
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
use crate::Extractable;

/// The JSON Schema (2020-12) of what deserializes into `T`.
pub(crate) fn of<T: Extractable>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<Field<T>>().to_value()
}

/// Whether `schema` describes another name of a field, which is understood but not asked for.
pub(crate) fn is_deprecated(schema: &Value) -> bool {
    schema.get("deprecated").is_some_and(|is_deprecated| *is_deprecated == true)
}

/// What no other type is called, also where two types have the same path (inside functions).
pub(crate) fn id_of<T: 'static>() -> String {
    format!("{} {:?}", type_name::<T>(), TypeId::of::<T>())
}
