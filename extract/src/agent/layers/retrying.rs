//! Asking again after a transient failure.

use std::{borrow::Cow, time::Duration};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use futures_timer::Delay;

use crate::agent::{Abilities, Agent, AgentError, Reply, Request, Responding};

/// An agent that is asked again after a [transient](AgentError::is_transient) failure.
///
/// By default 3 times more, after 0.5, 1 and 2 seconds. The wait doubles each time, is lengthened by a random part of itself, and is
/// never longer than a minute. A wait that the agent asks for ([`AgentError::retry_after`]) goes before both; one that
/// is longer than the longest wait is an error at once instead of a hang. When no try is left, the error is the last one, and says how
/// many there were.
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
    backoff: Backoff,
}

impl<A: Agent> Retrying<A> {
    /// `agent`, asked again.
    pub fn new(agent: A) -> Self {
        let backoff = Backoff {
            retries: 3,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(60),
            setting: "backoff",
        };
        Self { agent, backoff }
    }

    /// How often it is asked again at most; 3 by default.
    pub fn times(mut self, retries: usize) -> Self {
        self.backoff.retries = retries;
        self
    }

    /// The first and the longest wait; 0.5 and 60 seconds by default.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        (self.backoff.first, self.backoff.longest) = (first, longest);
        self
    }
}

impl<A: Agent> Agent for Retrying<A> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        Box::pin(async move {
            let mut asked = 1;
            let reply = self.backoff.repeat(|| self.agent.respond(request), |_, _| asked += 1).await;
            reply.map_err(
                |error| if asked == 1 { error } else { error.with_note(&format!("asked {asked} times")) },
            )
        })
    }

    fn name(&self) -> Cow<'_, str> {
        self.agent.name()
    }

    fn abilities(&self) -> Abilities {
        self.agent.abilities()
    }
}

/// How often something is asked again, and after which waits.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    pub(crate) retries: usize,
    pub(crate) first: Duration,
    pub(crate) longest: Duration,
    /// The method that sets the waits, for the message about one that is too long.
    pub(crate) setting: &'static str,
}

impl Backoff {
    /// Asks until there is a reply or no retry left. `retrying` is told of every failure that is followed by another try.
    pub(crate) async fn repeat<F: Future<Output = Result<Reply, AgentError>>>(
        &self,
        mut ask: impl FnMut() -> F,
        mut retrying: impl FnMut(&AgentError, Duration),
    ) -> Result<Reply, AgentError> {
        let mut waits = ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_max_times(self.retries)
            .with_jitter()
            .build();
        loop {
            let error = match ask().await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let Some(wait) = waits.next().filter(|_| error.is_transient()) else {
                return Err(error);
            };
            let wait = match error.retry_after() {
                // Obeying would look like hanging; not obeying would make it worse.
                Some(asked) if asked > self.longest => {
                    return Err(error.with_wait_refused(self.setting, self.longest));
                }
                Some(asked) => asked,
                None => wait,
            };
            retrying(&error, wait);
            Delay::new(wait).await;
        }
    }
}
