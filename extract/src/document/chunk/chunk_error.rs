//! Errors of ranges that are not chunks of a document.

use std::ops::Range;

use thiserror::Error;

/// Why the ranges of [`Chunks::from_ranges`](crate::document::Chunks::from_ranges) do not fit a
/// document. Ranges are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The range is outside the text, cuts a character, or ends before its start.
    #[error("the chunk {range:?} is not in the text of {bytes} bytes, or cuts a character")]
    NotInText {
        /// The given range.
        range: Range<usize>,
        /// The length of the document.
        bytes: usize,
    },
    /// The range begins before the end of the previous one.
    #[error("the chunk {range:?} overlaps the one before it or precedes it")]
    OutOfOrder {
        /// The given range.
        range: Range<usize>,
    },
    /// No range covers this part of the text, which is more than whitespace.
    #[error("no chunk has the text at {range:?}")]
    Uncovered {
        /// The part that is not covered.
        range: Range<usize>,
    },
}
