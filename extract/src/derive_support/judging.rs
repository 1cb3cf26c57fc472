//! Runs the checks and rules of a type on a value.

use serde_json::Value;

use super::DescribedType;
use crate::{
    validation::{ClosedPart, DeferredCheck, LazyPath, PartFindings, RuleJudge, ValidParts, ValuePart},
    vocabulary::{context::ErasedContext, violation::Violation},
};

/// The rejections by the checks and rules of `value` and its parts, except async ones. Checks and
/// rules that need another context than `context` do not run.
pub(crate) fn judge<'v, T: DescribedType>(value: &'v T, context: ErasedContext<'v>) -> Vec<Violation> {
    let mut judge = RuleJudge::new(context);
    value.__extract_judge(&LazyPath::root(), &mut judge);
    judge.into_violations()
}

/// The async checks and rules of `value`, in the order of the value.
pub(crate) fn deferred_checks<'v, T: DescribedType>(
    value: &'v T,
    context: ErasedContext<'v>,
) -> Vec<DeferredCheck<'v>> {
    let mut judge = RuleJudge::collecting(context);
    value.__extract_judge(&LazyPath::root(), &mut judge);
    judge.into_deferred()
}

/// Returns the violations of the valid parts of `value`, whose violations so far are `broken`.
pub(crate) fn judge_parts<T: DescribedType>(
    value: &Value,
    broken: &[Violation],
    context: ErasedContext<'_>,
) -> Vec<Violation> {
    ValidParts::judge(value, broken, context, |part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>| {
        T::__extract_valid_parts::<()>(part, valid_parts);
    })
}

/// The findings of serde, checks and rules on a part of a `T`, judged by itself. Only the types on
/// the way to the part and inside it are visited.
pub(crate) fn judge_part<T: DescribedType>(part: ClosedPart<'_>, context: ErasedContext<'_>) -> PartFindings {
    ValidParts::judge_closed(part, context, |part, valid_parts| {
        T::__extract_part(Some(part), valid_parts, &|_, _, _| {});
    })
}

/// The violations of `value`, which satisfies the schema but is rejected by serde for the reasons
/// in `broken`.
pub(crate) fn with_parts<T: DescribedType>(
    value: &Value,
    mut broken: Vec<Violation>,
    context: ErasedContext<'_>,
) -> Vec<Violation> {
    let parts = judge_parts::<T>(value, &broken, context);
    // serde does not always know the path; a part that fails for the same reason has one.
    broken.retain(|violation| {
        !parts.iter().any(|part| part.message == violation.message && part.path.is_within(&violation.path))
    });
    broken.extend(parts);
    broken
}
