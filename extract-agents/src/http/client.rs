//! The HTTP client.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use bytes::Bytes;
use extract::agent::{AgentErrorKind, provider::ProviderFailure};
use http_body_util::Full;
use hyper::{
    Method, Request, Uri,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION, USER_AGENT},
    http::uri::Scheme,
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, builderstates::WantsSchemes};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls::crypto::{CryptoProvider, ring};
use tokio::time::timeout;

use super::{
    limits::{Limits, silent, with_causes},
    response::Response,
    target::{Target, origin_of},
};

/// Redirects that are followed. A provider needs none; a proxy or a trailing slash needs one.
const MAX_REDIRECTS: usize = 3;

type Hyper = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// An HTTP client. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Http {
    client: Arc<Hyper>,
    pub(crate) limits: Limits,
}

/// Shared by all agents, so that they share connections and the list of root certificates.
static SHARED: LazyLock<Arc<Hyper>> = LazyLock::new(|| Arc::new(client(Limits::default().connect)));

impl Default for Http {
    fn default() -> Self {
        Self { client: Arc::clone(&SHARED), limits: Limits::default() }
    }
}

fn client(connect: Duration) -> Hyper {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(connect));
    let connector = secure().https_or_http().enable_http1();
    Client::builder(TokioExecutor::new())
        .pool_idle_timeout(Duration::from_secs(60))
        .pool_timer(TokioTimer::new())
        .build(connector.wrap_connector(tcp))
}

/// Encryption by the provider that the program has installed, else by ring. Without a choice, rustls
/// would panic where another crate of the program brings a second provider.
fn secure() -> HttpsConnectorBuilder<WantsSchemes> {
    let with = |provider| HttpsConnectorBuilder::new().with_provider_and_webpki_roots(provider);
    let installed = CryptoProvider::get_default().and_then(|provider| with(Arc::clone(provider)).ok());
    installed.unwrap_or_else(|| {
        let ring = Arc::new(ring::default_provider());
        with(ring).expect("ring has the protocol versions that are safe by default")
    })
}

impl Http {
    /// A client with another time to connect, which shares no connections.
    pub(crate) fn connecting_within(self, connect: Duration) -> Self {
        let limits = Limits { connect, ..self.limits };
        Self { client: Arc::new(client(connect)), limits }
    }

    /// Sends `body` to `target`, and returns the response once its headers have arrived.
    pub(crate) async fn post(&self, target: &Target, body: Bytes) -> Result<Response, ProviderFailure> {
        let (mut uri, mut keeps_secrets) = (target.uri.clone(), true);
        for _ in 0..=MAX_REDIRECTS {
            let request = request(target, &uri, keeps_secrets, body.clone())?;
            let response = match timeout(self.limits.silence, self.client.request(request)).await {
                Err(_) => return Err(silent(self.limits.silence)),
                Ok(Err(error)) => return Err(of_client(&error)),
                Ok(Ok(response)) => response,
            };
            // Only these two repeat the request as it was (RFC 9110, sections 15.4.8 and 15.4.9).
            if !matches!(response.status().as_u16(), 307 | 308) {
                return Ok(Response::new(response, self.limits));
            }
            let next = redirected(&uri, response.headers().get(LOCATION))?;
            keeps_secrets &= origin_of(&next) == origin_of(&uri);
            uri = next;
        }
        Err(ProviderFailure::new(AgentErrorKind::Refused, format!("more than {MAX_REDIRECTS} redirects")))
    }
}

fn request(
    target: &Target,
    uri: &Uri,
    keeps_secrets: bool,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, ProviderFailure> {
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(uri)
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"))
        .header(USER_AGENT, HeaderValue::from_static(concat!("extractable/", env!("CARGO_PKG_VERSION"))))
        .body(Full::new(body))
        .map_err(|error| {
            ProviderFailure::new(AgentErrorKind::Refused, format!("no valid request: {error}"))
        })?;
    if keeps_secrets {
        for (name, value) in &target.headers {
            request.headers_mut().insert(name, value.clone());
        }
    }
    Ok(request)
}

/// Returns the target of a redirect. It never leads from an encrypted connection to an unencrypted
/// one.
fn redirected(from: &Uri, location: Option<&HeaderValue>) -> Result<Uri, ProviderFailure> {
    let refused =
        |why: &str| ProviderFailure::new(AgentErrorKind::Refused, format!("the server redirects {why}"));
    let location =
        location.and_then(|location| location.to_str().ok()).ok_or_else(|| refused("to nowhere"))?;
    let next = if location.starts_with('/') && !location.starts_with("//") {
        let mut parts = from.clone().into_parts();
        parts.path_and_query = Some(location.parse().map_err(|_| refused("to no valid path"))?);
        Uri::from_parts(parts).map_err(|_| refused("to no valid address"))?
    } else {
        location.parse::<Uri>().map_err(|_| refused("to no valid address"))?
    };
    match next.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => Ok(next),
        Some(scheme) if *scheme == Scheme::HTTP && from.scheme() == Some(&Scheme::HTTP) => Ok(next),
        _ => Err(refused("to a connection that is not encrypted")),
    }
}

fn of_client(error: &hyper_util::client::legacy::Error) -> ProviderFailure {
    let message = with_causes(error);
    let is_timeout = message.contains("timed out") || message.contains("deadline has elapsed");
    let kind = if is_timeout { AgentErrorKind::Timeout } else { AgentErrorKind::Transport };
    ProviderFailure::new(kind, format!("error sending request: {message}"))
}
