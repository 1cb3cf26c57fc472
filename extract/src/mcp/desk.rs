//! Who does what the clients call: one desk for each toolkit, one call at a time.
//!
//! The protocol's own tasks outlive no borrow, so they hand the calls over and wait; the toolkits,
//! with the contexts and callbacks that they borrow, stay with the caller of the server.

use std::{ops::ControlFlow, pin::Pin};

use tokio::sync::{mpsc, oneshot};

use crate::{
    agent::AgentError,
    described::Within,
    error::ExtractionResult,
    toolkit::{ReceivedCall, Tool, ToolResult, Toolkit, ToolkitState},
};

/// A call that is handed over.
pub(super) struct Job {
    /// Which desk.
    pub(super) desk: usize,
    pub(super) call: ReceivedCall,
    /// Closed when the client has cancelled the call.
    pub(super) answer: oneshot::Sender<ToolResult>,
}

/// A toolkit, and what follows when it is done.
pub(super) trait Desk: Send {
    fn tools(&self) -> Vec<Tool>;

    /// Takes names that tell the tools from those of other desks.
    fn distinguish(&mut self);

    fn call<'d>(&'d mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'd>>;

    /// Looks at what the last call came to. `Break` when nothing more is to be served.
    fn settle(&mut self) -> ControlFlow<()>;

    /// Hears that no client is left.
    fn leave(&mut self);
}

/// Serves until there is an outcome, which stays in the toolkit.
pub(super) struct Once<'d, 'a, T, C>(pub(super) &'d mut Toolkit<'a, T, C>);

impl<T: Within<C> + Send, C> Desk for Once<'_, '_, T, C> {
    fn tools(&self) -> Vec<Tool> {
        self.0.tools()
    }

    fn distinguish(&mut self) {
        self.0.distinguish();
    }

    fn call<'d>(&'d mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'd>> {
        Box::pin(self.0.call(call))
    }

    fn settle(&mut self) -> ControlFlow<()> {
        match self.0.state() {
            ToolkitState::Open { .. } => ControlFlow::Continue(()),
            ToolkitState::Accepted | ToolkitState::Failed => ControlFlow::Break(()),
        }
    }

    fn leave(&mut self) {}
}

/// Hands every outcome to `heard` and begins anew.
pub(super) struct Again<'a, T, C, F> {
    pub(super) toolkit: Toolkit<'a, T, C>,
    pub(super) heard: F,
}

impl<T: Within<C> + Send, C, F: FnMut(ExtractionResult<T>) + Send> Desk for Again<'_, T, C, F> {
    fn tools(&self) -> Vec<Tool> {
        self.toolkit.tools()
    }

    fn distinguish(&mut self) {
        self.toolkit.distinguish();
    }

    fn call<'d>(&'d mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'd>> {
        Box::pin(self.toolkit.call(call))
    }

    fn settle(&mut self) -> ControlFlow<()> {
        if !matches!(self.toolkit.state(), ToolkitState::Open { .. }) {
            (self.heard)(self.toolkit.take(went_away));
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self) {
        if self.toolkit.metrics().attempts > 0 {
            (self.heard)(self.toolkit.take(went_away));
        }
    }
}

pub(super) fn went_away() -> AgentError {
    AgentError::transport("the client went away before a value was accepted")
}

/// Does the jobs until one of them is the last, or nobody is left to call.
pub(super) async fn work(desks: &mut [Box<dyn Desk + '_>], jobs: &mut mpsc::Receiver<Job>) {
    while let Some(Job { desk, call, mut answer }) = jobs.recv().await {
        let Some(desk) = desks.get_mut(desk) else { continue };
        let result = tokio::select! {
            biased;
            () = answer.closed() => continue,
            result = desk.call(call) => result,
        };
        // A client that cancels now is too late: the call has happened.
        let _ = answer.send(result);
        if desk.settle().is_break() {
            return;
        }
    }
}
