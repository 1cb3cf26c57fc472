//! Everything that generated code names. Not part of the stable interface.

pub use std::{borrow::Cow, option::Option};

pub use schemars::{Schema, SchemaGenerator};
pub use serde::{Deserialize, Deserializer};

pub use crate::{
    context::{Needs, NoContext, Provides},
    described::{
        Any, At, Boxed, ContextCheck, Derived, Described, Elements, Entries, FieldContextChecks, Fields,
        Growth, HasPartial, Inside, Members, NoContextCheck, Owned, Progress, Read, Start, Step, TypePlace,
        WhileWriting, Whole, Written, constant, doc, element, inside, is_read, name, read_value, type_of,
    },
    schema::{
        keyed::HasKeys,
        keyword::{Keyword, bound, examples, key, text_example, values},
        property::Property,
        shape::{Shape, struct_},
        source::Source,
        takes::{Length, TakesElements, TakesEntries, TakesLength, TakesPattern, TakesRange},
        union_::{Tagging, Variant, enum_},
    },
    validation::{Awaited, Healthy, Judge, LazyPath, Part},
};

#[cfg(feature = "derive")]
pub use extract_derive::at;

use crate::context::Given;

/// A field, and where it stands in the JSON.
pub type Named = (&'static str, Step);

/// A name. Generated code cannot say `str`, which the user may have given to something else.
pub type Text<'a> = Cow<'a, str>;

/// What the checks and rules of `value` reject, without a context; for tests of the derive.
pub fn judge<T: Described>(value: &T) -> Vec<crate::violation::Violation> {
    crate::described::judge(value, Given::default())
}

/// What the checks and rules of `value` reject; for tests of the derive.
pub fn judge_within<T: crate::described::Within<C>, C: Sync + 'static>(
    value: &T,
    context: &C,
) -> Vec<crate::violation::Violation> {
    crate::described::judge(value, Given::new(context))
}
