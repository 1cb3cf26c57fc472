//! A line of the output.

use std::io;

use extract::{
    AttemptRecord, LeftOutItem, Violation,
    metrics::{Confidences, Conflict, ExtractionMetrics, Gap},
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::record::Record;
use crate::outcome::{Failure, Outcome, Status};

/// A document in the output. It contains nothing that differs between runs, such as a time.
#[derive(Serialize)]
struct JournalLine<'r, V: ?Sized> {
    key: &'r str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'r V>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<LineError<'r>>,
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    meta: &'r serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewed_by: Option<&'r str>,
    #[serde(flatten)]
    metrics: LineMetrics<'r>,
}

/// What a line has of the metrics.
#[derive(Serialize)]
struct LineMetrics<'r> {
    attempts: u32,
    input_tokens: u64,
    output_tokens: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'r [Violation],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'r [LeftOutItem],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    conflicts: &'r [Conflict],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    gaps: &'r [Gap],
    #[serde(skip_serializing_if = "Confidences::is_empty", serialize_with = "by_pointer")]
    confidence: &'r Confidences,
}

impl<'r> From<&'r ExtractionMetrics> for LineMetrics<'r> {
    fn from(metrics: &'r ExtractionMetrics) -> Self {
        Self {
            attempts: metrics.attempts,
            input_tokens: metrics.usage.input_tokens,
            output_tokens: metrics.usage.output_tokens,
            warnings: &metrics.warnings,
            left_out: &metrics.left_out,
            conflicts: &metrics.conflicts,
            gaps: &metrics.gaps,
            confidence: &metrics.confidences,
        }
    }
}

/// The number of each leaf by its JSON Pointer; `null` where nothing is known.
fn by_pointer<S: Serializer>(confidences: &Confidences, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(confidences.by_pointer())
}

#[derive(Serialize)]
struct LineError<'r> {
    name: &'r str,
    message: &'r str,
}

impl<'r> From<&'r Failure> for LineError<'r> {
    fn from(failure: &'r Failure) -> Self {
        Self { name: &failure.name, message: &failure.message }
    }
}

/// Writes a line of the output.
pub(crate) fn write_line(mut to: impl io::Write, key: &str, record: &Record) -> io::Result<()> {
    let body = &record.body;
    let line = JournalLine {
        key,
        status: record.head.status,
        value: body.value.as_deref(),
        error: body.failure.as_ref().map(LineError::from),
        meta: &body.meta,
        reviewed_by: body.reviewed_by.as_deref(),
        metrics: LineMetrics::from(&body.metrics),
    };
    serde_json::to_writer(&mut to, &line)?;
    to.write_all(b"\n")
}

impl<T: Serialize> Outcome<T> {
    /// Returns the outcome as JSON, as it is written into [outputs](crate::Bulk::into_jsonl) as a line.
    ///
    /// # Errors
    ///
    /// If the value is nothing that JSON can have, such as a map whose keys are not strings.
    pub fn to_line(&self) -> serde_json::Result<String> {
        serde_json::to_string(&JournalLine {
            key: &self.key,
            status: self.status,
            value: self.result.as_ref().ok(),
            error: self.result.as_ref().err().map(LineError::from),
            meta: &self.meta,
            reviewed_by: self.reviewed_by.as_deref(),
            metrics: LineMetrics::from(&self.metrics),
        })
    }
}

/// A document in an export, with all its data.
#[derive(Serialize)]
struct Exported<'r> {
    key: &'r str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'r RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<LineError<'r>>,
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    meta: &'r serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewed_by: Option<&'r str>,
    metrics: &'r ExtractionMetrics,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    history: &'r [AttemptRecord],
    /// Milliseconds since 1970.
    written_at: u64,
}

/// Writes everything that is known of a document as a line of JSON.
pub(super) fn write_export(mut to: impl io::Write, key: &str, record: &Record) -> io::Result<()> {
    let body = &record.body;
    let failure = body.failure.as_ref();
    let line = Exported {
        key,
        status: record.head.status,
        value: body.value.as_deref(),
        error: failure.map(LineError::from),
        meta: &body.meta,
        reviewed_by: body.reviewed_by.as_deref(),
        metrics: &body.metrics,
        history: failure.map_or(&[], |failure| &failure.history),
        written_at: body.at,
    };
    serde_json::to_writer(&mut to, &line)?;
    to.write_all(b"\n")
}
