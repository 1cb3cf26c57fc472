//! When two leaves are equal, and when one is the other in another form.

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
};
use serde_json::{Number, Value};

use super::decimal::Decimal;

/// Differences between two leaves that do not count. Nothing is tolerated by default.
///
/// ```
/// use extract_gold::Tolerance;
/// use serde_json::json;
///
/// let tolerance = Tolerance::default().case().white_space();
/// assert!(tolerance.allows(&json!("Café  du Nord"), &json!("café du nord ")));
/// assert!(!tolerance.allows(&json!(1), &json!("1")));
/// assert!(Tolerance::default().relative(0.01).allows(&json!(100.0), &json!(100.9)));
/// assert!(Tolerance::default().dates().allows(&json!("2026-03-05"), &json!("5 March 2026")));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Tolerance {
    /// Whether letters of another case are the same.
    pub ignores_case: bool,
    /// Whether white space at the ends, and how much there is between words, does not count.
    pub ignores_white_space: bool,
    /// Whether a date or time may be written in another form, if it is the same for every reader.
    pub reads_dates: bool,
    /// Largest difference of two numbers, as a share of the right one.
    pub relative: f64,
    /// Largest difference of two numbers.
    pub absolute: f64,
}

impl Tolerance {
    /// Ignores case.
    #[must_use]
    pub fn case(self) -> Self {
        Self { ignores_case: true, ..self }
    }

    /// Ignores white space at the ends, and how much there is between words.
    #[must_use]
    pub fn white_space(self) -> Self {
        Self { ignores_white_space: true, ..self }
    }

    /// Reads dates and times in any form with one reading: `2026-03-05`, `5 March 2026`,
    /// `March 5, 2026`, `20260305`, RFC 3339. Two numbers that may be day or month have two
    /// readings and stay text.
    #[must_use]
    pub fn dates(self) -> Self {
        Self { reads_dates: true, ..self }
    }

    /// Allows numbers to differ by a share of the right one, as 0.01 for 1 %.
    #[must_use]
    pub fn relative(self, share: f64) -> Self {
        Self { relative: share, ..self }
    }

    /// Allows numbers to differ by so much.
    #[must_use]
    pub fn absolute(self, difference: f64) -> Self {
        Self { absolute: difference, ..self }
    }

    /// Returns whether the extracted leaf counts as the right one.
    pub fn allows(&self, gold: &Value, extracted: &Value) -> bool {
        match (gold, extracted) {
            (Value::Number(gold), Value::Number(extracted)) => {
                is_same_number(gold, extracted) || self.is_near(gold, extracted)
            }
            (Value::String(gold), Value::String(extracted)) => {
                self.normal(gold) == self.normal(extracted)
                    || (self.reads_dates && moment(gold).is_some_and(|one| Some(one) == moment(extracted)))
            }
            _ => gold == extracted,
        }
    }

    fn is_near(&self, gold: &Number, extracted: &Number) -> bool {
        let (Some(gold), Some(extracted)) = (gold.as_f64(), extracted.as_f64()) else { return false };
        (gold - extracted).abs() <= self.absolute.max(self.relative * gold.abs())
            && (self.absolute > 0.0 || self.relative > 0.0)
    }

    fn normal(&self, text: &str) -> String {
        let text = if self.ignores_white_space {
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            text.to_owned()
        };
        if self.ignores_case { text.to_lowercase() } else { text }
    }
}

/// Compares by all digits: 2 and 2.0 are the same.
fn is_same_number(one: &Number, other: &Number) -> bool {
    let number = |number: &Number| Decimal::read(&number.to_string());
    number(one).is_some_and(|one| Some(one) == number(other))
}

/// Returns whether the two say the same in another form: another case, other punctuation or white
/// space, a number or a truth value as text, a date written another way.
pub(super) fn is_other_form(gold: &Value, extracted: &Value) -> bool {
    let (Some(gold), Some(extracted)) = (written(gold), written(extracted)) else { return false };
    let number = |text: &str| Decimal::read(text.trim());
    if let (Some(one), Some(other)) = (number(&gold), number(&extracted)) {
        return one == other;
    }
    let bare = |text: &str| {
        text.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    (!bare(&gold).is_empty() && bare(&gold) == bare(&extracted) && !differs_in_numbers(&gold, &extracted))
        || moment(&gold).is_some_and(|one| Some(one) == moment(&extracted))
}

/// Returns whether dropping punctuation changed a number: `1.5` and `15` are two values.
fn differs_in_numbers(one: &str, other: &str) -> bool {
    let numbers = |text: &str| {
        text.split(|char: char| !char.is_ascii_digit() && char != '.' && char != '-')
            .filter_map(|part| Decimal::read(part.trim_matches('.')))
            .collect::<Vec<_>>()
    };
    numbers(one) != numbers(other)
}

fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// Returns the moment that a text names in one of the forms with one reading.
fn moment(text: &str) -> Option<DateTime> {
    const MAX_CHARS: usize = 40;
    /// Forms that name the month or put the year first (`strptime`).
    const FORMS: [&str; 8] =
        ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y"];
    let text = text.trim();
    if text.len() > MAX_CHARS {
        return None;
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant.to_zoned(jiff::tz::TimeZone::UTC).datetime());
    }
    let date = FORMS.iter().find_map(|form| Date::strptime(form, text).ok());
    date.map(|date| date.at(0, 0, 0, 0)).or_else(|| text.parse().ok())
}
