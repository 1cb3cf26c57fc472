//! Runs the calls of clients: one desk for each toolkit, one call at a time.
//!
//! The protocol's own tasks cannot borrow, so they pass the calls on and wait. The toolkits, with
//! the contexts and callbacks that they borrow, stay with the caller of the server.

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

/// A toolkit, and what happens when it ends.
pub(super) trait Desk: Send {
    fn tools(&self) -> Vec<Tool>;

    /// Gives the tools names distinct from those of other desks.
    fn distinguish(&mut self);

    fn call<'d>(&'d mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'd>>;

    /// Checks the result of the last call. `Break` ends serving.
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

/// Passes every outcome to `on_outcome` and resets the toolkit.
pub(super) struct Again<'a, T, C, F> {
    pub(super) toolkit: Toolkit<'a, T, C>,
    pub(super) on_outcome: F,
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
            (self.on_outcome)(self.toolkit.take(went_away));
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self) {
        if self.toolkit.metrics().attempts > 0 {
            (self.on_outcome)(self.toolkit.take(went_away));
        }
    }
}

pub(super) fn went_away() -> AgentError {
    AgentError::transport("the client went away before a value was accepted")
}

/// Runs jobs until one of them ends serving, or no client is left.
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
