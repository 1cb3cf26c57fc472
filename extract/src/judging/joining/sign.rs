//! A sign that an addition is no continuation.

/// Whether something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Yes,
    No,
    /// More of the text will tell.
    Maybe,
}
