//! Where to listen, and whose requests are accepted.

use std::{fmt, net::Ipv4Addr};

use tokio::net::TcpListener;

use extract::agent::AgentError;

use crate::line_limit::MAX_MESSAGE_BYTES;

/// Default number of connections that wait for a request, or for the rest of one.
const MAX_WAITING: usize = 128;

/// One for each session at a time.
const MAX_REQUESTS: usize = 256;

/// One for each session.
const MAX_STREAMS: usize = 256;

/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Where an MCP server listens on streamable HTTP, under the path `/mcp`, and whose requests it
/// accepts.
///
/// It listens on `127.0.0.1` unless it gets a listener. It refuses requests with a foreign `Host`
/// or `Origin`, so that no web page can reach it through a name that resolves to this machine (DNS
/// rebinding). It sends no CORS headers. Other users of this machine can reach it unless there is a
/// [`bearer_token`](Self::bearer_token).
///
/// # Limits
///
/// Whoever can reach the server can open connections. Idle connections are therefore limited
/// separately from accepted requests: see [`max_waiting`](Self::max_waiting),
/// [`max_requests`](Self::max_requests) and [`max_streams`](Self::max_streams). There are limits on
/// the head of a request (64 KiB and 10 seconds), its body (30 seconds and
/// [`max_body_bytes`](Self::max_body_bytes)), a known client between two requests (60 seconds), and
/// a client that does not read its answer (30 seconds). There are at most 256 sessions; unused ones
/// end after five minutes.
///
/// ```
/// use extract_mcp::Http;
///
/// let http = Http::port(8080).bearer_token("4f9d…");
/// assert!(!format!("{http:?}").contains("4f9d"));
/// ```
#[must_use = "nothing listens until it is given to a server"]
pub struct Http {
    address: ListenAddress,
    token: Option<String>,
    hosts: Vec<String>,
    origins: Vec<String>,
    max_body_bytes: usize,
    max_waiting: usize,
    max_requests: usize,
    max_streams: usize,
}

enum ListenAddress {
    Port(u16),
    Listener(TcpListener),
}

impl Http {
    /// Listens on `127.0.0.1` and this port. For a free port, bind a listener to port 0 and pass it
    /// to [`on`](Self::on).
    pub fn port(port: u16) -> Self {
        Self::at(ListenAddress::Port(port))
    }

    /// Listens on a bound listener, at any address. If others can reach it, add a
    /// [`bearer_token`](Self::bearer_token), put TLS in front of it, and [allow](Self::allow_host)
    /// the names by which they reach it.
    pub fn on(listener: TcpListener) -> Self {
        Self::at(ListenAddress::Listener(listener))
    }

    fn at(address: ListenAddress) -> Self {
        Self {
            address,
            token: None,
            hosts: LOOPBACK.map(str::to_owned).to_vec(),
            origins: ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]
                .map(str::to_owned)
                .to_vec(),
            max_body_bytes: MAX_MESSAGE_BYTES,
            max_waiting: MAX_WAITING,
            max_requests: MAX_REQUESTS,
            max_streams: MAX_STREAMS,
        }
    }

    /// Refuses, with status 401, every request without `Authorization: Bearer` and this token (RFC
    /// 6750). An empty one is an error when the server starts.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Also accepts requests for this host: a name or an address, with or without a port. Otherwise
    /// only this machine's own names are accepted.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Also accepts requests with this `Origin`, such as `https://app.example.com:443` or
    /// `http://app.example.com:*`. Otherwise only origins of this machine, and requests without
    /// one, are accepted.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Maximum size of a request in bytes; 8 MiB by default. A larger one is refused with status
    /// 413.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    /// Maximum number of connections that wait for a request, or for the rest of one; 128 by
    /// default, and at least 1. One more replaces the connection that has waited longest, which is
    /// closed. Connections that have shown neither the token nor a successful request are replaced
    /// first. So idle connections and half-sent requests keep nobody out.
    pub fn max_waiting(mut self, connections: usize) -> Self {
        self.max_waiting = connections;
        self
    }

    /// Maximum number of requests at once, from their last byte until they are answered; 256 by
    /// default. One more is refused with status 503 and `Retry-After`. A request counts once its
    /// token is verified and its body is complete.
    pub fn max_requests(mut self, requests: usize) -> Self {
        self.max_requests = requests;
        self
    }

    /// Maximum number of open event streams, which clients request with GET; 256 by default. One
    /// more is refused with status 503 and `Retry-After`. Clients do not need them, because no
    /// answer is sent there.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.max_streams = streams;
        self
    }

    pub(super) async fn listen(self) -> Result<(TcpListener, HttpOptions), AgentError> {
        if self.token.as_deref().is_some_and(|token| token.trim().is_empty()) {
            return Err(AgentError::unavailable("the bearer token is empty, so everybody would have it"));
        }
        let listener = match self.address {
            ListenAddress::Listener(listener) => listener,
            ListenAddress::Port(port) => {
                TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
                    AgentError::unavailable(format!("127.0.0.1:{port} cannot be listened on: {error}"))
                        .with_source(error)
                })?
            }
        };
        let Self {
            address: _,
            token,
            hosts,
            origins,
            max_body_bytes,
            max_waiting,
            max_requests,
            max_streams,
        } = self;
        let options =
            HttpOptions { token, hosts, origins, max_body_bytes, max_waiting, max_requests, max_streams };
        Ok((listener, options))
    }
}

/// The port on `127.0.0.1`.
impl From<u16> for Http {
    fn from(port: u16) -> Self {
        Self::port(port)
    }
}

impl From<TcpListener> for Http {
    fn from(listener: TcpListener) -> Self {
        Self::on(listener)
    }
}

/// Omits the token.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Http");
        match &self.address {
            ListenAddress::Port(port) => text.field("port", port),
            ListenAddress::Listener(listener) => text.field("listener", listener),
        };
        text.field("has_token", &self.token.is_some())
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("max_body_bytes", &self.max_body_bytes)
            .field("max_waiting", &self.max_waiting)
            .field("max_requests", &self.max_requests)
            .field("max_streams", &self.max_streams)
            .finish()
    }
}

/// Whose requests are accepted, and the limits.
pub(super) struct HttpOptions {
    pub(super) token: Option<String>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) max_body_bytes: usize,
    pub(super) max_waiting: usize,
    pub(super) max_requests: usize,
    pub(super) max_streams: usize,
}
