//! Converts bytes to characters, lines and columns, each in O(log n) of the text.

use super::span::LineColumn;

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
