//! One finished element of a list.

/// An element of a list that was accepted before the list was complete, from
/// [`Items`](super::Items).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item<V> {
    /// Its position in the list, from 0.
    pub index: usize,
    /// The element.
    pub value: V,
}

impl<V> Item<V> {
    pub(super) fn new(index: usize, value: V) -> Self {
        Self { index, value }
    }
}
