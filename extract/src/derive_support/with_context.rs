//! Types whose rules can use a context. The compiler checks whether the rules of each field can use
//! the context of the whole type.

use std::marker::PhantomData;

use super::DescribedType;
use crate::vocabulary::context::{NoContext, ProvidesContext};

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
