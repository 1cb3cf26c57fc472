//! An outcome as a line of the output.

use extract_bulk::Outcome;
use serde_json::{Map, Value, json};

/// The line, as the library writes it into files.
pub(crate) fn of(outcome: &Outcome) -> String {
    let metrics = &outcome.metrics;
    let mut line = Map::new();
    let mut add = |name: &str, value: Value| line.insert(name.to_owned(), value);
    add("key", json!(outcome.key));
    add("status", json!(outcome.status));
    match &outcome.result {
        Ok(value) => add("value", value.clone()),
        Err(failure) => add("error", json!({"name": failure.name, "message": failure.message})),
    };
    if !outcome.meta.is_null() {
        add("meta", outcome.meta.clone());
    }
    if let Some(by) = &outcome.reviewed_by {
        add("reviewed_by", json!(by));
    }
    add("attempts", json!(metrics.attempts));
    add("input_tokens", json!(metrics.usage.input_tokens));
    add("output_tokens", json!(metrics.usage.output_tokens));
    if !metrics.warnings.is_empty() {
        add("warnings", json!(metrics.warnings));
    }
    if !metrics.left_out.is_empty() {
        add("left_out", json!(metrics.left_out));
    }
    Value::Object(line).to_string()
}
