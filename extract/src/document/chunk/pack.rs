//! Packs units into chunks, and cuts only units that are too long for a chunk.

use std::{ops::Range, sync::Arc};

use crate::document::{
    characters::{is_inside_character, is_unspaced},
    chunk::sentences::sentences,
};

/// The measure of a text's length.
#[derive(Clone)]
pub(super) enum SizeMeasure {
    Chars,
    Counted(Arc<dyn Fn(&str) -> usize + Send + Sync>),
}

impl SizeMeasure {
    fn of(&self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Counted(count) => count(text),
        }
    }
}

/// A kind of unit, from the largest to the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitLevel {
    /// With the whitespace after it.
    Paragraph,
    Sentence,
    Line,
    Word,
    /// A visible character. It is never cut.
    Character,
}

impl UnitLevel {
    fn smaller(self) -> Option<Self> {
        match self {
            Self::Paragraph => Some(Self::Sentence),
            Self::Sentence => Some(Self::Line),
            Self::Line => Some(Self::Word),
            Self::Word => Some(Self::Character),
            Self::Character => None,
        }
    }
}

pub(super) struct ChunkPacker<'t> {
    text: &'t str,
    most: usize,
    size: &'t SizeMeasure,
    chunks: Vec<Range<usize>>,
    /// The chunk that is being filled, and its size.
    open: Range<usize>,
    filled: usize,
}

impl<'t> ChunkPacker<'t> {
    pub(super) fn new(text: &'t str, most: usize, size: &'t SizeMeasure) -> Self {
        Self { text, most, size, chunks: Vec::new(), open: 0..0, filled: 0 }
    }

    /// Adds consecutive paragraphs that follow the text added so far: as one unit, if they fit.
    pub(super) fn add_together(&mut self, paragraphs: &[Range<usize>]) {
        let [first, .., last] = paragraphs else {
            return paragraphs.iter().for_each(|only| self.add(only.clone(), UnitLevel::Paragraph));
        };
        let whole = first.start..last.end;
        if self.size.of(&self.text[whole.clone()]) <= self.most {
            self.add(whole, UnitLevel::Paragraph);
        } else {
            for one in paragraphs {
                self.add(one.clone(), UnitLevel::Paragraph);
            }
        }
    }

    /// Adds `range`, which follows the text added so far.
    pub(super) fn add(&mut self, range: Range<usize>, level: UnitLevel) {
        let size = self.size.of(&self.text[range.clone()]);
        if self.filled.saturating_add(size) > self.most {
            match level.smaller().filter(|_| size > self.most) {
                Some(smaller) => {
                    let mut start = range.start;
                    for end in ends(&self.text[range.clone()], smaller) {
                        // A cut must not separate a combining mark from its letter.
                        let end = range.start + end;
                        if start < end && (end == range.end || !is_inside_character(self.text, end)) {
                            self.add(start..end, smaller);
                            start = end;
                        }
                    }
                    return;
                }
                None => self.finish_chunk(),
            }
        }
        self.open.end = range.end;
        self.filled = self.filled.saturating_add(size);
    }

    /// Closes the open chunk, so that the next unit starts another one.
    pub(super) fn finish_chunk(&mut self) {
        if !self.open.is_empty() {
            self.chunks.push(self.open.clone());
        }
        self.open.start = self.open.end;
        self.filled = 0;
    }

    pub(super) fn finish(mut self) -> Vec<Range<usize>> {
        self.finish_chunk();
        self.chunks
    }
}

/// Where the units of `text` end; the last one ends with it.
fn ends(text: &str, level: UnitLevel) -> Vec<usize> {
    let mut ends = match level {
        UnitLevel::Paragraph => Vec::new(),
        UnitLevel::Sentence => sentences(text),
        UnitLevel::Line => text.match_indices('\n').map(|(at, _)| at + 1).collect(),
        UnitLevel::Word => words(text),
        UnitLevel::Character => text.char_indices().map(|(at, _)| at).collect(),
    };
    ends.push(text.len());
    ends
}

/// Where words end, including the spaces after them. Scripts without spaces may be cut anywhere.
fn words(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let is_end = before.is_some_and(|before| before.is_whitespace() && !c.is_whitespace());
        if is_end || (is_unspaced(c) && before.is_some_and(is_unspaced)) {
            ends.push(at);
        }
        before = Some(c);
    }
    ends
}
