//! Known strings, in all the ways to write them, and where a text quotes them.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use serde_json::Number;

use super::grams::{DECODINGS, GramHit, HashedGrams, folded, has_escapes, letters_and_digits, units};
use crate::vocabulary::base64;

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
            for encoded in encoded(string) {
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

fn chars_of(units: impl Iterator<Item = super::grams::CharacterUnit>) -> Vec<char> {
    units.map(|unit| unit.char).collect()
}

fn is_long(plain: &[char]) -> bool {
    plain.iter().map(|char| if char.is_ascii() { 1 } else { 2 }).sum::<usize>() >= LONG
}

/// Minimum characters of an encoded string that is searched.
const SHORTEST_ENCODED: usize = 5;

/// Maximum bytes of a string that are encoded; of a longer string, the start is searched in encoded
/// form.
const LONGEST_ENCODED: usize = 16 * 1024;

/// `number` as JSON, `Display` and `Debug` write it, with up to six decimals, rounded, truncated,
/// and with an exponent. Separators of thousands are ignored when a text is searched.
pub(super) fn renderings(number: &Number) -> Vec<String> {
    let mut ways = vec![number.to_string()];
    if let Some(number) = number.as_f64() {
        floats(number.abs(), &mut ways);
    }
    for way in &mut ways {
        // The sign may be elsewhere, or another character.
        *way = way.trim_start_matches('-').to_owned();
    }
    ways.sort_unstable();
    ways.dedup();
    ways
}

/// As [`renderings`], if `text` is a number, with or without separators of thousands.
pub(super) fn renderings_of_text(text: &str) -> Vec<String> {
    let is_separator = |char: char| char.is_whitespace() || matches!(char, ',' | '_' | '\'' | '’');
    let is_short = text.len() <= 40;
    let plain: String = text.chars().take(40).filter(|char| !is_separator(*char)).collect();
    let number = plain.parse::<f64>().ok().filter(|_| is_short).and_then(Number::from_f64);
    let mut ways = number.map_or_else(Vec::new, |number| renderings(&number));
    ways.extend(
        plain.parse::<i128>().ok().filter(|_| is_short).map(|number| number.unsigned_abs().to_string()),
    );
    ways
}

fn floats(number: f64, ways: &mut Vec<String>) {
    ways.extend([format!("{number}"), format!("{number:?}"), format!("{number:e}")]);
    ways.extend((1..=6).map(|decimals| format!("{number:.decimals$}")));
    #[expect(clippy::cast_possible_truncation, reason = "what an `f32` makes of it is one of the ways")]
    let narrow = number as f32;
    if narrow.is_finite() {
        ways.push(format!("{narrow}"));
    }
    // With fewer digits they match unrelated numbers.
    let whole = [format!("{:.0}", number.trunc()), format!("{number:.0}")];
    ways.extend(whole.into_iter().filter(|whole| whole.len() >= 3));
    // As other languages write it: `5.2e+4`, `5.2e+04`, `5.0e3`.
    let scientific = format!("{number:e}");
    if let Some((digits, exponent)) = scientific.split_once('e') {
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |rest| ("-", rest));
        let point = if digits.contains('.') { "" } else { ".0" };
        ways.extend(["", point].map(|point| format!("{digits}{point}e{sign}{exponent:0>2}")));
        ways.extend(["", point].map(|point| format!("{digits}{point}e{sign}{exponent}")));
        ways.push(format!("{digits}{point}e{}{exponent}", sign.trim_start_matches('+')));
    }
    // A decimal comma.
    let commas: Vec<String> =
        ways.iter().filter(|way| way.contains('.')).map(|way| way.replace('.', ",")).collect();
    ways.extend(commas);
}

/// `text` in base64 and in hexadecimal digits, without characters that depend on adjacent bytes.
pub(super) fn encoded(text: &str) -> Vec<String> {
    let mut end = text.len().min(LONGEST_ENCODED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = &text.as_bytes()[..end];
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(hex, "{byte:02x}");
    }
    let mut ways: Vec<String> = (0..3).map(|offset| in_base64(bytes, offset)).collect();
    ways.push(hex);
    ways.retain(|way| way.len() >= SHORTEST_ENCODED);
    ways
}

/// The characters of base64 (RFC 4648) that depend only on `bytes`, with `offset` bytes of a group
/// of three before them.
fn in_base64(bytes: &[u8], offset: usize) -> String {
    let padded: Vec<u8> = std::iter::repeat_n(0, offset).chain(bytes.iter().copied()).collect();
    // Each character of six bits depends on the bytes that contain these bits.
    let whole = padded.len() * 8 / 6;
    let first = (offset * 8).div_ceil(6);
    base64::encode(&padded)[first..whole].to_owned()
}
