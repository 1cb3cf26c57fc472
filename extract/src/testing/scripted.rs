//! An agent that follows a script.

use std::{
    borrow::Cow,
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::agent::{Agent, AgentError, Reply, Request, Responding};

/// Says one scripted line after the other, and remembers what it was asked.
///
/// When the script is over it fails for good, so that a test sees the question too many.
///
/// ```
/// use extract::agent::{AgentError, FinishReason, Reply};
/// use extract::testing::ScriptedAgent;
///
/// let agent = ScriptedAgent::new(["not JSON"])
///     .then_fail(AgentError::rate_limited("slow down"))
///     .then(Reply::new("{\"total\":").finished(FinishReason::Length));
/// # let _ = agent;
/// ```
#[derive(Debug, Default)]
pub struct ScriptedAgent {
    lines: Mutex<VecDeque<Line>>,
    requests: Mutex<Vec<Request>>,
}

#[derive(Debug)]
enum Line {
    Reply(Reply),
    Fail(AgentError),
    Hang,
}

impl ScriptedAgent {
    /// Says `replies` in this order.
    pub fn new<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {
        let lines = replies.into_iter().map(|reply| Line::Reply(reply.into())).collect();
        Self { lines: Mutex::new(lines), requests: Mutex::default() }
    }

    /// Then says `reply`.
    #[must_use]
    pub fn then(self, reply: impl Into<Reply>) -> Self {
        self.with(Line::Reply(reply.into()))
    }

    /// Then fails with `error`.
    #[must_use]
    pub fn then_fail(self, error: AgentError) -> Self {
        self.with(Line::Fail(error))
    }

    /// Then never answers.
    #[must_use]
    pub fn then_hang(self) -> Self {
        self.with(Line::Hang)
    }

    fn with(self, line: Line) -> Self {
        locked(&self.lines).push_back(line);
        self
    }

    /// Everything it was asked until now, in order; repeated requests too.
    pub fn requests(&self) -> Vec<Request> {
        locked(&self.requests).clone()
    }

    /// How many lines of the script are left.
    pub fn remaining(&self) -> usize {
        locked(&self.lines).len()
    }
}

/// A panic in a test leaves the script readable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Agent for ScriptedAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        Box::pin(async move {
            let asked = {
                let mut requests = locked(&self.requests);
                requests.push(request.clone());
                requests.len()
            };
            let line = locked(&self.lines).pop_front();
            match line {
                Some(Line::Reply(reply)) => Ok(reply),
                Some(Line::Fail(error)) => Err(error),
                Some(Line::Hang) => std::future::pending().await,
                None => {
                    Err(AgentError::unavailable(format!("the script has no line for request number {asked}")))
                }
            }
        })
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("scripted")
    }
}
