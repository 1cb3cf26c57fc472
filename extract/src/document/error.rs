//! Errors of headings and sources that do not fit the text of a document.

use std::ops::Range;

/// Why headings or a source do not fit the text of a [`Document`](super::Document). Only readers of
/// other formats meet it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// A heading is not in the text, cuts a character, is empty, or begins before the end of the one
    /// before it.
    #[error("the bytes {} to {} are not a heading after the one before it", range.start, range.end)]
    Heading {
        /// Its bytes.
        range: Range<usize>,
    },
    /// The map does not cover the text, or leads out of the source.
    #[error("the map does not cover the text, or leads out of the source")]
    SourceMap,
}
