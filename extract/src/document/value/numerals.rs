//! Finds the numbers written with digits in a text.

use std::ops::Range;

use crate::document::{
    characters::{char_before, is_dash},
    value::{decimal::PlainDecimal, digits::digit},
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
        let (exponent, end) = exponent(text, end);
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
            readings.into_iter().map(|number| number.with_sign(is_negative)).collect();
        if readings.is_empty() {
            // In a date or a version, each part is a number.
            for group in &groups {
                let number = PlainDecimal::new(&group.digits, "", 0);
                let (range, readings) = (group.range.clone(), vec![number.clone()]);
                found.push(WrittenNumber { range, readings, parts: Vec::new(), joined: number });
            }
        } else {
            let (range, joined) = (sign.unwrap_or(start)..end, PlainDecimal::new(&joined(&groups), "", 0));
            found.push(WrittenNumber { range, readings, parts: parts(&groups), joined });
        }
    }
    found
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
    let (power, is_marked) = power.strip_prefix('^').map_or((power, false), |power| (power, true));
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
