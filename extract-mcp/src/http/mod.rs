//! Streamable HTTP: any number of clients, in sequence or at once.

mod connections;
mod idle;
mod limits;
mod listen;
mod refusal;
mod requests;
mod write_timeout;

use std::{pin::pin, sync::Arc, time::Duration};

use extract::agent::AgentError;
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use tokio::time::{sleep, timeout};

pub use self::listen::Http;
use self::{
    connections::{LINGER, OpenConnections},
    idle::IdleConnections,
    limits::RequestLimits,
    requests::RequestHandler,
};
use crate::{
    handler::ToolHandler,
    served::{ServedToolkit, run_calls},
};

/// Serves until no toolkit needs more calls.
pub(super) async fn serve(
    name: &str,
    toolkits: &mut [Box<dyn ServedToolkit + '_>],
    http: Http,
) -> Result<(), AgentError> {
    let (listener, options) = http.listen().await?;
    let (handler, mut calls) = ToolHandler::new(name, toolkits);
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(options.hosts)
        .with_allowed_origins(options.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(options.max_body_bytes);
    // Ends the sessions, also when this future is dropped.
    let ending = config.cancellation_token.clone().drop_guard();
    let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::clone(&sessions), config);
    let limits = RequestLimits::new(options.max_requests, options.max_streams);
    let handler = RequestHandler {
        service,
        sessions: Arc::clone(&sessions),
        token: options.token,
        max_body_bytes: options.max_body_bytes,
        limits: limits.clone(),
    };
    let mut connections = OpenConnections::new(handler, IdleConnections::new(options.max_waiting));
    let mut kept = {
        let mut working = pin!(run_calls(toolkits, &mut calls));
        tokio::select! {
            biased;
            kept = &mut working => kept,
            error = connections.accept(&listener) => return Err(error),
        }
    };
    drop(calls);
    let linger = async {
        while limits.in_progress() > 0 || !sessions.sessions.read().await.is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = timeout(LINGER, linger) => {}
        error = connections.accept(&listener) => return Err(error),
    }
    drop(ending);
    connections.close().await;
    for toolkit in toolkits.iter_mut() {
        kept = kept.and(toolkit.disconnected());
    }
    kept
}
