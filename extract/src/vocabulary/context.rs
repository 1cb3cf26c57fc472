//! The context of rules: what they look up besides the value, such as a catalogue or a price list.
//!
//! With `#[extract(context = C)]` on a type, its checks and rules get a `&C`, and
//! [`context`](crate::Extraction::context) passes it where an agent is asked. The compiler checks
//! that both types are the same.

use std::{any::Any, fmt, marker::PhantomData};

/// The context of an extraction without one.
#[derive(Debug, Clone, Copy)]
pub struct NoContext;

/// Stands for a type whose rules need a `C`.
#[derive(Debug)]
pub struct NeedsContext<C>(PhantomData<fn(C)>);

/// A context that satisfies `Need`: [`NoContext`] needs nothing, [`NeedsContext<C>`](NeedsContext) needs a `C`,
/// and a pair needs everything that its two parts need.
#[diagnostic::on_unimplemented(
    message = "rules need a context (`{Need}`), and here they get `{Self}`",
    label = "the context here is `{Self}`",
    note = "where an agent is asked, give the context: `.context(&...)`",
    note = "on a type that holds such a value, name the same context: `#[extract(context = ...)]`"
)]
pub trait ProvidesContext<Need> {}

#[diagnostic::do_not_recommend]
impl<C> ProvidesContext<NoContext> for C {}

#[diagnostic::do_not_recommend]
impl<C> ProvidesContext<NeedsContext<C>> for C {}

impl<C: ProvidesContext<A> + ProvidesContext<B>, A, B> ProvidesContext<(A, B)> for C {}

/// The context of one judgement, type-erased. The compiler has already checked its type.
#[derive(Clone, Copy, Default)]
pub(crate) struct ErasedContext<'c>(Option<&'c (dyn Any + Sync)>);

impl<'c> ErasedContext<'c> {
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

impl fmt::Debug for ErasedContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_some() { "a context" } else { "no context" })
    }
}
