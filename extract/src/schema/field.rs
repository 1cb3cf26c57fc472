//! The bridge from `Extractable` to `schemars`.

use std::{borrow::Cow, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::optional;
use crate::Extractable;

/// Stands for a `T` in the hidden twin of a derived type.
///
/// The twin has the fields of the user's type in these wrappers, and derives `schemars::JsonSchema`. So `schemars`
/// sees every serde attribute, and each field's type still answers for itself through [`Extractable`].
#[derive(Debug)]
pub struct Field<T>(PhantomData<fn() -> T>);

/// `#[serde(default)]` on a field makes `schemars` ask for a default of the field's type.
impl<T> Default for Field<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Extractable> JsonSchema for Field<T> {
    fn inline_schema() -> bool {
        // A marked schema must stand at the property itself; behind a `$ref` it would be lost.
        T::__EXTRACT_OPTIONAL || T::__extract_inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::__extract_schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::__extract_schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::__extract_json_schema(generator);
        if T::__EXTRACT_OPTIONAL {
            optional::mark(&mut schema);
        }
        schema
    }
}
