//! Lines of limited length.

use std::{
    io::{BufRead, Read as _},
    mem,
};

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
    /// Whether the reader is inside of a line that is too long.
    is_inside: bool,
    is_over: bool,
}

impl InputLines {
    pub(super) fn new(name: String, reader: Box<dyn BufRead + Send>) -> Self {
        Self { name, reader, number: 0, is_inside: false, is_over: false }
    }
}

impl Iterator for InputLines {
    type Item = RecordText;

    fn next(&mut self) -> Option<RecordText> {
        while !self.is_over {
            let mut bytes = Vec::new();
            self.number += 1;
            let place = format!("{}:{}", self.name, self.number);
            let rest = if mem::take(&mut self.is_inside) { self.reader.skip_until(b'\n') } else { Ok(0) };
            let read_line = |_| self.reader.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut bytes);
            match rest.and_then(read_line) {
                Err(error) => {
                    self.is_over = true;
                    return Some(record(&place, Err(InputError::ending(&place, error))));
                }
                Ok(0) => return None,
                Ok(size) if size as u64 > MAX_BYTES => {
                    self.is_inside = bytes.last() != Some(&b'\n');
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
