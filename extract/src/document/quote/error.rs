//! Why a quote has no place.

use thiserror::Error;

/// Why a quote has no place in a document. Prints as what is wrong with the quote, as a violation quotes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum QuoteError {
    /// Nothing, or nothing that can be seen.
    #[error("is empty")]
    Empty,
    /// Neither a letter nor a digit nor a picture, so that it stands anywhere.
    #[error("has no words")]
    NoWords,
    /// The words are not there, whatever is normalised.
    #[error("does not stand in the text")]
    NotInText,
}
