//! A bounded number of requests at once.

use std::{borrow::Cow, sync::Arc};

use async_lock::Semaphore;

use crate::agent::{Agent, AgentError, Capabilities, DeltaSink, Request, Responding, respond_or_stream};

/// An agent of which a bounded number of requests is under way at once; the others wait for a place.
///
/// A place is taken by a request from the moment it is passed on until its future is done or dropped. Who waits longest is
/// woken first, though a request that comes at that very moment can be quicker. Clones share the places.
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
    places: Arc<Semaphore>,
}

impl<A: Agent> Concurrent<A> {
    /// `agent`, with at most `limit` requests at once. 0 is an error of the first request.
    pub fn new(agent: A, limit: usize) -> Self {
        Self { agent, limit, places: Arc::new(Semaphore::new(limit)) }
    }
}

impl<A: Agent> Concurrent<A> {
    fn ask<'a>(&'a self, request: &'a Request, sink: Option<DeltaSink<'a>>) -> Responding<'a> {
        Box::pin(async move {
            if self.limit == 0 {
                return Err(AgentError::unavailable(
                    "`concurrent(0)` lets no request through; allow at least one",
                ));
            }
            let _place = self.places.acquire().await;
            respond_or_stream(&self.agent, request, sink).await
        })
    }
}

impl<A: Agent> Agent for Concurrent<A> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        self.ask(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> Responding<'a> {
        self.ask(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        self.agent.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.agent.capabilities()
    }
}
