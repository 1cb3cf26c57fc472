//! The HTTP client.

use std::{
    error::Error,
    sync::{Arc, LazyLock},
    time::Duration,
};

use bytes::Bytes;
use extract::agent::{AgentErrorKind, provider::ProviderFailure};
use http_body_util::Full;
use hyper::{
    Method, Request, Uri,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderValue, LOCATION, PROXY_AUTHORIZATION, USER_AGENT},
    http::uri::Scheme,
};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::time::timeout;

use super::{
    connect::Connector,
    limits::{HttpLimits, silent, with_causes},
    pool::ConnectionPool,
    response::Response,
    target::{Target, has_wrong_port, origin_of, server_of},
    tls::{self, Roots},
};

/// Redirects that are followed. A provider needs none; a proxy or a trailing slash needs one.
const MAX_REDIRECTS: usize = 3;

/// An HTTP client. Clones share their connections.
#[derive(Clone)]
pub(crate) struct HttpClient {
    pool: Arc<ConnectionPool>,
    proxies: Arc<Matcher>,
    /// The addresses of the proxies, which may have a login.
    addresses: Arc<[String]>,
    /// What a proxy would get that the environment names, but not by an address.
    unreadable: Option<Arc<Matcher>>,
    roots: Arc<Roots>,
    pub(crate) limits: HttpLimits,
}

/// Shared by all agents, so that they share connections and the list of root certificates.
static SHARED: LazyLock<HttpClient> = LazyLock::new(|| {
    let (proxies, unreadable) = proxies_of_environment();
    let (limits, proxies, roots) = (HttpLimits::default(), Arc::new(proxies), Arc::default());
    let pool = pool(limits.connect, &proxies, &roots);
    let addresses = PROXIES.into_iter().filter_map(variable).collect();
    HttpClient { pool, proxies, addresses, unreadable: unreadable.map(Arc::new), roots, limits }
});

/// The names of the variables that have the addresses of proxies.
const PROXIES: [[&str; 2]; 3] =
    [["HTTP_PROXY", "http_proxy"], ["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]];

/// The first of these variables of the environment that is set.
fn variable(names: [&str; 2]) -> Option<String> {
    names.into_iter().find_map(|name| std::env::var(name).ok())
}

/// The proxies that the environment names, and what [`unreadable_proxies`] matches. There are none if every
/// host is exempt.
fn proxies_of_environment() -> (Matcher, Option<Matcher>) {
    let exempt = variable(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    if exempt.split(',').any(|host| host.trim() == "*") {
        return (Matcher::builder().build(), None);
    }
    (Matcher::from_env(), unreadable_proxies(exempt))
}

/// Matches the requests for which a variable of the environment should name a proxy and does not. Sending
/// them directly would pass the proxy by.
fn unreadable_proxies(exempt: String) -> Option<Matcher> {
    let [http, https, all] = PROXIES;
    let all = || variable(all);
    let is_unreadable = |names| variable(names).or_else(all).is_some_and(|value| !names_proxy(&value));
    let (http, https) = (is_unreadable(http), is_unreadable(https));
    let anything = |is_matched| if is_matched { "http://proxy" } else { "" };
    let matcher = || Matcher::builder().http(anything(http)).https(anything(https)).no(exempt).build();
    (http || https).then(matcher)
}

/// Returns whether `value` is the address of a proxy, whose scheme may be missing, or says that there is
/// none.
fn names_proxy(value: &str) -> bool {
    const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
    value.is_empty()
        || value.parse::<Uri>().is_ok_and(|uri| {
            uri.authority().is_some() && uri.scheme_str().is_none_or(|scheme| SCHEMES.contains(&scheme))
        })
}

impl Default for HttpClient {
    fn default() -> Self {
        SHARED.clone()
    }
}

fn pool(connect: Duration, proxies: &Arc<Matcher>, roots: &Roots) -> Arc<ConnectionPool> {
    Arc::new(ConnectionPool::new(Connector::new(connect, proxies, tls::config(roots))))
}

impl HttpClient {
    /// A client with other settings, which shares no connections.
    fn rebuilt(self) -> Self {
        Self { pool: pool(self.limits.connect, &self.proxies, &self.roots), ..self }
    }

    pub(crate) fn connecting_within(mut self, connect: Duration) -> Self {
        self.limits.connect = connect;
        self.rebuilt()
    }

    /// Sends everything through the proxy at `url`; directly without one.
    pub(crate) fn through(mut self, url: Option<&str>) -> Result<Self, ProviderFailure> {
        let mut proxies = Matcher::builder();
        if let Some(url) = url {
            // The scheme may be missing in a variable, but not here.
            let rest = url.split_once("://").map_or("", |(_, rest)| rest);
            Target::new(&format!("http://{rest}"))?;
            proxies = proxies.all(url);
        }
        (self.proxies, self.unreadable) = (Arc::new(proxies.build()), None);
        self.addresses = url.map(str::to_owned).into_iter().collect();
        Ok(self.rebuilt())
    }

    /// Returns the addresses of the proxies, which may have a login.
    pub(crate) fn proxies(&self) -> &[String] {
        &self.addresses
    }

    /// Trusts the certificates in `pem` too.
    pub(crate) fn trusting(mut self, pem: &[u8]) -> Result<Self, ProviderFailure> {
        let more = tls::roots(pem)?;
        self.roots = Arc::new(self.roots.iter().cloned().chain(more).collect());
        Ok(self.rebuilt())
    }

    /// Sends the JSON in `body` to `target`, and returns the response once its headers have arrived.
    pub(crate) async fn post(&self, target: &Target, body: Bytes) -> Result<Response, ProviderFailure> {
        self.send(Method::POST, target, HeaderValue::from_static("application/json"), body).await
    }

    /// Asks for what is at `target`.
    pub(crate) async fn get(&self, target: &Target) -> Result<Response, ProviderFailure> {
        let json = HeaderValue::from_static("application/json");
        self.send(Method::GET, target, json, Bytes::new()).await
    }

    /// Sends `body`, of the media type `kind`, to `target`.
    pub(crate) async fn send(
        &self,
        method: Method,
        target: &Target,
        kind: HeaderValue,
        body: Bytes,
    ) -> Result<Response, ProviderFailure> {
        let (mut uri, mut keeps_secrets) = (target.uri.clone(), true);
        for _ in 0..=MAX_REDIRECTS {
            let secrets = keeps_secrets.then_some(target);
            let responding = self.pool.send(self.request(&method, &uri, secrets, (&kind, &body))?);
            let response = match timeout(self.limits.silence, responding).await {
                Err(_) => return Err(silent(self.limits.silence)),
                Ok(Err(error)) => return Err(of_connection(&*error, &uri)),
                Ok(Ok(response)) => response,
            };
            // Only these two repeat the request as it was (RFC 9110, sections 15.4.8 and 15.4.9).
            if !matches!(response.status().as_u16(), 307 | 308) {
                return Ok(Response::new(response, uri, self.limits));
            }
            let next = redirected(&uri, response.headers().get(LOCATION))?;
            keeps_secrets &= origin_of(&next) == origin_of(&uri);
            uri = next;
        }
        Err(ProviderFailure::new(AgentErrorKind::Refused, format!("more than {MAX_REDIRECTS} redirects")))
    }

    /// Returns a request to `uri`, with the headers of `secrets`.
    fn request(
        &self,
        method: &Method,
        uri: &Uri,
        secrets: Option<&Target>,
        (kind, body): (&HeaderValue, &Bytes),
    ) -> Result<Request<Full<Bytes>>, ProviderFailure> {
        if self.unreadable.as_ref().is_some_and(|unreadable| unreadable.intercept(uri).is_some()) {
            let message = "a variable of the environment for proxies, such as `HTTPS_PROXY` or `ALL_PROXY`, has no address of a proxy";
            return Err(ProviderFailure::new(AgentErrorKind::Unavailable, message));
        }
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"))
            .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"))
            .header(USER_AGENT, HeaderValue::from_static(concat!("extractable/", env!("CARGO_PKG_VERSION"))))
            .body(Full::new(body.clone()))
            .map_err(|error| {
                ProviderFailure::new(AgentErrorKind::Refused, format!("no valid request: {error}"))
            })?;
        let headers = request.headers_mut();
        for (name, value) in secrets.iter().flat_map(|target| &target.headers) {
            headers.insert(name, value.clone());
        }
        headers.insert(CONTENT_TYPE, kind.clone());
        // A tunnel is opened with the login, and a proxy that forwards wants it in each request.
        let proxy = self.proxies.intercept(uri).filter(|_| uri.scheme() == Some(&Scheme::HTTP));
        if let Some(login) = proxy.as_ref().and_then(Intercept::basic_auth) {
            headers.insert(PROXY_AUTHORIZATION, login.clone());
        }
        Ok(request)
    }
}

/// Returns the target of a redirect. It never leads from an encrypted connection to an unencrypted
/// one.
fn redirected(from: &Uri, location: Option<&HeaderValue>) -> Result<Uri, ProviderFailure> {
    let refused =
        |why: &str| ProviderFailure::new(AgentErrorKind::Refused, format!("the server redirects {why}"));
    let location =
        location.and_then(|location| location.to_str().ok()).ok_or_else(|| refused("to nowhere"))?;
    let has_scheme = location.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'));
    let next = if has_scheme || location.starts_with("//") {
        location.parse::<Uri>().map_err(|_| refused("to no valid address"))?
    } else {
        let mut parts = from.clone().into_parts();
        let path = absolute(from.path(), location);
        parts.path_and_query = Some(path.parse().map_err(|_| refused("to no valid path"))?);
        Uri::from_parts(parts).map_err(|_| refused("to no valid address"))?
    };
    if has_wrong_port(&next) {
        return Err(refused("to no valid address"));
    }
    match next.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => Ok(next),
        Some(scheme) if *scheme == Scheme::HTTP && from.scheme() == Some(&Scheme::HTTP) => Ok(next),
        _ => Err(refused("to a connection that is not encrypted")),
    }
}

/// The path and query of `reference`, which may be relative to the path `base` (RFC 3986, section 5.2).
fn absolute(base: &str, reference: &str) -> String {
    let end = reference.find(['?', '#']).unwrap_or(reference.len());
    let (path, query) = reference.split_at(end);
    let base = match path.chars().next() {
        None => return format!("{base}{query}"),
        Some('/') => "",
        Some(_) => base.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let mut segments: Vec<&str> = base.split('/').skip(1).collect();
    for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    format!("/{}{query}", segments.join("/"))
}

/// Words of hyper-util where a proxy refuses the login: the first of HTTP, the others of SOCKS.
const LOGIN_REFUSED: [&str; 3] =
    ["proxy authorization required", "credentials not accepted", "does not support user/pass"];

/// Words of hyper about the head of a response with more than 100 headers or 408 KiB.
const HEAD_TOO_LONG: &str = "message head is too large";

fn of_connection(error: &(dyn Error + 'static), uri: &Uri) -> ProviderFailure {
    let message = with_causes(error);
    // It would send them again, and each of these responses costs as much as a readable one.
    if message.contains(HEAD_TOO_LONG) {
        let message = "the server sent more than the 100 headers or 408 KiB of them that are read";
        return ProviderFailure::refused(message);
    }
    let is_timeout = message.contains("timed out") || message.contains("deadline has elapsed");
    let kind = match () {
        () if is_timeout => AgentErrorKind::Timeout,
        () if LOGIN_REFUSED.iter().any(|words| message.contains(words)) => AgentErrorKind::Refused,
        () if message.contains("the proxy is not one") => AgentErrorKind::Unavailable,
        () => AgentErrorKind::Transport,
    };
    ProviderFailure::new(kind, format!("error sending request to {}: {message}", server_of(uri)))
}
