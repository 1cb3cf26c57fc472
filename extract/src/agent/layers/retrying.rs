//! Retries after a transient failure.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use futures_timer::Delay;

use crate::agent::{Agent, AgentError, DeltaSink, ReplyFuture, Request, respond_or_stream};

/// Retries a request after a [transient](AgentError::is_transient) failure.
///
/// By default there are 3 retries, after 0.5, 1 and 2 seconds. The wait doubles each time, gets a
/// random extension, and never exceeds a minute. A wait that the agent asks for
/// ([`AgentError::retry_after`]) takes precedence. If that is longer than the longest wait, the
/// request fails at once instead of hanging. If no retry is left, the last error is returned, with
/// the number of requests.
///
/// An extraction retries requests as well: [which is for what](super#a-layer-or-a-setting-of-the-extraction).
///
/// When a reply is [streamed](Agent::stream), each retry restarts the stream: its first delta
/// supersedes everything sent before.
///
/// ```
/// use std::time::Duration;
/// use extract::agent::{Agent, AgentError, AgentExt as _, Conversation, Request};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// let agent = ScriptedAgent::default().then_fail(AgentError::transport("reset")).then("8");
/// let agent = agent.retrying().times(1).backoff(Duration::from_millis(1), Duration::from_secs(1));
/// let request = Request::new(Conversation::new());
/// assert_eq!(block_on(agent.respond(&request))?.text(), "8");
/// # Ok::<(), AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Retrying<A> {
    agent: A,
    backoff: BackoffPolicy,
}

impl<A: Agent> Retrying<A> {
    /// Wraps `agent`, with retries.
    pub fn new(agent: A) -> Self {
        let backoff = BackoffPolicy {
            retries: 3,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(60),
            setting: "backoff",
        };
        Self { agent, backoff }
    }

    /// Sets the maximum number of retries; 3 by default.
    pub fn times(mut self, retries: usize) -> Self {
        self.backoff.retries = retries;
        self
    }

    /// Sets the first and the longest wait; 0.5 and 60 seconds by default.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        (self.backoff.first, self.backoff.longest) = (first, longest);
        self
    }
}

impl<A: Agent> Retrying<A> {
    fn ask<'a>(&'a self, request: &'a Request, mut sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let mut waits = self.backoff.waits();
            let mut asked = 0_u64;
            loop {
                asked += 1;
                let sink = sink.as_mut().map(DeltaSink::restart);
                let error = match respond_or_stream(&self.agent, request, sink).await {
                    Ok(reply) => return Ok(reply),
                    Err(error) => error,
                };
                let (wait, _) = waits.after(error).map_err(|error| match asked {
                    1 => error,
                    _ => error.with_note(&format!("asked {asked} times")),
                })?;
                Delay::new(wait).await;
            }
        })
    }
}

agent_around_one!(Retrying<A>);

/// How often a request is repeated, and with which waits.
#[derive(Debug, Clone)]
pub(crate) struct BackoffPolicy {
    pub(crate) retries: usize,
    pub(crate) first: Duration,
    pub(crate) longest: Duration,
    /// The method that sets the waits, for the error about a wait that is too long.
    pub(crate) setting: &'static str,
}

impl BackoffPolicy {
    /// The waits of one request.
    pub(crate) fn waits(&self) -> BackoffWaits<'_> {
        let waits = ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_max_times(self.retries)
            .with_jitter()
            .build();
        BackoffWaits { backoff: self, waits }
    }
}

/// The remaining retries of one request.
pub(crate) struct BackoffWaits<'b> {
    backoff: &'b BackoffPolicy,
    waits: ExponentialBackoff,
}

impl BackoffWaits<'_> {
    /// How long to wait after `error` before the request is repeated.
    ///
    /// # Errors
    ///
    /// `error`, if the request is not to be repeated.
    pub(crate) fn after(&mut self, error: AgentError) -> Result<(Duration, AgentError), AgentError> {
        let Some(wait) = self.waits.next().filter(|_| error.is_transient()) else {
            return Err(error);
        };
        let BackoffPolicy { longest, setting, .. } = *self.backoff;
        match error.retry_after() {
            // Obeying would look like hanging; ignoring it would make things worse.
            Some(asked) if asked > longest => Err(error.with_wait_refused(setting, longest)),
            asked => Ok((asked.unwrap_or(wait), error)),
        }
    }
}
