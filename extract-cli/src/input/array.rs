//! JSON arrays, whose elements are read one at a time.

use std::{
    fs::File,
    io::{BufRead, BufReader, Cursor},
    path::Path,
};

use serde_json::{Map, Value};

use super::{
    columns::{Columns, part},
    file::text_of,
    item::{AND_THE_REST, InputError},
    jsonl::RecordText,
    size::{MAX_BYTES, too_long},
};

/// The texts of the elements of a JSON array. Only the structure of the array itself is checked.
pub(super) struct ArrayElements {
    name: String,
    reader: Box<dyn BufRead + Send>,
    /// The number of the last element, from 1.
    number: u64,
    /// The line of the input at which the next one is looked for, from 1.
    line: u64,
    at: ArrayPosition,
}

/// Which part of an array is read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayPosition {
    Start,
    Element,
    /// What follows the array, which has to be nothing.
    End,
    Nothing,
}

/// Why the rest of an array cannot be read.
type BrokenArray = String;

impl ArrayElements {
    pub(super) fn new(name: String, reader: Box<dyn BufRead + Send>) -> Self {
        Self { name, reader, number: 0, line: 1, at: ArrayPosition::Start }
    }

    /// Consumes white space, and returns the byte after it; `None` at the end of the input.
    fn peek(&mut self) -> Result<Option<u8>, BrokenArray> {
        loop {
            let bytes = self.reader.fill_buf().map_err(|error| error.to_string())?;
            let is_end = bytes.is_empty();
            let space = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let next = bytes.get(space).copied();
            self.line += count_lines(&bytes[..space]);
            self.reader.consume(space);
            if is_end || next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Reads the start of the array.
    fn begin(&mut self) -> Result<(), BrokenArray> {
        let bytes = self.reader.fill_buf().map_err(|error| error.to_string())?;
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        self.reader.consume(mark);
        match self.peek()? {
            Some(b'[') => self.reader.consume(1),
            _ => return Err("not a JSON array; `--as jsonl` reads an object on each line".to_owned()),
        }
        let is_empty = self.peek()? == Some(b']');
        self.reader.consume(usize::from(is_empty));
        self.at = if is_empty { ArrayPosition::End } else { ArrayPosition::Element };
        Ok(())
    }

    /// Reads the bytes of the next element, and the comma or bracket after it. `None` if they are too many.
    fn element(&mut self) -> Result<Option<Vec<u8>>, BrokenArray> {
        let mut is_too_long = false;
        let (mut element, mut depth, mut is_string, mut is_escaped) = (Vec::new(), 0_u64, false, false);
        loop {
            let bytes = self.reader.fill_buf().map_err(|error| error.to_string())?;
            if bytes.is_empty() {
                return Err(format!("the JSON array does not end; line {} is the last one", self.line));
            }
            let end = bytes.iter().position(|byte| {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_string => is_escaped = true,
                    b'"' => is_string = !is_string,
                    _ if is_string => {}
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' | b',' if depth == 0 => return true,
                    b']' | b'}' => depth -= 1,
                    _ => {}
                }
                false
            });
            let read = &bytes[..end.unwrap_or(bytes.len())];
            self.line += count_lines(read);
            element.extend_from_slice(read);
            let last = end.map(|end| bytes[end]);
            let size = read.len() + usize::from(last.is_some());
            self.reader.consume(size);
            if element.len() as u64 > MAX_BYTES {
                is_too_long = true;
                element.clear();
            }
            match last {
                None => continue,
                Some(b'}') => {
                    return Err(format!("a `}}` without its `{{`, at line {}{AND_THE_REST}", self.line));
                }
                Some(b',') => {}
                Some(_) => self.at = ArrayPosition::End,
            }
            return Ok(Some(element).filter(|_| !is_too_long));
        }
    }

    fn read(&mut self) -> Result<Option<RecordText>, BrokenArray> {
        if self.at == ArrayPosition::Start {
            self.begin()?;
        }
        if self.at != ArrayPosition::Element {
            let is_end = std::mem::replace(&mut self.at, ArrayPosition::Nothing) == ArrayPosition::End;
            return match if is_end { self.peek()? } else { None } {
                None => Ok(None),
                Some(_) => Err(format!("something follows the JSON array, at line {}", self.line)),
            };
        }
        self.peek()?;
        let line = self.line;
        let element = self.element()?;
        if element.as_ref().is_some_and(|element| element.trim_ascii().is_empty()) {
            return Err(format!("a value is missing beside a comma, at line {line}{AND_THE_REST}"));
        }
        self.number += 1;
        let place = format!("{}:{}", self.name, self.number);
        let text = match element {
            Some(element) => text_of(&place, element),
            None => Err(InputError::new(&place, too_long())),
        };
        Ok(Some(RecordText { place, line: Some(line), text }))
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
}

impl Iterator for ArrayElements {
    type Item = RecordText;

    fn next(&mut self) -> Option<RecordText> {
        self.read().unwrap_or_else(|broken| {
            self.at = ArrayPosition::Nothing;
            let place = self.name.clone();
            let text = Err(InputError::new(&place, broken));
            Some(RecordText { place, line: None, text })
        })
    }
}

/// What a file whose name ends with `.json` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonContent {
    /// An array of objects, each of which is a document.
    Records,
    /// An array of several objects that lack the field with the text, which nobody named.
    Objects,
    Other,
}

/// Looks at the first elements of the file at `path`, if it has an array.
pub(super) fn content(path: &Path, columns: &Columns) -> JsonContent {
    // A pipe can be read once.
    let file = path.metadata().is_ok_and(|file| file.is_file()).then(|| File::open(path).ok()).flatten();
    file.map_or(JsonContent::Other, |file| content_of(Box::new(BufReader::new(file)), columns))
}

/// Looks at the first elements of an array.
fn content_of(reader: Box<dyn BufRead + Send>, columns: &Columns) -> JsonContent {
    let mut elements = ArrayElements::new(String::new(), reader);
    let object = |record: RecordText| {
        let value = serde_json::from_str::<Value>(&record.text.ok()?).ok();
        value.filter(Value::is_object)
    };
    // Of an empty array, nothing is asked about.
    let Some(first) = elements.next() else { return JsonContent::Records };
    match object(first) {
        Some(first) if columns.are_given() || part(&first, columns.text()).is_some() => JsonContent::Records,
        Some(_) if elements.next().and_then(object).is_some() => JsonContent::Objects,
        _ => JsonContent::Other,
    }
}

/// What is said of the standard input, which is one document unless `--as` says what it is.
pub(super) fn stdin_remark(text: &str, columns: &Columns) -> Option<&'static str> {
    let is_object = |line: &&str| serde_json::from_str::<Map<String, Value>>(line).is_ok();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    if lines.take(2).filter(is_object).count() == 2 {
        return Some("JSON Lines, read as one document; `--as jsonl` reads each line as a document");
    }
    let is_array = text.trim_start().starts_with('[');
    let content = is_array.then(|| content_of(Box::new(Cursor::new(text.to_owned())), columns));
    (content.unwrap_or(JsonContent::Other) != JsonContent::Other)
        .then_some("a JSON array, read as one document; `--as json` reads each of its objects as a document")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Vec<String> {
        let elements = ArrayElements::new("a".to_owned(), Box::new(text.as_bytes()));
        elements
            .map(|record| match record.text {
                Ok(text) => format!("{} {:?} {text}", record.place, record.line.unwrap()),
                Err(error) => error.to_string(),
            })
            .collect()
    }

    #[test]
    fn elements_are_read_one_at_a_time() {
        assert_eq!(read("[]"), [""; 0]);
        assert_eq!(read("\u{feff} [ \n ] \n"), [""; 0]);
        assert_eq!(
            read("[\n {\"a\": \"],}\\\"\", \"b\": [1, {}]}\n,\n\n\"x,\" , 3]\n"),
            ["a:1 2 {\"a\": \"],}\\\"\", \"b\": [1, {}]}\n", "a:2 5 \"x,\" ", "a:3 5 3"]
        );
    }

    #[test]
    fn what_is_wrong_with_an_array_is_said() {
        for (text, last) in [
            ("", "a: not a JSON array; `--as jsonl` reads an object on each line"),
            ("{}", "a: not a JSON array; `--as jsonl` reads an object on each line"),
            ("[1,\n2", "a: the JSON array does not end; line 2 is the last one"),
            ("[1, \"2]\n", "a: the JSON array does not end; line 2 is the last one"),
            ("[1,\n]", "a: a value is missing beside a comma, at line 2; nothing after it was read"),
            ("[,1]", "a: a value is missing beside a comma, at line 1; nothing after it was read"),
            ("[1}", "a: a `}` without its `{`, at line 1; nothing after it was read"),
            ("[1]\n\n[2]", "a: something follows the JSON array, at line 3"),
            ("[] x", "a: something follows the JSON array, at line 1"),
        ] {
            let read = read(text);
            assert_eq!(read.last().map(String::as_str), Some(last), "{text}");
            assert_eq!(read.iter().filter(|read| read.starts_with("a: ")).count(), 1, "{text}");
        }
    }
}
