//! Detects text that repeats itself, a failure of small models.
//!
//! A loop is a block of bytes that is repeated up to the end of the text. [`at_end`] finds it in a
//! reply that was cut, [`LoopWatch`] in one that is streaming in. Both compare bytes only: a list whose
//! items differ in a number is not a loop, however long it is.
//!
//! Text from the conversation may be repeated. An extraction copies from a text, so a block is a
//! loop only if it occurs more than twice as often as in that text.

mod bounds;
mod place;
mod run;
mod steps;
mod watch;

use self::{bounds::LoopBounds, run::RepeatedRun};
pub(crate) use self::{bounds::StatedString, watch::LoopWatch};
use crate::vocabulary::{
    path::{Path, Segment},
    text::excerpt,
};

/// Bytes at the end of a reply that are searched for a loop, which may start before them.
const WINDOW: usize = 256 * 1024;

/// Longest block that is recognised in a reply that was cut.
const LONGEST_BLOCK: usize = WINDOW / 4;

/// A loop at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextLoop<'t> {
    text: &'t str,
    /// Byte at which the first copy of the block starts.
    start: usize,
    /// Length of the block in bytes.
    period: usize,
}

/// Finds the loop at the end of `text`, which was cut. `stated` counts occurrences in the
/// conversation.
pub(crate) fn at_end(text: &str, stated: impl Fn(StatedString<'_>) -> usize) -> Option<TextLoop<'_>> {
    let bytes = text.as_bytes();
    let window = &bytes[bytes.len().saturating_sub(WINDOW)..];
    let run = RepeatedRun::first(window, LONGEST_BLOCK, |run| {
        run.len >= LoopBounds::CUT.enough_unstated(run.block(window))
    })?;
    let run = run.extended(bytes);
    (run.len >= LoopBounds::CUT.enough(run.block(bytes), stated)).then(|| TextLoop::new(text, run))
}

impl<'t> TextLoop<'t> {
    fn new(text: &'t str, run: RepeatedRun) -> Self {
        let mut start = text.len() - run.len;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        Self { text, start, period: run.period }
    }

    /// The text up to the end of the first copy, which may be right.
    pub(crate) fn before(&self) -> &'t str {
        &self.text[..self.start + self.period]
    }

    /// How often the block is repeated; the last copy may be partial.
    pub(crate) fn times(&self) -> usize {
        (self.text.len() - self.start).div_ceil(self.period)
    }

    /// The block as a JSON string of limited length. A block starts anywhere, so it is rotated to
    /// start at a value or a word, if it has one.
    pub(crate) fn block(&self) -> String {
        let block = &self.text[self.start..self.start + self.period];
        let bytes = block.as_bytes();
        let before = |at: usize| bytes[(at + bytes.len() - 1) % bytes.len()];
        let opens = |at: &usize| b"\"{[".contains(&bytes[*at]) && !bounds::is_word(before(*at));
        let begins = |at: &usize| bounds::is_word(bytes[*at]) && !bounds::is_word(before(*at));
        let start = (0..bytes.len()).find(opens).or_else(|| (0..bytes.len()).find(begins)).unwrap_or(0);
        excerpt(&[&block[start..], &block[..start]].concat())
    }

    /// The path of the first copy in the JSON. The text before the copy may look like its end by
    /// chance, so the end of the copy is used. If the next copy is at another path, the first step
    /// in which they differ is the repeated item.
    pub(crate) fn path(&self) -> Path {
        let end = self.start + self.period;
        let (first, second) = (place::at(self.text, end), place::at(self.text, end + self.period));
        let pairs = first.segments().iter().zip(second.segments());
        let same = pairs.take_while(|(first, second)| first == second).count();
        first.segments().iter().take(same + 1).fold(Path::root(), |path, step| match step {
            Segment::Key(key) => path.key(key.as_str()),
            Segment::Index(index) => path.index(*index),
        })
    }
}

#[cfg(test)]
mod tests;
