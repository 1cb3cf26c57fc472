//! Errors of looking up a quote.

use thiserror::Error;

/// Why a quote has no location in a document. Prints what is wrong with the quote, as a violation
/// does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum QuoteError {
    /// The quote is empty, or only invisible.
    #[error("is empty")]
    Empty,
    /// The quote has neither a letter nor a digit nor a picture, and so could be anywhere.
    #[error("has no words")]
    NoWords,
    /// The words do not occur in the text, even after normalisation.
    #[error("not found in the text")]
    NotInText,
}
