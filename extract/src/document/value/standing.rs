//! What can be said of a value and its quote.

/// Whether a value stands in its quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It does.
    Yes,
    /// It does not, and something else does or would have to.
    No,
    /// That cannot be decided without knowing what the words mean.
    Undecided,
}
