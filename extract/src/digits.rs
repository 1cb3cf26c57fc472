//! Numbers by their digits, as they are written. A double keeps about 17 of them.

/// A number of JSON (RFC 8259, section 6) in its parts.
struct Parts<'t> {
    whole: &'t str,
    fraction: &'t str,
    /// An exponent that does not fit is as large as one can be.
    exponent: i64,
}

impl<'t> Parts<'t> {
    fn of(number: &'t str) -> Option<Self> {
        let (mantissa, exponent) = match number.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (number, 0),
        };
        let digits = mantissa.strip_prefix('-').unwrap_or(mantissa);
        let (whole, fraction) = match digits.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (digits, ""),
        };
        let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
        let is_number = are_digits(whole) && !whole.is_empty() && !has_leading_zero && are_digits(fraction);
        is_number.then_some(Self { whole, fraction, exponent })
    }
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_exponent(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !are_digits(digits) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX);
    Some(if is_negative { -size } else { size })
}

/// Whether `text` is a number of JSON that is beyond the range of a double.
pub(crate) fn is_beyond_double(text: &str) -> bool {
    Parts::of(text).is_some() && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Whether `number`, a number of JSON, is an integer, however it is written.
pub(crate) fn is_whole(number: &str) -> bool {
    let Some(Parts { whole, fraction, exponent, .. }) = Parts::of(number) else { return false };
    let digits = [whole, fraction].concat();
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return true;
    }
    let zeros = digits.len() - significant.len();
    length(fraction.len()) - length(zeros) <= exponent
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_number_beyond_a_double_is_a_number() {
        for (text, expected) in
            [("1e309", true), ("-1e999999", true), ("1e308", false), ("inf", false), ("1e-400", false)]
        {
            assert_eq!(is_beyond_double(text), expected, "{text}");
        }
    }
}
