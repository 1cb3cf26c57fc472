//! The location of a passage in a document: bytes, and the characters, lines and columns of them.

use std::{fmt, ops::Range};

use serde::{Deserialize, Serialize};

/// The location of a passage in a [`Document`](crate::document::Document).
///
/// A span is defined by its bytes: `&document.text()[span.range()]` is the passage. Characters,
/// line, column and page follow from them and are computed when the span is created. So a span
/// means the same without its document, even after it was stored.
///
/// ```
/// use extract::document::Document;
///
/// let document = Document::from_text("Größe:\nXL, größer als L");
/// let span = document.span(9..11).unwrap();
/// assert_eq!(&document.text()[span.range()], "XL");
/// assert_eq!(span.chars(), 7..9);
/// assert_eq!(span.line_column().to_string(), "2:1");
/// assert_eq!(span.page(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    start: usize,
    end: usize,
    chars: (usize, usize),
    line_column: LineColumn,
    page: Option<usize>,
}

impl Span {
    pub(super) fn new(
        bytes: &Range<usize>,
        chars: &Range<usize>,
        line_column: LineColumn,
        page: Option<usize>,
    ) -> Self {
        Self { start: bytes.start, end: bytes.end, chars: (chars.start, chars.end), line_column, page }
    }

    /// Returns the first byte.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the byte after the last one.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the bytes, in UTF-8.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the characters (Unicode scalar values, as Python counts them).
    pub fn chars(&self) -> Range<usize> {
        self.chars.0..self.chars.1
    }

    /// Line and column of the start.
    pub fn line_column(&self) -> LineColumn {
        self.line_column
    }

    /// Returns the page of the start, if the document has pages.
    pub fn page(&self) -> Option<usize> {
        self.page
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns whether all of `other` is in this span.
    pub fn contains(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the spans share a byte.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }
}

/// A line and a column, both counted from 1. The column counts characters (Unicode scalar values).
/// Lines end with `\n` or `\r\n`. Prints as `12:5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
}

impl LineColumn {
    pub(super) fn new(line: usize, column: usize) -> Self {
        Self { line, column }
    }
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Bytes between two stored counts of characters. A lookup counts at most this many.
const STEP: usize = 256;

/// The stored offsets of one text.
#[derive(Debug)]
pub(super) struct StoredOffsets {
    /// The number of characters that start before each multiple of [`STEP`].
    chars: Vec<usize>,
    /// The first byte of each line but the first.
    lines: Vec<usize>,
}

impl StoredOffsets {
    pub(super) fn new(text: &str) -> Self {
        let (mut chars, mut count) = (Vec::with_capacity(text.len() / STEP + 1), 0);
        for bytes in text.as_bytes().chunks(STEP) {
            chars.push(count);
            count += starts(bytes);
        }
        chars.push(count);
        let lines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { chars, lines: lines.collect() }
    }

    /// The number of characters of `text` before `byte`.
    pub(super) fn chars(&self, text: &str, byte: usize) -> usize {
        let byte = byte.min(text.len());
        let step = byte / STEP;
        let counted = self.chars.get(step).copied().unwrap_or_default();
        counted + starts(&text.as_bytes()[step * STEP..byte])
    }

    /// Returns the line and column of `byte` in `text`.
    pub(super) fn line_column(&self, text: &str, byte: usize) -> LineColumn {
        let before = self.lines.partition_point(|start| *start <= byte);
        let start = before.checked_sub(1).map_or(0, |last| self.lines[last]);
        LineColumn::new(before + 1, self.chars(text, byte) - self.chars(text, start) + 1)
    }
}

/// The number of characters that start in `bytes`.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_counting_from_the_start() {
        for text in ["", "a\n", "größe\r\n日本語\n\n😀x", &"ab\nüñ\n".repeat(400)] {
            let offsets = StoredOffsets::new(text);
            for byte in (0..=text.len()).filter(|byte| text.is_char_boundary(*byte)) {
                let before = &text[..byte];
                assert_eq!(offsets.chars(text, byte), before.chars().count());
                let line = before.rsplit('\n').next().unwrap_or_default();
                let expected = LineColumn::new(before.matches('\n').count() + 1, line.chars().count() + 1);
                assert_eq!(offsets.line_column(text, byte), expected, "{byte} of {text:?}");
            }
        }
    }
}
