//! Known strings, and where a text quotes them.

use std::{borrow::Cow, ops::Range};

use super::{
    grams::{GramHit, HashedGrams},
    rendered,
    units::{DECODINGS, folded, has_escapes, letters_and_digits, units},
};

/// Minimum letters and digits of a string that is searched by them alone, inside words and across
/// separators. Those beyond ASCII count twice: two ideograms identify as much as four letters.
const LONG: usize = 4;

/// The strings to find, with the other ways to write them.
#[derive(Debug, Clone)]
pub(super) struct KnownStrings {
    /// Their letters and digits.
    plain: HashedGrams,
    /// Exact except for case.
    anywhere: HashedGrams,
    /// Exact except for case, and only as whole words.
    words: HashedGrams,
}

/// How a short string is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShortString {
    Anywhere,
    Words,
}

/// Where a text quotes a known string.
#[derive(Debug, Default)]
pub(super) struct FoundString {
    ranges: Vec<Range<usize>>,
    /// Whether a short string occurs inside a longer word, which may be chance.
    pub(super) is_entangled: bool,
}

impl KnownStrings {
    /// Also finds parts of a string that have `window` letters and digits.
    pub(super) fn new(window: usize) -> Self {
        Self {
            plain: HashedGrams::new(window),
            anywhere: HashedGrams::new(window),
            words: HashedGrams::new(window),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.anywhere.is_empty() && self.words.is_empty()
    }

    /// Also finds `string`, plain and encoded.
    pub(super) fn insert(&mut self, string: &str, short: ShortString) {
        let decodings = if has_escapes(string) { DECODINGS } else { 0 };
        for decodings in 0..=decodings {
            self.insert_decoded(string, decodings, short);
        }
        if is_long(&chars_of(letters_and_digits(units(string, 0)))) {
            for encoded in rendered::encoded(string) {
                self.plain.insert(&chars_of(letters_and_digits(units(&encoded, 0))));
            }
        }
    }

    /// Also finds `string`, only as it is.
    pub(super) fn insert_as_it_is(&mut self, string: &str, short: ShortString) {
        self.insert_decoded(string, 0, short);
    }

    /// Also finds `word`, only as a whole word.
    pub(super) fn insert_word(&mut self, word: &str) {
        self.words.insert(&chars_of(folded(units(word, 0))));
    }

    fn insert_decoded(&mut self, string: &str, decodings: usize, short: ShortString) {
        let plain = chars_of(letters_and_digits(units(string, decodings)));
        let whole = chars_of(folded(units(string, decodings)));
        if !is_long(&plain) {
            let grams = if short == ShortString::Words { &mut self.words } else { &mut self.anywhere };
            return grams.insert(&whole);
        }
        self.plain.insert(&plain);
        // Its letters do not include punctuation at its ends.
        if whole.first() != plain.first() || whole.last() != plain.last() {
            self.anywhere.insert(&whole);
        }
    }

    pub(super) fn find(&self, text: &str) -> FoundString {
        let mut found = FoundString::default();
        let decodings = if has_escapes(text) { DECODINGS } else { 0 };
        for decodings in 0..=decodings {
            let ranges = &mut found.ranges;
            if !self.plain.is_empty() {
                let units = letters_and_digits(units(text, decodings));
                self.plain.find(units, &mut |hit| push(ranges, hit.start..hit.end));
            }
            if !self.anywhere.is_empty() {
                let units = folded(units(text, decodings));
                self.anywhere.find(units, &mut |hit| push(ranges, hit.start..hit.end));
            }
            if !self.words.is_empty() {
                self.words.find(folded(units(text, decodings)), &mut |hit| match standing(&hit) {
                    StringBoundary::Alone => push(&mut found.ranges, hit.start..hit.end),
                    StringBoundary::InWord => found.is_entangled = true,
                    StringBoundary::InNumber => {}
                });
            }
        }
        found
    }
}

/// Hits come in the order of their ends, so those that overlap are at the end of the list.
fn push(ranges: &mut Vec<Range<usize>>, mut hit: Range<usize>) {
    while let Some(last) = ranges.pop_if(|last| hit.start < last.end && last.start < hit.end) {
        hit = hit.start.min(last.start)..hit.end.max(last.end);
    }
    ranges.push(hit);
}

enum StringBoundary {
    Alone,
    /// Adjacent to a letter that may belong to it.
    InWord,
    /// Adjacent to a digit, which makes it another number.
    InNumber,
}

fn standing(hit: &GramHit) -> StringBoundary {
    let sides = [(hit.first, hit.before), (hit.last, hit.after)];
    let touching = || {
        let is_word = |char: &char| char.is_alphanumeric();
        sides
            .into_iter()
            .filter_map(move |(edge, next)| Some((edge, next.filter(is_word)?)).filter(|_| is_word(&edge)))
    };
    if touching().any(|(edge, next)| edge.is_numeric() && next.is_numeric()) {
        StringBoundary::InNumber
    } else if touching().any(|(edge, _)| !edge.is_numeric()) {
        StringBoundary::InWord
    } else {
        StringBoundary::Alone
    }
}

impl FoundString {
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The findings of both in the same text.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.ranges.extend(other.ranges);
        self.is_entangled |= other.is_entangled;
        self
    }

    /// Replaces everything that was found in `text` by `marker`.
    pub(super) fn replaced<'t>(mut self, text: &'t str, marker: &str) -> Cow<'t, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        self.ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut redacted = String::with_capacity(text.len());
        let mut end = 0;
        let mut is_first = true;
        for range in self.ranges {
            if is_first || range.start >= end {
                redacted.push_str(&text[end..range.start]);
                redacted.push_str(marker);
            }
            is_first = false;
            end = end.max(range.end);
        }
        redacted.push_str(&text[end..]);
        Cow::Owned(redacted)
    }
}

fn chars_of(units: impl Iterator<Item = super::units::CharacterUnit>) -> Vec<char> {
    units.map(|unit| unit.char).collect()
}

fn is_long(plain: &[char]) -> bool {
    plain.iter().map(|char| if char.is_ascii() { 1 } else { 2 }).sum::<usize>() >= LONG
}
