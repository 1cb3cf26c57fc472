//! Accepts and serves connections.

use std::{convert::Infallible, io, pin::pin, sync::Arc, time::Duration};

use extract::agent::AgentError;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout_at},
};

use super::{
    idle::{ConnectionState, IdleConnections},
    requests::RequestHandler,
    write_timeout::WriteTimeout,
};

/// How long clients may take, after serving has ended, to read their answers and close their
/// sessions.
pub(super) const LINGER: Duration = Duration::from_secs(2);

/// Maximum bytes of the head of a request; a longer one is refused with status 431.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The open connections. Dropping this closes them.
pub(super) struct OpenConnections {
    handler: Arc<RequestHandler>,
    tasks: JoinSet<()>,
    idle: IdleConnections,
    closing: watch::Sender<bool>,
}

impl OpenConnections {
    pub(super) fn new(handler: RequestHandler, idle: IdleConnections) -> Self {
        Self { handler: Arc::new(handler), tasks: JoinSet::new(), idle, closing: watch::Sender::new(false) }
    }

    /// Accepts connections until that fails for good. Each connection is idle or holds a permit for
    /// a request. Both are limited, so the number of connections is limited, too.
    pub(super) async fn accept(&mut self, listener: &TcpListener) -> AgentError {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (handler, closing) = (Arc::clone(&self.handler), self.closing.subscribe());
                    self.tasks.spawn(serve(stream, handler, self.idle.add(), closing));
                }
                Err(error) if is_temporary(&error) => sleep(Duration::from_millis(50)).await,
                Err(error) => {
                    return AgentError::unavailable(format!("no connection can be accepted: {error}"))
                        .with_source(error);
                }
            }
            // Removes the connections that are over.
            while self.tasks.try_join_next().is_some() {}
        }
    }

    /// Closes the connections. Those with a request in progress get [`LINGER`] to finish it.
    pub(super) async fn close(mut self) {
        self.closing.send_replace(true);
        self.idle.close();
        let until = Instant::now() + LINGER;
        while let Ok(Some(_)) = timeout_at(until, self.tasks.join_next()).await {}
    }
}

/// Returns whether the next connection may succeed after this error.
fn is_temporary(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::NotConnected | io::ErrorKind::Unsupported
    )
}

async fn serve(
    stream: TcpStream,
    handler: Arc<RequestHandler>,
    state: Arc<ConnectionState>,
    mut closing: watch::Receiver<bool>,
) {
    let service = service_fn(|request| {
        let (handler, state) = (Arc::clone(&handler), Arc::clone(&state));
        async move { Ok::<_, Infallible>(handler.handle(request, state).await) }
    });
    // `IdleConnections` limits how long a head may take.
    let connection = http1::Builder::new()
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream)), service);
    let mut connection = pin!(connection);
    let mut expired = pin!(state.expired());
    // An error here is a client that disconnected. Other clients are not affected.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = expired.as_mut() => return,
        _ = closing.wait_for(|closing| *closing) => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = expired => {}
    }
}
