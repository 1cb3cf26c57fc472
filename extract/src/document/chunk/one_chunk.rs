//! One chunk of a document.

use std::{fmt, ops::Range};

use crate::document::{span::Span, text::Document};

/// A part of a document for one request, with the text before it as context.
#[derive(Clone)]
pub struct Chunk {
    document: Document,
    index: usize,
    range: Range<usize>,
    context_start: usize,
}

impl fmt::Debug for Chunk {
    /// Omits the text, which may be long or secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Chunk");
        shown.field("index", &self.index).field("range", &self.range);
        shown.field("context", &self.context_range()).finish_non_exhaustive()
    }
}

impl Chunk {
    /// The chunk of `range`, a range of the text, with up to `context` characters before it.
    pub(super) fn new(document: &Document, index: usize, range: Range<usize>, context: usize) -> Self {
        let before = &document.text()[..range.start];
        let start = match context.checked_sub(1) {
            None => range.start,
            Some(last) => before.char_indices().rev().nth(last).map_or(0, |(start, _)| start),
        };
        // Half a word would be mistaken for a word.
        let is_cut = before[..start].chars().next_back().is_some_and(|c| !c.is_whitespace());
        let first_word = before[start..].find(char::is_whitespace).filter(|_| is_cut);
        let context_start = first_word.map_or(start, |space| start + space);
        Self { document: document.clone(), index, range, context_start }
    }

    /// Returns its number in the order of the text, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the text to extract from.
    pub fn text(&self) -> &str {
        &self.document.text()[self.range.clone()]
    }

    /// Returns its bytes in the document.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns its location in the document.
    pub fn span(&self) -> Span {
        self.document.span_of(self.range.clone())
    }

    /// Returns the text right before it. It helps to understand the chunk; nothing is extracted
    /// from it.
    pub fn context(&self) -> &str {
        &self.document.text()[self.context_range()]
    }

    /// Returns the bytes of [`context`](Self::context) in the document.
    pub fn context_range(&self) -> Range<usize> {
        self.context_start..self.range.start
    }

    /// Returns the document it is part of.
    pub fn document(&self) -> &Document {
        &self.document
    }
}
