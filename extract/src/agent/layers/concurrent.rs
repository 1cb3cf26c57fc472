//! A bounded number of requests at once.

use std::{borrow::Cow, sync::Arc};

use super::places::Places;
use crate::agent::{Abilities, Agent, AgentError, Heard, Request, Responding, put};

/// An agent of which a bounded number of requests is under way at once; the others wait for a place.
///
/// A place is taken by a request from the moment it is passed on until its future is done or dropped. Who waits longest is
/// next. Clones share the places.
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
    places: Arc<Places>,
}

impl<A: Agent> Concurrent<A> {
    /// `agent`, with at most `limit` requests at once. 0 is an error of the first request.
    pub fn new(agent: A, limit: usize) -> Self {
        Self { agent, limit, places: Arc::new(Places::new(limit)) }
    }
}

impl<A: Agent> Concurrent<A> {
    fn ask<'a>(&'a self, request: &'a Request, heard: Option<Heard<'a>>) -> Responding<'a> {
        Box::pin(async move {
            if self.limit == 0 {
                return Err(AgentError::unavailable(
                    "`concurrent(0)` lets no request through; allow at least one",
                ));
            }
            let _place = self.places.take().await;
            put(&self.agent, request, heard).await
        })
    }
}

impl<A: Agent> Agent for Concurrent<A> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        self.ask(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, heard: Heard<'a>) -> Responding<'a> {
        self.ask(request, Some(heard))
    }

    fn name(&self) -> Cow<'_, str> {
        self.agent.name()
    }

    fn abilities(&self) -> Abilities {
        self.agent.abilities()
    }
}
