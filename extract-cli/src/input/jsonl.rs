//! JSON Lines.

use std::io::BufRead;

use serde_json::Value;

use super::{
    columns::{Columns, part},
    item::{InputError, InputItem},
    lines::InputLines,
};

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
        let record: Value = serde_json::from_str(line)
            .map_err(|error| InputError::new(place, format!("not JSON: {error}")))?;
        let Value::Object(fields) = &record else {
            return Err(InputError::new(place, "not a JSON object, so it has no fields"));
        };
        let names = || fields.keys().cloned().collect();
        let field = |name: &str| part(&record, name).cloned();
        self.columns.item(place, "field", field, names)
    }
}

impl Iterator for JsonRecords {
    type Item = Result<InputItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (place, line) = self.lines.next()?;
        Some(line.and_then(|line| self.item(&place, &line)))
    }
}
