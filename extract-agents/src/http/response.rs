//! The response to a request, read within its limits.

use std::borrow::Cow;

use bytes::{Buf as _, Bytes};
use extract::agent::{
    AgentErrorKind,
    provider::{ProviderFailure, request_id},
};
use hyper::{
    HeaderMap, StatusCode, Uri,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, TRANSFER_ENCODING},
};
use tokio::time::timeout;

use super::{
    limits::{HttpLimits, STREAM_FACTOR, silent, with_causes},
    pool::ResponseBody,
    target::{server_of, shown},
};

/// Bytes of an error's body that are read. Its message has fewer, so that a cut one is known to be cut.
const LONGEST_ERROR: usize = 65 << 10;

/// A response whose headers have arrived.
pub(crate) struct Response {
    status: u16,
    headers: HeaderMap,
    body: ResponseBody,
    limits: HttpLimits,
    uri: Uri,
    read: usize,
    /// The beginning of the body, if only [`begins_with_json`](Self::begins_with_json) has seen it.
    seen: Option<Bytes>,
}

impl Response {
    /// The response to a request to `uri`.
    pub(super) fn new(response: hyper::Response<ResponseBody>, uri: Uri, limits: HttpLimits) -> Self {
        let (parts, body) = response.into_parts();
        Self { status: parts.status.as_u16(), headers: parts.headers, body, limits, uri, read: 0, seen: None }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// Allows for the length of a stream.
    pub(crate) fn as_stream(&mut self) {
        self.limits.body = self.limits.body.saturating_mul(STREAM_FACTOR);
    }

    /// Allows for `bytes` of the body.
    pub(crate) fn allow(&mut self, bytes: usize) {
        self.limits.body = bytes;
    }

    /// Returns the media type in lower case, without parameters; empty if it is missing.
    pub(crate) fn content_type(&self) -> String {
        let value = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
        value.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
    }

    /// Returns whether the body says where it ends, so that a connection that was closed earlier is an error.
    pub(crate) fn has_end(&self) -> bool {
        self.headers.contains_key(CONTENT_LENGTH) || self.headers.contains_key(TRANSFER_ENCODING)
    }

    /// Returns how the body is compressed, if it is.
    pub(crate) fn encoding(&self) -> Option<&str> {
        self.header(CONTENT_ENCODING.as_str())
            .map(str::trim)
            .filter(|encoding| !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity"))
    }

    /// Returns where a redirect leads that was not followed.
    fn redirect(&self) -> Option<&str> {
        self.header(LOCATION.as_str()).filter(|_| (300..400).contains(&self.status)).map(shown)
    }

    /// The headers that are text.
    pub(crate) fn headers(&self) -> Vec<(&str, &str)> {
        let texts =
            self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        texts.collect()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn request_id(&self) -> Option<String> {
        request_id(|name| self.header(name))
    }

    /// Returns whether the body begins as an object or a list does.
    pub(crate) async fn begins_with_json(&mut self) -> Result<bool, ProviderFailure> {
        self.seen = self.chunk().await?;
        let start = self.seen.as_deref().unwrap_or_default();
        let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
        Ok(matches!(start, [b'{' | b'[', ..]))
    }

    /// Returns the cost in US dollars, which LiteLLM reports in a header.
    pub(crate) fn cost(&self) -> Option<f64> {
        let cost = self.header("x-litellm-response-cost")?.trim().parse::<f64>().ok()?;
        (cost.is_finite() && cost >= 0.0).then_some(cost)
    }

    /// Returns the next bytes of the body; `None` after the last.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, ProviderFailure> {
        if let Some(seen) = self.seen.take() {
            return Ok(Some(seen));
        }
        loop {
            let frame = match timeout(self.limits.silence, self.body.frame()).await {
                Err(_) => return Err(silent(self.limits.silence)),
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => {
                    let message = format!("the body of the response broke off: {}", with_causes(&error));
                    return Err(ProviderFailure::new(AgentErrorKind::Transport, message));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(bytes) = frame.into_data() else { continue };
            self.read += bytes.len();
            if self.read > self.limits.body {
                let message = format!("the body of the response is longer than {} bytes", self.limits.body);
                return Err(ProviderFailure::new(AgentErrorKind::Garbled, message));
            }
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    /// Returns the whole body.
    pub(crate) async fn whole(&mut self) -> Result<Bytes, ProviderFailure> {
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
    pub(crate) async fn failure(mut self) -> ProviderFailure {
        let mut body = Vec::new();
        while body.len() < LONGEST_ERROR {
            let Ok(Some(mut bytes)) = self.chunk().await else { break };
            let wanted = bytes.len().min(LONGEST_ERROR - body.len());
            body.extend_from_slice(&bytes.copy_to_bytes(wanted));
        }
        let reason = StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        let mut reason = reason.unwrap_or_default().to_owned();
        // The address may be wrong.
        if self.status == 404 {
            reason = [&reason, " from ", server_of(&self.uri)].concat();
        }
        let body = match (self.redirect(), self.encoding()) {
            (Some(to), _) => Cow::Owned(format!("the server redirects to `{to}`, which is not followed")),
            (_, Some(encoding)) => {
                Cow::Owned(format!("a body of {} bytes, encoded as {encoding}", body.len()))
            }
            _ => String::from_utf8_lossy(&body),
        };
        ProviderFailure::of_status(self.status, &reason, &body, |name| self.header(name))
    }
}
