//! The connections.

use std::{convert::Infallible, io, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{Instant, sleep, timeout_at},
};

use super::{LINGER, PATIENCE, gate::Gate};
use crate::agent::AgentError;

/// Connections at a time; a further one waits until it is accepted.
const MAX_CONNECTIONS: usize = 128;

/// The connections. Dropping it drops them.
pub(super) struct Door {
    gate: Arc<Gate>,
    connections: JoinSet<()>,
    places: Arc<Semaphore>,
    closing: watch::Sender<bool>,
}

impl Door {
    pub(super) fn new(gate: Gate) -> Self {
        Self {
            gate: Arc::new(gate),
            connections: JoinSet::new(),
            places: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            closing: watch::Sender::new(false),
        }
    }

    /// Accepts connections until that fails for good.
    pub(super) async fn accept(&mut self, listener: &TcpListener) -> AgentError {
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
    pub(super) async fn close(mut self) {
        self.closing.send_replace(true);
        let until = Instant::now() + LINGER;
        while let Ok(Some(_)) = timeout_at(until, self.connections.join_next()).await {}
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
        async move { Ok::<_, Infallible>(gate.pass(request).await) }
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
