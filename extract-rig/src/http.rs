//! An HTTP client for rig that limits the size of responses.

use std::{error::Error, fmt, time::Duration};

use bytes::Bytes;
use extract::agent::{AgentError, AgentErrorKind, provider::Keys};
use futures_util::stream;
use reqwest::header::HeaderMap;
use rig_core::http_client::{
    self, BoxedStream, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse,
};
use rig_reqwest::ReqwestClient;

/// A million tokens of four characters are 4 MB; this leaves room for escapes and for the JSON
/// around them.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of the body of a failure that are read; more than anybody wants to see. A message has fewer, so that one
/// that was cut is known to be, and does not end with half a key.
const MAX_FAILURE_BYTES: usize = 65 * 1024;

const SHORTEST_KEY: usize = 8;

/// Maximum time to open a connection; a model may think for longer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An HTTP client for the providers of rig that reads at most 16 MiB of a response, or as much as
/// you allow.
///
/// rig's own client reads a response to its end, however long it is. This one stops. It follows no
/// redirect, because a key would travel with it, and allows 10 seconds to open a connection. It
/// redacts the key of the request in what the server says about a failure. Its errors name the
/// cause, even if they come from a rig agent. Files (`send_multipart`) are not for extractions;
/// they go through rig's own client and are not limited.
///
/// # Errors
///
/// A response that is longer is [`Garbled`](extract::agent::AgentErrorKind::Garbled). At most 65 KiB
/// of the body of a failure are read.
///
/// ```
/// use extract_rig::{BoundedHttp, rig_core::providers::openai::OpenAI};
///
/// let client = OpenAI::new("my-key").with_http(BoundedHttp::new()?.max_body_bytes(1_000_000));
/// let model = client.completion("gpt-6-luna");
/// # let _ = model;
/// # Ok::<(), extract::agent::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoundedHttp {
    client: reqwest::Client,
    max_body_bytes: usize,
}

impl BoundedHttp {
    /// A new client. It is worth sharing: clones share its connections.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable), for example if there are no root
    /// certificates.
    pub fn new() -> Result<Self, AgentError> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .build()
            .map_err(|error| {
                AgentError::unavailable(format!("no HTTP client: {error}")).with_source(error)
            })?;
        Ok(Self::with_client(client))
    }

    /// Uses your own client (`reqwest` 0.13), with its own proxies, redirects and time limits.
    pub fn with_client(client: reqwest::Client) -> Self {
        Self { client, max_body_bytes: MAX_BODY_BYTES }
    }

    /// Maximum bytes of the body of a response; 16 MiB by default.
    pub fn max_body_bytes(mut self, max: usize) -> Self {
        self.max_body_bytes = max;
        self
    }

    /// Sends the request now, and leaves the body of a success unread.
    fn start<T: Into<Bytes>>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<IncomingResponse>> + Send + 'static {
        let (parts, body) = request.into_parts();
        let secrets = secrets_of(&parts.headers);
        let request =
            self.client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body.into());
        let left = self.max_body_bytes;
        async move {
            // Without this the HTTP client would panic.
            if tokio::runtime::Handle::try_current().is_err() {
                return Err(http_client::Error::instance(HttpFailure::no_runtime()));
            }
            let response = request.send().await.map_err(HttpFailure::wrapped)?;
            if response.status().is_success() {
                return Ok(IncomingResponse { response, left, limit: left });
            }
            Err(failed(response, &secrets).await)
        }
    }
}

impl HttpClientExt for BoundedHttp {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let started = self.start(request);
        async move {
            let incoming = started.await?;
            let head = incoming.head();
            let body: LazyBody<U> = Box::pin(async move { Ok(U::from(incoming.whole().await?)) });
            Ok(head.map(|()| body))
        }
    }

    fn send_multipart<U>(
        &self,
        request: Request<MultipartForm>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        let client = ReqwestClient::from(self.client.clone());
        async move { client.send_multipart(request).await }
    }

    fn send_streaming<T>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<StreamingResponse>> + Send
    where
        T: Into<Bytes> + Send,
    {
        let started = self.start(request);
        async move {
            let incoming = started.await?;
            let head = incoming.head();
            let chunks = stream::try_unfold(incoming, |mut incoming| async move {
                Ok(incoming.chunk().await?.map(|chunk| (chunk, incoming)))
            });
            let body: BoxedStream = Box::pin(chunks);
            Ok(head.map(|()| body))
        }
    }
}

/// A success. At most `left` more bytes of its body are read.
struct IncomingResponse {
    response: reqwest::Response,
    left: usize,
    limit: usize,
}

impl IncomingResponse {
    fn head(&self) -> Response<()> {
        let mut head = Response::new(());
        *head.status_mut() = self.response.status();
        *head.headers_mut() = self.response.headers().clone();
        head
    }

    async fn whole(mut self) -> http_client::Result<Bytes> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }

    async fn chunk(&mut self) -> http_client::Result<Option<Bytes>> {
        let announced = self.response.content_length().unwrap_or_default();
        if usize::try_from(announced).is_ok_and(|length| length <= self.limit) {
            let chunk = self.response.chunk().await.map_err(HttpFailure::wrapped)?;
            let Some(chunk) = chunk else { return Ok(None) };
            if let Some(left) = self.left.checked_sub(chunk.len()) {
                self.left = left;
                return Ok(Some(chunk));
            }
        }
        Err(http_client::Error::instance(HttpFailure::too_long(self.limit)))
    }
}

/// The keys of a request, which the server may repeat.
fn secrets_of(headers: &HeaderMap) -> Keys {
    const KEYS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
    let mut secrets = Keys::of_environment();
    for value in KEYS.iter().filter_map(|name| headers.get(*name)?.to_str().ok()) {
        let key = value.rsplit_once(' ').map_or(value, |(_, key)| key);
        // Shorter values are words, such as the `none` that is sent to servers without keys.
        if key.len() >= SHORTEST_KEY {
            secrets.insert(key);
        }
    }
    secrets
}

/// The failure, with as much of its body as could be read.
async fn failed(mut response: reqwest::Response, secrets: &Keys) -> http_client::Error {
    let (status, headers): (_, HeaderMap) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while body.len() < MAX_FAILURE_BYTES
        && let Ok(Some(chunk)) = response.chunk().await
    {
        let room = MAX_FAILURE_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    let body = String::from_utf8_lossy(&body);
    http_client::Error::non_success_with_details(status, headers, secrets.redact(&body).into_owned())
}

/// An error of a request with its full message, without its URL.
#[derive(Debug)]
pub(super) struct HttpFailure {
    pub(super) kind: AgentErrorKind,
    pub(super) message: String,
}

impl HttpFailure {
    pub(super) fn kind_of(error: &reqwest::Error) -> AgentErrorKind {
        if error.is_timeout() {
            AgentErrorKind::Timeout
        } else if error.is_builder() || error.is_redirect() {
            AgentErrorKind::Refused
        } else {
            AgentErrorKind::Transport
        }
    }

    fn wrapped(error: reqwest::Error) -> http_client::Error {
        let error = error.without_url();
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        http_client::Error::instance(Self { kind: Self::kind_of(&error), message })
    }

    fn too_long(limit: usize) -> Self {
        let message =
            format!("the response has more than {limit} bytes; `BoundedHttp::max_body_bytes` allows no more");
        Self { kind: AgentErrorKind::Garbled, message }
    }

    fn no_runtime() -> Self {
        let message = "no tokio runtime here; await the extraction inside one, such as `#[tokio::main]`";
        Self { kind: AgentErrorKind::Unavailable, message: message.to_owned() }
    }
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for HttpFailure {}
