//! Async closures as agents.

use std::{borrow::Cow, error::Error};

use super::{Agent, AgentError, Reply, ReplyFuture, Request};

impl<F, Answer> Agent for F
where
    F: Fn(String) -> Answer + Send + Sync,
    Answer: Future<Output: ClosureReply> + Send,
{
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        // The closure runs inside the future, so a panic in it surfaces where the future is polled.
        Box::pin(async move { self(request.conversation.text_only("an async closure")?).await.replied() })
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("closure")
    }
}

/// The output of an async closure that is an agent. It is a separate trait for its error message.
#[diagnostic::on_unimplemented(
    message = "an async closure is an agent if it returns `Result<R, E>` with a `Send + Sync` error; this one returns `{Self}`",
    label = "returns `{Self}`",
    note = "`R` is a `String`, a `&str` or an `extract::agent::Reply`",
    note = "`E` is a `String`, an error that is `Send` and `Sync`, or `Box<dyn std::error::Error + Send + Sync>`"
)]
pub trait ClosureReply {
    /// The reply, or the failure of the agent.
    fn replied(self) -> Result<Reply, AgentError>;
}

#[diagnostic::do_not_recommend]
impl<R: Into<Reply>, E: Into<Box<dyn Error + Send + Sync>>> ClosureReply for Result<R, E> {
    fn replied(self) -> Result<Reply, AgentError> {
        self.map(Into::into).map_err(|error| AgentError::from_boxed(error.into()))
    }
}
