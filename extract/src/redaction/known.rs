//! Strings that are known, and where a text quotes them.

use std::{borrow::Cow, ops::Range};

use super::{
    grams::{Grams, Hit},
    rendered,
    units::{DECODINGS, folded, has_escapes, letters_and_digits, units},
};

/// Letters and digits that a string has at least to be looked for by them alone, in words and
/// across separators. Those beyond ASCII count twice: two ideograms tell as much as four letters.
const LONG: usize = 4;

/// Strings that are looked for, and the other ways in which they are written.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// Their letters and digits.
    plain: Grams,
    /// As they are but for their case.
    anywhere: Grams,
    /// As they are but for their case, where they are no part of a longer word.
    words: Grams,
}

/// How a string is looked for that is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    Anywhere,
    Words,
}

/// Where a text quotes what is known.
#[derive(Debug, Default)]
pub(super) struct Found {
    ranges: Vec<Range<usize>>,
    /// Whether a short string stands in a longer word, which may be chance.
    pub(super) is_entangled: bool,
}

impl Known {
    /// Parts of a string of `window` letters and digits are found too.
    pub(super) fn new(window: usize) -> Self {
        Self { plain: Grams::new(window), anywhere: Grams::new(window), words: Grams::new(window) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.anywhere.is_empty() && self.words.is_empty()
    }

    /// Also looks for `string`, as it is and encoded.
    pub(super) fn insert(&mut self, string: &str, short: Short) {
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

    /// Also looks for `string`, but in no other way than this.
    pub(super) fn insert_as_it_is(&mut self, string: &str, short: Short) {
        self.insert_decoded(string, 0, short);
    }

    /// Also looks for `word`, where it is no part of a longer one.
    pub(super) fn insert_word(&mut self, word: &str) {
        self.words.insert(&chars_of(folded(units(word, 0))));
    }

    fn insert_decoded(&mut self, string: &str, decodings: usize, short: Short) {
        let plain = chars_of(letters_and_digits(units(string, decodings)));
        let whole = chars_of(folded(units(string, decodings)));
        if !is_long(&plain) {
            let grams = if short == Short::Words { &mut self.words } else { &mut self.anywhere };
            return grams.insert(&whole);
        }
        self.plain.insert(&plain);
        // Signs at its ends are not found by its letters.
        if whole.first() != plain.first() || whole.last() != plain.last() {
            self.anywhere.insert(&whole);
        }
    }

    pub(super) fn find(&self, text: &str) -> Found {
        let mut found = Found::default();
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
                    Standing::Alone => push(&mut found.ranges, hit.start..hit.end),
                    Standing::InWord => found.is_entangled = true,
                    Standing::InNumber => {}
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

enum Standing {
    Alone,
    /// Next to a letter that may belong to it.
    InWord,
    /// Next to a digit, which makes it another number.
    InNumber,
}

fn standing(hit: &Hit) -> Standing {
    let sides = [(hit.first, hit.before), (hit.last, hit.after)];
    let touching = || {
        let is_word = |char: &char| char.is_alphanumeric();
        sides
            .into_iter()
            .filter_map(move |(edge, next)| Some((edge, next.filter(is_word)?)).filter(|_| is_word(&edge)))
    };
    if touching().any(|(edge, next)| edge.is_numeric() && next.is_numeric()) {
        Standing::InNumber
    } else if touching().any(|(edge, _)| !edge.is_numeric()) {
        Standing::InWord
    } else {
        Standing::Alone
    }
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// What either found in the same text.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.ranges.extend(other.ranges);
        self.is_entangled |= other.is_entangled;
        self
    }

    /// `text` with `marker` for everything that was found in it.
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

fn chars_of(units: impl Iterator<Item = super::units::Unit>) -> Vec<char> {
    units.map(|unit| unit.char).collect()
}

fn is_long(plain: &[char]) -> bool {
    plain.iter().map(|char| if char.is_ascii() { 1 } else { 2 }).sum::<usize>() >= LONG
}
