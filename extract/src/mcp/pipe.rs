//! One client at the other end of two streams.

use std::{pin::pin, time::Duration};

use rmcp::{
    RoleServer, ServiceExt as _,
    service::{QuitReason, ServerInitializeError},
    transport::IntoTransport,
};

use tokio::time::timeout;

use super::{
    desk::{Desk, work},
    front::Front,
};
use crate::agent::AgentError;

/// How long, after the end, the last answer may take to be sent.
const LINGER: Duration = Duration::from_secs(5);

/// Serves until the desks have nothing more to do or the client goes away.
pub(super) async fn serve<E, A>(
    name: &str,
    desks: &mut [Box<dyn Desk + '_>],
    transport: impl IntoTransport<RoleServer, E, A>,
) -> Result<(), AgentError>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let (front, mut jobs) = Front::new(name, desks);
    // Large, and over soon.
    let running = Box::pin(front.serve(transport)).await.map_err(no_greeting)?;
    let stop = running.cancellation_token();
    let mut gone = pin!(running.waiting());
    let quit = tokio::select! {
        biased;
        () = work(desks, &mut jobs) => {
            // Answers that are on their way are sent before the end, unless the client does not read them.
            stop.cancel();
            timeout(LINGER, gone).await.unwrap_or(Ok(QuitReason::Cancelled))
        }
        quit = &mut gone => quit,
    };
    for desk in desks.iter_mut() {
        desk.leave();
    }
    quit.map(drop).map_err(|error| AgentError::transport("the connection failed").with_source(error))
}

fn no_greeting(error: ServerInitializeError) -> AgentError {
    let message = match &error {
        ServerInitializeError::ConnectionClosed(_) => "the client went away before it introduced itself",
        _ => "the client does not introduce itself as the protocol asks for",
    };
    AgentError::transport(message).with_source(error)
}
