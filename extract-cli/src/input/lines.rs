//! Lines of limited length.

use std::io::{BufRead, Read as _};

use extract::document::Document;
use serde_json::Value;

use super::{
    file::text_of,
    item::{Content, InputError, InputItem},
    jsonl::RecordText,
    size::{MAX_BYTES, too_long},
};

/// The non-empty lines of an input, with their locations.
pub(super) struct InputLines {
    name: String,
    reader: Box<dyn BufRead + Send>,
    number: u64,
    is_over: bool,
}

impl InputLines {
    pub(super) fn new(name: String, reader: Box<dyn BufRead + Send>) -> Self {
        Self { name, reader, number: 0, is_over: false }
    }
}

impl Iterator for InputLines {
    type Item = RecordText;

    fn next(&mut self) -> Option<RecordText> {
        while !self.is_over {
            let mut bytes = Vec::new();
            self.number += 1;
            let place = format!("{}:{}", self.name, self.number);
            let end = self.reader.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut bytes);
            match end {
                Err(error) => {
                    self.is_over = true;
                    return Some(record(&place, Err(InputError::new(&place, error))));
                }
                Ok(0) => return None,
                // The rest starts in the middle of the line.
                Ok(size) if size as u64 > MAX_BYTES => {
                    self.is_over = true;
                    return Some(record(&place, Err(InputError::new(&place, too_long()))));
                }
                Ok(_) => {}
            }
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                bytes.pop();
            }
            return Some(record(&place, text_of(&place, bytes)));
        }
        None
    }
}

/// The text of a line, whose place has its number.
fn record(place: &str, text: Result<String, InputError>) -> RecordText {
    RecordText { place: place.to_owned(), line: None, text }
}

/// Reads every line as a document.
pub(super) struct LineTexts(InputLines);

impl LineTexts {
    pub(super) fn new(name: String, reader: Box<dyn BufRead + Send>) -> Self {
        Self(InputLines::new(name, reader))
    }
}

impl Iterator for LineTexts {
    type Item = Result<InputItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let RecordText { place, text, .. } = self.0.next()?;
        Some(text.map(|text| InputItem {
            key: place.clone(),
            place,
            content: Content::Text(Document::from_text(text)),
            meta: Value::Null,
            remark: None,
        }))
    }
}
