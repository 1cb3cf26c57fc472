//! One client at the other end of two streams.

use std::{pin::pin, time::Duration};

use rmcp::{
    ServiceExt as _,
    service::{QuitReason, ServerInitializeError},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};

use super::{
    desk::{Desk, work},
    front::Front,
    lines::{Lines, TooLong},
};
use crate::agent::AgentError;

/// How long, after the end, the last answer may take to be sent.
const LINGER: Duration = Duration::from_secs(5);

/// Serves until the desks have nothing more to do or the client goes away.
pub(super) async fn serve(
    name: &str,
    desks: &mut [Box<dyn Desk + '_>],
    (reader, writer): (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<(), AgentError> {
    let (front, mut jobs) = Front::new(name, desks);
    let (reader, too_long) = Lines::new(reader);
    // Large, and over soon.
    let greeting = Box::pin(front.serve((reader, writer))).await;
    let running = greeting.map_err(|error| no_greeting(error, &too_long))?;
    let stop = running.cancellation_token();
    let mut gone = pin!(running.waiting());
    let quit = tokio::select! {
        biased;
        () = work(desks, &mut jobs) => {
            // Answers that are on their way are sent before the end, unless the client does not
            // read them.
            stop.cancel();
            timeout(LINGER, gone).await.unwrap_or(Ok(QuitReason::Cancelled))
        }
        quit = &mut gone => quit,
    };
    for desk in desks.iter_mut() {
        desk.leave();
    }
    if too_long.was_met() {
        return Err(AgentError::transport(TOO_LONG));
    }
    quit.map(drop).map_err(|error| AgentError::transport("the connection failed").with_source(error))
}

const TOO_LONG: &str = "the client sent a message of more than 8 MiB";

fn no_greeting(error: ServerInitializeError, too_long: &TooLong) -> AgentError {
    let message = match &error {
        _ if too_long.was_met() => TOO_LONG,
        ServerInitializeError::ConnectionClosed(_) => "the client went away before it introduced itself",
        _ => "the client does not introduce itself as the protocol asks for",
    };
    AgentError::transport(message).with_source(error)
}
