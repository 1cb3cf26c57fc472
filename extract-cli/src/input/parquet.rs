//! Rows of Parquet files.

use std::{fs::File, path::Path, sync::Arc};

use arrow_json::{WriterBuilder, writer::JsonArray};
use extract_arrow::{arrow_array::RecordBatch, arrow_schema::SchemaRef};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
};
use serde_json::{Map, Value};

use super::{
    columns::Columns,
    item::{InputError, Item, Items},
};

/// Rows in memory at a time.
const BATCH: usize = 64;

/// The rows of the file at `path` as documents. Only the columns that are used are read.
pub(super) fn items(name: &str, path: &Path, columns: Columns) -> Items {
    match open(name, path, &columns) {
        Ok((reader, schema)) => {
            let name: Arc<str> = name.into();
            let mut rows = 0;
            Box::new(reader.flat_map(move |batch| {
                let first = rows + 1;
                let records = match batch {
                    Ok(batch) => {
                        rows += batch.num_rows();
                        records(&batch).map_err(|error| InputError::new(&*name, error))
                    }
                    Err(error) => Err(InputError::new(&*name, error)),
                };
                let (name, schema, columns) = (Arc::clone(&name), Arc::clone(&schema), columns.clone());
                match records {
                    Ok(records) => records
                        .into_iter()
                        .enumerate()
                        .map(|(index, record)| {
                            item(&format!("{name}:{}", first + index), &record, &schema, &columns)
                        })
                        .collect(),
                    Err(error) => vec![Err(error)],
                }
            }))
        }
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// A reader of the columns that are used, and all columns of the file.
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
        .filter(|(_, field)| columns.names().any(|name| root(name) == field.name().as_str()))
        .map(|(index, _)| index);
    let mask = ProjectionMask::roots(builder.parquet_schema(), used);
    let reader =
        builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|error| wrong(&error))?;
    Ok((reader, schema))
}

/// The column in which the part that is called `name` stands.
fn root(name: &str) -> String {
    match name.strip_prefix('/') {
        None => name.to_owned(),
        Some(pointer) => pointer.split('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~"),
    }
}

/// The rows as JSON; what is null is there as null.
fn records(batch: &RecordBatch) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    if batch.num_columns() == 0 {
        return Ok(vec![Value::Object(Map::new()); batch.num_rows()]);
    }
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, JsonArray>(Vec::new());
    writer.write(batch)?;
    writer.finish()?;
    Ok(serde_json::from_slice(&writer.into_inner())?)
}

fn item(place: &str, record: &Value, schema: &SchemaRef, columns: &Columns) -> Result<Item, InputError> {
    let part = |name: &str| {
        let value = if name.starts_with('/') { record.pointer(name) } else { record.get(name) };
        value.cloned()
    };
    let names = || schema.fields().iter().map(|field| field.name().clone()).collect();
    columns.item(place, "column", part, names)
}
