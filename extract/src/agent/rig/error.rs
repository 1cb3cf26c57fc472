//! Converts errors of rig to [`AgentError`].

use std::error::Error;

use rig_agent::completion::PromptError;
use rig_core::{
    ProviderError, ProviderResponseError,
    error::{ErrorKind, ErrorReport},
    http_client,
};

use super::http::HttpFailure;
use crate::agent::{AgentErrorKind, provider_error::Failure, provider_refusal::is_filter};

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        if let Some(response) = error.provider_response() {
            return of_response(response);
        }
        match &error {
            ProviderError::Http(error) => of_http(error),
            ProviderError::Relayed(report) => of_report(report),
            ProviderError::Json(cause) => Self::garbled(&format!("the response is not a reply: {cause}")),
            ProviderError::Truncated => Self::garbled("the response ended before the reply did"),
            ProviderError::Url(_) | ProviderError::Request(_) | ProviderError::UnsupportedOption(_) => {
                Self::refused(&said(&error.to_string()))
            }
            ProviderError::Provider(_) => Self::new(AgentErrorKind::Transport, &said(&error.to_string())),
            _ => of_turn(&said(&error.to_string())),
        }
    }
}

impl From<PromptError> for Failure {
    fn from(error: PromptError) -> Self {
        match error {
            PromptError::Provider(error) => error.into(),
            PromptError::Report(report) => of_report(&report),
            PromptError::MaxTurns { max_turns, .. } => Self::refused(&format!(
                "the agent needs more than its {max_turns} turns; raise `max_turns` of the rig agent"
            )),
            // The model's own mistake, which it may not make again.
            error @ PromptError::UnknownToolCall { .. } => Self::garbled(&error.to_string()),
            error => Self::refused(&error.to_string()),
        }
    }
}

fn of_response(response: &ProviderResponseError) -> Failure {
    match response.status {
        _ if response.refusal => Failure::refusal(&response.body),
        Some(status) if !status.is_success() => {
            Failure::of_status(status, &response.body, response.headers.as_ref())
        }
        _ => Failure::in_success(&response.body),
    }
    .with_request_id(response.provider_request_id.as_deref())
}

/// The failure of an agent, through whose bus errors travel as text.
fn of_report(report: &ErrorReport) -> Failure {
    if let Some(response) = &report.provider_response {
        return of_response(response);
    }
    let message = said(&report.message);
    match report.kind {
        _ if report.refusal => Failure::refusal(&message),
        ErrorKind::Http | ErrorKind::Provider => Failure::new(AgentErrorKind::Transport, &message),
        ErrorKind::Timeout => Failure::new(AgentErrorKind::Timeout, &message),
        ErrorKind::Json | ErrorKind::Response => of_turn(&message),
        _ if report.retryable => Failure::new(AgentErrorKind::Transport, &message),
        _ => Failure::refused(&message),
    }
}

/// A response that is not a reply, or a turn that the provider failed. rig names the finish reason
/// of a filter only in the text, in one of two spellings, and names none for Anthropic's refusals.
fn of_turn(message: &str) -> Failure {
    let finish = message.split_once("finish_reason: ").map_or("", |(_, finish)| finish);
    let is_refusal = is_filter(finish.trim_end())
        || message.contains("finish_reason=ContentFilter")
        || message.ends_with("The model refused to complete the request");
    if is_refusal { Failure::refusal(message) } else { Failure::garbled(message) }
}

fn of_http(error: &http_client::Error) -> Failure {
    use http_client::Error as E;
    match error {
        E::Instance(cause) => {
            if let Some(failure) = cause.downcast_ref::<HttpFailure>() {
                return Failure::new(failure.kind, &failure.message);
            }
            match cause.downcast_ref::<reqwest::Error>() {
                Some(error) => Failure::new(HttpFailure::kind_of(error), &with_causes(error)),
                None => Failure::new(AgentErrorKind::Transport, &with_causes(&**cause)),
            }
        }
        E::StreamEnded => Failure::new(AgentErrorKind::Transport, "the connection ended"),
        E::InvalidContentType(_) => Failure::garbled(&error.to_string()),
        _ => Failure::refused(&error.to_string()),
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
