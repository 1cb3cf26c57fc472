//! What rules know beside the value: a catalogue, a price list, the order that is being answered.
//!
//! `#[extract(context = C)]` on a type says that its checks and rules get a `&C`; [`context`](crate::Extraction::context) gives
//! it where an agent is asked. The compiler sees to it that both are the same.

use std::{any::Any, fmt, marker::PhantomData};

use crate::Extractable;

/// Where no context is given: what rules see of an extraction that was given none.
#[derive(Debug, Clone, Copy)]
pub struct NoContext;

/// Stands for a type whose rules need a `C`.
#[derive(Debug)]
pub struct Needs<C>(PhantomData<fn(C)>);

/// A context that has what `Need` asks for: [`NoContext`] asks for nothing, [`Needs<C>`](Needs) for a `C`, and a pair for what
/// both of its parts ask for.
#[diagnostic::on_unimplemented(
    message = "rules need a context (`{Need}`), and here they get `{Self}`",
    label = "the context here is `{Self}`",
    note = "where an agent is asked, give the context: `.context(&...)`",
    note = "on a type that holds such a value, name the same context: `#[extract(context = ...)]`"
)]
pub trait Provides<Need> {}

#[diagnostic::do_not_recommend]
impl<C> Provides<NoContext> for C {}

#[diagnostic::do_not_recommend]
impl<C> Provides<Needs<C>> for C {}

impl<C: Provides<A> + Provides<B>, A, B> Provides<(A, B)> for C {}

/// A type whose rules can do with the context `C`. Every [`Extractable`] type is one for the context that its rules
/// need, and a type whose rules need none is one for every context.
///
/// It is a bound for functions that are generic over what is asked for; nobody implements it.
///
/// ```
/// use extract::{Agent, Extractable, ExtractionError, Within};
///
/// async fn ask<T: Extractable + Within + Send>(agent: &dyn Agent) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").await?.0)
/// }
///
/// async fn ask_within<T: Extractable + Within<C> + Send, C: Sync + 'static>(
///     agent: &dyn Agent,
///     context: &C,
/// ) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").context(context).await?.0)
/// }
/// # let _ = (ask::<u8>, ask_within::<u8, String>);
/// ```
pub trait Within<C = NoContext>: Extractable {}

impl<T: Extractable, C: Provides<T::__ExtractContext>> Within<C> for T {}

/// A type of which the compiler is asked whether its rules can do with a context.
#[doc(hidden)]
#[derive(Debug)]
pub struct Asked<T>(PhantomData<fn() -> T>);

#[expect(clippy::new_without_default, reason = "only generated code makes one")]
impl<T> Asked<T> {
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Extractable> Asked<T> {
    pub fn within<C: Provides<T::__ExtractContext>>(self) {}
}

/// A place for the questions about the fields of a type; nobody calls it.
#[doc(hidden)]
pub trait AskedOfFields {
    fn __extract_asked();
}

/// The answer of a type that is not extractable, which is said elsewhere already.
#[doc(hidden)]
pub trait NotAsked: Sized {
    fn within<C>(self) {}
}

impl<T> NotAsked for &Asked<T> {}

/// The context of one judgement, without its type: the compiler has looked at that already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Given<'c>(Option<&'c (dyn Any + Sync)>);

impl<'c> Given<'c> {
    pub(crate) fn new<C: Sync + 'static>(context: &'c C) -> Self {
        Self(Some(context))
    }

    pub(crate) fn is_some(self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn get<C: 'static>(self) -> Option<&'c C> {
        let context: &'c dyn Any = self.0?;
        context.downcast_ref()
    }
}

impl fmt::Debug for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_some() { "a context" } else { "no context" })
    }
}
