//! Lets the compiler check whether the rules of each field can use the context of the whole type.

use std::marker::PhantomData;

use super::DescribedType;
use crate::vocabulary::context::ProvidesContext;

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
