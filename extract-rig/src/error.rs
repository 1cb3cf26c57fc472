//! Converts errors of rig to failures of a provider.

use std::error::Error;

use extract::agent::{
    AgentErrorKind,
    provider::{ProviderFailure, is_filter},
};
use reqwest::{StatusCode, header::HeaderMap};
use rig_agent::completion::PromptError;
use rig_core::{
    ProviderError, ProviderResponseError,
    error::{ErrorKind, ErrorReport},
    http_client,
};

use crate::http::HttpFailure;

/// The failure of a completion model.
pub(crate) fn of_model(error: &ProviderError) -> ProviderFailure {
    if let Some(response) = error.provider_response() {
        return of_response(response);
    }
    match error {
        ProviderError::Http(error) => of_http(error),
        ProviderError::Relayed(report) => of_report(report),
        ProviderError::Json(cause) => {
            ProviderFailure::garbled(format!("the response is not a reply: {cause}"))
        }
        ProviderError::Truncated => ProviderFailure::garbled("the response ended before the reply did"),
        ProviderError::Url(_) | ProviderError::Request(_) | ProviderError::UnsupportedOption(_) => {
            ProviderFailure::refused(said(&error.to_string()))
        }
        ProviderError::Provider(_) => {
            ProviderFailure::new(AgentErrorKind::Transport, said(&error.to_string()))
        }
        _ => of_turn(&said(&error.to_string())),
    }
}

/// The failure of an agent.
pub(crate) fn of_agent(error: &PromptError) -> ProviderFailure {
    match error {
        PromptError::Provider(error) => of_model(error),
        PromptError::Report(report) => of_report(report),
        PromptError::MaxTurns { max_turns, .. } => ProviderFailure::refused(format!(
            "the agent needs more than its {max_turns} turns; raise `max_turns` of the rig agent"
        )),
        // The model's own mistake, which it may not make again.
        error @ PromptError::UnknownToolCall { .. } => ProviderFailure::garbled(error.to_string()),
        error => ProviderFailure::refused(error.to_string()),
    }
}

fn of_response(response: &ProviderResponseError) -> ProviderFailure {
    match response.status {
        _ if response.refusal => ProviderFailure::refusal(&response.body),
        Some(status) if !status.is_success() => of_status(status, &response.body, response.headers.as_ref()),
        _ => ProviderFailure::in_success(&response.body),
    }
    .with_request_id(response.provider_request_id.as_deref())
}

fn of_status(status: StatusCode, body: &str, headers: Option<&HeaderMap>) -> ProviderFailure {
    let reason = status.canonical_reason().unwrap_or("<unknown status code>");
    ProviderFailure::of_status(status.as_u16(), reason, body, |name| headers?.get(name)?.to_str().ok())
}

/// The failure of an agent, through whose bus errors travel as text.
fn of_report(report: &ErrorReport) -> ProviderFailure {
    if let Some(response) = &report.provider_response {
        return of_response(response);
    }
    let message = said(&report.message);
    match report.kind {
        _ if report.refusal => ProviderFailure::refusal(&message),
        ErrorKind::Http | ErrorKind::Provider => ProviderFailure::new(AgentErrorKind::Transport, &message),
        ErrorKind::Timeout => ProviderFailure::new(AgentErrorKind::Timeout, &message),
        ErrorKind::Json | ErrorKind::Response => of_turn(&message),
        _ if report.retryable => ProviderFailure::new(AgentErrorKind::Transport, &message),
        _ => ProviderFailure::refused(&message),
    }
}

/// A response that is not a reply, or a turn that the provider failed. rig names the finish reason
/// of a filter only in the text, in one of two spellings, and names none for Anthropic's refusals.
fn of_turn(message: &str) -> ProviderFailure {
    let finish = message.split_once("finish_reason: ").map_or("", |(_, finish)| finish);
    let is_refusal = is_filter(finish.trim_end())
        || message.contains("finish_reason=ContentFilter")
        || message.ends_with("The model refused to complete the request");
    if is_refusal { ProviderFailure::refusal(message) } else { ProviderFailure::garbled(message) }
}

fn of_http(error: &http_client::Error) -> ProviderFailure {
    use http_client::Error as E;
    match error {
        E::Instance(cause) => {
            if let Some(failure) = cause.downcast_ref::<HttpFailure>() {
                return ProviderFailure::new(failure.kind, &failure.message);
            }
            match cause.downcast_ref::<reqwest::Error>() {
                Some(error) => ProviderFailure::new(HttpFailure::kind_of(error), with_causes(error)),
                None => ProviderFailure::new(AgentErrorKind::Transport, with_causes(&**cause)),
            }
        }
        E::StreamEnded => ProviderFailure::new(AgentErrorKind::Transport, "the connection ended"),
        E::InvalidContentType(_) => ProviderFailure::garbled(error.to_string()),
        _ => ProviderFailure::refused(error.to_string()),
    }
}

/// `error sending request: client error (Connect): tcp connect error: Connection refused`
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut message = without_url(&error.to_string());
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(": ");
        message.push_str(&error.to_string());
        cause = error.source();
    }
    message
}

/// The message without the names of rig's own types in front, and without URLs, which may contain a
/// key.
fn said(message: &str) -> String {
    const PREFIXES: [&str; 7] = [
        "HttpError: ",
        "Http client error: ",
        "JsonError: ",
        "UrlError: ",
        "RequestError: ",
        "ResponseError: ",
        "ProviderError: ",
    ];
    let mut rest = message;
    while let Some(shorter) = PREFIXES.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = shorter;
    }
    without_url(rest)
}

/// Removes the URL that reqwest names in this form, also at the end of its own text.
fn without_url(message: &str) -> String {
    match message.split_once(" for url (") {
        Some((before, after)) => {
            let after = after.rsplit_once(')').map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_neither_urls_nor_names_of_types() {
        let message =
            "HttpError: Http client error: error sending request for url (http://h/(v1)?key=k): reset";
        assert_eq!(said(message), "error sending request: reset");
        assert_eq!(said("no (real) problem"), "no (real) problem");
    }
}
