//! One client at the other end of two streams.

use std::{pin::pin, time::Duration};

use extract::agent::AgentError;
use rmcp::{
    ServiceExt as _,
    service::{QuitReason, ServerInitializeError},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};

use crate::{
    handler::ToolHandler,
    line_limit::{LineLimit, TooLong},
    served::{ServedToolkit, run_calls},
};

/// How long the last answer may take to be sent after serving has ended.
const LINGER: Duration = Duration::from_secs(5);

/// Serves until no toolkit needs more calls or the client disconnects.
pub(super) async fn serve(
    name: &str,
    toolkits: &mut [Box<dyn ServedToolkit + '_>],
    (reader, writer): (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<(), AgentError> {
    let (handler, mut calls) = ToolHandler::new(name, toolkits);
    let (reader, too_long) = LineLimit::new(reader);
    // Large, and over soon.
    let handshake = Box::pin(handler.serve((reader, writer))).await;
    let running = handshake.map_err(|error| handshake_error(error, &too_long))?;
    let stop = running.cancellation_token();
    let mut gone = pin!(running.waiting());
    let mut kept = Ok(());
    let quit = tokio::select! {
        biased;
        ran = run_calls(toolkits, &mut calls) => {
            kept = ran;
            // Answers that are on their way are sent before the end, unless the client does not
            // read them.
            stop.cancel();
            timeout(LINGER, gone).await.unwrap_or(Ok(QuitReason::Cancelled))
        }
        quit = &mut gone => quit,
    };
    for toolkit in toolkits.iter_mut() {
        kept = kept.and(toolkit.disconnected());
    }
    kept?;
    if too_long.occurred() {
        return Err(AgentError::transport(TOO_LONG));
    }
    quit.map(drop).map_err(|error| AgentError::transport("the connection failed").with_source(error))
}

const TOO_LONG: &str = "the client sent a message of more than 8 MiB";

fn handshake_error(error: ServerInitializeError, too_long: &TooLong) -> AgentError {
    let message = match &error {
        _ if too_long.occurred() => TOO_LONG,
        ServerInitializeError::ConnectionClosed(_) => "the client went away before it introduced itself",
        _ => "the client does not introduce itself as the protocol asks for",
    };
    AgentError::transport(message).with_source(error)
}
