//! What a server says of a batch, in each form.

use extract::agent::{BatchStatus, provider::ProviderFailure};
use serde_json::Value;

use crate::{http::escaped, profile::BatchForm};

/// The key of the mark in the metadata of a batch.
pub(super) const MARK: &str = "extract_mark";

/// Batches on a page of the list.
pub(super) const PAGE: usize = 100;

/// A batch, whatever its form.
#[derive(Debug, Default)]
pub(super) struct RemoteBatch {
    pub(super) id: String,
    /// In lower case, without a prefix.
    state: String,
    error: Option<String>,
    /// The mark, if the batch carries it itself.
    pub(super) mark: Option<String>,
    /// The file of requests.
    pub(super) input: Option<String>,
    /// How many requests it has, if it says so.
    pub(super) requests: Option<u64>,
    /// The paths of the files with its answers.
    pub(super) results: Vec<String>,
}

impl RemoteBatch {
    /// Reads a batch.
    pub(super) fn of(form: BatchForm, value: &Value) -> Result<Self, ProviderFailure> {
        let string = |value: &Value| value.as_str().map(str::to_owned);
        let file = |name: &str, value: &Value| {
            value[name].as_str().map(|id| format!("/files/{}/content", escaped(id, b"")))
        };
        let files = |value: &Value, names: [&str; 2]| {
            names.into_iter().filter_map(|name| file(name, value)).collect::<Vec<_>>()
        };
        let errors = |value: &Value| (!value.is_null()).then(|| value.to_string());
        let batch = match form {
            BatchForm::Files { .. } | BatchForm::TogetherFiles => {
                // Together creates a job with warnings around it.
                let value = value.get("job").unwrap_or(value);
                Self {
                    id: string(&value["id"]).unwrap_or_default(),
                    state: state(&value["status"]),
                    error: errors(&value["errors"]).or_else(|| errors(&value["error"])),
                    mark: string(&value["metadata"][MARK]),
                    input: string(&value["input_file_id"]),
                    requests: None,
                    results: files(value, ["output_file_id", "error_file_id"]),
                }
            }
            BatchForm::Jobs => Self {
                id: string(&value["id"]).unwrap_or_default(),
                state: state(&value["status"]),
                error: errors(&value["errors"]),
                mark: string(&value["metadata"][MARK]),
                results: files(value, ["output_file", "error_file"]),
                ..Self::default()
            },
            BatchForm::Messages => {
                let id = string(&value["id"]).unwrap_or_default();
                let counts = value["request_counts"].as_object();
                Self {
                    state: state(&value["processing_status"]),
                    requests: counts.map(|counts| counts.values().filter_map(Value::as_u64).sum()),
                    // The URL itself may lead to another server.
                    results: value["results_url"]
                        .as_str()
                        .into_iter()
                        .map(|_| results_of_messages(&id))
                        .collect(),
                    id,
                    ..Self::default()
                }
            }
            BatchForm::Generate => Self {
                id: value["name"]
                    .as_str()
                    .map(|name| name.trim_start_matches("batches/").to_owned())
                    .unwrap_or_default(),
                state: state(&value["metadata"]["state"]),
                error: errors(&value["error"]),
                mark: string(&value["metadata"]["displayName"]),
                ..Self::default()
            },
        };
        match &*batch.id {
            "" => Err(ProviderFailure::garbled("the answer about a batch has no id")),
            _ => Ok(batch),
        }
    }

    /// Returns the state of the batch; a failure if it is not known.
    pub(super) fn status(&self) -> Result<BatchStatus, ProviderFailure> {
        match &*self.state {
            "validating"
            | "in_progress"
            | "finalizing"
            | "cancelling"
            | "canceling"
            | "queued"
            | "pending"
            | "running"
            | "updating"
            | "paused"
            | "cancellation_requested" => Ok(BatchStatus::Open),
            "completed"
            | "expired"
            | "cancelled"
            | "ended"
            | "success"
            | "succeeded"
            | "partially_succeeded"
            | "timeout_exceeded" => Ok(BatchStatus::Ended),
            // It has answers.
            "failed" if !self.results.is_empty() => Ok(BatchStatus::Ended),
            "failed" => {
                let reason = self.error.as_deref().unwrap_or("without a reason");
                Ok(BatchStatus::Refused { reason: format!("the batch was refused: {reason}") })
            }
            other => Err(ProviderFailure::garbled(format!("`{other}` is not a known state of a batch"))),
        }
    }
}

/// A state without the prefix that Gemini gives it. Azure and Together write it in other cases.
fn state(value: &Value) -> String {
    let state = value.as_str().unwrap_or_default().to_lowercase();
    let plain = state.strip_prefix("batch_state_").or_else(|| state.strip_prefix("job_state_"));
    plain.map(str::to_owned).unwrap_or(state)
}

/// The path of the list of batches, below which each of them is.
pub(super) fn list(form: BatchForm) -> &'static str {
    match form {
        BatchForm::Jobs => "/batch/jobs",
        BatchForm::Messages => "/messages/batches",
        _ => "/batches",
    }
}

/// The path of a batch.
pub(super) fn path(form: BatchForm, id: &str) -> String {
    format!("{}/{}", list(form), escaped(id, b""))
}

/// The path to which a cancellation is posted.
pub(super) fn cancel_path(form: BatchForm, id: &str) -> String {
    let separator = if form == BatchForm::Generate { ':' } else { '/' };
    format!("{}{separator}cancel", path(form, id))
}

/// The path of the answers of a batch of Anthropic.
pub(super) fn results_of_messages(id: &str) -> String {
    format!("{}/results", path(BatchForm::Messages, id))
}

/// The batches on a page of the list, and the query of the next page.
pub(super) fn page(
    form: BatchForm,
    number: usize,
    value: &Value,
) -> Result<(Vec<RemoteBatch>, Option<String>), ProviderFailure> {
    let items = match form {
        BatchForm::Generate => &value["operations"],
        BatchForm::TogetherFiles if value.is_array() => value,
        _ => &value["data"],
    };
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    let batches: Vec<_> = items.iter().map(|batch| RemoteBatch::of(form, batch)).collect::<Result<_, _>>()?;
    let has_more = value["has_more"] == true;
    let last = || batches.last().filter(|_| has_more).map(|batch| escaped(&batch.id, b""));
    let query = match form {
        BatchForm::Files { .. } | BatchForm::TogetherFiles => last().map(|id| format!("&after={id}")),
        BatchForm::Messages => last().map(|id| format!("&after_id={id}")),
        BatchForm::Jobs => (items.len() == PAGE).then(|| format!("&page={}", number + 1)),
        BatchForm::Generate => value["nextPageToken"]
            .as_str()
            .filter(|token| !token.is_empty())
            .map(|token| format!("&pageToken={}", escaped(token, b""))),
    };
    Ok((batches, query))
}

/// The query of the first page of the list.
pub(super) fn first_page(form: BatchForm) -> String {
    match form {
        BatchForm::Jobs => format!("?page_size={PAGE}"),
        BatchForm::Generate => format!("?pageSize={PAGE}"),
        BatchForm::TogetherFiles => String::new(),
        _ => format!("?limit={PAGE}"),
    }
}
