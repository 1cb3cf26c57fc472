//! Numbers in the notations that models use.

use serde_json::Number;

use crate::vocabulary::digits;

/// Parses `text` as a number of strict JSON.
pub(crate) fn strict(text: &str) -> Option<Number> {
    if let Some(number) = short(text) {
        return Some(number);
    }
    let starts_well = text.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    let ends_well = text.as_bytes().last().is_some_and(u8::is_ascii_digit);
    if starts_well && ends_well { serde_json::from_str(text).ok() } else { None }
}

/// Returns whether `text` is a number of JSON that no double holds: `1e400`.
pub(crate) fn is_beyond_double(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.contains(['e', 'E'])
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok()
        && strict(text).is_none()
}

/// The fast path for numbers of a few digits, which most are.
fn short(text: &str) -> Option<Number> {
    let bytes = text.as_bytes();
    if !matches!(bytes.len(), 1..=15) || bytes[0] == b'0' && bytes.len() > 1 {
        return None;
    }
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    bytes.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?)).map(Number::from)
}

/// Returns whether `text` spells a number of which `number`, a double, keeps too little: an integer beyond 64 bits with
/// more digits, or a number so close to zero that it is zero (`1e-400`).
pub(crate) fn is_rounded(text: &str, number: &Number) -> bool {
    let Some(double) = number.as_f64().filter(|_| number.is_f64()) else { return false };
    let is_rounded = |json: String| {
        let may_round = double == 0.0 || !json.contains(['e', 'E']) && digits::is_whole(&json);
        may_round && digits::is_rounded(&json)
    };
    (double == 0.0 || is_beyond_integers(double)) && grouped_spelled(text).is_some_and(is_rounded)
}

/// Returns whether an integer this far from zero may not fit 64 bits, signed or unsigned.
pub(crate) fn is_beyond_integers(double: f64) -> bool {
    /// 2⁶³
    const SIGNED: f64 = 9_223_372_036_854_775_808.0;
    double >= 2.0 * SIGNED || double <= -SIGNED
}

pub(crate) fn is_group_separator(c: char) -> bool {
    matches!(c, ',' | '.' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// Returns whether `text` is written like a number with marks, whatever they mean: `1,5`,
/// `12.000.5`.
pub(crate) fn is_number_with_marks(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix(['-', '+', MINUS]).unwrap_or(text);
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_mark = |c: char| c == '_' || is_group_separator(c);
    is_edge(text.chars().next())
        && is_edge(text.chars().next_back())
        && text.contains(is_mark)
        && text.chars().all(|c| c.is_ascii_digit() || is_mark(c))
}

/// Decimal digits that every double keeps.
const EXACT_DIGITS: usize = 15;

/// The typographic minus sign, which has no other meaning.
pub(crate) const MINUS: char = '\u{2212}';

/// Parses `text` as a number of JSON5, Python or JavaScript: with a plus sign, leading zeros, a
/// bare dot, underscores or in hexadecimal, octal or binary. A minus may be U+2212.
pub(crate) fn tolerant(text: &str) -> Option<Number> {
    strict(&spelled(text)?)
}

/// The same number in the notation of JSON, with all of its digits. If `text` is not a number,
/// neither is the result.
fn spelled(text: &str) -> Option<String> {
    // Any other start rules out a number, however long the text is.
    let may_start = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | MINUS);
    if !text.starts_with(may_start) {
        return None;
    }
    if text.contains(MINUS) {
        return spelled(&text.replace(MINUS, "-"));
    }
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => ("", &text[1..]),
        b'-' => ("-", &text[1..]),
        _ => ("", text),
    };
    if let Some(number) = radix(sign, digits) {
        return Some(number.to_string());
    }
    if !has_separated_digits(digits) {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => digits.split_at(at),
        None => (&*digits, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if mantissa.len() < 1 + usize::from(mantissa.contains('.')) || !are_digits(whole) || !are_digits(fraction)
    {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    // `5.` is `5.0`, unless a double has too few digits for it.
    let is_exact = whole.len() <= EXACT_DIGITS;
    let fraction = if fraction.is_empty() && is_exact { "0" } else { fraction };
    Some(if mantissa.contains('.') && !fraction.is_empty() {
        format!("{sign}{whole}.{fraction}{exponent}")
    } else {
        format!("{sign}{whole}{exponent}")
    })
}

/// `number` in the notation of JSON, with the digits of `source`, which it was read from.
pub(crate) fn in_json(number: &Number, source: &str) -> String {
    let spelled = spelled(source).filter(|spelled| strict(spelled).as_ref() == Some(number));
    spelled.unwrap_or_else(|| number.to_string())
}

fn radix(sign: &str, digits: &str) -> Option<Number> {
    let (radix, digits) = match digits.get(..2)? {
        "0x" | "0X" => (16, &digits[2..]),
        "0o" | "0O" => (8, &digits[2..]),
        "0b" | "0B" => (2, &digits[2..]),
        _ => return None,
    };
    if !digits.chars().all(|c| c.is_digit(radix) || c == '_') || !has_separated_digits(digits) {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    match sign {
        "-" => i64::from_str_radix(&format!("-{digits}"), radix).ok().map(Number::from),
        _ => u64::from_str_radix(&digits, radix).ok().map(Number::from),
    }
}

/// Returns whether each underscore is between two digits.
fn has_separated_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || at > 0 && is_digit(at - 1) && is_digit(at + 1))
}

/// Parses the number in a string, with or without group separators, if only one reading is
/// possible:
///
/// | a number | none |
/// |---|---|
/// | `1,250.00`, `1.250,00`, `1 250`, `1'250` | `1,250`, `1.250`: a group or a fraction |
/// | `1,250,000` | `1.250.000`, `192.168.100.200`: several dots also part versions, dates and addresses |
/// | `1 250,5`, `0.500`, `1234.500`, `1.000e3` | `12,5`: a fraction to some, a slip or two numbers to others |
///
/// Unquoted JSON numbers follow JSON instead: there `1.250` is a number.
pub(crate) fn grouped(text: &str) -> Option<Number> {
    strict(&grouped_spelled(text)?)
}

/// The same number in the notation of JSON, with all of its digits.
pub(crate) fn grouped_spelled(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix(['-', MINUS]) {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if may_be_group(digits) {
        return None;
    }
    if let Some(spelled) = spelled(text).filter(|spelled| strict(spelled).is_some()) {
        return Some(spelled);
    }
    let (whole, fraction) = split(digits)?;
    Some(if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// Returns whether exactly three digits follow the only dot or comma, and at most three precede it:
/// `1.250`, which is a thousand or a fraction. No group starts with a zero.
fn may_be_group(digits: &str) -> bool {
    let Some((first, group)) = digits.split_once([',', '.']) else { return false };
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(first.len(), 1..=3)
        && !first.starts_with('0')
        && group.len() == 3
        && are_digits(first)
        && are_digits(group)
}

/// Splits digits at the decimal mark, and removes group separators.
fn split(digits: &str) -> Option<(String, &str)> {
    // No double has more digits.
    if digits.len() > 1_100 {
        return None;
    }
    let is_mark = |c: char| !c.is_ascii_digit();
    let marks: Vec<(usize, char)> = digits.char_indices().filter(|(_, c)| is_mark(*c)).collect();
    let (&(last, mark), before) = marks.split_last()?;
    let after = &digits[last + mark.len_utf8()..];
    let is_repeated = before.iter().any(|(_, other)| *other == mark);
    let is_decimal = match mark {
        '.' if is_repeated => return None,
        _ if is_repeated => false,
        // Only a group separator before it shows that a comma is the decimal mark.
        ',' if before.is_empty() => return None,
        ',' | '.' => true,
        _ => false,
    };
    let (whole, fraction) = if is_decimal { (&digits[..last], after) } else { (digits, "") };
    if is_decimal && fraction.is_empty() {
        return None;
    }
    Some((ungrouped(whole)?, fraction))
}

/// `1,250,000` without its separators, which must all be the same and be followed by three digits.
pub(crate) fn ungrouped(whole: &str) -> Option<String> {
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    let Some(separator) = separator else {
        let is_canonical = whole == "0" || !whole.starts_with('0');
        return (is_canonical && !whole.is_empty()).then(|| whole.to_owned());
    };
    if !is_group_separator(separator) {
        return None;
    }
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    if first.is_empty() || first.len() > 3 || first.starts_with('0') || !is_number(first) {
        return None;
    }
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 || !is_number(group) {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_number_where_only_one_reading_is_possible() {
        for (text, number) in [
            ("1,250.00", "1250.00"),
            ("1.250,00", "1250.00"),
            ("1,250,000", "1250000"),
            ("1.250.000,50", "1250000.50"),
            ("0.500", "0.500"),
            ("-0.500", "-0.500"),
            ("00.500", "0.500"),
            ("1234.500", "1234.500"),
            ("1.2500", "1.2500"),
            ("1.25", "1.25"),
            ("1.000e3", "1000.0"),
            ("1 250.500", "1250.500"),
            ("\u{2212}5", "-5"),
            ("\u{2212}1,250.5", "-1250.5"),
            ("5e\u{2212}3", "5e-3"),
            ("1 250", "1250"),
            ("1'250.5", "1250.5"),
            ("1 250,5", "1250.5"),
            ("1'250,50", "1250.50"),
            ("-1,250.5", "-1250.5"),
            ("+12", "12"),
            ("0x1F", "31"),
            ("1_000", "1000"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("9007199254740993.", "9007199254740993"),
            ("007", "7"),
        ] {
            assert_eq!(grouped(text), strict(number), "{text}");
            assert!(grouped(text).is_some(), "{text}");
        }
    }

    #[test]
    fn tells_which_digits_a_double_does_not_keep() {
        for (text, expected) in [
            ("12345678901234567890123", true),
            ("-9223372036854775809", true),
            ("18446744073709551617", true),
            ("\u{2212}12_345_678_901_234_567_890_123", true),
            ("12,345,678,901,234,567,890,123", true),
            ("100000000000000000000000", false),
            ("18446744073709551615", false),
            ("-9223372036854775808", false),
            ("1e300", false),
            ("1e-400", true),
            ("-1e-400", true),
            ("0e-400", false),
            ("1e-300", false),
            ("12345678901234567890.5", false),
            ("0.12345678901234567890123", false),
        ] {
            let number = grouped(text).unwrap();
            assert_eq!(is_rounded(text, &number), expected, "{text} {number}");
        }
    }

    #[test]
    fn leaves_alone_what_may_mean_two_things_or_nothing() {
        for text in [
            "1,250",
            "1.250",
            "12.500",
            "-1.000",
            "+1.000",
            "\u{2212}1.000",
            "999.999",
            " 1.000 ",
            "1.250.000",
            "192.168.100.200",
            "1.000.000.000",
            "1,25,0",
            "1,2500.0",
            "12 EUR",
            "",
            "-",
            ".",
            "1__0",
            "1.2.3",
            "0,5,0",
            "1234,500",
            "1,5",
            "12,5",
            "12,50",
            "0,5",
            "1234,5",
            "e5",
            "١",
            "５",
            "\u{2212}",
            "-\u{2212}5",
            "5\u{2212}3",
            "0-3",
            "00-5",
            "0\u{2212}9",
            "+-5",
            "-+5",
            "1.000.",
            "0,500",
        ] {
            assert_eq!(grouped(text), None, "{text}");
        }
    }
}
