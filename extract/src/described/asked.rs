//! The compiler's answer whether the rules of each field can do with the context of the whole.

use std::marker::PhantomData;

use super::Described;
use crate::context::Provides;

/// A type of which the compiler is asked whether its rules can do with a context.
#[derive(Debug)]
pub struct Asked<T>(PhantomData<fn() -> T>);

#[expect(clippy::new_without_default, reason = "only generated code makes one")]
impl<T> Asked<T> {
    /// Asks nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Described> Asked<T> {
    /// Compiles if `C` is enough.
    pub fn within<C: Provides<T::__ExtractContext>>(self) {}
}

/// A place for the questions about the fields of a type; nobody calls it.
pub trait AskedOfFields {
    /// Holds the questions.
    fn __extract_asked();
}

/// The answer of a type that is not extractable, which is said elsewhere already.
pub trait NotAsked: Sized {
    /// Compiles.
    fn within<C>(self) {}
}

impl<T> NotAsked for &Asked<T> {}
