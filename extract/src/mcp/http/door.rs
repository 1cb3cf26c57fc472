//! The connections.

use std::{convert::Infallible, io, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout_at},
};

use super::{
    gate::Gate,
    lobby::{Lobby, Seat},
    stall::Stalling,
};
use crate::agent::AgentError;

/// How long, after the end, answers may take to be fetched and sessions to be closed.
pub(super) const LINGER: Duration = Duration::from_secs(2);

/// Bytes of the head of a request; a longer one is refused with status 431.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The connections. Dropping it drops them.
pub(super) struct Door {
    gate: Arc<Gate>,
    connections: JoinSet<()>,
    lobby: Lobby,
    closing: watch::Sender<bool>,
}

impl Door {
    pub(super) fn new(gate: Gate, lobby: Lobby) -> Self {
        Self { gate: Arc::new(gate), connections: JoinSet::new(), lobby, closing: watch::Sender::new(false) }
    }

    /// Accepts connections until that fails for good. Each one is in the lobby or has one of the
    /// gate's places, so these limit how many there are.
    pub(super) async fn accept(&mut self, listener: &TcpListener) -> AgentError {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (gate, closing) = (Arc::clone(&self.gate), self.closing.subscribe());
                    self.connections.spawn(connection(stream, gate, self.lobby.enter(), closing));
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
        self.lobby.close();
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

async fn connection(stream: TcpStream, gate: Arc<Gate>, seat: Arc<Seat>, mut closing: watch::Receiver<bool>) {
    let service = service_fn(|request| {
        let (gate, seat) = (Arc::clone(&gate), Arc::clone(&seat));
        async move { Ok::<_, Infallible>(gate.pass(request, seat).await) }
    });
    // The lobby limits how long a head may take.
    let connection = http1::Builder::new()
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Stalling::new(stream)), service);
    let mut connection = pin!(connection);
    let mut dropped = pin!(seat.dropped());
    // An error here is a client that went away in the middle of something, which concerns nobody
    // else.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = dropped.as_mut() => return,
        _ = closing.wait_for(|closing| *closing) => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = dropped => {}
    }
}
