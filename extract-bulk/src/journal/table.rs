//! Writes a Parquet file with a row for each document.

use std::{io, mem, path::Path, sync::Arc};

use extract::{Path as ValuePath, metrics::ExtractionMetrics};
use extract_arrow::{
    Row, array,
    arrow_array::{
        ArrayRef, RecordBatch,
        builder::{Float64Builder, ListBuilder, StringBuilder, UInt32Builder, UInt64Builder},
    },
    arrow_field,
    arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema},
    is_json,
};
use parquet::{
    arrow::ArrowWriter, basic::Compression, errors::ParquetError, file::properties::WriterProperties,
};
use serde_json::{Value, json};

use super::{output::OutputFile, record::Record};
use crate::{
    confidence_columns::{ConfidenceColumns, ParquetColumns},
    outcome::Status,
};

/// Rows that are turned into columns at once.
const BATCH: usize = 1024;
/// Bytes of encoded columns in memory after which a row group ends.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// The file under construction. Like [`OutputFile`], it is renamed when it is complete.
pub(crate) struct Table {
    value: FieldRef,
    confidence: ConfidenceColumns,
    schema: Arc<Schema>,
    writer: ArrowWriter<OutputFile>,
    rows: EntryRows,
}

/// Rows that are not turned into columns yet.
#[derive(Default)]
struct EntryRows {
    key: StringBuilder,
    status: StringBuilder,
    value: Vec<Row>,
    /// Values that their column cannot represent exactly.
    value_json: StringBuilder,
    error: StringBuilder,
    message: StringBuilder,
    meta: StringBuilder,
    attempts: UInt32Builder,
    input_tokens: UInt64Builder,
    output_tokens: UInt64Builder,
    warnings: ListBuilder<StringBuilder>,
    left_out: StringBuilder,
    conflicts: StringBuilder,
    gaps: StringBuilder,
    reviewed_by: StringBuilder,
    /// One for each of the [`ConfidenceColumns`].
    confidence: Vec<Float64Builder>,
}

impl Table {
    /// Creates a file for values of `schema`.
    pub(crate) fn create(path: &Path, schema: &Value, columns: ParquetColumns) -> io::Result<Self> {
        let value = Arc::new(arrow_field("value", schema));
        let confidence = match columns {
            ParquetColumns::Plain => ConfidenceColumns::default(),
            ParquetColumns::WithConfidence => ConfidenceColumns::new(leaves(&value)),
        };
        let schema = fields(&value, &confidence);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = OutputFile::create(path)?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties)).map_err(of_parquet)?;
        let rows = EntryRows::with(&confidence);
        Ok(Self { value, confidence, schema, writer, rows })
    }

    pub(crate) fn add(&mut self, key: &str, record: &Record) -> io::Result<()> {
        self.rows.push((&self.value, &self.confidence), key, record)?;
        if self.rows.value.len() >= BATCH {
            self.write()?;
        }
        Ok(())
    }

    /// Completes the file and moves it to its final path.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.writer.into_inner().map_err(of_parquet)?.finish()
    }

    fn write(&mut self) -> io::Result<()> {
        let rows = mem::replace(&mut self.rows, EntryRows::with(&self.confidence));
        let columns = rows.finish(&self.value).map_err(of_arrow)?;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(of_arrow)?;
        self.writer.write(&batch).map_err(of_parquet)?;
        if self.writer.in_progress_size() > ROW_GROUP_BYTES {
            self.writer.flush().map_err(of_parquet)?;
        }
        Ok(())
    }
}

impl EntryRows {
    fn with(confidence: &ConfidenceColumns) -> Self {
        let confidence = confidence.names().iter().map(|_| Float64Builder::new()).collect();
        Self { confidence, ..Self::default() }
    }

    fn push(
        &mut self,
        (field, confidence): (&FieldRef, &ConfidenceColumns),
        key: &str,
        record: &Record,
    ) -> io::Result<()> {
        let body = &record.body;
        let raw = body.value.as_deref().map(serde_json::value::RawValue::get);
        let value = raw.map(serde_json::from_str::<Value>).transpose()?;
        let row = value.as_ref().map_or_else(Row::null, |value| Row::new(field, value));
        self.value_json.append_option(raw.filter(|_| !row.misfits.is_empty()));
        self.value.push(row);
        self.key.append_value(key);
        self.status.append_value(match record.head.status {
            Status::Done => "done",
            Status::InPart => "in_part",
            Status::Failed => "failed",
        });
        self.error.append_option(body.failure.as_ref().map(|failure| &failure.name));
        self.message.append_option(body.failure.as_ref().map(|failure| &failure.message));
        self.meta.append_option(Some(&body.meta).filter(|meta| !meta.is_null()).map(Value::to_string));
        self.attempts.append_value(body.metrics.attempts);
        self.input_tokens.append_value(body.metrics.usage.input_tokens);
        self.output_tokens.append_value(body.metrics.usage.output_tokens);
        for warning in &body.metrics.warnings {
            self.warnings.values().append_value(warning.to_string());
        }
        self.warnings.append(true);
        let ExtractionMetrics { left_out, conflicts, gaps, .. } = &body.metrics;
        self.left_out.append_option((!left_out.is_empty()).then(|| json!(left_out).to_string()));
        self.conflicts.append_option((!conflicts.is_empty()).then(|| json!(conflicts).to_string()));
        self.gaps.append_option((!gaps.is_empty()).then(|| json!(gaps).to_string()));
        self.reviewed_by.append_option(body.reviewed_by.as_ref());
        for (column, confidence) in self.confidence.iter_mut().zip(confidence.row(&body.metrics.confidences))
        {
            column.append_option(confidence);
        }
        Ok(())
    }

    /// In the order of [`fields`].
    fn finish(mut self, value: &FieldRef) -> Result<Vec<ArrayRef>, ArrowError> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.key.finish()),
            Arc::new(self.status.finish()),
            array(value, &self.value)?,
            Arc::new(self.value_json.finish()),
            Arc::new(self.error.finish()),
            Arc::new(self.message.finish()),
            Arc::new(self.meta.finish()),
            Arc::new(self.attempts.finish()),
            Arc::new(self.input_tokens.finish()),
            Arc::new(self.output_tokens.finish()),
            Arc::new(self.warnings.finish()),
            Arc::new(self.left_out.finish()),
            Arc::new(self.conflicts.finish()),
            Arc::new(self.gaps.finish()),
            Arc::new(self.reviewed_by.finish()),
        ];
        columns.extend(self.confidence.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        Ok(columns)
    }
}

/// The paths of the leaves of a column: what is not divided into further columns.
fn leaves(column: &Field) -> Vec<ValuePath> {
    fn add(field: &Field, path: ValuePath, paths: &mut Vec<ValuePath>) {
        match field.data_type() {
            DataType::Struct(fields) => {
                fields.iter().for_each(|field| add(field, path.clone().key(field.name()), paths));
            }
            _ => paths.push(path),
        }
    }
    let mut paths = Vec::new();
    add(column, ValuePath::root(), &mut paths);
    paths
}

fn fields(value: &FieldRef, confidence: &ConfidenceColumns) -> Arc<Schema> {
    // The schema that allows everything is represented as JSON.
    let json = |name: &str| {
        let field = arrow_field(name, &Value::Bool(true));
        debug_assert!(is_json(&field));
        Arc::new(field)
    };
    let required = |name: &str, data_type| Arc::new(Field::new(name, data_type, false));
    let nullable = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
    let warnings = DataType::List(nullable("item", DataType::Utf8));
    let mut fields = vec![
        required("key", DataType::Utf8),
        required("status", DataType::Utf8),
        Arc::clone(value),
        json("value_json"),
        nullable("error", DataType::Utf8),
        nullable("message", DataType::Utf8),
        json("meta"),
        required("attempts", DataType::UInt32),
        required("input_tokens", DataType::UInt64),
        required("output_tokens", DataType::UInt64),
        required("warnings", warnings),
        json("left_out"),
        json("conflicts"),
        json("gaps"),
        nullable("reviewed_by", DataType::Utf8),
    ];
    fields.extend(confidence.names().iter().map(|name| nullable(name, DataType::Float64)));
    Arc::new(Schema::new(fields))
}

/// Extracts the disk error, if it is one, to distinguish a full disk from other errors.
fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner),
        },
        other => io::Error::other(other),
    }
}

fn of_arrow(error: ArrowError) -> io::Error {
    io::Error::other(error)
}
