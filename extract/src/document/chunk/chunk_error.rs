//! Why ranges are not the chunks of a document.

use std::ops::Range;

use thiserror::Error;

/// Why the ranges of [`Chunks::from_ranges`](crate::document::Chunks::from_ranges) do not fit a document. The ranges
/// are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// Outside of the text, or with an end inside a character, or before its own start.
    #[error("the chunk {range:?} is not in the text of {bytes} bytes, or cuts a character")]
    NotInText {
        /// The range as it was given.
        range: Range<usize>,
        /// The length of the document.
        bytes: usize,
    },
    /// It begins before the end of the chunk before it.
    #[error("the chunk {range:?} overlaps the one before it or precedes it")]
    OutOfOrder {
        /// The range as it was given.
        range: Range<usize>,
    },
    /// No chunk has this part of the text, which is more than white space.
    #[error("no chunk has the text at {range:?}")]
    Uncovered {
        /// What would not be asked about.
        range: Range<usize>,
    },
}
