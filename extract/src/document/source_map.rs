//! Maps bytes of a derived text to bytes of its source.

use std::ops::Range;

/// A map from each part of a text to its bytes in the source, for a reader of another format, such
/// as HTML, that extracts a text from it.
///
/// Parts are appended in the order of the text. Together they cover the whole text.
///
/// ```
/// use extract::document::{Document, SourceMap};
///
/// let source = "fish &amp; chips";
/// let mut map = SourceMap::default();
/// map.push_bytewise(0..5);
/// map.push_whole(1, 5..10);
/// map.push_bytewise(10..16);
/// let document = Document::from_text("fish & chips").with_source(source, map)?;
/// assert_eq!(document.source_range(0..6).map(|range| &source[range]), Some("fish &amp;"));
/// # Ok::<(), extract::document::DocumentError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    runs: Vec<MappedRun>,
    /// The length of the derived text.
    len: usize,
}

#[derive(Debug, Clone)]
struct MappedRun {
    /// The first byte in the derived text. The run ends where the next one starts.
    at: usize,
    source: Range<usize>,
    /// Whether the bytes correspond one to one; otherwise they correspond as a whole.
    is_bytewise: bool,
}

impl SourceMap {
    /// Appends bytes that correspond to the bytes `source` one for one.
    pub fn push_bytewise(&mut self, source: Range<usize>) {
        if source.is_empty() {
            return;
        }
        let at = self.len;
        self.len = self.len.saturating_add(source.len());
        match self.runs.last_mut() {
            Some(last) if last.is_bytewise && last.source.end == source.start => last.source.end = source.end,
            _ => self.runs.push(MappedRun { at, source, is_bytewise: true }),
        }
    }

    /// Appends `len` bytes that correspond to the bytes `source` as a whole.
    pub fn push_whole(&mut self, len: usize, source: Range<usize>) {
        if len > 0 {
            self.runs.push(MappedRun { at: self.len, source, is_bytewise: false });
            self.len = self.len.saturating_add(len);
        }
    }

    /// Returns the end of the last part's source; 0 before the first part.
    pub fn source_end(&self) -> usize {
        self.runs.last().map_or(0, |last| last.source.end)
    }

    /// Returns whether the map is of a text and a source of these lengths, in bytes.
    pub(super) fn fits(&self, text: usize, source: usize) -> bool {
        let is_inside = |run: &MappedRun| run.source.start <= run.source.end && run.source.end <= source;
        self.len == text && self.runs.iter().all(is_inside)
    }

    /// The run that contains a byte of the derived text, and the end of that run.
    fn run(&self, byte: usize) -> Option<(&MappedRun, usize)> {
        let after = self.runs.partition_point(|run| run.at <= byte);
        let end = self.runs.get(after).map_or(self.len, |next| next.at);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (byte < end).then_some((run, end))
    }

    /// The bytes of the source that correspond exactly to `range`. `None` if the range is empty or
    /// cuts a run that is mapped as a whole.
    pub(super) fn exact_source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let (first, _) = self.run(range.start)?;
        let (last, end) = self.run(range.end.checked_sub(1)?)?;
        let start_fits = first.is_bytewise || first.at == range.start;
        let end_fits = last.is_bytewise || end == range.end;
        if start_fits && end_fits { self.source(range) } else { None }
    }

    /// The bytes of the source that `range` comes from; `None` for an empty range.
    pub(super) fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if range.is_empty() {
            return None;
        }
        let (first, _) = self.run(range.start)?;
        let (last, _) = self.run(range.end - 1)?;
        let start = first.source.start + if first.is_bytewise { range.start - first.at } else { 0 };
        let end = if last.is_bytewise { last.source.start + (range.end - last.at) } else { last.source.end };
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab` for itself, `fi` for a ligature, nothing for a soft hyphen, `cd` for itself.
    fn map() -> SourceMap {
        let mut map = SourceMap::default();
        map.push_bytewise(0..1);
        map.push_bytewise(1..2);
        map.push_whole(2, 2..5);
        map.push_bytewise(7..9);
        map
    }

    #[test]
    fn bytes_lead_back_to_their_source() {
        let map = map();
        for (range, expected) in
            [(0..6, 0..9), (1..4, 1..5), (2..4, 2..5), (4..5, 7..8), (3..5, 2..8), (1..2, 1..2)]
        {
            assert_eq!(map.source(&range), Some(expected));
        }
        for outside in [0..7, 6..7, 2..2] {
            assert_eq!(map.source(&outside), None);
        }
    }

    #[test]
    fn half_a_piece_has_no_exact_source() {
        let map = map();
        assert_eq!(map.exact_source(&(2..4)), Some(2..5));
        assert_eq!(map.exact_source(&(1..5)), Some(1..8));
        for cut in [3..4, 1..3, 3..6] {
            assert_eq!(map.exact_source(&cut), None, "{cut:?}");
        }
    }
}
