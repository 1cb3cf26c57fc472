//! Everything that a quote says besides its digits: with words, scales, units and other signs.
//!
//! Everything here may only excuse a number that is not written in the quote with digits; it never
//! proves one.

mod fractions;
mod han;
mod lexicon;
mod parts;
mod scales;
mod units;
mod years;

use std::sync::LazyLock;

pub(crate) use self::han::is_chinese_numeral;
use self::{parts::SaidParts, scales::ScaleWords, units::UnitWords};
use crate::document::{
    characters::is_east_asian,
    value::{
        number_words::number_words,
        numerals::WrittenNumber,
        roman,
        tokens::{QuoteToken, tokens},
    },
};

static SCALES: LazyLock<ScaleWords> = LazyLock::new(ScaleWords::new);
static UNITS: LazyLock<UnitWords> = LazyLock::new(UnitWords::new);
static PARTS: LazyLock<SaidParts> = LazyLock::new(SaidParts::new);

/// The numbers that a quote may say.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
pub(super) struct SaidNumbers {
    /// The numbers, without sign.
    values: Vec<f64>,
    /// The numbers in digits, and the exponents of scales that may be about any number.
    numerals: Vec<f64>,
    exponents: Vec<i32>,
    /// The numbers in digits, in the neighbours of their units.
    converted: Vec<f64>,
    /// Parts and multiples that it names.
    factors: Vec<f64>,
    /// Whether a word or sign may be a number that is not known.
    pub(super) is_uncertain: bool,
    /// Whether it has a number in words, and its language shows in them.
    pub(super) shows_language: bool,
    /// Whether it has a number in digits or in a special character, such as `½`.
    pub(super) has_digits: bool,
    /// Whether it has a word that is not the unit after a number.
    pub(super) has_other_words: bool,
}

impl SaidNumbers {
    /// Reads `quote`, which has these `numerals`.
    pub(super) fn of(quote: &str, numerals: &[WrittenNumber]) -> Self {
        let tokens = tokens(quote, numerals);
        let numerals: Vec<f64> = tokens.iter().flat_map(QuoteToken::values).copied().collect();
        // With digits, no other number counts unless it is known.
        let has_digits = tokens.iter().any(QuoteToken::is_number);
        let words = number_words(&tokens, !has_digits);
        let han = han::han(&tokens);
        let scaled = SCALES.scaled(&tokens);
        let mut values = numerals.clone();
        values.extend(words.values);
        values.extend(han.values);
        values.extend(scaled.values);
        values.extend(fractions::fractions(&tokens));
        values.extend(tokens.iter().filter_map(QuoteToken::word).filter_map(roman::value));
        values.extend(years::years(&tokens, &values));
        let is_known = |c| han.says_number && is_east_asian(c);
        let is_unknown = |token: &QuoteToken| match token {
            QuoteToken::Word(word) => word.contains(|c| !(is_latin(c) || is_known(c))),
            QuoteToken::Unknown => true,
            QuoteToken::Number(_) | QuoteToken::Mark(_) => false,
        };
        let factors = PARTS.factors(&tokens);
        let is_uncertain = words.is_uncertain
            || han.is_uncertain
            || !factors.is_empty()
            || PARTS.has_vague(&tokens)
            || tokens.iter().any(is_unknown);
        let is_other = |(at, token): (usize, &QuoteToken)| {
            token.word().is_some() && !at.checked_sub(1).is_some_and(|before| tokens[before].is_number())
        };
        Self {
            values,
            numerals,
            exponents: scaled.free,
            converted: UNITS.converted(&tokens),
            factors,
            is_uncertain,
            has_digits,
            shows_language: words.shows_language || han.says_number,
            has_other_words: tokens.iter().enumerate().any(is_other),
        }
    }

    /// Returns whether it says `number`, which has no sign, in another unit.
    pub(super) fn converts_to(&self, number: f64) -> bool {
        self.converted.iter().any(|value| same(*value, number))
    }

    /// Returns whether it may say `number`, which has no sign.
    pub(super) fn may_be(&self, number: f64) -> bool {
        let is_part = |factor: f64| {
            same(number, factor)
                || self.says(number / factor)
                || (factor < 2.0 && factor % 1.0 != 0.0 && number > factor && self.says(number - factor))
        };
        self.says(number) || self.factors.iter().any(|factor| is_part(*factor))
    }

    fn says(&self, number: f64) -> bool {
        let is_scaled =
            |exponent: i32| self.numerals.iter().any(|one| same(scales::scaled(*one, exponent), number));
        self.values.iter().any(|value| same(*value, number))
            || self.exponents.iter().any(|one| is_scaled(*one))
    }
}

/// Returns whether both are the same number, apart from errors of computing.
fn same(one: f64, other: f64) -> bool {
    const ERROR: f64 = 1e-12;
    (one - other).abs() <= ERROR * one.abs().max(other.abs())
}

fn is_latin(c: char) -> bool {
    c < '\u{250}' || matches!(c, '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}')
}
