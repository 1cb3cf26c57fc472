//! What a scanner has to know of a schema.

use std::fmt;

use serde_json::Number;

/// Which parts of a value may be shown, and when.
pub(in crate::reading) trait Guide {
    /// What is known of one place in the value.
    type Place: Copy + fmt::Debug + PartialEq;

    /// The place of the whole value.
    fn root(&self) -> Self::Place;

    /// What to do with the member of the object at `place` under `key`.
    fn member(&mut self, place: Self::Place, key: &str) -> Member<Self::Place>;

    /// The place of the element at `index`.
    fn item(&mut self, place: Self::Place, index: usize) -> Self::Place;

    /// Whether an object or a list may stand at `place`. What stands in one that may not is not
    /// shown.
    fn admits(&self, place: Self::Place, bracket: Bracket) -> bool;

    /// How many bytes of a string have to be known before it is shown while it is written; `None`
    /// if only a whole one is.
    fn shown_from(&self, place: Self::Place) -> Option<usize>;

    /// Whether `scalar` is at `place` what it will be in the end.
    fn is_final(&self, place: Self::Place, scalar: Scalar<'_>) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reading) enum Bracket {
    List,
    Object,
}

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reading) enum Member<P> {
    /// It is shown.
    At(P),
    /// It is not shown, and says nothing of the others.
    Ignored,
    /// It is not shown, and may be another one in the end.
    Unsure,
}

/// A value without parts.
#[derive(Debug, Clone, Copy)]
pub(in crate::reading) enum Scalar<'s> {
    Null,
    Bool(bool),
    Number(&'s Number),
    String(&'s str),
}
