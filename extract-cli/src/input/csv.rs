//! Comma-separated values with a header, also with another separator.

use std::{
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use serde_json::Value;

use super::{
    columns::{COLUMN, Columns},
    file::CONVERT,
    item::{InputError, InputItems},
    size::{MAX_BYTES, too_long},
};

/// Reads the rows of an input as documents. Without a `delimiter`, the header shows it.
pub(super) fn items(
    name: String,
    reader: Box<dyn BufRead + Send>,
    delimiter: Option<u8>,
    columns: Columns,
) -> InputItems {
    let Start { delimiter, lines, reader } = match start(reader, delimiter, &columns) {
        Ok(start) => start,
        Err(error) => return Box::new(std::iter::once(Err(InputError::new(name, error)))),
    };
    let (reader, read) = Gauge::new(reader, delimiter, lines);
    let mut rows = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(reader);
    let header = match rows.headers() {
        Ok(header) => header.clone(),
        Err(error) => return Box::new(std::iter::once(Err(InputError::new(name, why(&error))))),
    };
    if let Some(column) =
        columns.names().find(|name| header.iter().filter(|column| column == name).count() > 1)
    {
        let message = format!("the header has two columns `{column}`");
        return Box::new(std::iter::once(Err(InputError::new(name, message))));
    }
    let mut is_over = false;
    let rows = rows.into_records().map_while(move |row| {
        read.start_row();
        if is_over {
            return None;
        }
        // After an I/O error, nothing more can be read.
        is_over = matches!(&row, Err(error) if error.is_io_error());
        let item = row
            .map_err(|error| {
                let line = error.position().map_or(0, |position| position.line() + lines);
                let place = if line == 0 { name.clone() } else { format!("{name}:{line}") };
                if error.is_io_error() {
                    InputError::ending(place, why(&error))
                } else {
                    InputError::new(place, why(&error))
                }
            })
            .and_then(|row| {
                let place =
                    format!("{name}:{}", row.position().map_or(0, |position| position.line() + lines));
                if read.ended_in_quotes() && row.iter().any(|cell| cell.contains('\n')) {
                    return Err(InputError::new(
                        place,
                        "a quote that does not end, with all that follows it",
                    ));
                }
                let cell = |name: &str| {
                    let index = header.iter().position(|column| column == name)?;
                    row.get(index).map(|cell| Value::String(cell.to_owned()))
                };
                let names = || header.iter().filter(|name| !name.is_empty()).map(str::to_owned).collect();
                columns.item(&place, COLUMN, cell, names)
            });
        is_over |= item.as_ref().is_err_and(|error| error.is_about_input);
        Some(item)
    });
    Box::new(rows)
}

/// The reason without the position, which precedes it.
fn why(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { err, .. } => {
            format!("not UTF-8 text (cell {}); {}", err.field() + 1, CONVERT)
        }
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// The start of an input.
pub(super) struct Start {
    pub(super) delimiter: u8,
    /// Lines that the reader of rows does not count.
    pub(super) lines: u64,
    /// The input from the header on.
    pub(super) reader: Box<dyn BufRead + Send>,
}

/// Separators of values, the usual one first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Bytes of a header that are looked at.
const HEADER_BYTES: u64 = 64 << 10;

pub(super) fn start(
    mut reader: Box<dyn BufRead + Send>,
    mut delimiter: Option<u8>,
    columns: &Columns,
) -> io::Result<Start> {
    let mut header = line(&mut reader)?;
    let mut lines = 0;
    // Excel writes `sep=;` before the header, and reads it.
    let first = header.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&header);
    if let (None, Some([said])) = (delimiter, first.trim_ascii_end().strip_prefix(b"sep=")) {
        (delimiter, lines) = (Some(*said), 1);
        header = line(&mut reader)?;
    }
    // The crate `csv` ends a line at its carriage return, but counts it at the following line feed.
    lines += u64::from(header.ends_with(b"\r\n"));
    let delimiter = delimiter.unwrap_or_else(|| delimiter_of(&header, columns));
    Ok(Start { delimiter, lines, reader: Box::new(io::Cursor::new(header).chain(reader)) })
}

/// Reads a line, with the following lines while a quote is open.
fn line(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let most = HEADER_BYTES.saturating_sub(line.len() as u64);
        let size = reader.by_ref().take(most).read_until(b'\n', &mut line)?;
        let is_open = line.iter().fold(false, |is_open, byte| is_open != (*byte == b'"'));
        if size == 0 || !is_open {
            return Ok(line);
        }
    }
}

/// Returns the separator that gives the header the requested columns, else the one that makes the
/// most columns.
fn delimiter_of(header: &[u8], columns: &Columns) -> u8 {
    let cells = DELIMITERS.map(|delimiter| {
        let mut rows = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(header);
        rows.byte_headers().cloned().unwrap_or_default()
    });
    let has_all = |cells: &csv::ByteRecord| {
        columns.names().all(|name| cells.iter().any(|cell| cell == name.as_bytes()))
    };
    let with_all = cells.iter().position(has_all);
    // Of several the first counts.
    let widest = || (0..cells.len()).rev().max_by_key(|index| cells[*index].len()).unwrap_or_default();
    DELIMITERS[with_all.unwrap_or_else(widest)]
}

/// Limits the length of a row, because an unclosed quote would consume the rest of the file, and tells
/// whether one did. It ends the input before a row whose quotes the reader of rows would drop.
pub(super) struct Gauge {
    reader: Box<dyn BufRead + Send>,
    delimiter: u8,
    read: Arc<ReadBytes>,
    place: CellPlace,
    line: u64,
    /// The line of a cell with text after its closing quote.
    misquoted: Option<u64>,
}

/// Which part of a cell comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellPlace {
    Start,
    Plain,
    Quoted,
    AfterQuote,
}

/// What a [`Gauge`] has read.
#[derive(Debug, Default)]
pub(super) struct ReadBytes {
    since_row: AtomicU64,
    /// Whether a quote is open.
    is_quoted: AtomicBool,
    is_over: AtomicBool,
}

impl ReadBytes {
    pub(super) fn start_row(&self) {
        self.since_row.store(0, Ordering::Relaxed);
    }

    /// Returns whether the input is over, and a quote in it has no other one. Only the last row needs
    /// bytes after the end of the input.
    fn ended_in_quotes(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) && self.is_quoted.load(Ordering::Relaxed)
    }
}

impl Gauge {
    pub(super) fn new(reader: Box<dyn BufRead + Send>, delimiter: u8, lines: u64) -> (Self, Arc<ReadBytes>) {
        let read = Arc::<ReadBytes>::default();
        let (place, line) = (CellPlace::Start, lines + 1);
        (Self { reader, delimiter, read: Arc::clone(&read), place, line, misquoted: None }, read)
    }

    /// Passes `bytes`. Returns how many of them can be read: all, or those before a row with text after a closing quote.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut row = 0;
        for (at, byte) in bytes.iter().enumerate() {
            self.place = match (self.place, byte) {
                (CellPlace::Quoted, b'"') => CellPlace::AfterQuote,
                (CellPlace::Start | CellPlace::AfterQuote, b'"') | (CellPlace::Quoted, _) => {
                    CellPlace::Quoted
                }
                (_, b'\r' | b'\n') => {
                    row = at + 1;
                    CellPlace::Start
                }
                (_, byte) if *byte == self.delimiter => CellPlace::Start,
                (CellPlace::AfterQuote, b' ' | b'\t') => CellPlace::AfterQuote,
                (CellPlace::AfterQuote, _) => {
                    self.misquoted = Some(self.line);
                    return row;
                }
                (CellPlace::Start | CellPlace::Plain, _) => CellPlace::Plain,
            };
            self.line += u64::from(*byte == b'\n');
        }
        bytes.len()
    }
}

impl Read for Gauge {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = if self.misquoted.is_none() { self.reader.read(buffer)? } else { 0 };
        let size = self.pass(&buffer[..size]);
        if let (0, Some(line)) = (size, self.misquoted) {
            return Err(io::Error::other(format!(
                "text after the quote that ends a cell, at line {line}; a quote inside of a cell is written twice"
            )));
        }
        self.read.is_quoted.store(self.place == CellPlace::Quoted, Ordering::Relaxed);
        self.read.is_over.store(size == 0, Ordering::Relaxed);
        let since_row = self.read.since_row.fetch_add(size as u64, Ordering::Relaxed);
        if since_row > MAX_BYTES {
            return Err(io::Error::other(format!(
                "a row {} (is there a quote that does not end?)",
                too_long()
            )));
        }
        Ok(size)
    }
}
