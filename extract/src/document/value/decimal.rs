//! Numbers compared by their digits, so that `1200`, `1200.0` and `1.2e3` are equal.

use crate::vocabulary::digits::is_written_out;

/// A number without leading and trailing zeros.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PlainDecimal {
    /// Its digits without leading and trailing zeros; empty for zero.
    digits: String,
    /// The power of ten of its last digit.
    exponent: i64,
    is_negative: bool,
}

impl PlainDecimal {
    /// The number with these digits before and after the point.
    pub(super) fn new(whole: &str, fraction: &str, exponent: i64) -> Self {
        let all = [whole, fraction].concat();
        let digits = all.trim_end_matches('0');
        let cut = all.len() - digits.len();
        let digits = digits.trim_start_matches('0').to_owned();
        let last = i64::try_from(cut).unwrap_or(i64::MAX) - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let exponent = if digits.is_empty() { 0 } else { exponent.saturating_add(last) };
        Self { digits, exponent, is_negative: false }
    }

    /// A number of JSON.
    pub(super) fn of_json(number: &serde_json::Number) -> Option<Self> {
        let text = number.to_string();
        let (sign, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, &*text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Some(Self::new(whole, fraction, exponent.parse().ok()?).with_sign(sign))
    }

    /// A number as it is written out: `-1250.50`.
    pub(super) fn of_digits(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        is_written_out(text).then(|| Self::new(whole, fraction, 0).with_sign(digits.len() < text.len()))
    }

    pub(super) fn with_sign(mut self, is_negative: bool) -> Self {
        self.is_negative = is_negative && !self.digits.is_empty();
        self
    }

    /// Its absolute value.
    pub(super) fn magnitude(&self) -> Self {
        self.clone().with_sign(false)
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
