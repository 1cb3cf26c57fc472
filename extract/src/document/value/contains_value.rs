//! Decides whether a value is in its quote.

use serde_json::Value;

use crate::document::{
    Document,
    value::{
        dates::CalendarDay, decimal::PlainDecimal, digits::digit, names::has_words, numerals::numerals,
        presence::ValuePresence, said::SaidNumbers,
    },
};

/// Decides whether `value` is in `quote`, judging by its spelling.
///
/// - A number: yes, if it is written there with digits of any script, in any common form: `1200` in
///   `1,200`, `1.200`, `1 200`, `1.2e3` and `١٢٠٠`. No, if nothing there can be it: 999 in `250円`,
///   2500 in `250 mg`. Undecided, if a scale or a unit explains another position of the decimal
///   point (`5 %` for 0.05, `2 million`, `3万`, and factors of a thousand between units, `0.5 g` for
///   500), if only the sign differs, if it may be written in words, and for 0 and 1 unless the
///   quote has nothing but numbers with their units. Number words are known for English, German,
///   French, Spanish, Portuguese, Italian, Dutch, Swedish, Danish, Norwegian, Polish and Czech, and
///   in Chinese characters; for other languages see [`Document::shows`].
/// - A date as in RFC 3339: yes, if year, month and day are there, with the month as a number or as
///   a name in English, German, French, Spanish, Portuguese, Italian or Dutch. No, if the quote has
///   a different four-digit year but not this one, or this year with a different day or month. A
///   date with a time is never yes.
/// - Any other string: yes, if its words are there, otherwise undecided; for an enum see
///   [`contains_name`](crate::document::contains_name).
/// - Everything else is undecided.
///
/// ```
/// use extract::document::{ValuePresence, contains_value};
/// use serde_json::json;
///
/// assert_eq!(contains_value("aspirin 5 mg daily", &json!(5.0)), ValuePresence::Yes);
/// assert_eq!(contains_value("aspirin 15 mg daily", &json!(5)), ValuePresence::No);
/// assert_eq!(contains_value("aspirin 15 mg daily", &json!(150)), ValuePresence::No);
/// assert_eq!(contains_value("five milligrams", &json!(5)), ValuePresence::Undecided);
/// assert_eq!(contains_value("five milligrams", &json!(6)), ValuePresence::No);
/// assert_eq!(contains_value("on 12 March 2026", &json!("2026-03-12")), ValuePresence::Yes);
/// assert_eq!(contains_value("on 12 April 2026", &json!("2026-03-12")), ValuePresence::No);
/// ```
pub fn contains_value(quote: &str, value: &Value) -> ValuePresence {
    decide(quote, value).presence
}

impl Document {
    /// Like [`shows`](Self::shows), for a decimal, which is a string of its digits.
    pub(crate) fn shows_decimal(&self, quote: &str, value: &Value) -> ValuePresence {
        match value.as_str().and_then(PlainDecimal::of_digits) {
            None => self.shows(quote, value),
            Some(number) => self.judged(is_written(quote, &number, false)),
        }
    }

    /// Returns whether `value` is in `quote`, which is from this document. Like [`contains_value`], but
    /// also undecided if the quote has no digits and the number words of the document's language
    /// are not known. The language is detected by its common words, and by number words of the
    /// quote.
    ///
    /// ```
    /// use extract::document::{Document, ValuePresence};
    /// use serde_json::json;
    ///
    /// let english = Document::from_text("The patient was given aspirin daily.");
    /// assert_eq!(english.shows("aspirin daily", &json!(5)), ValuePresence::No);
    /// let finnish = Document::from_text("Potilas sai viisi tablettia joka päivä.");
    /// assert_eq!(finnish.shows("viisi tablettia", &json!(5)), ValuePresence::Undecided);
    /// ```
    pub fn shows(&self, quote: &str, value: &Value) -> ValuePresence {
        self.judged(decide(quote, value))
    }

    fn judged(&self, verdict: PresenceResult) -> ValuePresence {
        match verdict {
            PresenceResult { presence: ValuePresence::No, needs_language: true }
                if !self.knows_number_words() =>
            {
                ValuePresence::Undecided
            }
            PresenceResult { presence, .. } => presence,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct PresenceResult {
    presence: ValuePresence,
    /// Whether it is right only if the number words of the text's language are known.
    needs_language: bool,
}

impl From<ValuePresence> for PresenceResult {
    fn from(presence: ValuePresence) -> Self {
        Self { presence, needs_language: false }
    }
}

fn decide(quote: &str, value: &Value) -> PresenceResult {
    match value {
        Value::Number(number) => match PlainDecimal::of_json(number) {
            Some(decimal) => is_written(quote, &decimal, number.is_f64()),
            None => ValuePresence::Undecided.into(),
        },
        Value::String(text) => match CalendarDay::parse(text) {
            Some(date) => PresenceResult { needs_language: !has_digits(quote), ..date.is_in(quote).into() },
            None if has_words(quote, text) => ValuePresence::Yes.into(),
            None => ValuePresence::Undecided.into(),
        },
        _ => ValuePresence::Undecided.into(),
    }
}

/// Decides whether `number`, which `is_double`, is in `quote`.
fn is_written(quote: &str, number: &PlainDecimal, is_double: bool) -> PresenceResult {
    let numerals = numerals(quote);
    let readings = || numerals.iter().flat_map(|one| &one.readings);
    if readings().any(|one| one == number || (is_double && one.rounds_to(number))) {
        return ValuePresence::Yes.into();
    }
    let magnitude = number.magnitude();
    let is_misplaced = readings().any(|one| one.has_digits_of(number) && one.magnitude() != magnitude);
    let is_part = || numerals.iter().any(|one| one.parts.contains(&magnitude));
    if readings().any(|one| one.magnitude() == magnitude) || (!is_misplaced && is_part()) {
        return ValuePresence::Undecided.into();
    }
    let said = SaidNumbers::of(quote, &numerals);
    let has_digits = said.has_digits || has_digits(quote);
    let is_possible = if has_digits {
        // Zero and one are said without a number, but not as the number before a unit.
        magnitude.goes_without_saying() && said.has_other_words && !is_misplaced
    } else {
        magnitude.goes_without_saying() || said.is_uncertain
    };
    // Without its point, `0.250 mg` looks like a conversion.
    let is_converted =
        || said.converts_to(magnitude.rounded()) && numerals.iter().all(|one| one.joined != magnitude);
    if is_possible || said.may_be(magnitude.rounded()) || is_converted() {
        return ValuePresence::Undecided.into();
    }
    PresenceResult { presence: ValuePresence::No, needs_language: !has_digits && !said.shows_language }
}

/// Returns whether `quote` has digits, in any script.
fn has_digits(quote: &str) -> bool {
    quote.contains(|c| digit(c).is_some())
}
