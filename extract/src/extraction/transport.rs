//! One request, repeated while the transport fails.

use std::time::Duration;

use futures_timer::Delay;

use crate::{
    agent::{
        Agent, AgentError, Delta, DeltaSink, Reply, Request, layers::retrying::BackoffPolicy,
        respond_or_stream,
    },
    settings::ExtractionSettings,
    vocabulary::{
        redaction::SensitiveValues,
        time_limit::{within, yield_once},
    },
};

/// An event before the reply.
pub(super) enum TransportEvent<'s> {
    /// A delta of the reply arrived.
    Delta(Delta<'s>),
    /// The request failed; it is repeated after this wait.
    Failed(&'s AgentError, Duration),
}

/// Asks until there is a reply, with at most `retries` retries. `observe` sees every failure that
/// is retried, and the deltas of a streamed reply. A provider's error may quote the request, so
/// `sensitive_values` are redacted in failures.
pub(super) async fn ask(
    agent: &dyn Agent,
    request: &Request,
    settings: &ExtractionSettings,
    sensitive_values: &SensitiveValues,
    mut observe: impl FnMut(TransportEvent<'_>) + Send,
) -> Result<Reply, AgentError> {
    let (first, longest) = settings.transport.backoff;
    let retries = settings.transport.retries;
    let backoff = BackoffPolicy { retries, first, longest, setting: "TransportOptions::backoff" };
    let mut waits = backoff.waits();
    loop {
        let error = match ask_once(agent, request, settings, &mut observe).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error.without(sensitive_values),
        };
        let (wait, error) = waits.after(error)?;
        observe(TransportEvent::Failed(&error, wait));
        Delay::new(wait).await;
    }
}

async fn ask_once(
    agent: &dyn Agent,
    request: &Request,
    settings: &ExtractionSettings,
    observe: &mut (impl FnMut(TransportEvent<'_>) + Send),
) -> Result<Reply, AgentError> {
    // Every question of an extraction passes here.
    yield_once().await;
    let limit = settings.timeout;
    let mut send = |delta: Delta<'_>| observe(TransportEvent::Delta(delta));
    let sink = settings.stream.then(|| DeltaSink::new(&mut send).watching(request));
    let reply = within(limit, respond_or_stream(agent, request, sink)).await;
    reply.unwrap_or_else(|| {
        Err(AgentError::timeout(format!("no reply within {:?}", limit.unwrap_or_default())))
    })
}
