//! Detects text that repeats itself, a failure of small models.
//!
//! A loop is a block of bytes that is repeated up to the end of the text. [`at_end`] finds it in a
//! reply that was cut, [`LoopWatch`] in one that is streaming in. Both compare bytes only: a list whose
//! items differ in a number is not a loop, however long it is.
//!
//! Text from the conversation may be repeated. An extraction copies from a text, so a block is a
//! loop only if it occurs more than twice as often as in that text.

#[cfg(test)]
mod tests;

use std::{cmp::min, str::from_utf8};

use crate::vocabulary::{
    path::{Path, Segment},
    text::excerpt,
    tokens::{Token, lexemes},
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
        let opens = |at: &usize| b"\"{[".contains(&bytes[*at]) && !is_word(before(*at));
        let begins = |at: &usize| is_word(bytes[*at]) && !is_word(before(*at));
        let start = (0..bytes.len()).find(opens).or_else(|| (0..bytes.len()).find(begins)).unwrap_or(0);
        excerpt(&[&block[start..], &block[..start]].concat())
    }

    /// The path of the first copy in the JSON. The text before the copy may look like its end by
    /// chance, so the end of the copy is used. If the next copy is at another path, the first step
    /// in which they differ is the repeated item.
    pub(crate) fn path(&self) -> Path {
        let end = self.start + self.period;
        let (first, second) = (path_at(self.text, end), path_at(self.text, end + self.period));
        let pairs = first.segments().iter().zip(second.segments());
        let same = pairs.take_while(|(first, second)| first == second).count();
        Path::from(first.segments().iter().take(same + 1).cloned().collect::<Vec<_>>())
    }
}

/// A run: the last `len` bytes are copies of a block of `period` bytes. The first or the last copy
/// may be partial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RepeatedRun {
    period: usize,
    len: usize,
}

impl RepeatedRun {
    /// The run at the end of `bytes` with the shortest period that satisfies `is_enough`. Takes
    /// linear time.
    fn first(bytes: &[u8], longest: usize, is_enough: impl Fn(Self) -> bool) -> Option<Self> {
        let agreeing = agreeing(bytes, longest);
        // If a run is not enough, its multiples are not either.
        let mut longest_tried = 0;
        let runs = (1..agreeing.len()).filter(|period| agreeing[*period] >= *period);
        runs.map(|period| Self { period, len: agreeing[period] + period }).find(|run| {
            let is_new = run.len > longest_tried;
            longest_tried = longest_tried.max(run.len);
            is_new && is_enough(*run)
        })
    }

    /// A block of the run, which is at the end of `bytes`.
    fn block(self, bytes: &[u8]) -> &[u8] {
        let start = bytes.len() - self.len;
        &bytes[start..start + self.period]
    }

    /// The same run, extended to all `bytes`, of which only the end was searched.
    fn extended(mut self, bytes: &[u8]) -> Self {
        while self.len < bytes.len() {
            let before = bytes.len() - self.len - 1;
            if bytes[before] != bytes[before + self.period] {
                break;
            }
            self.len += 1;
            count_steps(1);
        }
        self
    }
}

/// For each shift up to `longest`: how many of the last bytes equal the bytes that far before them.
/// The Z-function of the reversed bytes (Gusfield, Algorithms on Strings, section 1.4).
fn agreeing(bytes: &[u8], longest: usize) -> Vec<usize> {
    let count = bytes.len();
    let from_end = |index: usize| bytes[count - 1 - index];
    let mut agreeing = vec![0; min(longest + 1, count)];
    // The range of bytes known to agree, from `left` to `right`.
    let (mut left, mut right) = (0, 0);
    for shift in 1..agreeing.len() {
        let mut same = if shift < right { min(right - shift, agreeing[shift - left]) } else { 0 };
        while shift + same < count && from_end(same) == from_end(shift + same) {
            same += 1;
            count_steps(1);
        }
        if shift + same > right {
            (left, right) = (shift, shift + same);
        }
        count_steps(1);
        agreeing[shift] = same;
    }
    agreeing
}

/// The path of the value at byte `at` of `text`, which may be incomplete. Text before the first
/// bracket is skipped. In text that is not strict JSON, the path follows from brackets, commas and
/// quotes.
fn path_at(text: &str, path_at: usize) -> Path {
    let mut places = TextPositions::default();
    let start = text.find(['{', '[']).unwrap_or(path_at);
    for lexeme in lexemes(text, start).take_while(|lexeme| lexeme.start < path_at) {
        let end = lexeme.end.unwrap_or(text.len());
        count_steps(end - lexeme.start);
        match lexeme.token {
            Token::String if end > path_at => break,
            Token::String => places.last_string = &text[lexeme.start..end],
            Token::Sign(b'{') => places.open(Segment::Key("".into())),
            Token::Sign(b'[') => places.open(Segment::Index(0)),
            Token::Sign(b'}' | b']') => places.close(),
            Token::Sign(b',') => places.next(),
            Token::Sign(_) => places.name(),
            Token::Word | Token::Other => {}
        }
    }
    places.path()
}

/// Maximum depth of a path.
const MAX_DEPTH: usize = 256;

#[derive(Default)]
struct TextPositions<'t> {
    /// A key is empty until it is known.
    steps: Vec<Segment>,
    /// Number of open brackets beyond that depth.
    deeper: usize,
    last_string: &'t str,
}

impl TextPositions<'_> {
    fn open(&mut self, step: Segment) {
        if self.steps.len() < MAX_DEPTH { self.steps.push(step) } else { self.deeper += 1 }
    }

    fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.steps.pop();
        }
    }

    fn next(&mut self) {
        match self.steps.last_mut().filter(|_| self.deeper == 0) {
            Some(Segment::Index(index)) => *index += 1,
            Some(Segment::Key(key)) => *key = "".into(),
            None => {}
        }
    }

    /// The string before a colon is a key.
    fn name(&mut self) {
        let name = std::mem::take(&mut self.last_string);
        if let Some(Segment::Key(key)) =
            self.steps.last_mut().filter(|_| self.deeper == 0 && !name.is_empty())
        {
            *key = serde_json::from_str::<String>(name).unwrap_or_default().as_str().into();
        }
    }

    fn path(self) -> Path {
        let is_known = |step: &Segment| !matches!(step, Segment::Key(key) if key.is_empty());
        Path::from(self.steps.into_iter().filter(is_known).collect::<Vec<_>>())
    }
}

/// Bytes that are searched for a loop, and the longest block. Longer blocks are only recognised in
/// a reply that was cut.
const WATCHED: usize = 4096;
const WATCHED_BLOCK: usize = 512;

/// Bytes between two searches: eight comparisons per byte.
const STEP: usize = 512;

/// Watches a text as it streams in, and reports when it repeats itself. Keeps at most the last 8
/// KiB.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoopWatch {
    tail: Vec<u8>,
    /// Bytes since the last search.
    fresh: usize,
    candidate: Option<LoopCandidate>,
    is_looping: bool,
}

/// A run that may become a loop.
#[derive(Debug, Clone, Copy)]
struct LoopCandidate {
    run: RepeatedRun,
    /// Bytes that make it a loop.
    enough: usize,
}

impl LoopWatch {
    /// Adds `bytes`. Returns whether the text repeats itself. `stated` counts occurrences in the
    /// conversation.
    pub(crate) fn push(&mut self, bytes: &[u8], stated: impl Fn(StatedString<'_>) -> usize) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_looping {
            // The next search is for all bytes before it; a candidate is compared byte by byte.
            let most = if self.candidate.is_some() { 1 } else { STEP - self.fresh };
            let (now, after) = rest.split_at(most.min(rest.len()));
            self.push_some(now, &stated);
            rest = after;
        }
        self.is_looping
    }

    pub(crate) fn is_looping(&self) -> bool {
        self.is_looping
    }

    /// Adds one byte, or with no candidate all bytes up to the next search.
    fn push_some(&mut self, bytes: &[u8], stated: impl Fn(StatedString<'_>) -> usize) {
        count_steps(bytes.len());
        if let Some(candidate) = &mut self.candidate {
            candidate.run.len += bytes.len();
            let before = self.tail.len() - candidate.run.period;
            if self.tail[before..before + bytes.len()] != *bytes {
                self.candidate = None;
            }
        }
        if self.tail.len() + bytes.len() > 2 * WATCHED {
            self.tail.drain(..self.tail.len() - WATCHED);
        }
        self.tail.extend_from_slice(bytes);
        self.fresh += bytes.len();
        if self.candidate.is_none() && self.fresh >= STEP {
            self.fresh = 0;
            self.candidate = self.look(stated);
        }
        self.is_looping = self.candidate.is_some_and(|candidate| candidate.run.len >= candidate.enough);
    }

    /// The conversation is searched once per candidate.
    fn look(&self, stated: impl Fn(StatedString<'_>) -> usize) -> Option<LoopCandidate> {
        let window = &self.tail[self.tail.len().saturating_sub(WATCHED)..];
        let run = RepeatedRun::first(window, WATCHED_BLOCK, |run| 2 * run.len >= WATCHED)?;
        Some(LoopCandidate { run, enough: LoopBounds::EARLY.enough(run.block(window), stated) })
    }
}

/// Bounds of a loop, in bytes and copies.
///
/// They are chosen, not measured, by the cost of a wrong decision, and so that all observed loops
/// are well beyond them. (A small constrained model wrote one name of 12 bytes up to its token
/// limit in three attempts, 4,739 tokens together.)
#[derive(Debug, Clone, Copy)]
struct LoopBounds {
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
    const CUT: Self = Self { bytes: 512, plain_bytes: 4096, many: 16, few: 4, ample: 1024 };

    /// For a reply that is still streaming in and may turn out right.
    const EARLY: Self = Self { bytes: 2048, plain_bytes: 16_384, many: 64, few: 8, ample: 4096 };

    /// Bytes of copies of `block` that make a loop, if the conversation does not state the block.
    fn enough_unstated(&self, block: &[u8]) -> usize {
        let period = block.len();
        let bytes = if is_plain(block) { self.plain_bytes } else { self.bytes };
        bytes.max((self.many * period).min(self.ample.max(self.few * period)))
    }

    /// Bytes of copies of `block` that make a loop; `stated` counts occurrences in the
    /// conversation.
    fn enough(&self, block: &[u8], stated: impl Fn(StatedString<'_>) -> usize) -> usize {
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

fn is_word(byte: u8) -> bool {
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
fn count_steps(steps: usize) {
    #[cfg(test)]
    COUNT.set(COUNT.get() + steps);
}

/// The steps of `work`.
#[cfg(test)]
fn steps_of(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}
