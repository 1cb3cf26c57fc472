//! Comma-separated values with a header.

use std::{
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;

use super::{
    columns::Columns,
    file::{MAX_BYTES, too_long},
    item::{InputError, Items},
};

/// Reads the rows of an input as documents.
pub(super) fn items(name: String, reader: Box<dyn BufRead + Send>, delimiter: u8, columns: Columns) -> Items {
    let since_row = Arc::new(AtomicU64::new(0));
    let reader = Gauge { reader, since_row: Arc::clone(&since_row) };
    let mut rows = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(reader);
    let header = match rows.headers() {
        Ok(header) => header.clone(),
        Err(error) => return Box::new(std::iter::once(Err(InputError::new(name, why(&error))))),
    };
    let mut is_over = false;
    let rows = rows.into_records().map_while(move |row| {
        since_row.store(0, Ordering::Relaxed);
        if is_over {
            return None;
        }
        // After an I/O error, nothing more can be read.
        is_over = matches!(&row, Err(error) if error.is_io_error());
        Some(
            row.map_err(|error| {
                let line = error.position().map_or(0, csv::Position::line);
                let place = if line == 0 { name.clone() } else { format!("{name}:{line}") };
                InputError::new(place, why(&error))
            })
            .and_then(|row| {
                let place = format!("{name}:{}", row.position().map_or(0, csv::Position::line));
                let cell = |name: &str| {
                    let index = header.iter().position(|column| column == name)?;
                    row.get(index).map(|cell| Value::String(cell.to_owned()))
                };
                columns.item(&place, "column", cell, || header.iter().map(str::to_owned).collect())
            }),
        )
    });
    Box::new(rows)
}

/// The reason without the position, which precedes it.
fn why(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { err, .. } => format!("not UTF-8 text (cell {})", err.field() + 1),
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// Limits the length of a row: an unclosed quote would consume the rest of the file.
struct Gauge {
    reader: Box<dyn BufRead + Send>,
    since_row: Arc<AtomicU64>,
}

impl Read for Gauge {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.reader.read(buffer)?;
        let since_row = self.since_row.fetch_add(size as u64, Ordering::Relaxed);
        if since_row > MAX_BYTES {
            return Err(io::Error::other(format!(
                "a row {}; is there a quote that does not end?",
                too_long()
            )));
        }
        Ok(size)
    }
}
