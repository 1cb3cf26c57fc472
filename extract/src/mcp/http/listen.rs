//! Where to listen, and whose requests are taken.

use std::{fmt, net::Ipv4Addr};

use tokio::net::TcpListener;

use crate::{agent::AgentError, mcp::MAX_MESSAGE_BYTES};

/// Connections that wait for a request, or for the rest of one.
const MAX_WAITING: usize = 128;

/// One for each session at a time.
const MAX_REQUESTS: usize = 256;

/// One for each session.
const MAX_STREAMS: usize = 256;

/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Where and for whom an MCP server listens, on streamable HTTP under the path `/mcp`.
///
/// On `127.0.0.1` unless it is given a listener. A request whose `Host` or `Origin` is foreign is
/// refused, so that no web page can reach the server through a name that resolves to this machine
/// (DNS rebinding); no CORS headers are sent. Whoever else is on this machine can reach it all the
/// same, unless there is a [`bearer_token`](Self::bearer_token).
///
/// # Limits
///
/// Whoever can reach the server can open connections, so connections for which nothing is being
/// done are limited apart from requests that may pass: see [`max_waiting`](Self::max_waiting),
/// [`max_requests`](Self::max_requests) and [`max_streams`](Self::max_streams). Besides, the head
/// of a request has 64 KiB and 10 seconds, its body 30 seconds and
/// [`max_body_bytes`](Self::max_body_bytes), a client that is known 60 seconds between two
/// requests, and one that reads nothing of an answer 30 seconds. There are 256 sessions; those that
/// nobody uses end after five minutes.
///
/// ```
/// use extract::mcp::Http;
///
/// let http = Http::port(8080).bearer_token("4f9d…");
/// assert!(!format!("{http:?}").contains("4f9d"));
/// ```
#[must_use = "nothing listens until it is given to a server"]
pub struct Http {
    place: Place,
    token: Option<String>,
    hosts: Vec<String>,
    origins: Vec<String>,
    max_body_bytes: usize,
    max_waiting: usize,
    max_requests: usize,
    max_streams: usize,
}

enum Place {
    Port(u16),
    Listener(TcpListener),
}

impl Http {
    /// On `127.0.0.1` and this port. For one that is free, bind a listener to port 0 and give it to
    /// [`on`](Self::on).
    pub fn port(port: u16) -> Self {
        Self::at(Place::Port(port))
    }

    /// On a listener that is bound already, wherever. One that others can reach wants a
    /// [`bearer_token`](Self::bearer_token), and TLS in front of it; the names by which they reach
    /// it have to be [allowed](Self::allow_host).
    pub fn on(listener: TcpListener) -> Self {
        Self::at(Place::Listener(listener))
    }

    fn at(place: Place) -> Self {
        Self {
            place,
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

    /// Also takes requests for this host: a name or an address, with or without a port. Only names
    /// of this machine for itself are taken otherwise.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Also takes requests with this `Origin`, such as `https://app.example.com:443` or
    /// `http://app.example.com:*`. Only those of this machine, and requests without one, are taken
    /// otherwise.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Size of a request in bytes beyond which it is refused with status 413; 8 MiB by default.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    /// How many connections may wait for a request, or for the rest of one; 128 by default, and at
    /// least 1. A further one takes the place of the one that has waited for the longest, which is
    /// closed: first of those that have shown neither the token nor a request that was answered
    /// with success. So half-sent requests and idle connections, however many there are, keep
    /// nobody out.
    pub fn max_waiting(mut self, connections: usize) -> Self {
        self.max_waiting = connections;
        self
    }

    /// How many requests may be in work, from their last byte until they are answered; 256 by
    /// default. A further one is refused with status 503 and `Retry-After`. A request takes its
    /// place when its token is right and its body has come.
    pub fn max_requests(mut self, requests: usize) -> Self {
        self.max_requests = requests;
        self
    }

    /// How many event streams, which clients ask for with GET, may be open; 256 by default. A
    /// further one is refused with status 503 and `Retry-After`. Clients can do without: no answer
    /// comes there.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.max_streams = streams;
        self
    }

    pub(super) async fn listen(self) -> Result<(TcpListener, Rules), AgentError> {
        if self.token.as_deref().is_some_and(|token| token.trim().is_empty()) {
            return Err(AgentError::unavailable("the bearer token is empty, so everybody would have it"));
        }
        let listener = match self.place {
            Place::Listener(listener) => listener,
            Place::Port(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
                AgentError::unavailable(format!("127.0.0.1:{port} cannot be listened on: {error}"))
                    .with_source(error)
            })?,
        };
        let Self { place: _, token, hosts, origins, max_body_bytes, max_waiting, max_requests, max_streams } =
            self;
        let rules = Rules { token, hosts, origins, max_body_bytes, max_waiting, max_requests, max_streams };
        Ok((listener, rules))
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

/// Without the token.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Http");
        match &self.place {
            Place::Port(port) => text.field("port", port),
            Place::Listener(listener) => text.field("listener", listener),
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

/// Whose requests are taken.
pub(super) struct Rules {
    pub(super) token: Option<String>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) max_body_bytes: usize,
    pub(super) max_waiting: usize,
    pub(super) max_requests: usize,
    pub(super) max_streams: usize,
}
