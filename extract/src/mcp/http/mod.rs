//! Streamable HTTP: many clients, one after the other or at once.

mod door;
mod gate;
mod listen;
mod lobby;
mod places;
mod refusal;
mod stall;

use std::{pin::pin, sync::Arc, time::Duration};

use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use tokio::time::{sleep, timeout};

pub use self::listen::Http;
use self::{
    door::{Door, LINGER},
    gate::Gate,
    lobby::Lobby,
    places::Places,
};
use super::{
    desk::{Desk, work},
    front::Front,
};
use crate::agent::AgentError;

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
    let places = Places::new(rules.max_requests, rules.max_streams);
    let gate = Gate {
        service,
        sessions: Arc::clone(&sessions),
        token: rules.token,
        max_body_bytes: rules.max_body_bytes,
        places: places.clone(),
    };
    let mut door = Door::new(gate, Lobby::new(rules.max_waiting));
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
        while places.taken() > 0 || !sessions.sessions.read().await.is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = timeout(LINGER, linger) => {}
        error = door.accept(&listener) => return Err(error),
    }
    drop(ending);
    door.close().await;
    for desk in desks.iter_mut() {
        desk.leave();
    }
    Ok(())
}
