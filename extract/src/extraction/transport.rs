//! One request, repeated while the transport fails.

use std::time::Duration;

use super::settings::Settings;
use crate::{
    agent::{Agent, AgentError, Reply, Request, layers::retrying::Backoff},
    time_limit::within,
};

/// Asks until there is a reply, at most `transport_retries` times more than once. `retrying` is told of
/// every failure that is followed by another try.
pub(super) async fn ask(
    agent: &dyn Agent,
    request: &Request,
    settings: &Settings,
    retrying: impl FnMut(&AgentError, Duration),
) -> Result<Reply, AgentError> {
    let (first, longest) = settings.transport_backoff;
    let retries = settings.transport_retries;
    let backoff = Backoff { retries, first, longest, setting: "transport_backoff" };
    backoff.repeat(|| ask_once(agent, request, settings.timeout), retrying).await
}

async fn ask_once(
    agent: &dyn Agent,
    request: &Request,
    limit: Option<Duration>,
) -> Result<Reply, AgentError> {
    let reply = within(limit, agent.respond(request)).await;
    reply.unwrap_or_else(|| {
        Err(AgentError::timeout(format!("no reply within {:?}", limit.unwrap_or_default())))
    })
}
