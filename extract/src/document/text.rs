//! Documents: texts with locations, and their parts.

use std::{
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};

use super::{
    grams::ByteGrams,
    normalisation::{FoldedText, with_spaces},
    source_map::SourceMap,
    span::{Span, StoredOffsets},
    value::knows_number_words,
};

/// A text with locations, in which quotes are looked up and which is divided into chunks.
///
/// Clones share everything. The first search builds an index for all clones, of about nine bytes
/// for each byte of the text.
///
/// ```
/// use extract::document::Document;
///
/// let document = Document::from_text("Paid on 3 May.\nThank you.");
/// let found = document.find("paid  on 3 May").unwrap();
/// assert_eq!(&document.text()[found[0].span().range()], "Paid on 3 May");
/// ```
#[derive(Clone)]
pub struct Document {
    inner: Arc<DocumentText>,
}

struct DocumentText {
    text: String,
    offsets: StoredOffsets,
    sections: Vec<Section>,
    headings: Vec<Range<usize>>,
    source: Option<SourceText>,
    exact: OnceLock<ByteGrams>,
    folded: OnceLock<(FoldedText, ByteGrams)>,
    /// The same with line breaks as spaces.
    folded_lines: OnceLock<(FoldedText, ByteGrams)>,
    knows_number_words: OnceLock<bool>,
}

/// The source that a text was read from.
#[derive(Clone)]
struct SourceText {
    text: String,
    map: SourceMap,
}

impl fmt::Debug for Document {
    /// Omits the text, which may be long or secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections = self.sections().len();
        f.debug_struct("Document").field("bytes", &self.text().len()).field("sections", &sections).finish()
    }
}

impl DocumentText {
    fn new(text: String, sections: Vec<Section>) -> Self {
        Self {
            offsets: StoredOffsets::new(&text),
            text,
            sections,
            headings: Vec::new(),
            source: None,
            exact: OnceLock::new(),
            folded: OnceLock::new(),
            folded_lines: OnceLock::new(),
            knows_number_words: OnceLock::new(),
        }
    }
}

impl Document {
    /// Creates a document of plain text. The package `extractable-documents` reads HTML, Markdown and
    /// PDF.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { inner: Arc::new(DocumentText::new(text.into(), Vec::new())) }
    }

    /// Creates a document of pages or sections, in order.
    ///
    /// A part without a final line break gets one, so that its last word is not joined with the
    /// next part. A quote may continue across the end of a part.
    pub fn from_parts(parts: impl IntoIterator<Item = DocumentPart>) -> Self {
        let (mut text, mut sections) = (String::new(), Vec::new());
        for part in parts {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let start = text.len();
            text.push_str(&part.text);
            sections.push(Section { name: part.name, page: part.page, range: start..text.len() });
        }
        Self { inner: Arc::new(DocumentText::new(text, sections)) }
    }

    /// Sets the bytes of the headings, in order; for a reader of another format. Headings divide the
    /// text, see [`Chunks::by_section`](super::Chunks::by_section).
    ///
    /// ```
    /// use extract::document::{Chunk, Chunks, Document};
    ///
    /// let document = Document::from_text("One\na\nTwo\nb").with_headings([0..3, 6..9])?;
    /// let chunks = document.chunks(&Chunks::chars(100).by_section())?;
    /// assert_eq!(chunks.iter().map(Chunk::text).collect::<Vec<_>>(), ["One\na\n", "Two\nb"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DocumentError::Heading`] names the first one that is not in the text, cuts a character, is
    /// empty, or begins before the end of the one before it.
    pub fn with_headings(
        self,
        headings: impl IntoIterator<Item = Range<usize>>,
    ) -> Result<Self, DocumentError> {
        let headings: Vec<_> = headings.into_iter().collect();
        let mut end = 0;
        for heading in &headings {
            let is_after = heading.start >= end && !heading.is_empty();
            if !is_after || self.text().get(heading.clone()).is_none() {
                return Err(DocumentError::Heading { range: heading.clone() });
            }
            end = heading.end;
        }
        Ok(self.changed(|inner| inner.headings = headings))
    }

    /// Sets the source that the text was read from, and which of its bytes each part of the text
    /// comes from; for a reader of another format. [`SourceMap`] has an example.
    ///
    /// # Errors
    ///
    /// [`DocumentError::SourceMap`] if the map does not cover the text, or leads out of the source.
    pub fn with_source(self, source: impl Into<String>, map: SourceMap) -> Result<Self, DocumentError> {
        let text = source.into();
        if !map.fits(self.text().len(), text.len()) {
            return Err(DocumentError::SourceMap);
        }
        Ok(self.changed(|inner| inner.source = Some(SourceText { text, map })))
    }

    /// The document with a change that leaves its text as it is. Clones keep what they have.
    fn changed(self, change: impl FnOnce(&mut DocumentText)) -> Self {
        let mut inner = Arc::try_unwrap(self.inner).unwrap_or_else(|shared| DocumentText {
            headings: shared.headings.clone(),
            source: shared.source.clone(),
            ..DocumentText::new(shared.text.clone(), shared.sections.clone())
        });
        change(&mut inner);
        Self { inner: Arc::new(inner) }
    }

    /// Returns the whole text. All ranges are in its bytes.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// Returns the parts it was created from, in order; none for a document of one text.
    pub fn sections(&self) -> &[Section] {
        &self.inner.sections
    }

    /// Returns the bytes of its headings, in order, if its reader [knows
    /// them](Self::with_headings).
    pub fn headings(&self) -> &[Range<usize>] {
        &self.inner.headings
    }

    /// Returns the part that contains this byte, or the last one before it.
    pub fn section_at(&self, byte: usize) -> Option<&Section> {
        let after = self.sections().partition_point(|section| section.range.start <= byte);
        self.sections()[..after].last()
    }

    /// Returns the location of these bytes; `None` if they are not in the text or cut a character.
    pub fn span(&self, range: Range<usize>) -> Option<Span> {
        self.text().get(range.clone()).map(|_| self.span_of(range))
    }

    /// Returns the location of these bytes, which must be in the text.
    pub(super) fn span_of(&self, range: Range<usize>) -> Span {
        let (text, offsets) = (self.text(), &self.inner.offsets);
        let chars = offsets.chars(text, range.start)..offsets.chars(text, range.end);
        let page = self.section_at(range.start).and_then(Section::page);
        Span::new(&range, &chars, offsets.line_column(text, range.start), page)
    }

    /// Returns the source that the text was read from, if they differ: the HTML.
    pub fn source(&self) -> Option<&str> {
        self.inner.source.as_ref().map(|source| source.text.as_str())
    }

    /// Returns the bytes of [`source`](Self::source) that a range of the text comes from, from its
    /// first to its last character. `None` without a source, or if no part of the range is from it.
    pub fn source_range(&self, range: Range<usize>) -> Option<Range<usize>> {
        let source = self.inner.source.as_ref()?;
        // Bytes that are said to correspond one for one need not.
        source.map.source(&range).filter(|range| source.text.get(range.clone()).is_some())
    }

    /// The index of the original text.
    pub(super) fn exact(&self) -> &ByteGrams {
        self.inner.exact.get_or_init(|| ByteGrams::new(self.text()))
    }

    /// The normalised text and its index.
    pub(super) fn folded(&self) -> (&FoldedText, &ByteGrams) {
        let (folded, grams) = self.inner.folded.get_or_init(|| folded(self.text()));
        (folded, grams)
    }

    /// The normalised text in which line breaks are spaces, and its index.
    pub(super) fn folded_lines(&self) -> (&FoldedText, &ByteGrams) {
        let (folded, grams) = self.inner.folded_lines.get_or_init(|| folded(&with_spaces(self.text())));
        (folded, grams)
    }

    /// Returns whether the number words of its language are known.
    pub(super) fn knows_number_words(&self) -> bool {
        *self.inner.knows_number_words.get_or_init(|| knows_number_words(self.text()))
    }
}

fn folded(text: &str) -> (FoldedText, ByteGrams) {
    let folded = FoldedText::new(text);
    let grams = ByteGrams::new(folded.text());
    (folded, grams)
}

/// A page or section, to build a [`Document`] from.
///
/// ```
/// use extract::document::{Document, DocumentPart};
///
/// let document = Document::from_parts([
///     DocumentPart::page(1, "The tenant shall pay the"),
///     DocumentPart::page(2, "rent in advance."),
///     DocumentPart::new("Signed.").named("Signatures").on_page(2),
/// ]);
/// let span = document.find("rent in advance").unwrap()[0].span();
/// assert_eq!(span.page(), Some(2));
/// assert_eq!(document.sections()[2].name(), Some("Signatures"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentPart {
    pub(super) text: String,
    pub(super) name: Option<String>,
    pub(super) page: Option<usize>,
}

impl DocumentPart {
    /// Creates a part without a name or page.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates a page with this number, as numbered in the source.
    pub fn page(number: usize, text: impl Into<String>) -> Self {
        Self::new(text).on_page(number)
    }

    /// Creates a section with this name.
    pub fn section(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(text).named(name)
    }

    /// Sets the name of the part.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the page of the part.
    #[must_use]
    pub fn on_page(mut self, number: usize) -> Self {
        self.page = Some(number);
        self
    }
}

/// A part of a document, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub(super) name: Option<String>,
    pub(super) page: Option<usize>,
    pub(super) range: Range<usize>,
}

impl Section {
    /// Returns the name it was given.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the page it is on.
    pub fn page(&self) -> Option<usize> {
        self.page
    }

    /// Returns its bytes in the document.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

/// Why headings or a source do not fit the text of a [`Document`]. Only readers of
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Document {
        Document::from_text("Größe & Maß")
    }

    #[test]
    fn headings_that_are_not_in_the_text_are_refused() {
        let wrong: [&[(usize, usize)]; 5] =
            [&[(0, 99)], &[(3, 4)], &[(0, 0)], &[(8, 9), (0, 1)], &[(0, 3), (1, 4)]];
        for wrong in wrong {
            let headings = wrong.iter().map(|(start, end)| *start..*end);
            assert!(matches!(text().with_headings(headings), Err(DocumentError::Heading { .. })));
        }
        let shared = text();
        let document = shared.clone().with_headings(std::iter::once(0..7)).unwrap();
        assert_eq!((document.headings().len(), shared.headings().len()), (1, 0));
    }

    #[test]
    fn a_map_that_is_not_of_the_text_and_its_source_is_refused() {
        let map = |parts: &[(usize, Range<usize>)]| {
            let mut map = SourceMap::default();
            for (len, source) in parts {
                map.push_whole(*len, source.clone());
            }
            map
        };
        let length = text().text().len();
        #[allow(clippy::reversed_empty_ranges, reason = "a wrong map")]
        for wrong in [map(&[]), map(&[(length - 1, 0..3)]), map(&[(length, 0..4)]), map(&[(length, 3..1)])] {
            assert!(matches!(text().with_source("abc", wrong), Err(DocumentError::SourceMap)));
        }
        assert!(text().with_source("abc", map(&[(length, 0..3)])).is_ok());
    }

    #[test]
    fn no_range_of_a_source_cuts_a_character() {
        let mut map = SourceMap::default();
        map.push_bytewise(0..4);
        let document = Document::from_text("abcd").with_source("äö", map).unwrap();
        assert_eq!(document.source_range(0..2), Some(0..2));
        assert_eq!(document.source_range(0..1), None);
    }
}
