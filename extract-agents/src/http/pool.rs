//! Connections between requests, and the one that a response comes over.

use std::{
    collections::{HashMap, VecDeque},
    error::Error,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Waker},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response, Uri,
    body::{Frame, Incoming},
    client::conn::http1::{self, SendRequest},
    header::{HOST, HeaderValue},
    http::uri::{Authority, Scheme},
};
use tokio::{
    runtime::{self, Handle},
    time::sleep,
};

use super::{
    connect::{Connector, ServerStream},
    target::default_port,
};

type BoxError = Box<dyn Error + Send + Sync>;

/// How long a connection may wait for its next request. Many servers close it after a minute or more.
const LONGEST_IDLE: Duration = Duration::from_secs(60);

/// Scheme and authority of a URL, and the runtime that tells its connections that bytes have come. One of
/// another runtime may not be running now.
type ServerKey = (runtime::Id, Scheme, Authority);

/// How often the connections that wait are looked at.
const SWEEP: Duration = Duration::from_secs(1);

/// The connections of a client. hyper leaves their work to somebody else, usually a task for each. Here
/// the request does it that waits for the response: a task would have to wake it for each part, and would
/// read ahead of it. While connections wait for a request, one task of each runtime closes those that the
/// server has closed.
pub(super) struct ConnectionPool {
    connector: Connector,
    idle: Mutex<IdleConnections>,
}

/// The connections that wait for a request.
#[derive(Default)]
struct IdleConnections {
    /// The last one used is at the end.
    waiting: HashMap<ServerKey, VecDeque<(Instant, OpenConnection)>>,
    /// The runtimes with a task that looks at theirs.
    swept: Vec<runtime::Id>,
}

impl IdleConnections {
    /// Removes and returns the connections for which `is_over` is true.
    fn remove(
        &mut self,
        mut is_over: impl FnMut(&ServerKey, &mut (Instant, OpenConnection)) -> bool,
    ) -> Vec<(Instant, OpenConnection)> {
        let mut removed = Vec::new();
        for (key, waiting) in &mut self.waiting {
            for mut connection in std::mem::take(waiting) {
                if is_over(key, &mut connection) {
                    removed.push(connection);
                } else {
                    waiting.push_back(connection);
                }
            }
        }
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        removed
    }
}

impl ConnectionPool {
    pub(super) fn new(connector: Connector) -> Self {
        Self { connector, idle: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, IdleConnections> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends `request`, whose URL names a server, and returns the response once its headers have arrived.
    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<ResponseBody>, BoxError> {
        let url = request.uri().clone();
        let key = key_of(&url)?;
        request.headers_mut().entry(HOST).or_insert(host(&url)?);
        loop {
            let idle = self.take(&key);
            let is_reused = idle.is_some();
            let mut connection = match idle {
                Some(connection) => connection,
                None => OpenConnection::new(self.connector.connect(url.clone()).await?).await?,
            };
            *request.uri_mut() = connection.request_target(&url);
            let sending = connection.sender.try_send_request(request);
            match connection.driver.drive(sending).await {
                Ok(response) => {
                    let pool = Arc::clone(self);
                    let body = |incoming| ResponseBody { arriving: Some((incoming, connection)), key, pool };
                    return Ok(response.map(body));
                }
                // The server closed the connection while it was idle, and has seen nothing.
                Err(mut error) => match error.take_message().filter(|_| is_reused) {
                    Some(unsent) => request = unsent,
                    None => return Err(error.into_error().into()),
                },
            }
        }
    }

    /// Returns the connection that was used last.
    fn take(&self, key: &ServerKey) -> Option<OpenConnection> {
        let (since, connection) = self.idle().waiting.get_mut(key)?.pop_back()?;
        // All others are older.
        (since.elapsed() < LONGEST_IDLE).then_some(connection)
    }

    /// Keeps `connection` for the next request.
    fn keep(self: &Arc<Self>, key: ServerKey, connection: OpenConnection) {
        let mut idle = self.idle();
        let runtime = key.0;
        idle.waiting.entry(key).or_default().push_back((Instant::now(), connection));
        // A connection may also be released outside of its runtime, which then cannot have a task.
        let handle = Handle::try_current().ok().filter(|handle| handle.id() == runtime);
        if let Some(handle) = handle.filter(|_| !idle.swept.contains(&runtime)) {
            idle.swept.push(runtime);
            handle.spawn(sweep(Arc::downgrade(self), runtime));
        }
    }

    /// Closes the connections that have waited too long, and those of `runtime` that the server has closed.
    /// Returns whether others of it wait.
    fn close(&self, runtime: runtime::Id) -> bool {
        let mut idle = self.idle();
        let closed = idle.remove(|key, (since, connection)| {
            since.elapsed() >= LONGEST_IDLE || key.0 == runtime && !connection.is_idle()
        });
        let waits = idle.waiting.keys().any(|key| key.0 == runtime);
        if !waits {
            idle.swept.retain(|swept| *swept != runtime);
        }
        // Closing takes time, and others wait for the lock.
        drop(idle);
        drop(closed);
        waits
    }
}

/// Looks at the idle connections of `runtime` until there are none.
async fn sweep(pool: Weak<ConnectionPool>, runtime: runtime::Id) {
    loop {
        sleep(SWEEP).await;
        if !pool.upgrade().is_some_and(|pool| pool.close(runtime)) {
            return;
        }
    }
}

fn key_of(url: &Uri) -> Result<ServerKey, BoxError> {
    match (url.scheme(), url.authority()) {
        (Some(scheme), Some(authority)) => Ok((Handle::current().id(), scheme.clone(), authority.clone())),
        _ => Err("the URL has no host".into()),
    }
}

/// The header `Host`: without the login, and without the port that the scheme stands for.
fn host(url: &Uri) -> Result<HeaderValue, BoxError> {
    let host = url.host().unwrap_or_default();
    Ok(match url.port_u16().filter(|port| *port != default_port(url)) {
        Some(port) => HeaderValue::try_from(format!("{host}:{port}"))?,
        None => HeaderValue::from_str(host)?,
    })
}

/// A connection over which one request at a time is sent.
struct OpenConnection {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
    is_forwarded: bool,
}

impl OpenConnection {
    async fn new(stream: ServerStream) -> hyper::Result<Self> {
        let is_forwarded = stream.is_forwarded();
        let (sender, connection) = http1::handshake(stream).await?;
        Ok(Self { sender, driver: Driver(Some(Box::new(connection))), is_forwarded })
    }

    /// The first line of a request has the path, and the whole URL for a proxy that forwards.
    fn request_target(&self, url: &Uri) -> Uri {
        if self.is_forwarded {
            return url.clone();
        }
        url.path_and_query().map_or_else(Uri::default, |path| Uri::from(path.clone()))
    }

    /// Reads what is there of the end of a response, and returns whether it was all of it.
    fn is_idle(&mut self) -> bool {
        self.driver.poll(&mut Context::from_waker(Waker::noop()));
        self.sender.is_ready()
    }
}

/// The work of a connection: reading and writing. `None` once it is closed.
struct Driver(Option<Box<http1::Connection<ServerStream, Full<Bytes>>>>);

impl Driver {
    fn poll(&mut self, context: &mut Context<'_>) {
        // An error is reported to the request too.
        if self.0.as_mut().is_some_and(|connection| Pin::new(connection).poll(context).is_ready()) {
            self.0 = None;
        }
    }

    /// Works until `expected` is there, which nothing but this work brings.
    async fn drive<T>(&mut self, expected: impl Future<Output = T>) -> T {
        let mut expected = pin!(expected);
        poll_fn(|context| {
            self.poll(context);
            // The work above has just been done, and would only wake this very future.
            expected.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        })
        .await
    }
}

/// The body of a response, and the connection that brings it until all of it is there.
pub(super) struct ResponseBody {
    arriving: Option<(Incoming, OpenConnection)>,
    key: ServerKey,
    pool: Arc<ConnectionPool>,
}

impl ResponseBody {
    /// Returns the next part; `None` after the last.
    pub(super) async fn frame(&mut self) -> Option<hyper::Result<Frame<Bytes>>> {
        let (incoming, connection) = self.arriving.as_mut()?;
        let frame = connection.driver.drive(incoming.frame()).await;
        if frame.is_none() {
            self.release();
        }
        frame
    }

    /// Keeps the connection for the next request, unless more than the end of the body is missing.
    fn release(&mut self) {
        let Some((incoming, mut connection)) = self.arriving.take() else { return };
        drop(incoming);
        if connection.is_idle() {
            self.pool.keep(self.key.clone(), connection);
        }
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.release();
    }
}
