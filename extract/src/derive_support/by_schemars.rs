//! Types of other crates with a `schemars::JsonSchema`.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{DerivedType, foreign_keys::refused_keys, is_deserializable, partial_types::WholeGrowth};
use crate::{
    schema::{
        DECIMAL, F32_MAX, NARROWER, STRING_KEYS, SerdeRefusal, keyed::HasKeys, note_mistake, unbuffered,
    },
    vocabulary::context::NoContext,
};

/// Makes a type of another crate extractable: serde reads it, and its schema comes from
/// `schemars::JsonSchema`.
///
/// Transparent for serde and for the schema; its value is the public field.
///
/// ```
/// use extract::{Extractable, BySchemars};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// # mod other_crate {
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// pub struct Celsius(pub f64);
/// # }
///
/// assert_eq!(BySchemars::<other_crate::Celsius>::schema()["type"], "number");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BySchemars<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + 'static> DerivedType for BySchemars<T> {
    const __EXTRACT_IS_DESERIALIZABLE: Option<SerdeRefusal> = is_deserializable::<T>();

    type __ExtractContext = NoContext;
    type __ExtractGrowth = WholeGrowth;

    fn __extract_schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn __extract_inline_schema() -> bool {
        T::inline_schema()
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(reason) = refused_keys::<T>() {
            note_mistake(
                &mut schema,
                format!(
                    "a map inside of `BySchemars<{}>` has keys that are never strings, as keys are in JSON: \
                 {reason}; use keys of the type `String`, or a list of structs with the key and the value",
                    T::schema_name()
                ),
            );
        }
        schema
    }
}

/// The pattern of the decimals that `schemars` 1 knows, from `rust_decimal` and `bigdecimal`.
const DECIMAL_PATTERN: &str = r"^-?\d+(\.\d+)?([eE]\d+)?$";

/// The patterns of the keys that are integers.
const NUMBER_KEYS: [&str; 2] = [r"^\d+$", r"^-?\d+$"];

/// Adds what `schemars` does not write: the bounds of `f32`, the mark of decimals, and the marks of
/// types that serde cannot read from its buffer.
pub(super) fn complete(schema: &mut Schema) {
    for format in ["int128", "uint128"] {
        if schema.get("format").is_some_and(|found| found == format) {
            *schema = unbuffered(std::mem::take(schema), "an integer of 128 bits", NARROWER);
        }
    }
    let has_number_keys =
        |patterns: &Value| NUMBER_KEYS.iter().any(|pattern| patterns.get(pattern).is_some());
    if schema.get("patternProperties").is_some_and(has_number_keys) {
        *schema = unbuffered(std::mem::take(schema), "a map with keys of a number type", STRING_KEYS);
    }
    let Some(object) = schema.as_object_mut() else { return };
    let has = |keyword, value| object.get(keyword).is_some_and(|found| *found == value);
    let (is_f32, is_decimal) = (has("format", "float"), has("pattern", DECIMAL_PATTERN));
    if is_f32 && allows(object, "number") {
        for (keyword, bound) in [("minimum", -F32_MAX), ("maximum", F32_MAX)] {
            object.entry(keyword).or_insert_with(|| bound.into());
        }
    }
    if is_decimal && allows(object, "number") && allows(object, "string") {
        object.insert(DECIMAL.to_owned(), true.into());
    }
}

fn allows(schema: &Map<String, Value>, type_: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == type_),
        name => name.is_some_and(|name| name == type_),
    }
}

// Its content is unknown.
#[diagnostic::do_not_recommend]
impl<T, D> HasKeys<D> for BySchemars<T> {}

impl<T> Deref for BySchemars<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for BySchemars<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for BySchemars<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}
