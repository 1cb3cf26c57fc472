//! Runs the calls of clients, one at a time.
//!
//! The tasks of the protocol cannot borrow, so they queue the calls and wait. The toolkits, with
//! the contexts and callbacks that they borrow, stay with the caller of the server.

use std::{ops::ControlFlow, pin::Pin};

use extract::{
    ExtractionResult, WithContext,
    agent::AgentError,
    toolkit::{ReceivedCall, Tool, ToolResult, Toolkit, ToolkitState},
};
use tokio::sync::{mpsc, oneshot};

/// A call that waits for its toolkit.
pub(super) struct QueuedCall {
    /// The index of the toolkit.
    pub(super) toolkit: usize,
    pub(super) call: ReceivedCall,
    /// Closed when the client cancels the call.
    pub(super) answer: oneshot::Sender<ToolResult>,
}

/// A toolkit, and the handling of its outcome.
pub(super) trait ServedToolkit: Send {
    fn tools(&self) -> Vec<Tool>;

    /// Gives the tools names that no other toolkit has.
    fn distinguish(&mut self);

    fn call<'t>(&'t mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 't>>;

    /// Checks the result of the last call. `Break` ends serving.
    fn check_outcome(&mut self) -> ControlFlow<()>;

    /// Called when the last client has disconnected.
    fn disconnected(&mut self);
}

/// Serves until the toolkit has an outcome, and leaves the outcome there.
pub(super) struct UntilOutcome<'t, 'a, T, C>(pub(super) &'t mut Toolkit<'a, T, C>);

impl<T: WithContext<C> + Send, C> ServedToolkit for UntilOutcome<'_, '_, T, C> {
    fn tools(&self) -> Vec<Tool> {
        self.0.tools()
    }

    fn distinguish(&mut self) {
        self.0.distinguish();
    }

    fn call<'t>(&'t mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 't>> {
        Box::pin(self.0.call(call))
    }

    fn check_outcome(&mut self) -> ControlFlow<()> {
        match self.0.state() {
            ToolkitState::Open { .. } => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn disconnected(&mut self) {}
}

/// Passes every outcome to `on_outcome` and resets the toolkit.
pub(super) struct ResetAfterOutcome<'a, T, C, F> {
    pub(super) toolkit: Toolkit<'a, T, C>,
    pub(super) on_outcome: F,
}

impl<T: WithContext<C> + Send, C, F: FnMut(ExtractionResult<T>) + Send> ServedToolkit
    for ResetAfterOutcome<'_, T, C, F>
{
    fn tools(&self) -> Vec<Tool> {
        self.toolkit.tools()
    }

    fn distinguish(&mut self) {
        self.toolkit.distinguish();
    }

    fn call<'t>(&'t mut self, call: ReceivedCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 't>> {
        Box::pin(self.toolkit.call(call))
    }

    fn check_outcome(&mut self) -> ControlFlow<()> {
        if !matches!(self.toolkit.state(), ToolkitState::Open { .. }) {
            (self.on_outcome)(self.toolkit.take_outcome(disconnected_error()));
        }
        ControlFlow::Continue(())
    }

    fn disconnected(&mut self) {
        if self.toolkit.metrics().attempts > 0 {
            (self.on_outcome)(self.toolkit.take_outcome(disconnected_error()));
        }
    }
}

pub(super) fn disconnected_error() -> AgentError {
    AgentError::transport("the client went away before a value was accepted")
}

/// Runs calls until one ends serving, or no client is left.
pub(super) async fn run_calls(
    toolkits: &mut [Box<dyn ServedToolkit + '_>],
    calls: &mut mpsc::Receiver<QueuedCall>,
) {
    while let Some(QueuedCall { toolkit, call, mut answer }) = calls.recv().await {
        let Some(toolkit) = toolkits.get_mut(toolkit) else { continue };
        let result = tokio::select! {
            biased;
            () = answer.closed() => continue,
            result = toolkit.call(call) => result,
        };
        // A client that cancels now is too late: the call has happened.
        let _ = answer.send(result);
        if toolkit.check_outcome().is_break() {
            return;
        }
    }
}
