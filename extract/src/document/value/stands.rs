//! Decides whether a value is in its quote.

use serde_json::Value;

use crate::document::{
    Document,
    value::{
        dates::Date,
        decimal::Decimal,
        names::has_words,
        number_words::{has_digits, may_have_number_words},
        numerals::numerals,
        standing::Standing,
    },
};

/// Whether `value` is in `quote`, as far as its spelling can tell.
///
/// - A number: yes, if it is written there with digits, in any common form: `1200` in `1,200`,
///   `1.200`, `1 200` and `1.2e3`. No, if nothing there can be it. Undecided, if only the sign or
///   the decimal point differs (`5 %` for 0.05, `0.5 g` for 500, `2 million`), if it may be written
///   in words, and for 0 and 1. Number words are known for English, German, French, Spanish,
///   Portuguese, Italian, Dutch, Swedish, Danish, Norwegian, Polish and Czech; for other languages
///   see [`Document::shows`].
/// - A date as in RFC 3339: yes, if year, month and day are there, with the month as a number or as
///   a name in English, German, French, Spanish, Portuguese, Italian or Dutch. No, if the quote has
///   a different four-digit year but not this one, or this year with a different day or month. A
///   date with a time is never yes.
/// - Any other string: yes, if its words are there, otherwise undecided; for an enum see
///   [`name_stands_in`](crate::document::name_stands_in).
/// - Everything else is undecided.
///
/// ```
/// use extract::document::{Standing, stands_in};
/// use serde_json::json;
///
/// assert_eq!(stands_in("aspirin 5 mg daily", &json!(5.0)), Standing::Yes);
/// assert_eq!(stands_in("aspirin 15 mg daily", &json!(5)), Standing::No);
/// assert_eq!(stands_in("five milligrams", &json!(5)), Standing::Undecided);
/// assert_eq!(stands_in("on 12 March 2026", &json!("2026-03-12")), Standing::Yes);
/// assert_eq!(stands_in("on 12 April 2026", &json!("2026-03-12")), Standing::No);
/// ```
pub fn stands_in(quote: &str, value: &Value) -> Standing {
    match value {
        Value::Number(number) => {
            Decimal::of_json(number).map_or(Standing::Undecided, |number| is_written(quote, &number))
        }
        Value::String(text) => match Date::parse(text) {
            Some(date) => date.stands_in(quote),
            None if has_words(quote, text) => Standing::Yes,
            None => Standing::Undecided,
        },
        _ => Standing::Undecided,
    }
}

impl Document {
    /// Like [`shows`](Self::shows), for a decimal, which is a string of its digits.
    pub(crate) fn shows_decimal(&self, quote: &str, value: &Value) -> Standing {
        let number = value.as_str().and_then(Decimal::of_digits);
        match number.map(|number| is_written(quote, &number)) {
            None => self.shows(quote, value),
            Some(Standing::No) if !has_digits(quote) && !self.knows_number_words() => Standing::Undecided,
            Some(standing) => standing,
        }
    }

    /// Whether `value` is in `quote`, which is from this document. Like [`stands_in`], but also
    /// undecided if the quote has no digits and the number words of the document's language are not
    /// known. The language is detected by its common words.
    ///
    /// ```
    /// use extract::document::{Document, Standing};
    /// use serde_json::json;
    ///
    /// let english = Document::from_text("The patient was given aspirin daily.");
    /// assert_eq!(english.shows("aspirin daily", &json!(5)), Standing::No);
    /// let finnish = Document::from_text("Potilas sai viisi tablettia joka päivä.");
    /// assert_eq!(finnish.shows("viisi tablettia", &json!(5)), Standing::Undecided);
    /// ```
    pub fn shows(&self, quote: &str, value: &Value) -> Standing {
        match stands_in(quote, value) {
            Standing::No if !has_digits(quote) && !self.knows_number_words() => Standing::Undecided,
            standing => standing,
        }
    }
}

fn is_written(quote: &str, number: &Decimal) -> Standing {
    let numerals = numerals(quote);
    if numerals.iter().any(|one| one.readings.contains(number)) {
        return Standing::Yes;
    }
    let magnitude = number.magnitude();
    let may_be = |one: &Decimal| one.magnitude() == magnitude || one.has_digits_of(number);
    let is_possible = numerals.iter().any(|one| one.readings.iter().chain(&one.parts).any(may_be));
    let goes_without = magnitude.goes_without_saying();
    if is_possible || goes_without || may_have_number_words(quote) {
        Standing::Undecided
    } else {
        Standing::No
    }
}
