//! The verdict on a value and its quote.

/// Whether a value is in its quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValuePresence {
    /// It is.
    Yes,
    /// It is not, and the quote says, or would have to say, something else.
    No,
    /// It cannot be decided without understanding the words.
    Undecided,
}
