//! An agent that is not asked.

use std::borrow::Cow;

use extract::agent::{Agent, AgentError, Capabilities, ConstraintFuture, ReplyFuture, Request};

/// An agent that is not asked, because another one that would take over cannot be: its replies would be paid for in
/// vain.
pub(super) struct UnaskedAgent {
    pub(super) agent: Box<dyn Agent>,
    pub(super) why: String,
}

impl Agent for UnaskedAgent {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Err(AgentError::unavailable(&*self.why)) })
    }

    fn name(&self) -> Cow<'_, str> {
        self.agent.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.agent.capabilities()
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        self.agent.constraint(request)
    }
}
