//! Packs the paragraphs of a document, with their headings, into chunks. Only those that are too long
//! for a chunk are cut.

use std::{iter::once, ops::Range, sync::Arc};

use crate::document::{
    characters::{is_inside_character, is_unspaced},
    chunk::sentences::sentences,
    text::Document,
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

/// Paragraphs that are kept together if they fit.
pub(super) struct ChunkUnit {
    /// A paragraph, preceded by its headings, without gaps.
    pub(super) paragraphs: Vec<Range<usize>>,
    /// Whether it starts with a heading, or at the start of a part with a name.
    pub(super) begins_section: bool,
}

/// The units of `document`, which cover it.
pub(super) fn units(document: &Document) -> Vec<ChunkUnit> {
    let text = document.text();
    let mut starts = paragraphs(text);
    let named = document.sections().iter().filter(|section| section.name().is_some());
    let sections: Vec<usize> = named
        .map(|section| section.range().start)
        .chain(document.headings().iter().map(|one| one.start))
        .collect();
    starts.extend(&sections);
    starts.extend(document.headings().iter().map(|heading| next_line(text, heading.end)));
    starts.retain(|start| *start < text.len() && !is_inside_character(text, *start));
    starts.sort_unstable();
    starts.dedup();
    let mut sections = sections;
    sections.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut units: Vec<ChunkUnit> = Vec::with_capacity(starts.len());
    let mut is_after_heading = false;
    for (start, end) in starts.iter().copied().zip(ends) {
        let begins_section = sections.binary_search(&start).is_ok();
        let is_heading = document.headings().binary_search_by_key(&start, |heading| heading.start).is_ok();
        match units.last_mut().filter(|_| is_after_heading) {
            // A heading belongs to the text that follows it.
            Some(heading) => heading.paragraphs.push(start..end),
            None => units.push(ChunkUnit { paragraphs: once(start..end).collect(), begins_section }),
        }
        is_after_heading = is_heading;
    }
    units
}

/// Where paragraphs start: at the start of the text, and after blank lines.
fn paragraphs(text: &str) -> Vec<usize> {
    let (mut starts, mut at, mut is_blank) = (vec![0], 0, false);
    for line in text.split_inclusive('\n') {
        let was_blank = std::mem::replace(&mut is_blank, line.trim().is_empty());
        if was_blank && !is_blank {
            starts.push(at);
        }
        at += line.len();
    }
    starts
}

/// The start of the next line after `at` that is not blank.
fn next_line(text: &str, at: usize) -> usize {
    let Some(end) = text[at..].find('\n') else { return text.len() };
    let blank = text[at + end + 1..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    at + end + 1 + blank.map(str::len).sum::<usize>()
}
