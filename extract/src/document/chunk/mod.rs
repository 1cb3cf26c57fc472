//! Chunks: the parts of a document that requests ask about separately.

mod pack;

use std::{fmt, ops::Range, sync::Arc};

use thiserror::Error;

use self::pack::{ChunkPacker, SizeMeasure, units};
use crate::document::{span::Span, text::Document};

/// How a document is divided into chunks.
///
/// Chunks cover the document exactly, in order and without overlap. A paragraph, a sentence or a
/// row of a table that fits into a chunk is not cut. A heading stays with the text that follows it
/// if both fit. A unit that is too long is cut into the next smaller ones: sentences, lines, words,
/// visible characters.
///
/// ```
/// use extract::document::{Chunks, Document};
///
/// let text = "# Pain\n\nShe denied any. Slept well.\n\n# Drugs\n\nNone.";
/// let document = Document::from_text(text).with_headings([0..6, 37..44]).unwrap();
/// let chunks = document.chunks(&Chunks::chars(40).context(10)).unwrap();
/// let texts: Vec<_> = chunks.iter().map(|chunk| chunk.text()).collect();
/// assert_eq!(texts, ["# Pain\n\nShe denied any. Slept well.\n\n", "# Drugs\n\nNone."]);
/// assert_eq!(chunks[1].context(), " well.\n\n");
/// ```
#[derive(Clone)]
pub struct Chunks {
    by: ChunkBasis,
    context: usize,
    by_section: bool,
}

#[derive(Clone)]
enum ChunkBasis {
    Size(usize, SizeMeasure),
    Ranges(Arc<[Range<usize>]>),
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Chunks");
        match &self.by {
            ChunkBasis::Size(most, SizeMeasure::Chars) => shown.field("chars", most),
            ChunkBasis::Size(most, SizeMeasure::Counted(_)) => shown.field("tokens", most),
            ChunkBasis::Ranges(ranges) => shown.field("ranges", ranges),
        };
        shown.field("context", &self.context).field("by_section", &self.by_section).finish()
    }
}

impl Chunks {
    fn new(by: ChunkBasis) -> Self {
        Self { by, context: 0, by_section: false }
    }

    /// Chunks of at most this many characters (Unicode scalar values). A visible character that
    /// consists of several, such as some emoji, is never cut, even if it is longer.
    pub fn chars(most: usize) -> Self {
        Self::new(ChunkBasis::Size(most, SizeMeasure::Chars))
    }

    /// Chunks of at most this many tokens, according to your `counter`, such as the model's
    /// tokenizer.
    ///
    /// Chunks are made of units that are counted separately. The limit therefore holds for every
    /// tokenizer that makes no more tokens of a whole than of its parts. Each part of the text is
    /// counted at most six times.
    ///
    /// ```
    /// use extract::document::{Chunks, Document};
    ///
    /// let by_words = Chunks::tokens(4, |text: &str| text.split_whitespace().count());
    /// let document = Document::from_text("One two three. Four five. Six.");
    /// let chunks = document.chunks(&by_words).unwrap();
    /// assert_eq!(chunks.iter().map(|chunk| chunk.text()).collect::<Vec<_>>(), ["One two three. ", "Four five. Six."]);
    /// ```
    pub fn tokens(most: usize, counter: impl Fn(&str) -> usize + Send + Sync + 'static) -> Self {
        Self::new(ChunkBasis::Size(most, SizeMeasure::Counted(Arc::new(counter))))
    }

    /// Existing chunks, as ranges in bytes of the text and in order. They are kept as they are.
    ///
    /// Together they must cover all of the text except whitespace; see [`Document::chunks`].
    pub fn from_ranges(ranges: impl IntoIterator<Item = Range<usize>>) -> Self {
        Self::new(ChunkBasis::Ranges(ranges.into_iter().collect()))
    }

    /// Existing chunks, each as its first byte and its text, as `chunk_indices` of the crate
    /// `text-splitter` returns them.
    ///
    /// ```
    /// use extract::document::{Chunks, Document};
    ///
    /// let document = Document::from_text("One. Two.");
    /// let chunks = Chunks::from_indices(vec![(0, "One."), (5, "Two.")]);
    /// assert_eq!(document.chunks(&chunks).unwrap()[1].text(), "Two.");
    /// ```
    pub fn from_indices<'t>(chunks: impl IntoIterator<Item = (usize, &'t str)>) -> Self {
        Self::from_ranges(chunks.into_iter().map(|(start, text)| start..start.saturating_add(text.len())))
    }

    /// Gives each chunk up to this many characters of the text before it, starting at a word.
    #[must_use]
    pub fn context(mut self, chars: usize) -> Self {
        self.context = chars;
        self
    }

    /// Starts a new chunk at every heading and every part with a name, following the document's own
    /// structure. Has no effect on existing chunks.
    #[must_use]
    pub fn by_section(mut self) -> Self {
        self.by_section = true;
        self
    }
}

impl Document {
    /// Divides this document into chunks, in order, in linear time. A document without text has
    /// none.
    ///
    /// # Errors
    ///
    /// If chunks have room for nothing (`Chunks::chars(0)`). With [`Chunks::from_ranges`] and
    /// [`Chunks::from_indices`]: a range outside the text, ranges that overlap or are out of order,
    /// or text that no range covers.
    pub fn chunks(&self, chunks: &Chunks) -> Result<Vec<Chunk>, ChunkError> {
        let ranges = match &chunks.by {
            ChunkBasis::Size(0, _) => return Err(ChunkError::NoRoom),
            ChunkBasis::Size(most, size) => {
                let mut packer = ChunkPacker::new(self.text(), *most, size);
                for unit in units(self) {
                    if chunks.by_section && unit.begins_section {
                        packer.finish_chunk();
                    }
                    packer.add_together(&unit.paragraphs);
                }
                packer.finish()
            }
            ChunkBasis::Ranges(ranges) => self.checked(ranges)?,
        };
        let made = ranges.into_iter().enumerate();
        Ok(made.map(|(index, range)| Chunk::new(self, index, range, chunks.context)).collect())
    }

    /// `ranges`, if they cover all of the text except whitespace.
    fn checked(&self, ranges: &[Range<usize>]) -> Result<Vec<Range<usize>>, ChunkError> {
        let text = self.text();
        let mut covered = 0;
        for range in ranges {
            if text.get(range.clone()).is_none() {
                return Err(ChunkError::NotInText { range: range.clone(), bytes: text.len() });
            }
            if range.start < covered {
                return Err(ChunkError::OutOfOrder { range: range.clone() });
            }
            covers(text, covered..range.start)?;
            covered = range.end;
        }
        covers(text, covered..text.len())?;
        Ok(ranges.iter().filter(|range| !range.is_empty()).cloned().collect())
    }
}

/// Fails if the text between two chunks is more than whitespace.
fn covers(text: &str, between: Range<usize>) -> Result<(), ChunkError> {
    if text[between.clone()].trim().is_empty() {
        Ok(())
    } else {
        Err(ChunkError::Uncovered { range: between })
    }
}

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
    fn new(document: &Document, index: usize, range: Range<usize>, context: usize) -> Self {
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

/// Why [`Chunks`](crate::document::Chunks) do not fit a document. Ranges are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The chunks have a size of 0.
    #[error("a chunk of size 0 has room for nothing; set it to 1 or more")]
    NoRoom,
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
