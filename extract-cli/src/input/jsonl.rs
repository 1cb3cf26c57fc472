//! JSON Lines, and other records of JSON.

use extract::Path;
use serde_json::Value;

use super::{
    columns::{Columns, part, path_of},
    item::{InputError, InputItem},
};
use crate::{lost_parts::LostParts, output::without_line};

/// The text of a record.
pub(super) struct RecordText {
    pub(super) place: String,
    /// The line of the input at which it begins, from 1, if its place does not say it.
    pub(super) line: Option<u64>,
    pub(super) text: Result<String, InputError>,
}

/// Reads the objects of an input as documents.
pub(super) struct JsonRecords<R> {
    records: R,
    columns: Columns,
}

impl<R> JsonRecords<R> {
    pub(super) fn new(records: R, columns: Columns) -> Self {
        Self { records, columns }
    }

    fn item(&self, place: &str, line: Option<u64>, text: &str) -> Result<InputItem, InputError> {
        // Also the first line of one that is indented.
        if line.is_none() && text.trim_start().starts_with('[') {
            return Err(InputError::new(
                place,
                "a JSON array; `--as json` reads each of its objects as a document",
            ));
        }
        let record: Value = serde_json::from_str(text)
            .map_err(|error| InputError::new(place, format!("not JSON: {}", located(&error, line))))?;
        let Value::Object(fields) = &record else {
            return Err(InputError::new(place, "not a JSON object, so it has no fields"));
        };
        let lost = LostParts::of(text);
        self.check_keys(place, &lost, &record)?;
        self.check_digits(place, &lost, &record)?;
        let names = || fields.keys().cloned().collect();
        let field = |name: &str| part(&record, name).cloned();
        self.columns.item(place, "field", field, names)
    }

    /// Refuses a field that is there twice, of which only the last one would be read.
    fn check_keys(&self, place: &str, lost: &LostParts, record: &Value) -> Result<(), InputError> {
        for (name, used) in paths(self.columns.names(), record) {
            if lost.repeated.iter().any(|twice| twice.is_within(&used) || used.is_within(twice)) {
                return Err(InputError::new(place, format!("`{name}` is there twice")));
            }
        }
        Ok(())
    }

    /// Refuses a number that would be another one in the outputs.
    fn check_digits(&self, place: &str, lost: &LostParts, record: &Value) -> Result<(), InputError> {
        for (name, kept) in paths(self.columns.kept(), record) {
            if let Some((_, number)) = lost.rounded.iter().find(|(path, _)| path.is_within(&kept)) {
                let message = format!(
                    "`{name}` has the number {number}, whose digits cannot all be kept; write it as a string"
                );
                return Err(InputError::new(place, message));
            }
        }
        Ok(())
    }
}

/// The paths of the parts that a record has of these.
fn paths<'n>(names: impl Iterator<Item = &'n str>, record: &Value) -> impl Iterator<Item = (&'n str, Path)> {
    names.filter_map(move |name| Some((name, path_of(record, name)?)))
}

/// An error in the text of a record, with its line in the input.
fn located(error: &serde_json::Error, line: Option<u64>) -> String {
    let Some(first) = line else { return without_line(error) };
    let relative = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&relative).unwrap_or(&text);
    format!("{text} at line {}", first + error.line().saturating_sub(1) as u64)
}

impl<R: Iterator<Item = RecordText>> Iterator for JsonRecords<R> {
    type Item = Result<InputItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let RecordText { place, line, text } = self.records.next()?;
        Some(text.and_then(|text| self.item(&place, line, &text)))
    }
}
