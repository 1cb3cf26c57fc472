//! Numbers by their digits, as they are written. A double keeps about 17 of them.

use std::borrow::Cow;

use serde_json::Number;

/// Most digits that a number is written out with. It is far more than any type holds, and far less
/// than an exponent can ask for.
const MAX_DIGITS: usize = 128;

/// Digits after the point that a decimal of 96 bits can have.
pub(crate) const DECIMAL_PLACES: usize = 28;

/// The largest decimal of 96 bits; also the largest value of its digits without the point.
pub(crate) const DECIMAL_MAX: u128 = (1 << 96) - 1;

/// A number of JSON (RFC 8259, section 6) in its parts.
struct NumberParts<'t> {
    is_negative: bool,
    whole: &'t str,
    fraction: &'t str,
    /// An exponent that does not fit is as large as one can be.
    exponent: i64,
}

impl<'t> NumberParts<'t> {
    fn of(number: &'t str) -> Option<Self> {
        let (mantissa, exponent) = match number.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (number, 0),
        };
        let (is_negative, (whole, fraction)) = (mantissa.starts_with('-'), split(mantissa)?);
        let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
        (!has_leading_zero).then_some(Self { is_negative, whole, fraction, exponent })
    }
}

impl NumberParts<'_> {
    fn value(&self) -> PlainDecimal {
        let number = PlainDecimal::new(self.whole, self.fraction, self.exponent);
        if self.is_negative { number.negated() } else { number }
    }
}

/// A number without leading and trailing zeros, so that equal ones are the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PlainDecimal {
    /// Its digits without leading and trailing zeros; empty for zero.
    pub(crate) digits: String,
    /// The power of ten of its last digit.
    pub(crate) exponent: i64,
    pub(crate) is_negative: bool,
}

impl PlainDecimal {
    /// The number with these digits before and after the point.
    pub(crate) fn new(whole: &str, fraction: &str, exponent: i64) -> Self {
        let all = [whole, fraction].concat();
        let digits = all.trim_end_matches('0');
        let last = length(all.len() - digits.len()) - length(fraction.len());
        let digits = digits.trim_start_matches('0').to_owned();
        let exponent = if digits.is_empty() { 0 } else { exponent.saturating_add(last) };
        Self { digits, exponent, is_negative: false }
    }

    /// A number of JSON.
    pub(crate) fn of_json(number: &Number) -> Option<Self> {
        Some(NumberParts::of(&number.to_string())?.value())
    }

    /// A number as it is written out: `-1250.50`.
    pub(crate) fn of_digits(text: &str) -> Option<Self> {
        let (whole, fraction) = split(text)?;
        Some(NumberParts { is_negative: text.starts_with('-'), whole, fraction, exponent: 0 }.value())
    }

    /// Zero has no sign.
    pub(crate) fn negated(mut self) -> Self {
        self.is_negative = !self.digits.is_empty();
        self
    }
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !are_digits(digits) {
        return None;
    }
    let size: i64 = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

/// Returns whether `text` is a number of JSON that is beyond the range of a double.
pub(crate) fn is_beyond_double(text: &str) -> bool {
    NumberParts::of(text).is_some() && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Returns whether `number`, a number of JSON, has digits that neither 64 bits nor a double keep.
pub(crate) fn is_rounded(number: &str) -> bool {
    let Some(parts) = NumberParts::of(number) else { return false };
    if number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok() {
        return false;
    }
    let kept = number.parse::<f64>().map(|double| format!("{double:e}")).unwrap_or_default();
    NumberParts::of(&kept).is_none_or(|kept| kept.value() != parts.value())
}

/// Returns whether `number`, a number of JSON, is an integer, however it is written.
pub(crate) fn is_whole(number: &str) -> bool {
    NumberParts::of(number).is_some_and(|parts| parts.value().exponent >= 0)
}

/// `number`, a number of JSON, as an integer of 64 bits with all of its digits, if it is one.
pub(crate) fn integer(number: &str) -> Option<Number> {
    let PlainDecimal { digits, exponent, is_negative } = NumberParts::of(number)?.value();
    let zeros = usize::try_from(exponent).ok().filter(|zeros| *zeros < 20)?;
    let all = format!("{}{digits}{:0<zeros$}", if is_negative { "-" } else { "" }, "");
    match all.parse::<u64>() {
        _ if digits.is_empty() => Some(0.into()),
        Ok(number) => Some(number.into()),
        Err(_) => all.parse::<i64>().ok().map(Into::into),
    }
}

/// `number`, a number of JSON, without an exponent: `1500` for `1.5e3`. `None` if it is not a
/// number, or if that would take more than [`MAX_DIGITS`] digits.
pub(crate) fn written_out(number: &str) -> Option<Cow<'_, str>> {
    let NumberParts { is_negative, whole, fraction, exponent } = NumberParts::of(number)?;
    if whole.len() + fraction.len() > MAX_DIGITS {
        return None;
    }
    if exponent == 0 && !number.contains(['e', 'E']) {
        return Some(Cow::Borrowed(number));
    }
    let digits = [whole, fraction].concat();
    let point = length(whole.len()).saturating_add(exponent);
    if point.unsigned_abs() > MAX_DIGITS as u64 {
        return None;
    }
    // The digits with zeros on the side that the point moves to.
    let before = usize::try_from(1 - point).unwrap_or(0);
    let point = usize::try_from(point).unwrap_or(0).max(usize::from(before > 0));
    let digits = format!("{}{digits:0<point$}", "0".repeat(before));
    let (whole, fraction) = digits.split_at(point);
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let sign = if is_negative { "-" } else { "" };
    let dot = if fraction.is_empty() { "" } else { "." };
    Some(Cow::Owned(format!("{sign}{whole}{dot}{fraction}")))
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Returns whether `text` is a decimal number that is written out: digits, perhaps with a minus
/// before and a point between them.
pub(crate) fn is_written_out(text: &str) -> bool {
    split(text).is_some()
}

fn split(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match digits.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (digits, ""),
    };
    (!whole.is_empty() && are_digits(whole) && are_digits(fraction)).then_some((whole, fraction))
}

/// Returns whether a decimal of 96 bits holds each digit of `text`; `None` if it is not [written
/// out](is_written_out).
pub(crate) fn fits_decimal(text: &str) -> Option<bool> {
    let (whole, fraction) = split(text)?;
    if fraction.len() > DECIMAL_PLACES {
        return Some(false);
    }
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let has_room = digits.is_empty() || digits.parse::<u128>().is_ok_and(|value| value <= DECIMAL_MAX);
    Some(has_room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_out_digit_by_digit() {
        for (number, expected) in [
            ("19.90", Some("19.90")),
            ("-0", Some("-0")),
            ("1e3", Some("1000")),
            ("1.5e3", Some("1500")),
            ("1.50E+1", Some("15.0")),
            ("-12.34e1", Some("-123.4")),
            ("12.34e-1", Some("1.234")),
            ("12.34e-2", Some("0.1234")),
            ("-12.34e-4", Some("-0.001234")),
            ("0.05e1", Some("0.5")),
            ("0.05e2", Some("5")),
            ("0e5", Some("0")),
            ("5e0", Some("5")),
            ("12345678901234567.89", Some("12345678901234567.89")),
            ("1e127", Some(&*format!("1{}", "0".repeat(127)))),
            ("1e999999999999999999999", None),
            ("1e-999999999999999999999", None),
            ("1e9223372036854775807", None),
            ("1e-9223372036854775808", None),
            ("1e200", None),
            ("01", None),
            ("1.", None),
            (".5", None),
            ("+1", None),
            ("1e", None),
            ("1e+", None),
            ("e5", None),
            ("", None),
            ("-", None),
            ("１", None),
            ("1 ", None),
            ("NaN", None),
        ] {
            assert_eq!(written_out(number).as_deref(), expected, "{number}");
        }
    }

    #[test]
    fn a_double_rounds_what_it_does_not_print_again() {
        for (number, expected) in [
            ("12345678901234567.89", true),
            ("0.12345678901234567891", true),
            ("18446744073709551616", true),
            ("18446744073709551615", false),
            ("18446744073709552000", false),
            ("18446744073709551617", true),
            ("9007199254740993", false),
            ("9007199254740993.0", true),
            ("9007199254740992.0", false),
            ("1e309", true),
            ("1e-400", true),
            ("19.90", false),
            ("-0.0", false),
            ("0.1", false),
            ("1E+2", false),
            ("100e-2", false),
            ("x", false),
        ] {
            assert_eq!(is_rounded(number), expected, "{number}");
        }
    }

    #[test]
    fn an_integer_is_one_by_its_digits() {
        for (number, expected) in [
            ("1", true),
            ("1.0", true),
            ("-2.000", true),
            ("1.5e1", true),
            ("1.50e1", true),
            ("10e-1", true),
            ("0e-5", true),
            ("0.000", true),
            ("4503599627370497.0", true),
            ("4503599627370497.3", false),
            ("0.99999999999999999999", false),
            ("15e-1", false),
            ("1e-9223372036854775808", false),
            ("1e9223372036854775807", true),
            ("x", false),
        ] {
            assert_eq!(is_whole(number), expected, "{number}");
        }
    }

    #[test]
    fn a_decimal_of_96_bits_has_29_digits_at_most() {
        for (text, expected) in [
            ("79228162514264337593543950335", Some(true)),
            ("-79228162514264337593543950335", Some(true)),
            ("79228162514264337593543950336", Some(false)),
            ("7.9228162514264337593543950335", Some(true)),
            ("7.9228162514264337593543950336", Some(false)),
            ("7922816251426433759354395033.5", Some(true)),
            ("0.0000000000000000000000000001", Some(true)),
            ("0.00000000000000000000000000010", Some(false)),
            ("100000000000000000000000000000", Some(false)),
            ("000000000000000000000000000000000000000000000001", Some(true)),
            ("0.0", Some(true)),
            ("1e3", None),
            ("1.", None),
            (".5", None),
            ("-", None),
            ("", None),
            ("1.2.3", None),
        ] {
            assert_eq!(fits_decimal(text), expected, "{text}");
        }
        assert_eq!(fits_decimal(&"9".repeat(1_000)), Some(false));
    }

    #[test]
    fn a_number_beyond_a_double_is_a_number() {
        for (text, expected) in
            [("1e309", true), ("-1e999999", true), ("1e308", false), ("inf", false), ("1e-400", false)]
        {
            assert_eq!(is_beyond_double(text), expected, "{text}");
        }
    }
}
