//! Types of other crates.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Described;
use crate::{context::NoContext, schema::keyed::HasKeys};

/// Makes a foreign type that has `Deserialize` and `schemars::JsonSchema` extractable.
///
/// Transparent for serde and for the schema; its value is the public field.
///
/// ```
/// use extract::{Extractable, Foreign};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// # mod other_crate {
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// pub struct Celsius(pub f64);
/// # }
///
/// assert_eq!(Foreign::<other_crate::Celsius>::schema()["type"], "number");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Foreign<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + 'static> Described for Foreign<T> {
    type __ExtractContext = NoContext;

    fn __extract_schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn __extract_inline_schema() -> bool {
        T::inline_schema()
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

// Nobody knows what is inside.
#[diagnostic::do_not_recommend]
impl<T, D> HasKeys<D> for Foreign<T> {}

impl<T> Deref for Foreign<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Foreign<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Foreign<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}
