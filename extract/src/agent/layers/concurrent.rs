//! A limit on concurrent requests.

use std::sync::Arc;

use super::permits::PermitQueue;
use crate::agent::{Agent, AgentError, DeltaSink, ReplyFuture, Request, respond_or_stream};

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
