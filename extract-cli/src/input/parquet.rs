//! Reads rows of Parquet files.

use std::{collections::VecDeque, fs::File, path::Path, sync::Arc};

use arrow_json::{WriterBuilder, writer::JsonArray};
use extract_arrow::{arrow_array::RecordBatch, arrow_schema::SchemaRef};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
};
use serde_json::{Map, Value};

use super::{
    columns::{COLUMN, Columns, part},
    item::{InputError, InputItem, InputItems},
};
use crate::panics;

/// Rows in memory at a time. A small file can have many rows with one long text that it stores
/// once.
const BATCH: usize = 8;

/// Reads the rows of the file at `path` as documents. Only the columns in use are read.
pub(super) fn items(name: &str, path: &Path, columns: Columns) -> InputItems {
    match guarded(name, || open(name, path, &columns)) {
        Ok((reader, schema)) => {
            let name = name.to_owned();
            Box::new(ParquetRows {
                name,
                schema,
                columns,
                reader: Some(reader),
                read: 0,
                waiting: VecDeque::new(),
            })
        }
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// The rows of a file.
struct ParquetRows {
    name: String,
    /// All columns of the file.
    schema: SchemaRef,
    columns: Columns,
    /// `None` after the end, or after an error.
    reader: Option<ParquetRecordBatchReader>,
    /// The number of rows read so far.
    read: usize,
    waiting: VecDeque<Value>,
}

impl Iterator for ParquetRows {
    type Item = Result<InputItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.waiting.is_empty() {
            let reader = self.reader.as_mut()?;
            match guarded(&self.name, || next(&self.name, reader)) {
                Ok(Some(rows)) => self.waiting = rows.into(),
                Ok(None) => self.reader = None,
                Err(error) => {
                    self.reader = None;
                    return Some(Err(error));
                }
            }
        }
        let record = self.waiting.pop_front()?;
        self.read += 1;
        let item = item(&format!("{}:{}", self.name, self.read), &record, &self.schema, &self.columns);
        // A part of a column may be missing from a row alone.
        let is_in_table = |name| self.schema.fields().iter().any(|field| is_within(field.name(), name));
        let is_about_input = item.as_ref().is_err_and(|error| error.is_about_input);
        if is_about_input && !self.columns.names().all(is_in_table) {
            self.reader = None;
            self.waiting.clear();
        }
        Some(item)
    }
}

/// The next rows as JSON.
fn next(name: &str, reader: &mut ParquetRecordBatchReader) -> Result<Option<Vec<Value>>, InputError> {
    let Some(batch) = reader.next() else { return Ok(None) };
    let batch = batch.map_err(|error| InputError::new(name, error))?;
    records(&batch).map(Some).map_err(|error| InputError::new(name, error))
}

/// Runs `read`, because the reader panics on some damaged files.
fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T, InputError>) -> Result<T, InputError> {
    panics::caught(read).unwrap_or_else(|| Err(InputError::new(name, "the file is damaged")))
}

/// The number of rows, which is in the file's index.
pub(super) fn count(file: File) -> Option<u64> {
    let builder = panics::caught(|| ParquetRecordBatchReaderBuilder::try_new(file).ok())??;
    builder.metadata().file_metadata().num_rows().try_into().ok()
}

/// A reader of the columns in use, and all columns of the file.
fn open(
    name: &str,
    path: &Path,
    columns: &Columns,
) -> Result<(ParquetRecordBatchReader, SchemaRef), InputError> {
    let wrong = |error: &dyn std::fmt::Display| InputError::new(name, error);
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| wrong(&error))?;
    let schema = Arc::clone(builder.schema());
    let used = schema
        .fields()
        .iter()
        .enumerate()
        .filter(|(_, field)| columns.names().any(|name| is_within(field.name(), name)))
        .map(|(index, _)| index);
    let mask = ProjectionMask::roots(builder.parquet_schema(), used);
    let reader =
        builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|error| wrong(&error))?;
    Ok((reader, schema))
}

/// Returns whether the column may contain the part called `name`.
fn is_within(column: &str, name: &str) -> bool {
    let is_under = |start: &str, next| {
        name.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(next))
    };
    is_under(column, '.') || is_under(&extract::Path::root().key(column).to_pointer(), '/')
}

/// The rows as JSON, with explicit nulls.
fn records(batch: &RecordBatch) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    if batch.num_columns() == 0 {
        return Ok(vec![Value::Object(Map::new()); batch.num_rows()]);
    }
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, JsonArray>(Vec::new());
    writer.write(batch)?;
    writer.finish()?;
    Ok(serde_json::from_slice(&writer.into_inner())?)
}

fn item(place: &str, record: &Value, schema: &SchemaRef, columns: &Columns) -> Result<InputItem, InputError> {
    let part = |name: &str| part(record, name).cloned();
    let names = || schema.fields().iter().map(|field| field.name().clone()).collect();
    columns.item(place, COLUMN, part, names)
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use clap::Parser as _;
    use extract_arrow::{
        arrow_array::{ArrayRef, Int64Array, StringArray},
        arrow_schema::{DataType, Field, Schema},
    };
    use parquet::arrow::ArrowWriter;

    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        columns: Columns,
    }

    /// A small file with strings, numbers and nulls.
    fn table() -> Vec<u8> {
        let field = |name: &str, data_type| Field::new(name, data_type, true);
        let schema = Schema::new(vec![field("text", DataType::Utf8), field("number", DataType::Int64)]);
        let texts = StringArray::from(vec![Some("one letter"), None, Some("another"), Some("one letter")]);
        let numbers = Int64Array::from(vec![Some(1), Some(2), None, Some(4)]);
        let columns = vec![Arc::new(texts) as ArrayRef, Arc::new(numbers)];
        let batch = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn a_column_is_read_for_the_parts_in_it() {
        for (column, name, is_used) in [
            ("body", "body", true),
            ("body", "body.text", true),
            ("body", "/body/text", true),
            ("body.text", "body.text", true),
            ("a/b", "/a~1b/c", true),
            ("a~2", "/a~2", false),
            ("body", "bodytext", false),
            ("text", "body.text", false),
            ("text", "/body/text", false),
        ] {
            assert_eq!(is_within(column, name), is_used, "{column} {name}");
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_and_never_a_panic() {
        let columns = Cli::parse_from(["columns", "--meta", "number"]).columns;
        let path = std::env::temp_dir().join(format!("extractable-damaged-{}.parquet", std::process::id()));
        let whole = table();
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            items("t.parquet", &path, columns.clone()).take(100).map(|item| item.is_ok()).collect::<Vec<_>>()
        };
        assert_eq!(read(&whole), [true, false, true, true], "a null is no text");
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= change;
                read(&damaged);
            }
            assert!(!read(&whole[..at]).contains(&true), "cut at {at}");
        }
        fs::remove_file(&path).unwrap();
    }
}
