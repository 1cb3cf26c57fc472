//! Everything that generated code names. Not part of the stable interface.

pub use std::{borrow::Cow, option::Option};

pub use schemars::{Schema, SchemaGenerator};
pub use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{
    contract::Contract,
    judging::{PartJudge, ValueChecks},
    validation::{ClosedPart, SurroundingValues, scalar_around},
    vocabulary::{context::ErasedContext, path::Path, violation::Violation},
};
pub use crate::{
    derive_support::{
        Accepted, AcceptedArray, AcceptedAsKeys, AcceptedWithChrono04, AcceptedWithChrono04OrTime03,
        AcceptedWithIndexmap2, AcceptedWithJiff02, AcceptedWithJiff02OrTime03, AcceptedWithRc,
        AcceptedWithRustDecimal1, AcceptedWithSemver1, AcceptedWithTime03, AcceptedWithUrl2,
        AcceptedWithUuid1, AskedAnswer, AskedType, BuiltPath, CanBeAsked, CannotBeAsked, ContextCheck,
        CowGrowth, DerivedType, DescribedType, DeserializableType, DisabledFeature, ElementsGrowth,
        EnabledFeature, EntriesGrowth, FeatureIndexmap2, FeatureRc, FieldContextChecks, FieldPosition,
        FieldsGrowth, GrowthOf, HasPartial, IsDerived, IsDescribed, IsSized, IsUnsized, JsonGrowth,
        NoContextCheck, NotAsked, NotOptional, OptionGrowth, PointerGrowth, Progress, ReportedElsewhere,
        StringGrowth, TupleGrowth, TypePath, WhileWriting, WholeGrowth, WrittenPart, constant, doc, element,
        inside, is_deserializable, name, read_value, source_without_rules, type_of,
    },
    schema::{
        accepts::{AcceptsElements, AcceptsEntries, AcceptsLength, AcceptsPattern, AcceptsRange, LengthUnit},
        flatten::HasKeys,
        keyword::{FieldKeyword, bound, examples, key, text_example, values},
        marks::ordered,
        mistakes::SerdeRefusal,
        shape::{FieldProperty, FieldsShape, SchemaSource, struct_},
        union_::{EnumTagging, EnumVariant, enum_},
    },
    validation::{AwaitedCheck, LazyPath, RuleJudge, RuleResult, ValidParts, ValuePart},
    vocabulary::context::{NeedsContext, NoContext, ProvidesContext},
};

#[cfg(feature = "derive")]
pub use extract_derive::at;

/// A field, and its position in the JSON.
pub type FieldStep = (&'static str, FieldPosition);

/// A name. Generated code cannot name `str`, because the user may have a type of that name.
pub type NameText<'a> = Cow<'a, str>;

/// Returns what the checks and rules of `value` reject, without a context; for tests of the derive.
pub fn judge<T: DescribedType>(value: &T) -> Vec<Violation> {
    crate::derive_support::judge(value, RuleJudge::default())
}

/// Returns what the checks and rules of `value` reject; for tests of the derive.
pub fn judge_within<T: crate::derive_support::WithContext<C>, C: Sync + 'static>(
    value: &T,
    context: &C,
) -> Vec<Violation> {
    crate::derive_support::judge(value, RuleJudge::new(ErasedContext::new(context)))
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
