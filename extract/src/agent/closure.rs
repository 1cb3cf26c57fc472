//! Async closures as agents.

use std::{borrow::Cow, error::Error};

use super::{Agent, AgentError, Reply, Request, Responding};

impl<F, Answer, R, E> Agent for F
where
    F: Fn(String) -> Answer + Send + Sync,
    Answer: Future<Output = Result<R, E>> + Send,
    R: Into<Reply>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        // The closure runs inside the future, so a panic in it surfaces where the future is polled.
        Box::pin(async move {
            match self(request.conversation.text_only("an async closure")?).await {
                Ok(reply) => Ok(reply.into()),
                Err(error) => Err(AgentError::from_boxed(error.into())),
            }
        })
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("closure")
    }
}
