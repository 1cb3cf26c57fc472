//! Everything that generated code names. Not part of the stable interface.

pub use std::{borrow::Cow, option::Option};

pub use schemars::{Schema, SchemaGenerator};

pub use crate::{
    context::{Asked, AskedOfFields, Needs, NoContext, NotAsked, Provides},
    extractable::{Extractable, constant, doc, name},
    schema::{
        HasKeys, Keyword, Length, Property, Shape, Source, Tagging, TakesElements, TakesEntries, TakesLength,
        TakesPattern, TakesRange, Variant, bound, enum_, examples, key, struct_, text_example, values,
    },
    validation::{At, Awaited, Healthy, Judge, Part, Place, Step},
};

#[cfg(feature = "derive")]
pub use extract_derive::at;

use crate::context::Given;

/// A field, and where it stands in the JSON.
pub type Named = (&'static str, Step);

/// A name. Generated code cannot say `str`, which the user may have given to something else.
pub type Text<'a> = Cow<'a, str>;

/// What the checks and rules of `value` reject, without a context; for tests of the derive.
pub fn judge<T: Extractable>(value: &T) -> Vec<crate::Violation> {
    Judge::judge(value, Given::default())
}

/// What the checks and rules of `value` reject; for tests of the derive.
pub fn judge_within<T: crate::Within<C>, C: Sync + 'static>(value: &T, context: &C) -> Vec<crate::Violation> {
    Judge::judge(value, Given::new(context))
}
