//! The values of cells.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Number, Value};

use super::strings::SharedStrings;

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CellValue {
    Empty,
    Text(String),
    /// One of the strings that a workbook stores once.
    Shared(Arc<SharedStrings>, usize),
    Number(f64),
    /// A whole number with more digits than a spreadsheet program keeps, as other programs write it.
    Long(i64),
    Bool(bool),
    /// There is a value that is not in the file; says why.
    Unknown(&'static str),
}

/// A formula whose result was not saved, as programs write it that cannot calculate.
pub(super) const NOT_CALCULATED: CellValue = CellValue::Unknown(
    "is a formula without its result; open the file in a spreadsheet program, and save it",
);

impl CellValue {
    /// Returns a number as it is written; `None` if `text` is not one.
    pub(super) fn number(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.len() > DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number that is even longer keeps its digits as a string.
            return Some(text.parse().map_or_else(|_| Self::Text(text.to_owned()), Self::Long));
        }
        text.parse().ok().filter(|number: &f64| number.is_finite()).map(Self::Number)
    }

    /// Returns whether the cell looks empty.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(_) | Self::Shared(..) => self.text().trim().is_empty(),
            _ => false,
        }
    }

    /// The value as text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Empty | Self::Unknown(_) => "".into(),
            Self::Text(text) => text.into(),
            Self::Shared(strings, index) => strings.get(*index).unwrap_or_default().into(),
            Self::Number(number) => rounded(*number).to_string().into(),
            Self::Long(number) => number.to_string().into(),
            Self::Bool(true) => "TRUE".into(),
            Self::Bool(false) => "FALSE".into(),
        }
    }

    /// The value as JSON.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Empty | Self::Unknown(_) => Value::Null,
            Self::Bool(is_true) => Value::Bool(*is_true),
            Self::Number(number) => json_number(rounded(*number)),
            Self::Long(number) => Value::Number((*number).into()),
            Self::Text(_) | Self::Shared(..) => Value::String(self.text().into_owned()),
        }
    }
}

/// Digits that spreadsheet programs keep.
const DIGITS: usize = 15;

/// The number with 15 digits, as spreadsheet programs show it: the sum of 1064.1 and 0.3 is saved as
/// 1064.3999999999999.
fn rounded(number: f64) -> f64 {
    let rounded = format!("{number:.14e}").parse().unwrap_or(number);
    // No minus before zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}

fn json_number(number: f64) -> Value {
    #[allow(clippy::cast_possible_truncation, reason = "below 1e15, whole numbers are exact")]
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return Value::Number((number as i64).into());
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_a_spreadsheet_shows_them() {
        for (number, text) in [
            (3.0, "3"),
            (-0.0, "0"),
            (1_064.399_999_999_999_9, "1064.4"),
            (0.1 + 0.2, "0.3"),
            (123_456_789_012_345.0, "123456789012345"),
            (1.5e-7, "0.00000015"),
        ] {
            assert_eq!(CellValue::Number(number).text(), text);
        }
        for text in ["12345678901234567", "-1234567890123456", "123456789012345678901234567890"] {
            assert_eq!(CellValue::number(text).unwrap().text(), text);
        }
        assert_eq!(
            CellValue::number("12345678901234567").unwrap().value(),
            serde_json::json!(12_345_678_901_234_567_i64)
        );
        assert_eq!(
            [CellValue::number("1e999"), CellValue::number("NaN"), CellValue::number("a")],
            [None, None, None]
        );
        assert_eq!(CellValue::Number(3.0).value(), serde_json::json!(3));
        assert_eq!(CellValue::Number(-2.5).value(), serde_json::json!(-2.5));
        assert_eq!(CellValue::Number(1e300).value(), serde_json::json!(1e300));
    }
}
