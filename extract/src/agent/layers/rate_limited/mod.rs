//! Limits on requests and tokens per minute.

mod buckets;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_timer::Delay;

pub use self::buckets::RateBuckets;
use super::permits::PermitQueue;
use crate::{
    agent::{Agent, AgentError, DeltaSink, Reply, ReplyFuture, Request, respond_or_stream},
    vocabulary::{time_limit::Instant, usage::estimated},
};

/// Maximum sleep before the next request checks again: a settled reply can shorten its wait.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// Delays the requests of an agent to keep within a rate of requests and tokens.
///
/// Both limits are token buckets, like the providers' own ([Anthropic documents its
/// own](https://docs.claude.com/en/api/rate-limits)). Unused allowance is saved up for a minute,
/// unless [`burst`](Self::burst) is set. Requests wait in one queue, first come first served.
///
/// The tokens of a request are unknown before its reply. When a request is passed on, it takes a
/// quarter of its characters, plus [`max_output_tokens`](Request::max_output_tokens) if that is
/// set. When the reply arrives, the difference to the actual tokens is settled; if none are
/// reported, the reply is estimated in the same way. A shortfall is a debt that later requests wait
/// for. A request that fails or is dropped while it runs keeps what it took, because the provider
/// may have counted it. A request that is dropped in the queue takes nothing.
///
/// A request that needs more than can be saved up waits until the bucket is full and then goes
/// through.
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
    line: Arc<RateQueue>,
}

/// The queue, and the buckets it waits for.
#[derive(Debug)]
struct RateQueue {
    /// Held by the request that is next; the others wait for it. Dropping a request leaves the
    /// queue intact.
    turn: PermitQueue,
    buckets: Mutex<Option<RateBuckets>>,
}

impl Default for RateQueue {
    fn default() -> Self {
        Self { turn: PermitQueue::new(1), buckets: Mutex::default() }
    }
}

impl<A: Agent> RateLimited<A> {
    /// Wraps `agent`, without limits yet.
    pub fn new(agent: A) -> Self {
        Self { agent, requests: None, tokens: None, burst: Duration::from_secs(60), line: Arc::default() }
    }

    /// Sets the maximum number of requests per minute. With 0, every request fails.
    pub fn requests_per_minute(mut self, requests: u32) -> Self {
        self.requests = Some(requests);
        self.restarted()
    }

    /// Sets the maximum number of tokens per minute, in and out together. With 0, every request
    /// fails.
    pub fn tokens_per_minute(mut self, tokens: u32) -> Self {
        self.tokens = Some(tokens);
        self.restarted()
    }

    /// Sets how long unused requests and tokens are saved up; a minute by default. A shorter time
    /// gives an even flow, for providers that measure spans shorter than a minute: one second and
    /// 60 requests per minute give one request each second. One request can always be saved up.
    pub fn burst(mut self, span: Duration) -> Self {
        self.burst = span;
        self.restarted()
    }

    /// Starts a new queue for the new limits; earlier clones keep theirs.
    fn restarted(mut self) -> Self {
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

    /// Applies `with` to the buckets. The first request finds them full.
    fn buckets<R>(&self, with: impl FnOnce(&mut RateBuckets, Instant) -> R) -> R {
        let now = Instant::now();
        let mut buckets = self.line.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        with(
            buckets.get_or_insert_with(|| RateBuckets::full(self.requests, self.tokens, self.burst, now)),
            now,
        )
    }

    /// Waits until a request of `tokens` may be passed on, and takes what it needs.
    async fn wait(&self, tokens: f64) {
        let _turn = self.line.turn.acquire().await;
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
    fn ask<'a>(&'a self, request: &'a Request, sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.check()?;
            let most = request.max_output_tokens.map_or(0, u64::from);
            let taken = as_amount(estimated(request.chars()).saturating_add(most));
            self.wait(taken).await;
            let reply = respond_or_stream(&self.agent, request, sink).await?;
            self.settle(taken, request, &reply);
            Ok(reply)
        })
    }
}

agent_around_one!(RateLimited<A>);

/// Exact up to 2⁵³ tokens.
#[expect(clippy::cast_precision_loss)]
fn as_amount(tokens: u64) -> f64 {
    tokens as f64
}
