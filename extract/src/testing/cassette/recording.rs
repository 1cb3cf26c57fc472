//! The file format of cassettes, and its errors.

use std::{
    error::Error,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::deltas::RecordedDeltas;
use crate::{
    agent::{
        AgentError, AgentErrorKind, Constraint, Delta, DeltaSink, FinishReason, Reply, Request, Role,
        ThinkingLevel, Tool, ToolCall, Turn,
    },
    metrics::{ModelUsage, ReplyOrigin},
    vocabulary::{redaction::Keys, usage::TokenUsage},
};

const VERSION: u64 = 1;

/// Maximum bytes that are read; recordings are far smaller.
const LARGEST: u64 = 64 * 1024 * 1024;

#[derive(Deserialize)]
pub(super) struct CassetteRecording {
    pub(super) agent: String,
    pub(super) exchanges: Vec<RecordedExchange>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RecordedExchange {
    pub(super) request: RecordedRequest,
    /// How the agent was constrained to the schema of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) constraint: Option<Constraint>,
    /// Whether the agent passes the thinking level of the request on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) sets_thinking: bool,
    #[serde(flatten)]
    pub(super) answer: RecordedAnswer,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedRequest {
    pub(super) turns: Vec<RecordedTurn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<ThinkingLevel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prefill: Option<TextLines>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTurn {
    pub(super) role: Role,
    pub(super) text: TextLines,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a tape is mostly replies")]
pub(super) enum RecordedAnswer {
    Reply(Box<RecordedReply>),
    Failure(RecordedFailure),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedReply {
    pub(super) text: TextLines,
    #[serde(default)]
    finish_reason: FinishReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shares: Vec<ModelUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<ReplyOrigin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<TextLines>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<TextLines>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) calls: Vec<RecordedCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) provider_data: Option<Value>,
    /// How the reply was streamed; empty if it was not.
    #[serde(default, skip_serializing_if = "RecordedDeltas::is_empty")]
    pub(super) deltas: RecordedDeltas,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedCall {
    id: String,
    name: String,
    pub(super) arguments: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedFailure {
    kind: AgentErrorKind,
    pub(super) message: TextLines,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// The text that was streamed before the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<TextLines>,
    #[serde(default, skip_serializing_if = "RecordedDeltas::is_empty")]
    pub(super) deltas: RecordedDeltas,
}

/// The deltas that an agent streamed.
#[derive(Debug, Default)]
pub(super) struct StreamedDeltas {
    /// The text, without the arguments of calls.
    text: String,
    deltas: RecordedDeltas,
}

impl StreamedDeltas {
    pub(super) fn add(&mut self, delta: Delta<'_>) {
        if delta.is_first {
            self.text.clear();
        }
        if delta.call.is_none() {
            self.text.push_str(delta.text);
        }
        self.deltas.add(delta);
    }
}

/// A text; serialized as a list of lines if it has several.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextLines(pub(super) String);

impl Serialize for TextLines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.contains('\n') {
            serializer.collect_seq(self.0.split('\n'))
        } else {
            serializer.serialize_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for TextLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a string or a list of lines")]
        enum StringOrLines {
            Text(String),
            Lines(Vec<String>),
        }
        Ok(Self(match StringOrLines::deserialize(deserializer)? {
            StringOrLines::Text(text) => text,
            StringOrLines::Lines(lines) => lines.join("\n"),
        }))
    }
}

impl TextLines {
    fn of(text: &str, secrets: &Keys) -> Self {
        Self(secrets.redact(text).into_owned())
    }
}

impl RecordedRequest {
    /// The request in the form that is written and compared.
    pub(super) fn of(request: &Request, secrets: &Keys) -> Self {
        let turns = request.conversation.turns().iter();
        let turn = |turn: &Turn| RecordedTurn { role: turn.role(), text: TextLines(turn.text().to_owned()) };
        let asked = Self {
            turns: turns.map(turn).collect(),
            schema: request.schema.as_deref().cloned(),
            tools: request.tools.as_deref().map(|tools| tools.iter().map(as_offered).collect()),
            max_output_tokens: request.max_output_tokens,
            temperature: request.temperature.and_then(as_written),
            thinking: request.thinking,
            prefill: request.prefill.as_deref().map(|prefill| TextLines(prefill.to_owned())),
        };
        asked.redacted(secrets)
    }

    /// Redacts with the present secrets; there may have been fewer when the request was recorded.
    pub(super) fn redacted(mut self, secrets: &Keys) -> Self {
        for turn in &mut self.turns {
            turn.text = TextLines::of(&turn.text.0, secrets);
        }
        self.prefill = self.prefill.map(|prefill| TextLines::of(&prefill.0, secrets));
        self.schema = self.schema.map(|schema| redacted(schema, secrets));
        self.tools = self.tools.map(|tools| redacted(tools, secrets));
        self
    }
}

/// The description of a tool, as an agent gets it.
fn as_offered(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
}

/// The number as it is read back from the file; `None` if JSON cannot represent it.
fn as_written(number: f64) -> Option<f64> {
    serde_json::from_str(&serde_json::to_string(&number).ok()?).ok()
}

fn redacted(value: Value, secrets: &Keys) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.redact(&text).into_owned()),
        Value::Array(list) => list.into_iter().map(|value| redacted(value, secrets)).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (secrets.redact(&key).into_owned(), redacted(value, secrets)))
            .collect(),
        other => other,
    }
}

/// Redacts the names of models and requests: a server may put anything there.
fn redacted_origin(origin: ReplyOrigin, secrets: &Keys) -> ReplyOrigin {
    let redacted = |text: Option<String>| text.map(|text| secrets.redact(&text).into_owned());
    ReplyOrigin {
        model: redacted(origin.model),
        response_id: redacted(origin.response_id),
        request_id: redacted(origin.request_id),
        ..origin
    }
}

impl RecordedCall {
    fn of(call: &ToolCall, secrets: &Keys) -> Self {
        let (id, name) = (call.id.clone(), call.name.clone());
        Self { id, name, arguments: redacted(call.arguments.clone(), secrets) }
    }

    fn into_call(self) -> ToolCall {
        ToolCall::new(self.name, self.arguments).with_id(self.id)
    }
}

impl RecordedAnswer {
    pub(super) fn of(answer: &Result<Reply, AgentError>, streamed: StreamedDeltas, secrets: &Keys) -> Self {
        match answer {
            Ok(reply) => Self::Reply(Box::new(RecordedReply {
                text: TextLines::of(reply.text(), secrets),
                finish_reason: reply.finish_reason().clone(),
                usage: reply.usage(),
                shares: reply.shares().to_vec(),
                origin: reply.origin().map(|origin| redacted_origin(origin.clone(), secrets)),
                refusal: reply.refusal().map(|words| TextLines::of(words, secrets)),
                notes: reply.notes().iter().map(|note| TextLines::of(note, secrets)).collect(),
                calls: reply.calls().iter().map(|call| RecordedCall::of(call, secrets)).collect(),
                provider_data: reply.provider_data().map(|form| redacted(form.clone(), secrets)),
                deltas: streamed.deltas,
            })),
            Err(error) => Self::Failure(RecordedFailure {
                kind: error.kind(),
                message: TextLines::of(error.message(), secrets),
                retry_after_ms: error
                    .retry_after()
                    .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
                status: error.status(),
                request_id: error.request_id().map(|id| secrets.redact(id).into_owned()),
                text: Some(streamed.text)
                    .filter(|text| !text.is_empty())
                    .map(|text| TextLines::of(&text, secrets)),
                deltas: streamed.deltas,
            }),
        }
    }

    /// Streams the answer as it was recorded; one delta if it was not streamed.
    pub(super) async fn send(&self, sink: &mut DeltaSink<'_>) {
        match self {
            Self::Reply(said) => {
                let calls: Vec<_> = said.calls.iter().cloned().map(RecordedCall::into_call).collect();
                said.deltas.send(&said.text.0, &calls, sink).await;
            }
            Self::Failure(failed) => {
                let text = failed.text.as_ref().map_or("", |text| &text.0);
                failed.deltas.send(text, &[], sink).await;
            }
        }
    }

    pub(super) fn into_result(self) -> Result<Reply, AgentError> {
        match self {
            Self::Reply(said) => {
                let RecordedReply { text, finish_reason, usage, shares, .. } = *said;
                let RecordedReply { origin, refusal, notes, calls, provider_data, .. } = *said;
                let calls = calls.into_iter().map(RecordedCall::into_call);
                let reply = Reply::new(text.0).finished(finish_reason).with_calls(calls);
                let reply = provider_data.into_iter().fold(reply, Reply::with_provider_data);
                let reply = refusal.into_iter().fold(reply, |reply, words| reply.with_refusal(words.0));
                let reply = notes.into_iter().fold(reply, |reply, note| reply.with_note(note.0));
                let reply = origin.into_iter().fold(reply, Reply::with_origin);
                Ok(match usage {
                    Some(_) if !shares.is_empty() => reply.with_shares(shares),
                    Some(usage) => reply.with_usage(usage),
                    None => reply,
                })
            }
            Self::Failure(RecordedFailure { kind, message, retry_after_ms, status, request_id, .. }) => {
                let error = AgentError::new(kind, message.0);
                let error = status.into_iter().fold(error, AgentError::with_status);
                let error = request_id.into_iter().fold(error, AgentError::with_request_id);
                Err(match retry_after_ms {
                    Some(wait) => error.with_retry_after(Duration::from_millis(wait)),
                    None => error,
                })
            }
        }
    }
}

impl CassetteRecording {
    pub(super) fn read(path: &Path) -> Result<Self, CassetteError> {
        let text =
            read(path).map_err(|source| CassetteError::Unreadable { path: path.to_owned(), source })?;
        let malformed = |message: String| CassetteError::Malformed { path: path.to_owned(), message };
        let value: Value = serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        match value.get("cassette").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(found) => {
                return Err(CassetteError::Version { path: path.to_owned(), found, expected: VERSION });
            }
            None => return Err(malformed("it has no version in `cassette`".to_owned())),
        }
        serde_path_to_error::deserialize(value).map_err(|error| malformed(error.to_string()))
    }
}

fn read(path: &Path) -> io::Result<String> {
    let size = fs::metadata(path)?.len();
    if size > LARGEST {
        return Err(io::Error::other(format!("{size} bytes are too many")));
    }
    fs::read_to_string(path)
}

/// Writes the file atomically: at any moment it is either the old file or the new one.
pub(super) fn write(path: &Path, agent: &str, exchanges: &[RecordedExchange]) -> Result<(), CassetteError> {
    #[derive(Serialize)]
    struct WrittenExchanges<'t> {
        cassette: u64,
        agent: &'t str,
        exchanges: &'t [RecordedExchange],
    }
    let written = WrittenExchanges { cassette: VERSION, agent, exchanges };
    let text = serde_json::to_string_pretty(&written).map_err(io::Error::other);
    text.and_then(|text| replace(path, &(text + "\n")))
        .map_err(|source| CassetteError::Unwritable { path: path.to_owned(), source })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = beside(path);
    let written = File::create_new(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first failure is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// An unused file name in the same folder.
fn beside(path: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{number}.part", std::process::id()));
    path.with_file_name(name)
}

/// Why a [`Cassette`](super::Cassette) cannot be used, or was not replayed as recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file cannot be read.
    #[error("the cassette `{}` cannot be read: {source}; `EXTRACT_CASSETTE=record` records it, where the test uses `Cassette::from_env`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not a cassette.
    #[error("`{}` is not a cassette: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem with the file.
        message: String,
    },
    /// The file is a cassette of another version.
    #[error("the cassette `{}` has the format {found}, this release reads {expected}; record it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u64,
        /// The version that this release reads.
        expected: u64,
    },
    /// The file cannot be written.
    #[error("the cassette `{}` cannot be written: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The agent to record could not be made.
    #[error("the agent to record could not be made: {0}")]
    Agent(#[source] Box<dyn Error + Send + Sync>),
    /// The variable `EXTRACT_CASSETTE` has an unknown value.
    #[error("`EXTRACT_CASSETTE` is `{0}`; expected `record` or `replay`")]
    Mode(String),
    /// A pattern to redact is not valid.
    #[error("the pattern of what to redact is not valid: {0}")]
    Pattern(String),
    /// The replay deviated from the recording, or nothing was recorded.
    #[error("the cassette `{}` was not used as recorded:\n- {}", path.display(), complaints.join("\n- "))]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The deviations, in the order in which they happened.
        complaints: Vec<String>,
    },
}
