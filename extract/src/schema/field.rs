//! The bridge from `Extractable` to `schemars`.

use std::{borrow::Cow, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::Extractable;

/// Stands for a `T` where `schemars` is asked for a schema: definitions, references and recursion are its
/// work, and what a `T` looks like is answered by [`Extractable`].
#[derive(Debug)]
pub(crate) struct Field<T>(PhantomData<fn() -> T>);

impl<T: Extractable> JsonSchema for Field<T> {
    fn inline_schema() -> bool {
        T::__extract_inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::__extract_schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::__extract_schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::__extract_json_schema(generator)
    }
}
