//! The knowledge of a schema that a scanner needs.

use std::fmt;

use serde_json::Number;

use crate::vocabulary::tokens::Bracket;

/// Decides which parts of a value may be shown, and when.
pub(crate) trait Guide {
    /// The knowledge about one place in the value.
    type Place: Copy + fmt::Debug + PartialEq;

    /// The place of the whole value.
    fn root(&self) -> Self::Place;

    /// Returns what to do with the member of the object at `place` under `key`.
    fn member(&mut self, place: Self::Place, key: &str) -> Member<Self::Place>;

    /// The place of the element at `index`.
    fn item(&mut self, place: Self::Place, index: usize) -> Self::Place;

    /// Returns whether an object or a list may be at `place`. If not, nothing inside it is shown.
    fn admits(&self, place: Self::Place, bracket: Bracket) -> bool;

    /// After how many bytes a growing string may be shown; `None` if it is shown only when
    /// complete.
    fn shown_from(&self, place: Self::Place) -> Option<usize>;

    /// Returns whether a number at `place` with a fraction or an exponent is a string of its
    /// digits.
    fn keeps_digits(&self, place: Self::Place) -> bool;

    /// Returns whether `scalar` at `place` will not change any more.
    fn is_final(&self, place: Self::Place, scalar: Scalar<'_>) -> bool;
}

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member<P> {
    /// It is shown.
    At(P),
    /// It is not shown, and does not affect the others.
    Ignored,
    /// It is not shown, and may turn out to be another member.
    Unsure,
}

/// A value without children.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scalar<'s> {
    Null,
    Bool(bool),
    Number(&'s Number),
    String(&'s str),
}
