//! A sign that an addition is not a continuation.

/// A yes, a no or a maybe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinSign {
    Yes,
    No,
    /// More of the text will tell.
    Maybe,
}
