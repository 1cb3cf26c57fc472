//! From a type to its JSON Schema.

mod example;
mod field;
mod optional;

use schemars::generate::SchemaSettings;
use serde_json::Value;

pub(crate) use self::example::{example, format_example};
pub use self::field::Field;
use crate::Extractable;

/// The JSON Schema (2020-12) of what deserializes into `T`.
pub(crate) fn of<T: Extractable>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let generator = settings.with_transform(optional::Resolve).into_generator();
    generator.into_root_schema_for::<Field<T>>().to_value()
}
