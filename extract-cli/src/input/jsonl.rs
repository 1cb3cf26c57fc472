//! JSON Lines.

use std::io::BufRead;

use serde_json::Value;

use super::{
    columns::{Columns, part},
    item::{InputError, InputItem},
    lines::InputLines,
};
use crate::{
    digits::{repeated, rounded},
    output::without_line,
};

/// What is wrong with a JSON array where lines are expected.
const AN_ARRAY: &str = "a JSON array, and not an object on each line, as `jq -c '.[]'` makes of it";

/// Reads the objects of an input as documents.
pub(super) struct JsonRecords {
    lines: InputLines,
    columns: Columns,
}

impl JsonRecords {
    pub(super) fn new(name: String, reader: Box<dyn BufRead + Send>, columns: Columns) -> Self {
        Self { lines: InputLines::new(name, reader), columns }
    }

    fn item(&self, place: &str, line: &str) -> Result<InputItem, InputError> {
        // Also the first line of one that is indented.
        if line.trim_start().starts_with('[') {
            return Err(InputError::new(place, AN_ARRAY));
        }
        let record: Value = serde_json::from_str(line)
            .map_err(|error| InputError::new(place, format!("not JSON: {}", without_line(&error))))?;
        let Value::Object(fields) = &record else {
            return Err(InputError::new(place, "not a JSON object, so it has no fields"));
        };
        self.check_keys(place, line, &record)?;
        self.check_digits(place, line, &record)?;
        let names = || fields.keys().cloned().collect();
        let field = |name: &str| part(&record, name).cloned();
        self.columns.item(place, "field", field, names)
    }

    /// Refuses a field that is there twice, of which only the last one would be read.
    fn check_keys(&self, place: &str, line: &str, record: &Value) -> Result<(), InputError> {
        for path in repeated(line) {
            let twice = record.pointer(&path.to_pointer());
            let is_about = |name: &&str| {
                let parts = twice.zip(part(record, name));
                parts.is_some_and(|(twice, used)| holds(used, twice) || holds(twice, used))
            };
            if let Some(name) = self.columns.names().find(is_about) {
                return Err(InputError::new(place, format!("`{name}` is there twice")));
            }
        }
        Ok(())
    }

    /// Refuses a number that would be another one in the outputs.
    fn check_digits(&self, place: &str, line: &str, record: &Value) -> Result<(), InputError> {
        if self.columns.kept().next().is_none() {
            return Ok(());
        }
        for (path, number) in rounded(line) {
            let leaf = record.pointer(&path.to_pointer());
            let is_in =
                |name: &&str| leaf.zip(part(record, name)).is_some_and(|(leaf, kept)| holds(kept, leaf));
            if let Some(name) = self.columns.kept().find(is_in) {
                let message = format!(
                    "`{name}` has the number {number}, whose digits cannot all be kept; write it as a string"
                );
                return Err(InputError::new(place, message));
            }
        }
        Ok(())
    }
}

/// Returns whether `leaf` is `value` or a part of it, and not only equal to one.
fn holds(value: &Value, leaf: &Value) -> bool {
    std::ptr::eq(value, leaf)
        || match value {
            Value::Array(items) => items.iter().any(|item| holds(item, leaf)),
            Value::Object(members) => members.values().any(|member| holds(member, leaf)),
            _ => false,
        }
}

impl Iterator for JsonRecords {
    type Item = Result<InputItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (place, line) = self.lines.next()?;
        Some(line.and_then(|line| self.item(&place, &line)))
    }
}
