//! Splits a text into lines and blocks of a page.

use std::ops::Range;

/// Maximum bytes of a line. A longer one is split, so that the browser lays out a text without line
/// breaks in small parts too.
const LINE: usize = 4_000;

/// Approximate bytes of a visible line, to estimate the height of a block before layout.
const SEEN: usize = 90;

/// The height of a block, in visible lines. A browser lays out a block when it comes near.
const BLOCK: usize = 40;

/// Lines that are laid out together.
#[derive(Debug, Default)]
pub(super) struct LineBlock {
    pub(super) lines: Vec<TextLine>,
    /// Its approximate height, in visible lines.
    pub(super) height: usize,
}

/// A line, or a part of a long one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextLine {
    /// Its bytes, including its line break.
    pub(super) range: Range<usize>,
    /// Its number, from 1.
    pub(super) number: usize,
    /// Whether it continues the previous line.
    pub(super) is_continued: bool,
}

/// All lines of `text`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = TextLine> {
    let (mut start, mut number, mut is_continued) = (0, 1, false);
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        // Only up to the length of a line, so that each part of the text is searched once.
        let near = &rest[..floor(rest, LINE)];
        let (length, is_whole) = match near.find('\n') {
            Some(at) => (at + 1, true),
            None if near.len() == rest.len() => (near.len(), true),
            None => (cut(near), false),
        };
        let line = TextLine { range: start..start + length, number, is_continued };
        start += length;
        number += usize::from(is_whole);
        is_continued = !is_whole;
        Some(line)
    })
}

/// Where a part of a long line ends: after whitespace, if there is any in its second half.
fn cut(near: &str) -> usize {
    let space = near.char_indices().rev().find(|(_, c)| c.is_whitespace());
    match space.map(|(at, c)| at + c.len_utf8()) {
        Some(end) if end > near.len() / 2 => end,
        _ => near.len(),
    }
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Groups lines into blocks of similar height. Each byte in `starts`, which are in order, begins a
/// new block with its line.
pub(super) fn blocks(lines: impl Iterator<Item = TextLine>, starts: &[usize]) -> Vec<LineBlock> {
    let (mut blocks, mut starts) = (Vec::<LineBlock>::new(), starts.iter().peekable());
    for line in lines {
        let mut is_new = blocks.last().is_none_or(|block| block.height >= BLOCK);
        while starts.next_if(|start| **start < line.range.end).is_some() {
            is_new = true;
        }
        if is_new {
            blocks.push(LineBlock::default());
        }
        if let Some(block) = blocks.last_mut() {
            block.height += line.range.len().div_ceil(SEEN);
            block.lines.push(line);
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_the_text() {
        let long = "word ".repeat(3_000);
        let unbroken = "日".repeat(5_000);
        for text in
            ["", "a", "a\n", "a\r\n\n\nb", "\n\n", &long, &unbroken, &format!("a\n{long}\nb\n{unbroken}")]
        {
            let all: Vec<TextLine> = lines(text).collect();
            let joined: String = all.iter().map(|line| &text[line.range.clone()]).collect();
            assert_eq!(joined, text);
            assert!(all.iter().all(|line| line.range.len() <= LINE));
            let whole = all.iter().filter(|line| !line.is_continued).count();
            assert_eq!(whole, text.lines().count());
            assert_eq!(all.last().map_or(0, |line| line.number), whole);
        }
    }

    #[test]
    fn a_long_line_is_cut_between_words() {
        let text = "word ".repeat(3_000);
        assert!(lines(&text).all(|line| text[line.range].ends_with("word ")));
    }

    #[test]
    fn a_block_is_about_a_screen_and_starts_where_a_section_does() {
        let text = "line\n".repeat(100);
        let sizes: Vec<usize> =
            blocks(lines(&text), &[0, 52]).iter().map(|block| block.lines.len()).collect();
        assert_eq!(sizes, [10, 40, 40, 10]);
        let long = "word ".repeat(3_000);
        assert!(blocks(lines(&long), &[]).len() >= 4);
    }
}
