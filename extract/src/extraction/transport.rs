//! One request, repeated while the transport fails.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use futures_timer::Delay;

use super::{settings::Settings, time_limit::within};
use crate::agent::{Agent, AgentError, Reply, Request};

/// Asks until there is a reply, at most `transport_retries` times more than once. `retrying` is told of
/// every failure that is followed by another try.
pub(super) async fn ask(
    agent: &dyn Agent,
    request: &Request,
    settings: &Settings,
    mut retrying: impl FnMut(&AgentError, Duration),
) -> Result<Reply, AgentError> {
    let (first, longest) = settings.transport_backoff;
    let mut waits = ExponentialBuilder::new()
        .with_min_delay(first)
        .with_max_delay(longest)
        .with_max_times(settings.transport_retries)
        .with_jitter()
        .build();
    loop {
        let error = match ask_once(agent, request, settings.timeout).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        let Some(wait) = waits.next().filter(|_| error.is_transient()) else {
            return Err(error);
        };
        let wait = match error.retry_after() {
            // Obeying would look like hanging; not obeying would make it worse.
            Some(asked) if asked > longest => return Err(error.with_wait_refused(longest)),
            Some(asked) => asked,
            None => wait,
        };
        retrying(&error, wait);
        Delay::new(wait).await;
    }
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
