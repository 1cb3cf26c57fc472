//! Runs the checks and rules of a type on a value. The compiler checks whether the rules of each field
//! can use the context of the whole type.

use std::marker::PhantomData;

use serde_json::Value;

use super::DescribedType;
use crate::{
    validation::{ClosedPart, DeferredCheck, LazyPath, PartFindings, RuleJudge, ValidParts, ValuePart},
    vocabulary::{
        context::{ErasedContext, NoContext, ProvidesContext},
        violation::Violation,
    },
};

/// A type whose rules can use the context `C`. Every [`Extractable`](crate::Extractable) type is
/// one for the context that its rules need; if they need none, it is one for every context.
///
/// Use it as a bound of functions that are generic over the extracted type. It is implemented
/// automatically.
///
/// ```
/// use extract::{Agent, Extractable, ExtractionError, WithContext};
///
/// async fn ask<T: Extractable + WithContext + Send>(agent: &dyn Agent) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").await?.0)
/// }
///
/// async fn ask_within<T: Extractable + WithContext<C> + Send, C: Sync + 'static>(
///     agent: &dyn Agent,
///     context: &C,
/// ) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").context(context).await?.0)
/// }
/// # let _ = (ask::<u8>, ask_within::<u8, String>);
/// ```
pub trait WithContext<C = NoContext>: DescribedType {}

impl<T: DescribedType, C: ProvidesContext<T::__ExtractContext>> WithContext<C> for T {}

/// A type for which the compiler checks whether its rules can use a context.
#[derive(Debug)]
pub struct ContextCheck<T>(PhantomData<fn() -> T>);

#[expect(clippy::new_without_default, reason = "only generated code makes one")]
impl<T> ContextCheck<T> {
    /// Checks nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: DescribedType> ContextCheck<T> {
    /// Compiles if the rules can use `C`.
    pub fn within<C: ProvidesContext<T::__ExtractContext>>(self) {}
}

/// Holds the checks of the fields of a type; it is never called.
pub trait FieldContextChecks {
    /// The checks.
    fn __extract_context_checks();
}

/// For a type that is not extractable, which another error reports.
pub trait NoContextCheck: Sized {
    /// Compiles.
    fn within<C>(self) {}
}

impl<T> NoContextCheck for &ContextCheck<T> {}

/// The rejections by the checks and rules of `value` and its parts, except async ones. Checks and
/// rules that need another context than that of `judge` do not run.
pub(crate) fn judge<'v, T: DescribedType>(value: &'v T, mut judge: RuleJudge<'v>) -> Vec<Violation> {
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
    judge.deferred
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
