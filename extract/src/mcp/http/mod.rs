//! Streamable HTTP: many clients, one after the other or at once.

mod gate;
mod in_flight;

use std::{fmt, io, net::Ipv4Addr, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use self::{gate::Gate, in_flight::InFlight};
use super::{
    desk::{Desk, work},
    front::Front,
};
use crate::agent::AgentError;

/// Connections at a time; a further one waits until it is accepted.
const MAX_CONNECTIONS: usize = 128;

/// How long a client may take to send the head of a request, and how long the body.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long, after the end, answers may take to be fetched and sessions to be closed.
const LINGER: Duration = Duration::from_secs(2);

/// Bytes of a request; as much as is read of a reply.
const MAX_BODY_BYTES: usize = 8 << 20;

/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Where and for whom an MCP server listens, on streamable HTTP under the path `/mcp`.
///
/// On `127.0.0.1` unless it is given a listener. A request whose `Host` or `Origin` is foreign is refused, so that no web page
/// can reach the server through a name that resolves to this machine (DNS rebinding); no CORS headers are sent. Whoever else
/// is on this machine can reach it all the same, unless there is a [`bearer_token`](Self::bearer_token).
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
}

enum Place {
    Port(u16),
    Listener(TcpListener),
}

impl Http {
    /// On `127.0.0.1` and this port; 0 for one that is free.
    pub fn port(port: u16) -> Self {
        Self::at(Place::Port(port))
    }

    /// On a listener that is bound already, wherever. One that others can reach wants a [`bearer_token`](Self::bearer_token),
    /// and TLS in front of it; the names by which they reach it have to be [allowed](Self::allow_host).
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
            max_body_bytes: MAX_BODY_BYTES,
        }
    }

    /// Refuses, with status 401, every request without `Authorization: Bearer` and this token (RFC 6750). An empty one is
    /// an error when the server starts.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Also takes requests for this host: a name or an address, with or without a port. Only names of this machine for
    /// itself are taken otherwise.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Also takes requests with this `Origin`, such as `https://app.example.com:443` or `http://app.example.com:*`. Only
    /// those of this machine, and requests without one, are taken otherwise.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Size of a request in bytes beyond which it is refused with status 413; 8 MiB by default.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    async fn listen(self) -> Result<(TcpListener, Rules), AgentError> {
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
        let Self { token, hosts, origins, max_body_bytes, .. } = self;
        Ok((listener, Rules { token, hosts, origins, max_body_bytes }))
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
            .finish()
    }
}

/// Whose requests are taken.
struct Rules {
    token: Option<String>,
    hosts: Vec<String>,
    origins: Vec<String>,
    max_body_bytes: usize,
}

/// Serves until the desks have nothing more to do.
pub(super) async fn serve(
    name: &str,
    desks: &mut [Box<dyn Desk + '_>],
    http: Http,
) -> Result<(), AgentError> {
    let (listener, rules) = http.listen().await?;
    let (front, mut jobs) = Front::new(name, desks);
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(rules.hosts)
        .with_allowed_origins(rules.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(rules.max_body_bytes);
    // Ends the sessions, also when this future is dropped.
    let ending = config.cancellation_token.clone().drop_guard();
    let service = StreamableHttpService::new(move || Ok(front.clone()), Arc::clone(&sessions), config);
    let in_flight = InFlight::default();
    let gate = Gate {
        service,
        sessions: Arc::clone(&sessions),
        token: rules.token,
        max_body_bytes: rules.max_body_bytes,
        in_flight: in_flight.clone(),
    };
    let mut door = Door::new(gate);
    {
        let mut working = pin!(work(desks, &mut jobs));
        tokio::select! {
            biased;
            () = &mut working => {}
            error = door.accept(&listener) => return Err(error),
        }
    }
    drop(jobs);
    let linger = async {
        while in_flight.count() > 0 || !sessions.sessions.read().await.is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = timeout(LINGER, linger) => {}
        error = door.accept(&listener) => return Err(error),
    }
    drop(ending);
    door.close().await;
    desks.iter_mut().for_each(|desk| desk.leave());
    Ok(())
}

/// The connections. Dropping it drops them.
struct Door {
    gate: Arc<Gate>,
    connections: JoinSet<()>,
    places: Arc<Semaphore>,
    closing: watch::Sender<bool>,
}

impl Door {
    fn new(gate: Gate) -> Self {
        Self {
            gate: Arc::new(gate),
            connections: JoinSet::new(),
            places: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            closing: watch::Sender::new(false),
        }
    }

    /// Accepts connections until that fails for good.
    async fn accept(&mut self, listener: &TcpListener) -> AgentError {
        loop {
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
                return AgentError::unavailable("the server is closed");
            };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (gate, closing) = (Arc::clone(&self.gate), self.closing.subscribe());
                    self.connections.spawn(async move {
                        connection(stream, gate, closing).await;
                        drop(place);
                    });
                }
                Err(error) if is_passing(&error) => sleep(Duration::from_millis(50)).await,
                Err(error) => {
                    return AgentError::unavailable(format!("no connection can be accepted: {error}"))
                        .with_source(error);
                }
            }
            // Those that are over are not kept.
            while self.connections.try_join_next().is_some() {}
        }
    }

    /// Lets the connections end what they are doing, for as long as is reasonable.
    async fn close(mut self) {
        self.closing.send_replace(true);
        let until = Instant::now() + LINGER;
        while let Ok(Some(_)) = tokio::time::timeout_at(until, self.connections.join_next()).await {}
    }
}

/// Whether the failure of one connection says nothing about the next.
fn is_passing(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::NotConnected | io::ErrorKind::Unsupported
    )
}

async fn connection(stream: TcpStream, gate: Arc<Gate>, mut closing: watch::Receiver<bool>) {
    let service = service_fn(move |request| {
        let gate = Arc::clone(&gate);
        async move { Ok::<_, std::convert::Infallible>(gate.pass(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // An error here is a client that went away in the middle of something, which concerns nobody else.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = closing.wait_for(|closing| *closing) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
