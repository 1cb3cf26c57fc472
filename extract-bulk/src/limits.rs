//! The rate limits of the provider, discovered at run time and shared by all requests of a job.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use extract::{
    TokenUsage,
    agent::{AgentError, AgentErrorKind, layers::RateBuckets},
    metrics::{ExtractionMetrics, ModelUsage},
};

use super::clock::Clock;

/// Consecutive failures, with no reply between them, after which the provider counts as down.
const DOWN_AFTER: u32 = 5;

/// The first and the longest wait after a failure.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How many documents may be set aside, if no more are processed at once.
const LEAST_ASIDE: usize = 16;

/// How long unused requests per minute are saved up. One second keeps the flow even.
const BURST: Duration = Duration::from_secs(1);

/// The refusal of a request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestRefusal {
    /// The number of the agent.
    pub(super) by: usize,
    /// After a wrong key or without credit, the number of the last request that was started before: only a reply to a
    /// later one shows that the agent refused the request only, because a key expires, and a credit ends. After any
    /// other refusal, `None`: each reply shows it.
    pub(super) after: Option<u64>,
}

/// State shared by all requests of a job.
pub(super) struct JobLimits {
    clock: Arc<dyn Clock>,
    most_aside: usize,
    /// Tokens that the job may use; `u64::MAX` if they are not limited.
    token_budget: u64,
    state: Mutex<LimitState>,
}

struct LimitState {
    /// The numbers of the requests in flight.
    in_flight: BTreeSet<u64>,
    /// How many requests may be in flight now, and at most.
    allowed: f64,
    most: f64,
    /// Below this, each reply allows one more request; above it, each round of replies does.
    threshold: f64,
    /// No request starts before this time.
    pause_until: Option<Instant>,
    /// 429 responses since the last reply, counted once for all requests that were in flight
    /// together.
    slowdowns: u32,
    /// Requests numbered up to this one were in flight at the last slowdown.
    slowed_at: u64,
    started: u64,
    /// The highest number of a request that got a reply.
    replied_at: u64,
    /// Documents that wait until others are answered.
    aside: usize,
    /// Whether only such documents are left.
    is_quiet: bool,
    /// Failures other than 429 since the last reply.
    failures: u32,
    /// Whether the provider counts as down; then one request at a time probes it.
    is_parked: bool,
    /// Set if a request failed since the last reply.
    outage: Option<Outage>,
    /// Why a request about batches is repeated, and when.
    batch_failure: Option<(String, Instant)>,
    is_probing: bool,
    buckets: Option<RateBuckets>,
    spent: ExtractionMetrics,
    calls: u64,
    replies: u64,
    /// The numbers of the agents that gave them, each with the highest number of a request that it replied to; 0 for
    /// batches, which were sent long before their replies.
    replied_by: BTreeMap<usize, u64>,
    wakers: Vec<Waker>,
}

/// A time in which requests failed, and none got a reply.
struct Outage {
    since: Instant,
    /// When the last of them failed.
    last: Instant,
    /// How many requests were started before.
    after: u64,
    /// The last of the failures.
    error: String,
}

/// The start of a request, now or later.
enum RequestStart {
    Go {
        number: u64,
        is_probe: bool,
    },
    /// Not before this time has passed.
    Sleep(Duration),
    /// Not before the state changes.
    Wait,
}

/// Requests and tokens used so far.
#[derive(Debug, Clone)]
pub(super) struct JobSpent {
    pub(super) usage: TokenUsage,
    pub(super) per_model: Vec<ModelUsage>,
    pub(super) calls: u64,
    pub(super) replies: u64,
    pub(super) is_parked: bool,
    /// How long no request starts, after a failure.
    pub(super) pause: Option<Duration>,
    /// The last failure of a request, if any failed since the last reply.
    pub(super) last_failure: Option<String>,
    /// The last failure of a request about batches, and how long until it is repeated.
    pub(super) batch_failure: Option<(String, Duration)>,
}

impl JobLimits {
    pub(super) fn new(clock: Arc<dyn Clock>, most: usize, requests_per_minute: Option<u32>) -> Self {
        let most_aside = most;
        #[expect(clippy::cast_precision_loss, reason = "nobody has 2⁵³ requests in flight")]
        let most = most.max(1) as f64;
        let now = clock.now();
        let buckets =
            requests_per_minute.map(|requests| RateBuckets::full(Some(requests.max(1)), None, BURST, now));
        let state = LimitState {
            in_flight: BTreeSet::new(),
            allowed: most,
            most,
            threshold: most,
            pause_until: None,
            slowdowns: 0,
            slowed_at: 0,
            started: 0,
            replied_at: 0,
            aside: 0,
            is_quiet: false,
            failures: 0,
            is_parked: false,
            outage: None,
            batch_failure: None,
            is_probing: false,
            buckets,
            spent: ExtractionMetrics::default(),
            calls: 0,
            replies: 0,
            replied_by: BTreeMap::new(),
            wakers: Vec::new(),
        };
        let most_aside = most_aside.max(LEAST_ASIDE);
        Self { clock, most_aside, token_budget: u64::MAX, state: Mutex::new(state) }
    }

    pub(super) fn with_token_budget(self, tokens: Option<u64>) -> Self {
        Self { token_budget: tokens.unwrap_or(u64::MAX), ..self }
    }

    /// Waits until a request may start.
    pub(super) async fn enter(&self) -> Pass<'_> {
        loop {
            let entry = poll_fn(|context| self.poll_enter(context)).await;
            match entry {
                RequestStart::Go { number, is_probe } => {
                    return Pass { limits: self, number, is_probe, is_settled: false };
                }
                RequestStart::Sleep(time) => self.clock.sleep(time).await,
                RequestStart::Wait => {}
            }
        }
    }

    fn poll_enter(&self, context: &mut Context<'_>) -> Poll<RequestStart> {
        let now = self.clock.now();
        let mut state = self.state();
        match state.try_enter(now) {
            RequestStart::Wait => {
                if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                    state.wakers.push(context.waker().clone());
                }
                Poll::Pending
            }
            entry => Poll::Ready(entry),
        }
    }

    pub(super) fn spent(&self) -> JobSpent {
        let now = self.clock.now();
        let state = self.state();
        let pause = state.pause_until.map(|until| until.saturating_duration_since(now));
        JobSpent {
            usage: state.spent.usage,
            per_model: state.spent.per_model.clone(),
            calls: state.calls,
            replies: state.replies,
            is_parked: state.is_parked,
            pause: pause.filter(|pause| !pause.is_zero()),
            last_failure: state.outage.as_ref().map(|outage| outage.error.clone()),
            batch_failure: state
                .batch_failure
                .as_ref()
                .map(|(error, until)| (error.clone(), until.saturating_duration_since(now))),
        }
    }

    /// Says that a request about batches failed, and that it is repeated after `wait`.
    pub(super) fn batches_failed(&self, error: &AgentError, wait: Duration) {
        self.change(|state, now| state.batch_failure = Some((error.to_string(), now + wait)));
    }

    /// Counts a reply that a batch brought.
    pub(super) fn replied_in_batch(&self, agent: usize, used: Vec<ModelUsage>) {
        self.change(|state, _| {
            state.calls += 1;
            state.count_reply(agent, 0, used);
        });
    }

    /// Returns whether a reply of the agent shows that it refused that request only.
    pub(super) fn has_replied_since(&self, refusal: RequestRefusal) -> bool {
        let replied = self.state().replied_by.get(&refusal.by).copied();
        replied.is_some_and(|number| refusal.after.is_none_or(|after| number > after))
    }

    /// How many requests were started so far.
    pub(super) fn started(&self) -> u64 {
        self.state().started
    }

    /// Returns whether a request with a higher number got a reply.
    pub(super) fn has_replied_after(&self, number: u64) -> bool {
        self.state().replied_at > number
    }

    /// Waits until a request with a higher number got a reply, or until nothing else is left to do.
    /// Returns at once if too many documents wait already.
    pub(super) async fn set_aside(&self, number: u64) {
        let waits = {
            let mut state = self.state();
            let waits = !state.is_quiet && state.aside < self.most_aside;
            state.aside += usize::from(waits);
            waits
        };
        if !waits {
            return;
        }
        let _aside = Aside(self);
        poll_fn(|context| {
            let mut state = self.state();
            if state.is_quiet || state.replied_at > number {
                return Poll::Ready(());
            }
            if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                state.wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    /// How many documents are set aside.
    pub(super) fn aside(&self) -> usize {
        self.state().aside
    }

    /// Says that only documents that were set aside are left.
    pub(super) fn set_quiet(&self) {
        self.change(|state, _| state.is_quiet = true);
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.state().is_quiet
    }

    /// Returns whether the provider counts as down.
    pub(super) fn is_parked(&self) -> bool {
        self.state().is_parked
    }

    /// Returns whether nothing shows that the provider works: it counts as down, or requests have failed since the last
    /// reply, and no earlier one is in flight that may still get one.
    pub(super) fn is_down(&self) -> bool {
        let state = self.state();
        let oldest = state.in_flight.first().copied().unwrap_or(u64::MAX);
        state.is_parked || state.outage.as_ref().is_some_and(|outage| oldest > outage.after)
    }

    /// How many tokens may still be used.
    pub(super) fn tokens_left(&self) -> u64 {
        self.token_budget.saturating_sub(self.state().spent.usage.total())
    }

    fn state(&self) -> MutexGuard<'_, LimitState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut LimitState, Instant)) {
        let now = self.clock.now();
        let wakers = {
            let mut state = self.state();
            change(&mut state, now);
            mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl LimitState {
    fn try_enter(&mut self, now: Instant) -> RequestStart {
        if let Some(left) = self.pause_until.map(|until| until.saturating_duration_since(now)) {
            if !left.is_zero() {
                return RequestStart::Sleep(left);
            }
            self.pause_until = None;
        }
        let is_full =
            f64::from(u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX)) >= self.allowed.floor();
        if self.is_probing || is_full {
            return RequestStart::Wait;
        }
        if let Some(wait) = self.buckets.as_mut().and_then(|buckets| buckets.take(0.0, now)) {
            return RequestStart::Sleep(wait);
        }
        self.calls += 1;
        self.started += 1;
        self.in_flight.insert(self.started);
        self.is_probing = self.is_parked;
        RequestStart::Go { number: self.started, is_probe: self.is_parked }
    }

    fn count_reply(&mut self, agent: usize, number: u64, used: Vec<ModelUsage>) {
        self.replies += 1;
        let highest = self.replied_by.entry(agent).or_default();
        *highest = number.max(*highest);
        self.spent.spend(used);
    }

    fn replied(&mut self, number: u64) {
        self.replied_at = self.replied_at.max(number);
        self.works();
        let more = if self.allowed < self.threshold { 1.0 } else { 1.0 / self.allowed };
        self.allowed = (self.allowed + more).min(self.most);
    }

    /// Ends an outage.
    fn works(&mut self) {
        (self.failures, self.slowdowns, self.outage) = (0, 0, None);
        if mem::take(&mut self.is_parked) {
            // Its capacity after an outage is unknown.
            (self.threshold, self.allowed) = ((self.most / 2.0).max(1.0), 1.0);
        }
    }

    /// Slows all requests down, once for those that were in flight together. Returns the pause.
    fn slow_down(&mut self, number: u64, asked: Option<Duration>) -> Duration {
        if number > self.slowed_at {
            self.slowed_at = self.started;
            self.slowdowns = self.slowdowns.saturating_add(1);
            self.threshold = (self.allowed / 2.0).max(1.0);
            self.allowed = self.threshold;
        }
        asked.unwrap_or_else(|| backoff(self.slowdowns))
    }

    /// Returns the pause after enough failures: for as long as the agent asked, or else longer after each of them.
    fn failed(&mut self, is_probe: bool, asked: Option<Duration>) -> Option<Duration> {
        // Those that were in flight together say no more than the first of them.
        if is_probe || !self.is_parked {
            self.failures = self.failures.saturating_add(1);
        }
        self.is_parked |= self.failures >= DOWN_AFTER;
        asked.or_else(|| self.is_parked.then(|| backoff(self.failures.saturating_sub(DOWN_AFTER) + 1)))
    }

    fn pause(&mut self, time: Duration, now: Instant) {
        let until = now.checked_add(time).unwrap_or(now + LONGEST_WAIT);
        self.pause_until = Some(self.pause_until.map_or(until, |other| other.max(until)));
    }
}

/// The wait after `failures` consecutive failures: it doubles, up to a minute.
pub(super) fn backoff(failures: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LONGEST_WAIT)
}

/// A document that is set aside.
struct Aside<'l>(&'l JobLimits);

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.aside = state.aside.saturating_sub(1);
    }
}

/// A request in flight. Dropping it lets others start, even if it was not settled.
pub(super) struct Pass<'l> {
    limits: &'l JobLimits,
    number: u64,
    is_probe: bool,
    is_settled: bool,
}

impl Pass<'_> {
    /// Records a reply of an agent that took the tokens `used`.
    pub(super) fn replied(mut self, agent: usize, used: Vec<ModelUsage>) {
        let number = self.number;
        self.settle(|state, _| {
            state.count_reply(agent, number, used);
            state.replied(number);
        });
    }

    /// Records a failure that may pass, and returns for how long requests have failed and none got a reply. The pause
    /// after it ends when that is the `bound`: a longer one would make the job wait for longer than it may.
    pub(super) fn failed(mut self, error: &AgentError, bound: Duration) -> Duration {
        let (number, is_probe, asked) = (self.number, self.is_probe, error.retry_after());
        let mut outage = Duration::ZERO;
        self.settle(|state, now| {
            // No pause outlasts the bound, so a much older failure says nothing of now.
            let is_recent =
                |known: &Outage| now.saturating_duration_since(known.last) <= bound.saturating_mul(2);
            let known = state.outage.take().filter(is_recent);
            let (since, after) = known.map_or((now, state.started), |known| (known.since, known.after));
            state.outage = Some(Outage { since, last: now, after, error: error.to_string() });
            outage = now.saturating_duration_since(since);
            let pause = match error.kind() {
                AgentErrorKind::RateLimited => Some(state.slow_down(number, asked)),
                _ => state.failed(is_probe, asked),
            };
            if let Some(pause) = pause {
                state.pause(pause.min(bound.saturating_sub(outage)), now);
            }
        });
        outage
    }

    /// Records a refusal of the request, which shows that the provider works.
    pub(super) fn refused(mut self) {
        self.settle(|state, _| state.works());
    }

    fn settle(&mut self, change: impl FnOnce(&mut LimitState, Instant)) {
        self.is_settled = true;
        let (number, is_probe) = (self.number, self.is_probe);
        self.limits.change(|state, now| {
            state.leave(number, is_probe);
            change(state, now);
        });
    }
}

impl LimitState {
    fn leave(&mut self, number: u64, is_probe: bool) {
        self.in_flight.remove(&number);
        self.is_probing &= !is_probe;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            let (number, is_probe) = (self.number, self.is_probe);
            self.limits.change(|state, _| state.leave(number, is_probe));
        }
    }
}
