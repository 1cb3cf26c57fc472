//! Numbers by their digits.

/// A number as it is written, however many digits it has: a double would make one of two account
/// numbers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    /// Without zeros at the ends; empty for 0.
    digits: String,
    /// Power of ten of the last digit.
    exponent: i64,
}

impl Decimal {
    /// Reads a number as JSON writes it, also with a plus, or without digits on one side of the
    /// point. 2, 2.0 and 20e-1 are the same, and so are 0 and -0.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let written = [whole, part].concat();
        if written.is_empty() || !written.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = written.trim_start_matches('0').trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        let zeros = written.len() - written.trim_end_matches('0').len();
        let shift = i64::try_from(zeros).ok()? - i64::try_from(part.len()).ok()?;
        Some(Self { is_negative, digits, exponent: exponent.checked_add(shift)? })
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn the_same_number_is_the_same_in_every_notation() {
        for same in [
            &["120", "120.0", "+120.", "1.2e2", "12E+1", "0120", "1200e-1"][..],
            &["0", "-0.0", "0e7", ".0"],
            &["-0.5", "-.5", "-5e-1"],
        ] {
            let read: Vec<_> = same.iter().map(|text| Decimal::read(text).unwrap()).collect();
            assert!(read.iter().all(|number| *number == read[0]), "{read:?}");
        }
    }

    #[test]
    fn every_digit_and_the_sign_count() {
        let read = |text| Decimal::read(text).unwrap();
        assert_ne!(read("4111111111111111237"), read("4111111111111111238"));
        assert_ne!(read("0.10000000000000000001"), read("0.1"));
        assert_ne!(read("5"), read("-5"));
        assert_ne!(read("1e400"), read("1e401"));
        for text in
            ["", "-", ".", "e5", "1e", "1.2.3", "--1", "inf", "NaN", "1 000", "1e99999999999999999999"]
        {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }
}
