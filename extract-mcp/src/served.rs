//! Runs the calls of clients, one at a time.
//!
//! The tasks of the protocol cannot borrow, so they queue the calls and wait. The toolkits, with
//! the contexts and callbacks that they borrow, stay with the caller of the server.

use std::{fmt, ops::ControlFlow, pin::Pin};

use extract::{
    ExtractionResult, WithContext,
    agent::AgentError,
    toolkit::{ReceivedCall, Tool, ToolResult, Toolkit, ToolkitState},
};
use serde_json::Value;
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

    /// Passes an outcome of the last call on, before the client hears of it.
    fn check_outcome(&mut self) -> AfterCall;

    /// Called when the last client has disconnected.
    fn disconnected(&mut self) -> Result<(), AgentError>;
}

/// What follows a call.
pub(super) enum AfterCall {
    Serving,
    /// Serving ends.
    Ended,
    /// The outcome was lost, and serving ends.
    NotKept(String),
}

/// What the callback of a [`Server`](crate::Server) for outcomes returns: nothing, whether serving goes on, or an
/// error if it did not keep the outcome.
///
/// Implemented for `()`, for `ControlFlow<()>`, and for a `Result` with one of them. After an error the client is
/// told that the value is lost, and serving ends. After [`ControlFlow::Break`] serving ends once the client has
/// its answer.
pub trait IntoKept {
    /// Whether serving goes on, or the error as text.
    ///
    /// # Errors
    ///
    /// If the outcome is lost.
    fn into_kept(self) -> Result<ControlFlow<()>, String>;
}

impl IntoKept for () {
    fn into_kept(self) -> Result<ControlFlow<()>, String> {
        Ok(ControlFlow::Continue(()))
    }
}

impl IntoKept for ControlFlow<()> {
    fn into_kept(self) -> Result<ControlFlow<()>, String> {
        Ok(self)
    }
}

impl<K: IntoKept, E: fmt::Display> IntoKept for Result<K, E> {
    fn into_kept(self) -> Result<ControlFlow<()>, String> {
        self.map_err(|error| error.to_string())?.into_kept()
    }
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

    fn check_outcome(&mut self) -> AfterCall {
        match self.0.state() {
            ToolkitState::Open { .. } => AfterCall::Serving,
            _ => AfterCall::Ended,
        }
    }

    fn disconnected(&mut self) -> Result<(), AgentError> {
        Ok(())
    }
}

/// Passes every outcome to `on_outcome` and resets the toolkit.
pub(super) struct ResetAfterOutcome<'a, T, C, F> {
    pub(super) toolkit: Toolkit<'a, T, C>,
    pub(super) on_outcome: F,
}

impl<T, C, K: IntoKept, F> ServedToolkit for ResetAfterOutcome<'_, T, C, F>
where
    T: WithContext<C> + Send,
    F: FnMut(ExtractionResult<T>) -> K + Send,
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

    fn check_outcome(&mut self) -> AfterCall {
        if matches!(self.toolkit.state(), ToolkitState::Open { .. }) {
            return AfterCall::Serving;
        }
        match (self.on_outcome)(self.toolkit.take_outcome(disconnected_error())).into_kept() {
            Ok(ControlFlow::Continue(())) => AfterCall::Serving,
            Ok(ControlFlow::Break(())) => AfterCall::Ended,
            Err(message) => AfterCall::NotKept(message),
        }
    }

    fn disconnected(&mut self) -> Result<(), AgentError> {
        if self.toolkit.metrics().attempts == 0 {
            return Ok(());
        }
        let kept = (self.on_outcome)(self.toolkit.take_outcome(disconnected_error())).into_kept();
        // Nobody is left to be served.
        kept.map(|_| ()).map_err(|message| not_kept_error(&message))
    }
}

pub(super) fn disconnected_error() -> AgentError {
    AgentError::transport("the client went away before a value was accepted")
}

fn not_kept_error(message: &str) -> AgentError {
    AgentError::unavailable(format!("an outcome was not kept: {message}"))
}

/// Runs calls until one ends serving, or no client is left.
///
/// # Errors
///
/// If an outcome was not kept.
pub(super) async fn run_calls(
    toolkits: &mut [Box<dyn ServedToolkit + '_>],
    calls: &mut mpsc::Receiver<QueuedCall>,
) -> Result<(), AgentError> {
    while let Some(QueuedCall { toolkit, call, mut answer }) = calls.recv().await {
        let Some(toolkit) = toolkits.get_mut(toolkit) else { continue };
        let result = tokio::select! {
            biased;
            () = answer.closed() => continue,
            result = toolkit.call(call) => result,
        };
        // A client that cancels now is too late: the call has happened.
        match toolkit.check_outcome() {
            AfterCall::Serving => drop(answer.send(result)),
            AfterCall::Ended => {
                let _ = answer.send(result);
                return Ok(());
            }
            AfterCall::NotKept(message) => {
                let mut lost = result;
                let text = format!("{}\n\nBut it is lost: {message}", lost.text);
                (lost.text, lost.structured, lost.is_error) = (text, Value::Null, true);
                let _ = answer.send(lost);
                return Err(not_kept_error(&message));
            }
        }
    }
    Ok(())
}
