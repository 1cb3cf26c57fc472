//! One request of a batch, and one answer, in each form.

use extract::agent::{AgentError, Reply, Request, WrittenRequest, provider::ProviderFailure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{
    agent::{ProviderAgent, SentForm},
    format::WireFormat,
    profile::BatchForm,
};

/// The digits of a mark after each id, where a batch carries its mark there. An id has 48 of the 64
/// characters that Anthropic allows.
pub(super) const MARK_DIGITS: usize = 16;

/// How a line of [`BatchForm::Messages`] begins, before the id.
const ID_START: &str = "{\"custom_id\":\"";

#[derive(Serialize)]
struct FileLine<'a> {
    custom_id: &'a str,
    method: &'a str,
    url: &'a str,
    body: &'a RawValue,
}

#[derive(Serialize)]
struct ShortLine<'a> {
    custom_id: &'a str,
    body: &'a RawValue,
}

#[derive(Serialize)]
struct MessageLine<'a> {
    custom_id: &'a str,
    params: &'a RawValue,
}

#[derive(Serialize)]
struct GenerateLine<'a> {
    request: &'a RawValue,
    metadata: LineKey<'a>,
}

#[derive(Serialize)]
struct LineKey<'a> {
    key: &'a str,
}

/// What a line says of a request's answer.
struct AnsweredLine<'a> {
    status: u16,
    request_id: Option<String>,
    body: &'a str,
}

#[derive(Deserialize)]
struct FileAnswer<'a> {
    #[serde(borrow, default)]
    response: Option<FileResponse<'a>>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct FileResponse<'a> {
    status_code: u16,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct MessageAnswer<'a> {
    #[serde(borrow)]
    result: MessageResult<'a>,
}

#[derive(Deserialize)]
struct MessageResult<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct GenerateAnswer<'a> {
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<GoogleStatus>,
}

#[derive(Deserialize)]
struct GoogleStatus {
    #[serde(default)]
    code: i64,
}

/// Returns the path of the requests in a file, if files can have requests of this format.
pub(super) fn endpoint(wire: WireFormat) -> Option<&'static str> {
    match wire {
        WireFormat::ChatCompletions => Some("/v1/chat/completions"),
        WireFormat::Responses => Some("/v1/responses"),
        _ => None,
    }
}

/// Writes a request.
pub(super) fn write(
    agent: &ProviderAgent,
    form: BatchForm,
    id: &str,
    request: &Request,
) -> Result<WrittenRequest, AgentError> {
    let written = agent.batch_body(request).and_then(|(body, sent)| {
        let garbled = |error: serde_json::Error| ProviderFailure::garbled(error.to_string());
        let body: &RawValue = serde_json::from_slice(&body).map_err(garbled)?;
        let line = in_form(form, agent.profile.wire, id, body).map_err(garbled)?;
        Ok(WrittenRequest { line, sent: serde_json::to_string(&sent).map_err(garbled)? })
    });
    written.map_err(|failure| to_error(agent, failure))
}

fn in_form(form: BatchForm, wire: WireFormat, id: &str, body: &RawValue) -> serde_json::Result<Vec<u8>> {
    match form {
        BatchForm::Files { .. } => {
            let url = endpoint(wire).unwrap_or_default();
            serde_json::to_vec(&FileLine { custom_id: id, method: "POST", url, body })
        }
        BatchForm::TogetherFiles | BatchForm::Jobs => serde_json::to_vec(&ShortLine { custom_id: id, body }),
        BatchForm::Messages => serde_json::to_vec(&MessageLine { custom_id: id, params: body }),
        BatchForm::Generate => {
            serde_json::to_vec(&GenerateLine { request: body, metadata: LineKey { key: id } })
        }
    }
}

/// Reads an answer to a request that was [written](write) with the note `sent`.
pub(super) fn read(
    agent: &ProviderAgent,
    form: BatchForm,
    (request, sent): (&Request, &str),
    line: &[u8],
) -> Result<Reply, AgentError> {
    // A note that cannot be read comes from another agent.
    let sent: SentForm = serde_json::from_str(sent).unwrap_or_default();
    let read = answered(form, line).and_then(|AnsweredLine { status, request_id, body }| {
        agent.batch_reply(request, &sent, (status, request_id.as_deref()), body)
    });
    read.or_else(|failure| failure.settle(&agent.keys()))
}

fn answered(form: BatchForm, line: &[u8]) -> Result<AnsweredLine<'_>, ProviderFailure> {
    let garbled = |error| ProviderFailure::garbled(format!("not an answer of a batch: {error}"));
    match form {
        BatchForm::Files { .. } | BatchForm::TogetherFiles | BatchForm::Jobs => {
            let line: FileAnswer<'_> = serde_json::from_slice(line).map_err(garbled)?;
            match line.response {
                Some(FileResponse { status_code, request_id, body: Some(body) }) => {
                    Ok(AnsweredLine { status: status_code, request_id, body: body.get() })
                }
                _ => Err(without_answer(&line.error.unwrap_or(Value::Null).to_string())),
            }
        }
        BatchForm::Messages => {
            let MessageAnswer { result } = serde_json::from_slice(line).map_err(garbled)?;
            match (&*result.kind, result.message, result.error) {
                ("succeeded", Some(message), _) => {
                    Ok(AnsweredLine { status: 200, request_id: None, body: message.get() })
                }
                ("errored", _, Some(error)) => Ok(AnsweredLine {
                    status: status_of_message(error.get()),
                    request_id: None,
                    body: error.get(),
                }),
                (kind, ..) => Err(without_answer(kind)),
            }
        }
        BatchForm::Generate => {
            let body = str::from_utf8(line).map_err(|_| ProviderFailure::garbled("not UTF-8"))?;
            let answer: GenerateAnswer<'_> = serde_json::from_str(body).map_err(garbled)?;
            match (answer.response, answer.error) {
                (Some(response), _) => {
                    Ok(AnsweredLine { status: 200, request_id: None, body: response.get() })
                }
                // It has the error as a member, as the body of a response has.
                (None, Some(error)) => {
                    Ok(AnsweredLine { status: status_of_google(error.code), request_id: None, body })
                }
                (None, None) => Err(without_answer("neither a response nor an error")),
            }
        }
    }
}

/// The failure of a request that expired or was cancelled.
fn without_answer(why: &str) -> ProviderFailure {
    ProviderFailure::garbled(format!("the request has no answer in its batch: {why}"))
}

/// The HTTP status of an error. Source: <https://platform.claude.com/docs/en/api/errors>
fn status_of_message(error: &str) -> u16 {
    #[derive(Deserialize)]
    struct Outer {
        error: LineBody,
    }
    #[derive(Deserialize)]
    struct LineBody {
        #[serde(rename = "type")]
        kind: String,
    }
    let kind = serde_json::from_str::<Outer>(error).map(|outer| outer.error.kind).unwrap_or_default();
    match &*kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        _ => 500,
    }
}

/// The HTTP status of a code of `google.rpc.Status`.
/// Source: <https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto>
fn status_of_google(code: i64) -> u16 {
    match code {
        3 | 9 | 11 => 400,
        16 => 401,
        7 => 403,
        5 => 404,
        8 => 429,
        1 => 499,
        14 => 503,
        4 => 504,
        // Some servers put the HTTP status there.
        400..=599 => u16::try_from(code).unwrap_or(500),
        _ => 500,
    }
}

/// Returns the id of the request that a line answers.
pub(super) fn id(form: BatchForm, line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct ById {
        custom_id: String,
    }
    #[derive(Deserialize)]
    struct ByKey {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        key: String,
    }
    match form {
        BatchForm::Generate => serde_json::from_slice::<ByKey>(line).ok().map(|line| line.metadata.key),
        BatchForm::Messages => {
            let mut id = serde_json::from_slice::<ById>(line).ok()?.custom_id;
            let end = id.len().checked_sub(MARK_DIGITS).filter(|end| id.is_char_boundary(*end))?;
            id.truncate(end);
            Some(id)
        }
        _ => serde_json::from_slice::<ById>(line).ok().map(|line| line.custom_id),
    }
}

/// Returns whether the batch with this answer carries `mark` in its ids.
pub(super) fn has_mark(line: &[u8], mark: &str) -> bool {
    #[derive(Deserialize)]
    struct ById {
        custom_id: String,
    }
    let digits = &mark.as_bytes()[..mark.len().min(MARK_DIGITS)];
    serde_json::from_slice::<ById>(line).is_ok_and(|line| line.custom_id.as_bytes().ends_with(digits))
}

/// Writes a line of [`BatchForm::Messages`] with the mark after the id.
pub(super) fn push_marked(out: &mut Vec<u8>, line: &[u8], mark: &str) {
    let rest = line.strip_prefix(ID_START.as_bytes()).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'"').unwrap_or_default();
    out.extend_from_slice(ID_START.as_bytes());
    out.extend_from_slice(&rest[..end]);
    out.extend_from_slice(&mark.as_bytes()[..mark.len().min(MARK_DIGITS)]);
    out.extend_from_slice(&rest[end..]);
}

/// Returns the error of a failure, without keys.
pub(super) fn to_error(agent: &ProviderAgent, failure: ProviderFailure) -> AgentError {
    let message = failure.message().to_owned();
    match failure.settle(&agent.keys()) {
        Err(error) => error,
        Ok(_) => AgentError::refused(agent.keys().redact(&message).into_owned()),
    }
}
