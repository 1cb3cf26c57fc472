//! No more requests and tokens per minute than allowed.

mod buckets;

use std::{
    borrow::Cow,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures_timer::Delay;

use self::buckets::Buckets;
use super::places::Places;
use crate::{
    agent::{Abilities, Agent, AgentError, Heard, Reply, Request, Responding, put},
    usage::estimated,
};

/// How long the next request sleeps before it looks again: a reply that settles can make it wait less.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// An agent whose requests are held back until a rate of requests and tokens allows them.
///
/// Both limits are token buckets, as those of the providers are
/// ([Anthropic](https://docs.claude.com/en/api/rate-limits) says so of its own): what is not used is saved up, for
/// a minute unless [`burst`](Self::burst) says otherwise. Requests wait in one line, the first come first.
///
/// The tokens of a request are not known before the reply. A quarter of its characters, and
/// [`max_output_tokens`](Request::max_output_tokens) if it has that, are taken before it is passed on; with the reply the
/// difference to what the agent reports (else to an estimate of the reply in the same way) is settled. What was too little is
/// a debt, which the next requests wait for. A request that fails, or is dropped while it is under way,
/// keeps what was taken, because the provider may have counted it; one that is dropped in the line takes nothing.
///
/// A request that is larger than all that can be saved up waits until that is full, and then goes through.
///
/// Clones share the limits.
///
/// ```
/// use extract::agent::AgentExt as _;
/// # use extract::testing::ScriptedAgent;
/// # let agent = ScriptedAgent::new(["8"]);
///
/// let agent = agent.rate_limited().requests_per_minute(60).tokens_per_minute(100_000);
/// # let _ = agent;
/// ```
#[derive(Debug, Clone)]
pub struct RateLimited<A> {
    agent: A,
    requests: Option<u32>,
    tokens: Option<u32>,
    burst: Duration,
    line: Arc<Line>,
}

/// Who waits, and for what.
#[derive(Debug)]
struct Line {
    /// Held by the request that is next; the others queue for it. Dropping a request leaves the line intact.
    turn: Places,
    buckets: Mutex<Option<Buckets>>,
}

impl Default for Line {
    fn default() -> Self {
        Self { turn: Places::new(1), buckets: Mutex::default() }
    }
}

impl<A: Agent> RateLimited<A> {
    /// `agent`, without a limit yet.
    pub fn new(agent: A) -> Self {
        Self { agent, requests: None, tokens: None, burst: Duration::from_secs(60), line: Arc::default() }
    }

    /// How many requests a minute may have. 0 is an error of the first request.
    pub fn requests_per_minute(mut self, requests: u32) -> Self {
        self.requests = Some(requests);
        self.anew()
    }

    /// How many tokens a minute may have, in and out together. 0 is an error of the first request.
    pub fn tokens_per_minute(mut self, tokens: u32) -> Self {
        self.tokens = Some(tokens);
        self.anew()
    }

    /// How long unused requests and tokens are saved up; a minute by default. With less, a provider that looks at shorter spans than a
    /// minute sees an even flow: with a second and 60 requests per minute, there is one each second. One request can
    /// always be saved up.
    pub fn burst(mut self, span: Duration) -> Self {
        self.burst = span;
        self.anew()
    }

    /// Other limits are another line than that of the clones made until now.
    fn anew(mut self) -> Self {
        self.line = Arc::default();
        self
    }

    fn check(&self) -> Result<(), AgentError> {
        for (limit, name) in [(self.requests, "requests_per_minute"), (self.tokens, "tokens_per_minute")] {
            if limit == Some(0) {
                let message = format!("`{name}(0)` lets no request through; allow at least one");
                return Err(AgentError::unavailable(message));
            }
        }
        Ok(())
    }

    /// What `with` makes of the buckets. The first request finds them full.
    fn buckets<R>(&self, with: impl FnOnce(&mut Buckets, Instant) -> R) -> R {
        let now = Instant::now();
        let mut buckets = self.line.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        with(buckets.get_or_insert_with(|| Buckets::full(self.requests, self.tokens, self.burst, now)), now)
    }

    /// Waits until a request of `tokens` may be passed on, and takes what it needs.
    async fn wait(&self, tokens: f64) {
        let _turn = self.line.turn.take().await;
        loop {
            let Some(wait) = self.buckets(|buckets, now| buckets.take(tokens, now)) else { return };
            Delay::new(wait.min(LONGEST_SLEEP)).await;
        }
    }

    fn settle(&self, taken: f64, request: &Request, reply: &Reply) {
        let used = as_amount(reply.cost(|| request.chars()).total());
        self.buckets(|buckets, now| buckets.give_back(taken - used, now));
    }
}

impl<A: Agent> RateLimited<A> {
    fn ask<'a>(&'a self, request: &'a Request, heard: Option<Heard<'a>>) -> Responding<'a> {
        Box::pin(async move {
            self.check()?;
            let most = request.max_output_tokens.map_or(0, u64::from);
            let taken = as_amount(estimated(request.chars()).saturating_add(most));
            self.wait(taken).await;
            let reply = put(&self.agent, request, heard).await?;
            self.settle(taken, request, &reply);
            Ok(reply)
        })
    }
}

impl<A: Agent> Agent for RateLimited<A> {
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

/// Exact up to 2⁵³ tokens.
#[expect(clippy::cast_precision_loss)]
fn as_amount(tokens: u64) -> f64 {
    tokens as f64
}
