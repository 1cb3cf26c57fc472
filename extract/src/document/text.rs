//! Documents: texts with places.

use std::{
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};

use super::{
    byte_map::ByteMap,
    fold::Folded,
    grams::Grams,
    offsets::Offsets,
    part::{Part, Section},
    span::Span,
    value::knows_number_words,
};

/// A text with places, in which quotes are looked up and which chunks divide.
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
    inner: Arc<Inner>,
}

struct Inner {
    text: String,
    offsets: Offsets,
    sections: Vec<Section>,
    headings: Vec<Range<usize>>,
    source: Option<Source>,
    exact: OnceLock<Grams>,
    folded: OnceLock<(Folded, Grams)>,
    knows_number_words: OnceLock<bool>,
}

/// The source that a text was read from.
pub(super) struct Source {
    pub(super) text: String,
    pub(super) map: ByteMap,
}

impl fmt::Debug for Document {
    /// Omits the text, which may be long or secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections = self.sections().len();
        f.debug_struct("Document").field("bytes", &self.text().len()).field("sections", &sections).finish()
    }
}

impl Document {
    /// Creates a document of plain text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new(text.into(), Vec::new(), Vec::new(), None)
    }

    /// Creates a document of pages or sections, in order.
    ///
    /// A part without a final line break gets one, so that its last word is not joined with the
    /// next part. A quote may continue across the end of a part.
    pub fn from_parts(parts: impl IntoIterator<Item = Part>) -> Self {
        let (mut text, mut sections) = (String::new(), Vec::new());
        for part in parts {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let start = text.len();
            text.push_str(&part.text);
            sections.push(Section { name: part.name, page: part.page, range: start..text.len() });
        }
        Self::new(text, sections, Vec::new(), None)
    }

    pub(super) fn new(
        text: String,
        sections: Vec<Section>,
        headings: Vec<Range<usize>>,
        source: Option<Source>,
    ) -> Self {
        let offsets = Offsets::new(&text);
        Self {
            inner: Arc::new(Inner {
                text,
                offsets,
                sections,
                headings,
                source,
                exact: OnceLock::new(),
                folded: OnceLock::new(),
                knows_number_words: OnceLock::new(),
            }),
        }
    }

    /// The whole text. All ranges are in bytes of it.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The parts it was created from, in order; none for a document of one text.
    pub fn sections(&self) -> &[Section] {
        &self.inner.sections
    }

    /// The bytes of its headings, in order, if it was read from Markdown or HTML.
    pub fn headings(&self) -> &[Range<usize>] {
        &self.inner.headings
    }

    /// The part that contains this byte, or the last one before it.
    pub fn section_at(&self, byte: usize) -> Option<&Section> {
        let after = self.sections().partition_point(|section| section.range.start <= byte);
        self.sections()[..after].last()
    }

    /// The place of these bytes; `None` if they are not in the text or cut a character.
    pub fn span(&self, range: Range<usize>) -> Option<Span> {
        self.text().get(range.clone()).map(|_| self.span_of(range))
    }

    /// The place of these bytes, which must be in the text.
    pub(super) fn span_of(&self, range: Range<usize>) -> Span {
        let (text, offsets) = (self.text(), &self.inner.offsets);
        let chars = offsets.chars(text, range.start)..offsets.chars(text, range.end);
        let page = self.section_at(range.start).and_then(Section::page);
        Span::new(&range, &chars, offsets.line_column(text, range.start), page)
    }

    /// The source that the text was read from, if they differ: the HTML.
    pub fn source(&self) -> Option<&str> {
        self.inner.source.as_ref().map(|source| source.text.as_str())
    }

    /// The bytes of [`source`](Self::source) that a range of the text comes from, from its first to
    /// its last character. `None` without a source, or if no part of the range comes from it.
    pub fn source_range(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.inner.source.as_ref().and_then(|source| source.map.source(&range))
    }

    /// The index of the original text.
    pub(super) fn exact(&self) -> &Grams {
        self.inner.exact.get_or_init(|| Grams::new(self.text()))
    }

    /// The normalised text and its index.
    pub(super) fn folded(&self) -> (&Folded, &Grams) {
        let (folded, grams) = self.inner.folded.get_or_init(|| {
            let folded = Folded::new(self.text());
            let grams = Grams::new(folded.text());
            (folded, grams)
        });
        (folded, grams)
    }

    /// Whether the number words of its language are known.
    pub(super) fn knows_number_words(&self) -> bool {
        *self.inner.knows_number_words.get_or_init(|| knows_number_words(self.text()))
    }
}
