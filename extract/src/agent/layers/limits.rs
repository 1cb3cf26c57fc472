//! Limits on concurrent requests, and on the time of each.

use std::{sync::Arc, time::Duration};

use super::permits::PermitQueue;
use crate::{
    agent::{Agent, AgentError, DeltaSink, ReplyFuture, Request, respond_or_stream},
    vocabulary::time_limit::within,
};

/// Limits how many requests of an agent run at once; the others wait for a permit.
///
/// A request holds its permit from the moment it is passed on until its future is done or dropped.
/// The request that has waited longest is next. Clones share the permits.
///
/// ```
/// use extract::agent::AgentExt as _;
/// # use extract::testing::ScriptedAgent;
/// # let agent = ScriptedAgent::new(["8"]);
///
/// let agent = agent.concurrent(4);
/// # let _ = agent;
/// ```
#[derive(Debug, Clone)]
pub struct Concurrent<A> {
    agent: A,
    limit: usize,
    permits: Arc<PermitQueue>,
}

impl<A: Agent> Concurrent<A> {
    /// Wraps `agent`, with at most `limit` requests at once. With a limit of 0, every request
    /// fails.
    pub fn new(agent: A, limit: usize) -> Self {
        Self { agent, limit, permits: Arc::new(PermitQueue::new(limit)) }
    }
}

impl<A: Agent> Concurrent<A> {
    fn ask<'a>(&'a self, request: &'a Request, sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            if self.limit == 0 {
                return Err(AgentError::unavailable(
                    "`concurrent(0)` lets no request through; allow at least one",
                ));
            }
            let _permit = self.permits.acquire().await;
            respond_or_stream(&self.agent, request, sink).await
        })
    }
}

agent_around_one!(Concurrent<A>);

/// Limits the time of each request. A request that takes longer is dropped and fails with
/// [`Timeout`](crate::agent::AgentErrorKind::Timeout), which is transient.
///
/// An extraction has a `timeout` as well: [which is for what](super#a-layer-or-a-setting-of-the-extraction).
///
/// ```
/// use std::time::Duration;
/// use extract::agent::{Agent, AgentError, AgentExt as _, Conversation, Request};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// let stuck = ScriptedAgent::default().then_hang();
/// let agent = stuck.time_limited(Duration::from_millis(20)).or(ScriptedAgent::new(["8"]));
/// let request = Request::new(Conversation::new());
/// assert_eq!(block_on(agent.respond(&request))?.text(), "8");
/// # Ok::<(), AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TimeLimited<A> {
    agent: A,
    limit: Duration,
}

impl<A: Agent> TimeLimited<A> {
    /// Wraps `agent`, with at most `limit` for each request.
    pub fn new(agent: A, limit: Duration) -> Self {
        Self { agent, limit }
    }
}

impl<A: Agent> TimeLimited<A> {
    fn ask<'a>(&'a self, request: &'a Request, sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reply = within(Some(self.limit), respond_or_stream(&self.agent, request, sink)).await;
            reply.unwrap_or_else(|| {
                let name = self.agent.name();
                Err(AgentError::timeout(format!("`{name}` gave no reply within {:?}", self.limit)))
            })
        })
    }
}

agent_around_one!(TimeLimited<A>);
