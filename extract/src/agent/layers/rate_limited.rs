//! Limits on requests and tokens per minute, by token buckets.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_timer::Delay;

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

const MINUTE: f64 = 60.0;

/// The requests and tokens that are available, as two token buckets: for a layer or a job that
/// schedules requests itself, and has a clock of its own.
///
/// ```
/// use std::time::{Duration, Instant};
/// use extract::agent::layers::RateBuckets;
///
/// let now = Instant::now();
/// let second = Duration::from_secs(1);
/// let mut buckets = RateBuckets::full(Some(60), None, second, now);
/// assert_eq!(buckets.take(0.0, now), None);
/// assert_eq!(buckets.take(0.0, now), Some(second));
/// ```
#[derive(Debug)]
pub struct RateBuckets {
    requests: Option<RateBucket>,
    tokens: Option<RateBucket>,
}

impl RateBuckets {
    /// Creates full buckets with the allowance of `burst`. A number per minute that is `None` sets no
    /// limit.
    pub fn full(requests: Option<u32>, tokens: Option<u32>, burst: Duration, now: Instant) -> Self {
        let bucket = |per_minute: u32| RateBucket::full(f64::from(per_minute), burst, now);
        Self { requests: requests.map(bucket), tokens: tokens.map(bucket) }
    }

    /// Takes one request and its tokens, or takes nothing and returns how long to wait for both.
    pub fn take(&mut self, tokens: f64, now: Instant) -> Option<Duration> {
        let mut wanted = [(self.requests.as_mut(), 1.0), (self.tokens.as_mut(), tokens)];
        let waits = wanted.iter_mut().filter_map(|(bucket, amount)| bucket.as_mut()?.wait(*amount, now));
        let longest = waits.max();
        if longest.is_none() {
            for (bucket, amount) in wanted {
                if let Some(bucket) = bucket {
                    bucket.level -= amount;
                }
            }
        }
        longest
    }

    /// Returns unused tokens. A negative number takes more.
    fn give_back(&mut self, tokens: f64, now: Instant) {
        if let Some(bucket) = &mut self.tokens {
            bucket.refill(now);
            bucket.level = (bucket.level + tokens).min(bucket.capacity);
        }
    }
}

/// The available amount, and how it grows. Below zero it is a debt.
#[derive(Debug)]
struct RateBucket {
    level: f64,
    capacity: f64,
    per_second: f64,
    seen: Instant,
}

impl RateBucket {
    fn full(per_minute: f64, burst: Duration, now: Instant) -> Self {
        let per_second = per_minute / MINUTE;
        let capacity = (per_second * burst.as_secs_f64()).max(1.0);
        Self { level: capacity, capacity, per_second, seen: now }
    }

    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.seen).as_secs_f64();
        self.level = (self.level + passed * self.per_second).min(self.capacity);
        self.seen = now;
    }

    /// How long until `amount` is available; `None` if it is now.
    fn wait(&mut self, amount: f64, now: Instant) -> Option<Duration> {
        // Less than a tenth of a millisecond is rounding.
        const SLACK: f64 = 1e-4;
        self.refill(now);
        let missing = amount.min(self.capacity) - self.level;
        let seconds = missing / self.per_second;
        (seconds > SLACK).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Duration = Duration::from_millis(100);
    const SECOND: Duration = Duration::from_secs(1);

    /// Returns whether `found` is `expected`, but for rounding.
    fn is_about(found: Option<Duration>, expected: Duration) -> bool {
        found.is_some_and(|found| found.abs_diff(expected) < Duration::from_millis(1))
    }

    #[test]
    fn requests_beyond_the_rate_wait() {
        let mut now = Instant::now();
        // One each tenth of a second, and one saved up.
        let mut buckets = RateBuckets::full(Some(600), None, Duration::ZERO, now);
        assert_eq!(buckets.take(0.0, now), None);
        for _ in 0..3 {
            assert!(is_about(buckets.take(0.0, now), TENTH));
            now += TENTH / 2;
            assert!(is_about(buckets.take(0.0, now), TENTH / 2));
            now += TENTH / 2;
            assert_eq!(buckets.take(0.0, now), None);
        }
        now += SECOND;
        assert_eq!(buckets.take(0.0, now), None);
        assert!(is_about(buckets.take(0.0, now), TENTH), "no more than one is saved up");
    }

    #[test]
    fn requests_beyond_the_rate_wait_and_a_second_is_saved_up() {
        let mut now = Instant::now();
        let mut buckets = RateBuckets::full(Some(600), None, SECOND, now);
        for _ in 0..3 {
            assert_eq!([(); 10].map(|()| buckets.take(0.0, now)), [None; 10]);
            assert!(is_about(buckets.take(0.0, now), TENTH));
            now += TENTH;
            assert_eq!(buckets.take(0.0, now), None);
            now += 60 * TENTH;
        }
    }

    #[test]
    fn a_rate_below_one_each_second_saves_up_one() {
        let mut now = Instant::now();
        let mut buckets = RateBuckets::full(Some(6), None, SECOND, now);
        assert_eq!(buckets.take(0.0, now), None);
        now += 5 * SECOND;
        let wait = buckets.take(0.0, now);
        assert!(is_about(wait, 5 * SECOND), "{wait:?}");
        assert_eq!(buckets.take(0.0, now + wait.unwrap()), None);
    }

    #[test]
    fn what_was_used_beyond_the_estimate_is_a_debt() {
        let now = Instant::now();
        // 100 tokens each second, and 100 saved up.
        let mut buckets = RateBuckets::full(None, Some(6000), SECOND, now);
        assert_eq!(buckets.take(10.0, now), None);
        buckets.give_back(10.0 - 130.0, now);
        // 30 are owed, and 10 are needed.
        assert!(is_about(buckets.take(10.0, now), 4 * TENTH));
        assert_eq!(buckets.take(10.0, now + 4 * TENTH), None);
    }

    #[test]
    fn what_was_estimated_too_high_is_given_back_up_to_what_fits() {
        let now = Instant::now();
        let mut buckets = RateBuckets::full(None, Some(60), 60 * SECOND, now);
        assert_eq!(buckets.take(50.0, now), None);
        buckets.give_back(48.0, now);
        assert_eq!(buckets.take(58.0, now), None);
        buckets.give_back(1000.0, now);
        assert_eq!(buckets.take(60.0, now), None);
        assert!(is_about(buckets.take(1.0, now), SECOND));
    }

    #[test]
    fn a_request_larger_than_the_bucket_goes_when_it_is_full() {
        let now = Instant::now();
        let mut buckets = RateBuckets::full(None, Some(6000), TENTH, now);
        assert_eq!(buckets.take(50.0, now), None);
        assert!(is_about(buckets.take(50.0, now), 5 * TENTH), "40 are owed, and 10 fit");
        assert_eq!(buckets.take(50.0, now + 5 * TENTH), None);
    }

    #[test]
    fn one_that_has_to_wait_takes_nothing() {
        let now = Instant::now();
        let mut buckets = RateBuckets::full(Some(60), Some(6000), SECOND, now);
        assert_eq!(buckets.take(100.0, now), None);
        assert!(is_about(buckets.take(200.0, now), SECOND));
        let later = now + SECOND;
        assert_eq!(buckets.take(1.0, later), None, "its request is still there");
    }
}
