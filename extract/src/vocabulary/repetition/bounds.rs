//! Bounds on how much repetition counts as a loop.

use std::str::from_utf8;

/// Bounds of a loop, in bytes and copies.
///
/// They are chosen, not measured, by the cost of a wrong decision, and so that all observed loops
/// are well beyond them. (A small constrained model wrote one name of 12 bytes up to its token
/// limit in three attempts, 4,739 tokens together.)
#[derive(Debug, Clone, Copy)]
pub(super) struct LoopBounds {
    /// Minimum bytes of a loop.
    bytes: usize,
    /// Minimum bytes of a loop without letters in its block: rows of numbers, `null` or `true` may
    /// be equal by chance.
    plain_bytes: usize,
    /// Copies of a short block that make a loop …
    many: usize,
    /// … and of a long block, if they are `ample` bytes together: the longer the block, the less
    /// likely that its copies are meant.
    few: usize,
    ample: usize,
}

/// Maximum words of a block that are looked up in the conversation.
const MAX_WORDS: usize = 16;

impl LoopBounds {
    /// For a reply that was cut. It has no complete value, so a wrong decision costs no right
    /// answer, only the larger token limit of the next attempt.
    pub(super) const CUT: Self = Self { bytes: 512, plain_bytes: 4096, many: 16, few: 4, ample: 1024 };

    /// For a reply that is still streaming in and may turn out right.
    pub(super) const EARLY: Self = Self { bytes: 2048, plain_bytes: 16_384, many: 64, few: 8, ample: 4096 };

    /// Bytes of copies of `block` that make a loop, if the conversation does not state the block.
    pub(super) fn enough_unstated(&self, block: &[u8]) -> usize {
        let period = block.len();
        let bytes = if is_plain(block) { self.plain_bytes } else { self.bytes };
        bytes.max((self.many * period).min(self.ample.max(self.few * period)))
    }

    /// Bytes of copies of `block` that make a loop; `stated` counts occurrences in the
    /// conversation.
    pub(super) fn enough(&self, block: &[u8], stated: impl Fn(StatedString<'_>) -> usize) -> usize {
        let copies = match BlockWords::of(block) {
            BlockWords::Many(words) => {
                words.iter().map(|word| stated(StatedString::Word(word))).max().unwrap_or(0)
            }
            BlockWords::Part => from_utf8(block).map_or(0, |part| stated(StatedString::Part(part))),
        };
        let copies = copies.saturating_mul(2).saturating_add(usize::from(copies > 0));
        self.enough_unstated(block).max(copies.saturating_mul(block.len()))
    }
}

/// A string to count in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatedString<'b> {
    /// A whole word of letters and digits.
    Word(&'b str),
    /// Letters and digits inside a word, such as `A` in the base64 of zeros.
    Part(&'b str),
}

impl StatedString<'_> {
    /// How often it occurs in `text`.
    pub(crate) fn count(self, text: &str) -> usize {
        let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| !is_word(*byte));
        count_steps(text.len());
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
enum BlockWords {
    Many(Vec<String>),
    /// None: the whole block is part of one word.
    Part,
}

impl BlockWords {
    /// A block starts anywhere, so its last word may continue at its start.
    fn of(block: &[u8]) -> Self {
        count_steps(block.len());
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

/// Returns whether the block has only numbers or JSON's names, without strings and other letters.
fn is_plain(block: &[u8]) -> bool {
    if block.contains(&b'"') {
        return false;
    }
    let is_number = |word: &str| word.starts_with(|start: char| start.is_ascii_digit()) && word.len() <= 24;
    match BlockWords::of(block) {
        BlockWords::Part => block.iter().all(u8::is_ascii_digit),
        BlockWords::Many(words) => {
            let mut all = words.iter().map(String::as_str);
            !words.is_empty() && all.all(|word| is_number(word) || matches!(word, "null" | "true" | "false"))
        }
    }
}

#[cfg(test)]
thread_local! {
    static COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts `steps`, the bytes that were compared or examined. Does nothing outside of tests.
#[cfg_attr(not(test), allow(unused_variables, clippy::missing_const_for_fn, reason = "for tests"))]
pub(super) fn count_steps(steps: usize) {
    #[cfg(test)]
    COUNT.set(COUNT.get() + steps);
}

/// The steps of `work`.
#[cfg(test)]
pub(super) fn steps_of(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}
