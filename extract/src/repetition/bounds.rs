//! How much repetition is a loop.

use std::str::from_utf8;

use super::steps;

/// Bounds of a loop, in bytes and copies.
///
/// Chosen, not measured: by what a wrong decision costs, and so that the loops that were seen are
/// well beyond them (a small constrained model wrote one name of 12 bytes to its token limit in three
/// attempts, 4,739 tokens together).
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Fewest bytes.
    bytes: usize,
    /// Fewest bytes of a block that has no letters: rows of numbers, of `null` and of `true` are
    /// equal by chance.
    plain_bytes: usize,
    /// Copies that are enough of a short block …
    many: usize,
    /// … and of a long one, if they are `ample` bytes together: the longer the block, the less
    /// likely its copies are meant.
    few: usize,
    ample: usize,
}

/// Words of a block that are looked up in the conversation.
const MAX_WORDS: usize = 16;

impl Bounds {
    /// Of a reply that was cut. It has no complete value, so a wrong decision costs the larger room
    /// of the next attempt and no right answer.
    pub(super) const CUT: Self = Self { bytes: 512, plain_bytes: 4096, many: 16, few: 4, ample: 1024 };

    /// Of a reply that is being written, which may still be right.
    pub(super) const EARLY: Self = Self { bytes: 2048, plain_bytes: 16_384, many: 64, few: 8, ample: 4096 };

    /// Bytes of copies of `block` that are a loop, if nothing of it is stated.
    pub(super) fn enough_unstated(&self, block: &[u8]) -> usize {
        let period = block.len();
        let bytes = if is_plain(block) { self.plain_bytes } else { self.bytes };
        bytes.max((self.many * period).min(self.ample.max(self.few * period)))
    }

    /// Bytes of copies of `block` that are a loop; `stated` counts in the conversation.
    pub(super) fn enough(&self, block: &[u8], stated: impl Fn(Stated<'_>) -> usize) -> usize {
        let copies = match Words::of(block) {
            Words::Many(words) => words.iter().map(|word| stated(Stated::Word(word))).max().unwrap_or(0),
            Words::Part => from_utf8(block).map_or(0, |part| stated(Stated::Part(part))),
        };
        let copies = copies.saturating_mul(2).saturating_add(usize::from(copies > 0));
        self.enough_unstated(block).max(copies.saturating_mul(block.len()))
    }
}

/// What is counted in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stated<'b> {
    /// A whole word, of letters and digits.
    Word(&'b str),
    /// Letters and digits within a word, such as `A` in the base64 of zeros.
    Part(&'b str),
}

impl Stated<'_> {
    /// How often it stands in `text`.
    pub(crate) fn count(self, text: &str) -> usize {
        let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| !is_word(*byte));
        steps::count(text.len());
        let bytes = text.as_bytes();
        match self {
            Self::Part(part) => text.matches(part).count(),
            Self::Word(word) => {
                let is_whole = |at: &usize| {
                    is_end(at.checked_sub(1).and_then(|before| bytes.get(before)))
                        && is_end(bytes.get(at + word.len()))
                };
                text.match_indices(word).filter(|(at, _)| is_whole(at)).count()
            }
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// The words of a block.
enum Words {
    Many(Vec<String>),
    /// All of it is part of one word.
    Part,
}

impl Words {
    /// A block begins anywhere, so its last word may go on at its start.
    fn of(block: &[u8]) -> Self {
        steps::count(block.len());
        let Some(gap) = block.iter().position(|byte| !is_word(*byte)) else { return Self::Part };
        let (start, rest) = block.split_at(gap);
        let mut words: Vec<String> = Vec::new();
        for word in [rest, start].concat().split(|byte| !is_word(*byte)) {
            if let Ok(word) = from_utf8(word)
                && !word.is_empty()
                && words.len() < MAX_WORDS
                && !words.iter().any(|known| known == word)
            {
                words.push(word.to_owned());
            }
        }
        Self::Many(words)
    }
}

/// Whether there are digits or names of JSON, and no strings and other letters.
fn is_plain(block: &[u8]) -> bool {
    if block.contains(&b'"') {
        return false;
    }
    let is_number = |word: &str| word.starts_with(|start: char| start.is_ascii_digit()) && word.len() <= 24;
    match Words::of(block) {
        Words::Part => block.iter().all(u8::is_ascii_digit),
        Words::Many(words) => {
            let mut all = words.iter().map(String::as_str);
            !words.is_empty() && all.all(|word| is_number(word) || matches!(word, "null" | "true" | "false"))
        }
    }
}
