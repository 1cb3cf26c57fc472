//! Finds the numbers written with digits in a text.

use std::ops::Range;

use crate::document::{
    characters::{char_before, is_dash},
    value::decimal::Decimal,
};

/// A number as written.
#[derive(Debug)]
pub(super) struct Numeral {
    /// Its bytes, with its sign.
    pub(super) range: Range<usize>,
    /// Its possible meanings: `1.200` is either more than one or more than a thousand.
    pub(super) readings: Vec<Decimal>,
    /// The meanings of its parts as numbers of their own: `3,4` may be a list of two.
    pub(super) parts: Vec<Decimal>,
}

/// The code points of the digit zero in the scripts that are read.
const ZEROS: [u32; 8] = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10, 0x1d7ce];

/// `c` as an ASCII digit.
pub(super) fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let value = ZEROS.iter().filter_map(|zero| code.checked_sub(*zero)).find(|value| *value < 10)?;
    char::from_digit(value, 10)
}

/// Maximum groups of digits in a number. More are a table without columns.
const MOST_GROUPS: usize = 12;

/// Maximum bytes of a group of digits.
const MOST_DIGITS: usize = 64;

/// The numbers in `text`, in order, in linear time.
pub(super) fn numerals(text: &str) -> Vec<Numeral> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c| digit(c).is_some()).map(|start| at + start) {
        let (groups, end) = groups(text, start);
        at = end;
        if groups.iter().any(|group| group.digits.len() > MOST_DIGITS) {
            continue;
        }
        let (exponent, end) = exponent(text, end);
        at = end;
        let sign = sign(text, start);
        let is_negative = sign.is_some();
        let readings: Vec<Decimal> =
            readings(&groups, exponent).into_iter().map(|number| number.with_sign(is_negative)).collect();
        let parts = groups.iter().map(|group| Decimal::new(&group.digits, "", 0));
        if readings.is_empty() {
            // In a date or a version, each part is a number.
            for group in &groups {
                let readings = vec![Decimal::new(&group.digits, "", 0)];
                found.push(Numeral { range: group.range.clone(), readings, parts: Vec::new() });
            }
        } else {
            let is_list = groups.iter().skip(1).all(|group| matches!(group.separator, Some(',' | ' ')));
            let parts = if groups.len() > 1 && is_list { parts.collect() } else { Vec::new() };
            found.push(Numeral { range: sign.unwrap_or(start)..end, readings, parts });
        }
    }
    found
}

/// The position of a minus sign before `start`. A hyphen after a word or a number is not one:
/// `5-10`, `B-12`.
fn sign(text: &str, start: usize) -> Option<usize> {
    let sign = char_before(text, start).filter(|c| is_dash(*c))?;
    let at = start - sign.len_utf8();
    char_before(text, at).is_none_or(|c| !c.is_alphanumeric()).then_some(at)
}

#[derive(Debug)]
struct Group {
    /// The separator between it and the previous group.
    separator: Option<char>,
    digits: String,
    range: Range<usize>,
}

/// The groups of digits from `start`, and their end.
fn groups(text: &str, start: usize) -> (Vec<Group>, usize) {
    let mut groups: Vec<Group> = Vec::new();
    let (mut at, mut separator) = (start, None);
    loop {
        let digits: String = text[at..].chars().map_while(digit).collect();
        let bytes: usize = text[at..].chars().take_while(|c| digit(*c).is_some()).map(char::len_utf8).sum();
        groups.push(Group { separator, range: at..at + bytes, digits });
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

/// The separator of groups that `c` is, in one form per kind.
fn separated(c: char) -> Option<char> {
    match c {
        '.' | '\u{66b}' | '．' => Some('.'),
        ',' | '\u{66c}' | '，' => Some(','),
        ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => Some(' '),
        '\'' | '’' | '_' => Some('\''),
        _ => None,
    }
}

/// The exponent of `1e5`, and its end.
fn exponent(text: &str, end: usize) -> (i64, usize) {
    let read = || {
        let rest = text[end..].strip_prefix(['e', 'E'])?;
        let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        let count = digits.bytes().take(5).take_while(u8::is_ascii_digit).count();
        let len = rest.len() - digits.len() + count;
        let is_all = !digits[count..].starts_with(|c: char| c.is_alphanumeric());
        let exponent = rest[..len].parse().ok()?;
        ((1..5).contains(&count) && is_all).then_some((exponent, end + 1 + len))
    };
    read().unwrap_or((0, end))
}

/// The possible meanings of the groups together; none if they are not a number.
fn readings(groups: &[Group], exponent: i64) -> Vec<Decimal> {
    let [first, rest @ ..] = groups else { return Vec::new() };
    let Some((last, between)) = rest.split_last() else {
        return vec![Decimal::new(&first.digits, "", exponent)];
    };
    let joined = |groups: &[Group]| groups.iter().map(|group| group.digits.as_str()).collect::<String>();
    let mut readings = Vec::new();
    let is_alike = |rest: &[Group]| rest.iter().all(|group| group.separator == rest[0].separator);
    if is_alike(rest) && are_thousands(first, rest) {
        readings.push(Decimal::new(&joined(groups), "", exponent));
    }
    let is_point = matches!(last.separator, Some('.' | ','));
    let is_other = |rest: &[Group]| rest.iter().all(|group| group.separator != last.separator);
    if is_point
        && is_alike(between)
        && is_other(between)
        && (between.is_empty() || are_thousands(first, between))
    {
        readings.push(Decimal::new(&joined(&groups[..groups.len() - 1]), &last.digits, exponent));
    }
    readings
}

/// Whether the groups are thousands: three digits each, or, as in India, two each with three at the
/// end.
fn are_thousands(first: &Group, rest: &[Group]) -> bool {
    let Some((last, between)) = rest.split_last() else { return true };
    let all = |len: usize| between.iter().all(|group| group.digits.len() == len);
    first.digits.len() <= 3 && last.digits.len() == 3 && (all(3) || (all(2) && first.digits.len() <= 2))
}
