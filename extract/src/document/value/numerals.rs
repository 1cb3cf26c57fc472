//! Finds the numbers written with digits in a text, of every script, or as Roman numerals, and
//! compares them by their digits, so that `1200`, `1200.0` and `1.2e3` are equal.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::{
    document::characters::{char_before, is_dash},
    vocabulary::digits::PlainDecimal,
};

/// A number as written.
#[derive(Debug)]
pub(super) struct WrittenNumber {
    /// Its bytes, with its sign.
    pub(super) range: Range<usize>,
    /// Its possible meanings: `1.200` is either more than one or more than a thousand.
    pub(super) readings: Vec<PlainDecimal>,
    /// The meanings of its parts as numbers of their own: `3,4` may be a list of two.
    pub(super) parts: Vec<PlainDecimal>,
    /// Its digits without separators: what it becomes when its decimal point is lost.
    pub(super) joined: PlainDecimal,
    /// Whether it is a part of a number with a fraction: each of the three in `2 1/2`, and the 2 of `2½`.
    pub(super) is_in_fraction: bool,
}

/// Maximum groups of digits in a number. More are a table without columns.
const MOST_GROUPS: usize = 12;

/// Maximum bytes of a group of digits.
const MOST_DIGITS: usize = 64;

/// The numbers in `text`, in order, in linear time.
pub(super) fn numerals(text: &str) -> Vec<WrittenNumber> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c| digit(c).is_some()).map(|start| at + start) {
        let (groups, end) = groups(text, start);
        at = end;
        if groups.iter().any(|group| group.digits.len() > MOST_DIGITS) {
            continue;
        }
        let (exponent, end) = match raised(&text[end..]).filter(|_| joined(&groups) == "10") {
            // A power of ten, rather than 10 with the number of a footnote.
            Some((exponent, bytes)) => (exponent - 1, end + bytes),
            None => exponent(text, end),
        };
        at = end;
        let point = leading_point(text, start).filter(|_| groups.len() == 1);
        let start = point.unwrap_or(start);
        let sign = sign(text, start);
        let is_negative = sign.is_some();
        let readings = match point {
            Some(_) => vec![PlainDecimal::new("", &groups[0].digits, exponent)],
            None => readings(&groups, exponent),
        };
        let readings: Vec<PlainDecimal> =
            readings.into_iter().map(|number| if is_negative { number.negated() } else { number }).collect();
        if readings.is_empty() {
            // In a date or a version, each part is a number.
            for group in &groups {
                let number = PlainDecimal::new(&group.digits, "", 0);
                let (range, readings) = (group.range.clone(), vec![number.clone()]);
                found.push(WrittenNumber {
                    range,
                    readings,
                    parts: Vec::new(),
                    joined: number,
                    is_in_fraction: false,
                });
            }
        } else {
            let (range, joined) = (sign.unwrap_or(start)..end, PlainDecimal::new(&joined(&groups), "", 0));
            found.push(WrittenNumber {
                range,
                readings,
                parts: parts(&groups),
                joined,
                is_in_fraction: false,
            });
        }
    }
    mark_fractions(text, &mut found);
    found
}

/// Marks the parts of numbers with a fraction.
fn mark_fractions(text: &str, found: &mut [WrittenNumber]) {
    let is_joint = |joint: &str| matches!(joint, " " | "\u{a0}" | "\u{202f}" | "-");
    let is_plain = |number: &WrittenNumber| text[number.range.clone()].chars().all(|c| digit(c).is_some());
    for at in 0..found.len() {
        let end = found[at].range.end;
        let after = text[end..].strip_prefix(' ').unwrap_or(&text[end..]);
        // In Unicode, `½` is 1, a slash of its own, and 2.
        let is_fraction = |c: char| std::iter::once(c).nfkc().any(|part| part == '\u{2044}');
        found[at].is_in_fraction |= is_plain(&found[at]) && after.starts_with(is_fraction);
        let [whole, over, under, ..] = &found[at..] else { continue };
        let is_mixed = [whole, over, under].into_iter().all(is_plain)
            && is_joint(&text[end..over.range.start])
            && matches!(&text[over.range.end..under.range.start], "/" | "\u{2044}")
            && over.joined.rounded() < under.joined.rounded()
            && !text[under.range.end..].starts_with('/');
        if is_mixed {
            found[at..at + 3].iter_mut().for_each(|part| part.is_in_fraction = true);
        }
    }
}

/// The groups as numbers of their own, if they may be a list: `3,4`, `101,102` or `2 500 mg`.
/// Groups that look like thousands are a list with commas only if all numbers have the same length.
fn parts(groups: &[DigitGroup]) -> Vec<PlainDecimal> {
    let [first, rest @ ..] = groups else { return Vec::new() };
    let is_list = match rest.iter().map(|group| group.separator).collect::<Option<Vec<_>>>() {
        Some(separators) if separators.iter().all(|one| *one == ',') => {
            first.digits.len() == 3 || !are_thousands(first, rest)
        }
        Some(separators) => separators.iter().all(|one| *one == ' '),
        None => false,
    };
    if rest.is_empty() || !is_list {
        return Vec::new();
    }
    groups.iter().map(|group| PlainDecimal::new(&group.digits, "", 0)).collect()
}

/// The position of a decimal point before `start` with nothing before it: `.5 mg`.
fn leading_point(text: &str, start: usize) -> Option<usize> {
    let point = char_before(text, start).filter(|c| matches!(*c, '.' | DECIMAL))?;
    let at = start - point.len_utf8();
    let is_first = |c: char| {
        c.is_whitespace() || is_dash(c) || matches!(c, '(' | '[' | '<' | '>' | '=' | '~' | '$' | '€' | '£')
    };
    char_before(text, at).is_none_or(is_first).then_some(at)
}

/// The position of a minus sign before `start`. A hyphen after a word or a number is not one:
/// `5-10`, `B-12`.
fn sign(text: &str, start: usize) -> Option<usize> {
    let sign = char_before(text, start).filter(|c| is_dash(*c))?;
    let at = start - sign.len_utf8();
    char_before(text, at).is_none_or(|c| !c.is_alphanumeric()).then_some(at)
}

#[derive(Debug)]
struct DigitGroup {
    /// The separator between it and the previous group.
    separator: Option<char>,
    digits: String,
    range: Range<usize>,
}

/// The groups of digits from `start`, and their end.
fn groups(text: &str, start: usize) -> (Vec<DigitGroup>, usize) {
    let mut groups: Vec<DigitGroup> = Vec::new();
    let (mut at, mut separator) = (start, None);
    loop {
        let digits: String = text[at..].chars().map_while(digit).collect();
        let bytes: usize = text[at..].chars().take_while(|c| digit(*c).is_some()).map(char::len_utf8).sum();
        groups.push(DigitGroup { separator, range: at..at + bytes, digits });
        let end = at + bytes;
        let mut rest = text[end..].chars();
        separator = rest.next().and_then(separated);
        let Some(mark) = separator.filter(|_| groups.len() < MOST_GROUPS) else { return (groups, end) };
        let next = rest.as_str();
        let count = next.chars().take(4).take_while(|c| digit(*c).is_some()).count();
        // A space only separates thousands.
        let is_thousand = count == 3 && groups.iter().all(|group| group.digits.len() <= 3);
        if count == 0 || (mark == ' ' && !is_thousand) {
            return (groups, end);
        }
        at = text.len() - next.len();
    }
}

/// The Arabic separators, which have one meaning each.
const DECIMAL: char = '\u{66b}';
const THOUSANDS: char = '\u{66c}';

/// The separator of groups that `c` is, in one form per kind.
fn separated(c: char) -> Option<char> {
    match c {
        '.' | '．' => Some('.'),
        ',' | '，' | '\u{60c}' => Some(','),
        DECIMAL | THOUSANDS => Some(c),
        ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => Some(' '),
        '\'' | '’' | '_' => Some('\''),
        _ => None,
    }
}

/// The exponent of `1e5` or `1 × 10^5`, and its end.
fn exponent(text: &str, end: usize) -> (i64, usize) {
    letter_exponent(text, end).or_else(|| power_of_ten(text, end)).unwrap_or((0, end))
}

/// Maximum digits of an exponent.
const MOST_EXPONENT: usize = 4;

fn letter_exponent(text: &str, end: usize) -> Option<(i64, usize)> {
    let rest = text[end..].strip_prefix(['e', 'E'])?;
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let count = digits.bytes().take(MOST_EXPONENT + 1).take_while(u8::is_ascii_digit).count();
    let len = rest.len() - digits.len() + count;
    let is_all = !digits[count..].starts_with(|c: char| c.is_alphanumeric());
    let exponent = rest[..len].parse().ok()?;
    ((1..=MOST_EXPONENT).contains(&count) && is_all).then_some((exponent, end + 1 + len))
}

fn power_of_ten(text: &str, end: usize) -> Option<(i64, usize)> {
    let rest = text[end..].trim_start_matches(' ');
    let rest = rest.strip_prefix(['×', 'x', 'X', '*', '·', '⋅'])?.trim_start_matches(' ');
    let power = rest.strip_prefix("10")?;
    let (exponent, bytes) = raised(power)?;
    Some((exponent, text.len() - power.len() + bytes))
}

/// The exponent that `text` starts with, and its bytes: of `³` and of `^3`.
fn raised(text: &str) -> Option<(i64, usize)> {
    let (power, is_marked) = text.strip_prefix('^').map_or((text, false), |power| (power, true));
    let ordinary = |c: char| match c {
        '-' | '\u{2212}' if is_marked => Some('-'),
        '0'..='9' if is_marked => Some(c),
        '\u{207b}' => Some('-'),
        _ => superscript(c).and_then(|digit| char::from_digit(digit, 10)),
    };
    let written: String = power.chars().map_while(ordinary).take(MOST_EXPONENT + 2).collect();
    if written.len() > MOST_EXPONENT + 1 {
        return None;
    }
    let bytes: usize = power.chars().take(written.len()).map(char::len_utf8).sum();
    Some((written.parse().ok()?, text.len() - power.len() + bytes))
}

/// The value of a superscript digit.
pub(super) fn superscript(c: char) -> Option<u32> {
    match c {
        '²' => Some(2),
        '³' => Some(3),
        '¹' => Some(1),
        '\u{2070}' | '\u{2074}'..='\u{2079}' => Some(u32::from(c) - 0x2070),
        _ => None,
    }
}

/// The digits of `groups`.
fn joined(groups: &[DigitGroup]) -> String {
    groups.iter().map(|group| group.digits.as_str()).collect()
}

/// The possible meanings of the groups together; none if they are not a number.
fn readings(groups: &[DigitGroup], exponent: i64) -> Vec<PlainDecimal> {
    let [first, rest @ ..] = groups else { return Vec::new() };
    let Some((last, between)) = rest.split_last() else {
        return vec![PlainDecimal::new(&first.digits, "", exponent)];
    };
    let mut readings = Vec::new();
    let is_alike = |rest: &[DigitGroup]| rest.iter().all(|group| group.separator == rest[0].separator);
    if is_alike(rest) && are_thousands(first, rest) {
        readings.push(PlainDecimal::new(&joined(groups), "", exponent));
    }
    let is_point = matches!(last.separator, Some('.' | ',' | DECIMAL));
    let is_other = |rest: &[DigitGroup]| rest.iter().all(|group| group.separator != last.separator);
    if is_point
        && is_alike(between)
        && is_other(between)
        && (between.is_empty() || are_thousands(first, between))
    {
        readings.push(PlainDecimal::new(&joined(&groups[..groups.len() - 1]), &last.digits, exponent));
    }
    readings
}

/// Returns whether the groups are thousands: three digits each, or, as in India, two each with
/// three at the end.
fn are_thousands(first: &DigitGroup, rest: &[DigitGroup]) -> bool {
    let Some((last, between)) = rest.split_last() else { return true };
    // `0.250` is a quarter, not 250.
    if first.digits.starts_with('0') || rest.iter().any(|group| group.separator == Some(DECIMAL)) {
        return false;
    }
    let all = |len: usize| between.iter().all(|group| group.digits.len() == len);
    first.digits.len() <= 3 && last.digits.len() == 3 && (all(3) || (all(2) && first.digits.len() <= 2))
}

/// The code points of the digit zero in each script; nine more digits follow each one.
///
/// They are the characters of the general category `Nd` in `DerivedGeneralCategory.txt` of the
/// Unicode Character Database 16.0.0, where they always come in tens, in the order of their values
/// (The Unicode Standard, section 4.6).
const ZEROS: [u32; 76] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x10d40,
    0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x116d0, 0x116da,
    0x11730, 0x118e0, 0x11950, 0x11bf0, 0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16130, 0x16a60, 0x16ac0,
    0x16b50, 0x16d70, 0x1ccf0, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0,
    0x1e5f1, 0x1e950, 0x1fbf0,
];

/// `c` as an ASCII digit, if it is a decimal digit of any script.
pub(crate) fn digit(c: char) -> Option<char> {
    if c.is_ascii() {
        return c.is_ascii_digit().then_some(c);
    }
    let code = u32::from(c);
    let after = ZEROS.partition_point(|zero| *zero <= code);
    let value = code - ZEROS[after.checked_sub(1)?];
    char::from_digit(value, 10)
}

impl PlainDecimal {
    /// Its absolute value.
    pub(super) fn magnitude(&self) -> Self {
        Self { is_negative: false, ..self.clone() }
    }

    /// Its absolute value as a double, rounded.
    pub(super) fn rounded(&self) -> f64 {
        format!("0{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::NAN)
    }

    /// Returns whether `double`, which is a double, is this number as nearly as doubles allow: not
    /// all its digits fit into one.
    pub(super) fn rounds_to(&self, double: &Self) -> bool {
        const EXACT_DIGITS: usize = 15;
        self.digits.len() > EXACT_DIGITS
            && self.is_negative == double.is_negative
            && self.rounded().to_bits() == double.rounded().to_bits()
    }

    /// Returns whether both have the same digits, apart from sign and decimal point.
    pub(super) fn has_digits_of(&self, other: &Self) -> bool {
        self.digits == other.digits
    }

    /// Returns whether it is 0 or 1, which can be said without a number: `none`, `a tablet`.
    pub(super) fn goes_without_saying(&self) -> bool {
        self.digits.is_empty() || (self.digits == "1" && self.exponent == 0)
    }
}

/// Units that would be Roman numerals too.
const UNITS: [&str; 8] = ["mm", "cm", "dm", "ml", "cl", "dl", "mi", "di"];

/// The value of `word`, a word in lower case, if it is a Roman numeral of several letters. A single
/// letter is more often something else.
pub(super) fn value(word: &str) -> Option<f64> {
    if word.len() > 1 && !UNITS.contains(&word) { worth(word) } else { None }
}

/// The value of Roman digits in lower case, in their usual order.
pub(super) fn worth(word: &str) -> Option<f64> {
    const LONGEST: usize = 15;
    const PARTS: [(&str, u32); 13] = [
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ];
    if word.len() > LONGEST {
        return None;
    }
    let (mut value, mut rest) = (0, word);
    for (letters, worth) in PARTS {
        while let Some(after) = rest.strip_prefix(letters) {
            (value, rest) = (value + worth, after);
        }
    }
    (!word.is_empty() && rest.is_empty()).then_some(f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_has_ten_digits_and_no_more() {
        assert!(ZEROS.windows(2).all(|two| two[0] + 10 <= two[1]));
        for zero in ZEROS {
            for value in 0..10 {
                let c = char::from_u32(zero + value).unwrap();
                assert_eq!(digit(c), char::from_digit(value, 10), "U+{:04X}", zero + value);
            }
        }
        for c in ['\u{2f}', '\u{3a}', 'a', '²', '½', '五', '〇', 'Ⅷ', '\u{10ffff}'] {
            assert_eq!(digit(c), None, "{c}");
        }
    }

    #[test]
    fn a_roman_numeral_has_its_value_and_a_unit_has_none() {
        for (word, expected) in [
            ("ii", Some(2.0)),
            ("xiv", Some(14.0)),
            ("mcmxcix", Some(1999.0)),
            ("ml", None),
            ("i", None),
            ("vivid", None),
            ("ic", None),
            ("", None),
        ] {
            assert_eq!(value(word), expected, "{word}");
        }
    }
}
