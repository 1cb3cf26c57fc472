//! The response to a request, read within its limits.

use bytes::{Buf as _, Bytes};
use extract::agent::{AgentErrorKind, provider::checked_name};
use http_body_util::BodyExt as _;
use hyper::{HeaderMap, body::Incoming, header::CONTENT_TYPE};
use tokio::time::timeout;

use super::limits::{Limits, STREAM_FACTOR, silent, with_causes};
use crate::{
    failure::{Detail, Failure},
    retry_after,
};

/// Bytes of an error's body that are read.
const LONGEST_ERROR: usize = 64 << 10;

/// Request ids: OpenAI, xAI and most others; Anthropic; AWS; Azure (two); Mistral; Cloudflare in
/// front of many.
const REQUEST_IDS: [&str; 7] = [
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "apim-request-id",
    "x-ms-request-id",
    "mistral-correlation-id",
    "cf-ray",
];

/// A response whose headers have arrived.
pub(crate) struct Response {
    status: u16,
    headers: HeaderMap,
    body: Incoming,
    limits: Limits,
    read: usize,
}

impl Response {
    pub(super) fn new(response: hyper::Response<Incoming>, limits: Limits) -> Self {
        let (parts, body) = response.into_parts();
        Self { status: parts.status.as_u16(), headers: parts.headers, body, limits, read: 0 }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// Allows for the length of a stream.
    pub(crate) fn as_stream(&mut self) {
        self.limits.body = self.limits.body.saturating_mul(STREAM_FACTOR);
    }

    /// Returns the media type in lower case, without parameters; empty if it is missing.
    pub(crate) fn content_type(&self) -> String {
        let value = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
        value.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
    }

    /// The headers that are text.
    pub(crate) fn headers(&self) -> Vec<(&str, &str)> {
        let texts =
            self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        texts.collect()
    }

    pub(crate) fn request_id(&self) -> Option<String> {
        REQUEST_IDS.iter().find_map(|header| checked_name(self.headers.get(*header)?.to_str().ok()?))
    }

    /// Returns the next bytes of the body; `None` after the last.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let frame = match timeout(self.limits.silence, self.body.frame()).await {
                Err(_) => return Err(silent(self.limits.silence)),
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => {
                    let message = format!("the body of the response broke off: {}", with_causes(&error));
                    return Err(Failure::new(AgentErrorKind::Transport, message));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(bytes) = frame.into_data() else { continue };
            self.read += bytes.len();
            if self.read > self.limits.body {
                let message = format!("the body of the response is longer than {} bytes", self.limits.body);
                return Err(Failure::new(AgentErrorKind::Garbled, message));
            }
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    /// Returns the whole body.
    pub(crate) async fn whole(&mut self) -> Result<Bytes, Failure> {
        let Some(first) = self.chunk().await? else { return Ok(Bytes::new()) };
        let Some(second) = self.chunk().await? else { return Ok(first) };
        let mut all = Vec::with_capacity((first.len() + second.len()) * 2);
        all.extend_from_slice(&first);
        all.extend_from_slice(&second);
        while let Some(next) = self.chunk().await? {
            all.extend_from_slice(&next);
        }
        Ok(all.into())
    }

    /// The failure that a response without success reports. Of a long or broken body, the beginning
    /// counts.
    pub(crate) async fn failure(mut self) -> Failure {
        let mut body = Vec::new();
        while body.len() < LONGEST_ERROR {
            let Ok(Some(mut bytes)) = self.chunk().await else { break };
            let wanted = bytes.len().min(LONGEST_ERROR - body.len());
            body.extend_from_slice(&bytes.copy_to_bytes(wanted));
        }
        let detail = Detail::of_text(&String::from_utf8_lossy(&body));
        let mut failure = Failure::of_status(self.status, &detail);
        failure.retry_after = retry_after::in_headers(&self.headers).or(failure.retry_after);
        failure.request_id = self.request_id().or(failure.request_id);
        failure
    }
}
