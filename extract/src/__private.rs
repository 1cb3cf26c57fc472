//! Everything that generated code names. Not part of the stable interface.

pub use std::{
    borrow::{Cow, ToOwned},
    option::Option,
    string::String,
};

pub use schemars::{Schema, SchemaGenerator};

pub use crate::{
    extractable::{Extractable, constant, doc, name},
    schema::{
        Keyword, Length, Property, Shape, Source, Tagging, TakesElements, TakesEntries, TakesLength,
        TakesPattern, TakesRange, Variant, bound, enum_, examples, key, struct_, text_example, values,
    },
    validation::{Judge, Place},
};

/// What the checks and rules of `value` reject; for tests of the derive.
pub fn judge<T: Extractable>(value: &T) -> Vec<crate::Violation> {
    Judge::judge(value)
}
