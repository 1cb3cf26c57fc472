//! Numbers in the notations that models use.

use serde_json::Number;

/// The number that `text` spells in strict JSON.
pub(in crate::reading) fn strict(text: &str) -> Option<Number> {
    if let Some(number) = short(text) {
        return Some(number);
    }
    let starts_well = text.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    let ends_well = text.as_bytes().last().is_some_and(u8::is_ascii_digit);
    if starts_well && ends_well { serde_json::from_str(text).ok() } else { None }
}

/// A number of a few digits, which most are.
fn short(text: &str) -> Option<Number> {
    let bytes = text.as_bytes();
    if !matches!(bytes.len(), 1..=15) || bytes[0] == b'0' && bytes.len() > 1 {
        return None;
    }
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    bytes.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?)).map(Number::from)
}

/// The number that `text` spells in JSON5, Python or JavaScript: with a plus sign, leading zeros, a bare dot,
/// underscores or in hexadecimal, octal or binary.
pub(in crate::reading) fn tolerant(text: &str) -> Option<Number> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => ("", &text[1..]),
        b'-' => ("-", &text[1..]),
        _ => ("", text),
    };
    if let Some(number) = radix(sign, digits) {
        return Some(number);
    }
    let is_plain =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'e' | b'E' | b'+' | b'-');
    if !digits.bytes().all(is_plain) || !has_separated_digits(digits) {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => digits.split_at(at),
        None => (&*digits, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !mantissa.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    if mantissa.contains('.') {
        strict(&format!("{sign}{whole}.{fraction}{exponent}"))
    } else {
        strict(&format!("{sign}{whole}{exponent}"))
    }
}

fn radix(sign: &str, digits: &str) -> Option<Number> {
    let (radix, digits) = match digits.get(..2)? {
        "0x" | "0X" => (16, &digits[2..]),
        "0o" | "0O" => (8, &digits[2..]),
        "0b" | "0B" => (2, &digits[2..]),
        _ => return None,
    };
    if digits.is_empty()
        || !digits.chars().all(|c| c.is_digit(radix) || c == '_')
        || !has_separated_digits(digits)
    {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    match sign {
        "-" => i64::from_str_radix(&format!("-{digits}"), radix).ok().map(Number::from),
        _ => u64::from_str_radix(&digits, radix).ok().map(Number::from),
    }
}

/// An underscore stands between two digits.
fn has_separated_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || at > 0 && is_digit(at - 1) && is_digit(at + 1))
}

/// The number that `text` spells with or without group separators, where only one reading is possible:
/// `1,250.00`, `1.250,00`, `1,250,000`, `1 250`, `1'250` and `12,5`; but not `1,250`.
pub(in crate::reading) fn grouped(text: &str) -> Option<Number> {
    let text = text.trim();
    if let Some(number) = strict(text).or_else(|| tolerant(text)) {
        return Some(number);
    }
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = split(digits)?;
    strict(&if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// Digits before and after the decimal mark, without group separators.
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
        _ if is_repeated => false,
        // One comma before three digits may separate either.
        ',' if before.is_empty() && after.len() == 3 => return None,
        ',' | '.' => true,
        _ => false,
    };
    let (whole, fraction) = if is_decimal { (&digits[..last], after) } else { (digits, "") };
    if is_decimal && fraction.is_empty() {
        return None;
    }
    Some((ungrouped(whole)?, fraction))
}

/// `1,250,000` without its separators: all the same, and three digits after each.
fn ungrouped(whole: &str) -> Option<String> {
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    let Some(separator) = separator else {
        let is_canonical = whole == "0" || !whole.starts_with('0');
        return (is_canonical && !whole.is_empty()).then(|| whole.to_owned());
    };
    if !matches!(separator, ',' | '.' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}') {
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
            ("1.250.000", "1250000"),
            ("1 250", "1250"),
            ("1'250.5", "1250.5"),
            ("12,5", "12.5"),
            ("-1,250.5", "-1250.5"),
            ("+12", "12"),
            ("0x1F", "31"),
            ("1_000", "1000"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("007", "7"),
        ] {
            assert_eq!(grouped(text), strict(number), "{text}");
            assert!(grouped(text).is_some(), "{text}");
        }
    }

    #[test]
    fn leaves_alone_what_may_mean_two_things_or_nothing() {
        for text in
            ["1,250", "1,25,0", "1,2500.0", "12 EUR", "", "-", ".", "1__0", "1.2.3", "0,5,0", "e5", "١"]
        {
            assert_eq!(grouped(text), None, "{text}");
        }
    }
}
