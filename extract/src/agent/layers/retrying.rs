//! Asking again after a transient failure.

use std::{borrow::Cow, time::Duration};

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use futures_timer::Delay;

use crate::agent::{Abilities, Agent, AgentError, Heard, Request, Responding, put};

/// An agent that is asked again after a [transient](AgentError::is_transient) failure.
///
/// By default 3 times more, after 0.5, 1 and 2 seconds. The wait doubles each time, is lengthened by a random part of itself, and is
/// never longer than a minute. A wait that the agent asks for ([`AgentError::retry_after`]) goes before both; one that
/// is longer than the longest wait is an error at once instead of a hang. When no try is left, the error is the last one, and says how
/// many there were.
///
/// An extraction repeats requests as well: [which is for what](super#a-layer-or-a-setting-of-the-extraction).
///
/// Where a reply is [streamed](Agent::stream), each try starts anew: its first piece makes void what the one before has told.
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

impl<A: Agent> Retrying<A> {
    fn ask<'a>(&'a self, request: &'a Request, mut heard: Option<Heard<'a>>) -> Responding<'a> {
        Box::pin(async move {
            let mut waits = self.backoff.waits();
            let mut asked = 0_u64;
            loop {
                asked += 1;
                let heard = heard.as_mut().map(Heard::anew);
                let error = match put(&self.agent, request, heard).await {
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

impl<A: Agent> Agent for Retrying<A> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        self.ask(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, heard: Heard<'a>) -> Responding<'a> {
        self.ask(request, Some(heard))
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
    /// The waits of one request.
    pub(crate) fn waits(&self) -> Waits<'_> {
        let waits = ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_max_times(self.retries)
            .with_jitter()
            .build();
        Waits { backoff: self, waits }
    }
}

/// What is left of the retries of one request.
pub(crate) struct Waits<'b> {
    backoff: &'b Backoff,
    waits: ExponentialBackoff,
}

impl Waits<'_> {
    /// How long it is after `error` until the request is repeated.
    ///
    /// # Errors
    ///
    /// `error`, when the request is not to be repeated.
    pub(crate) fn after(&mut self, error: AgentError) -> Result<(Duration, AgentError), AgentError> {
        let Some(wait) = self.waits.next().filter(|_| error.is_transient()) else {
            return Err(error);
        };
        let Backoff { longest, setting, .. } = *self.backoff;
        match error.retry_after() {
            // Obeying would look like hanging; not obeying would make it worse.
            Some(asked) if asked > longest => Err(error.with_wait_refused(setting, longest)),
            asked => Ok((asked.unwrap_or(wait), error)),
        }
    }
}
