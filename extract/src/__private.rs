//! Everything that generated code names. Not part of the stable interface.

pub use std::{borrow::Cow, option::Option};

pub use schemars::{Schema, SchemaGenerator};
pub use serde::{Deserialize, Deserializer};

pub use crate::{
    context::{Needs, NoContext, Provides},
    described::{
        Able, Accepted, AcceptedAsKeys, AcceptedWithChrono04, AcceptedWithIndexmap2, AcceptedWithJiff02,
        AcceptedWithJiff02OrTime03, AcceptedWithRc, AcceptedWithRustDecimal1, AcceptedWithSemver1,
        AcceptedWithTime03, AcceptedWithUrl2, AcceptedWithUuid1, Answer, Any, Asked, At, Boxed, ContextCheck,
        Derived, Described, Deserializable, Disabled, Elements, Elsewhere, Enabled, Entries,
        FeatureIndexmap2, FeatureRc, FieldContextChecks, Fields, Growth, HasPartial, Inside, IsDerived,
        IsDescribed, IsSized, IsUnsized, Members, NoContextCheck, NotAsked, NotOptional, Owned, Progress,
        Start, Step, TypePlace, Unable, WhileWriting, Whole, Written, constant, doc, element, inside,
        is_deserializable, name, read_value, type_of,
    },
    schema::{
        accepts::{AcceptsElements, AcceptsEntries, AcceptsLength, AcceptsPattern, AcceptsRange, Length},
        keyed::HasKeys,
        keyword::{Keyword, bound, examples, key, text_example, values},
        orders::ordered,
        property::Property,
        refused::Refusal,
        shape::{Shape, struct_},
        source::Source,
        union_::{Tagging, Variant, enum_},
    },
    validation::{Awaited, Healthy, Judge, Judged, LazyPath, Part},
};

#[cfg(feature = "derive")]
pub use extract_derive::at;

use serde_json::Value;

use crate::{
    context::ErasedContext,
    contract::Contract,
    judging::{PartJudge, ValueChecks},
    path::Path,
    validation::{ClosedPart, SurroundingValues, scalar_around},
    violation::Violation,
};

/// A field, and its position in the JSON.
pub type Named = (&'static str, Step);

/// A name. Generated code cannot name `str`, because the user may have a type of that name.
pub type Text<'a> = Cow<'a, str>;

/// Returns what the checks and rules of `value` reject, without a context; for tests of the derive.
pub fn judge<T: Described>(value: &T) -> Vec<Violation> {
    crate::described::judge(value, ErasedContext::default())
}

/// Returns what the checks and rules of `value` reject; for tests of the derive.
pub fn judge_within<T: crate::described::Within<C>, C: Sync + 'static>(
    value: &T,
    context: &C,
) -> Vec<Violation> {
    crate::described::judge(value, ErasedContext::new(context))
}

/// Judges the part of `whole` at `path` by itself; for tests. Of the rest of `whole`, the checks
/// see only the scalar members of the objects around the part.
///
/// # Errors
///
/// If there is no such part, or a check panics.
pub fn judge_part(contract: &Contract, path: &Path, whole: &Value) -> Result<Vec<Violation>, String> {
    let value = path.resolve(whole).ok_or("there is no such part")?;
    let around = |depth: usize, key: &str| scalar_around(whole, path, depth, key);
    let judge = PartJudge::new(contract.clone(), ValueChecks::UNTYPED, ErasedContext::default());
    let findings = judge.judge(ClosedPart { path, value, around: SurroundingValues::new(&around) })?;
    Ok(findings.violations)
}
