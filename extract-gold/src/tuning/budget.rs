//! What a tuning may take, and an agent that counts it.

use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
};

use extract::{
    ExtractionMetrics,
    agent::{
        Agent, AgentError, Capabilities, ConstraintFuture, DeltaSink, ReplyFuture, Request, respond_or_stream,
    },
    metrics::Prices,
};

/// Limits of a tuning. Without any, it tries everything it knows.
///
/// ```
/// use extract::metrics::{Price, Prices};
/// use extract_gold::TuningBudget;
///
/// let prices = Prices::new().model("gpt-6-luna", Price::per_million(0.25, 2.0))?;
/// let budget = TuningBudget::unlimited().requests(1_000).tokens(2_000_000).cost(1.50, prices);
/// # let _ = budget;
/// # Ok::<(), extract::metrics::PriceError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct TuningBudget {
    requests: Option<u64>,
    tokens: Option<u64>,
    cost: Option<f64>,
    pub(super) prices: Option<Prices>,
}

impl TuningBudget {
    /// Creates a budget without limits.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Limits the requests, those of retries among them.
    pub fn requests(self, requests: u64) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// Limits the tokens in and out. Requests that are under way when the limit is reached are
    /// answered, so it is exceeded by their tokens at most.
    pub fn tokens(self, tokens: u64) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// Limits the cost, in the currency of the prices, like the tokens. A model without a price
    /// ends the tuning, because its cost is not known.
    pub fn cost(self, amount: f64, prices: Prices) -> Self {
        Self { cost: Some(amount), prices: Some(prices), ..self }
    }

    /// The limit on requests.
    pub(super) fn most_requests(&self) -> Option<u64> {
        self.requests
    }
}

/// An amount of each kind that a budget limits.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct SpentBudget {
    pub(super) requests: f64,
    pub(super) tokens: f64,
    pub(super) cost: f64,
}

impl SpentBudget {
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            requests: self.requests - before.requests,
            tokens: self.tokens - before.tokens,
            cost: self.cost - before.cost,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            tokens: self.tokens + other.tokens,
            cost: self.cost + other.cost,
        }
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self { requests: self.requests * factor, tokens: self.tokens * factor, cost: self.cost * factor }
    }
}

/// Counts what was spent, and keeps a part back for the report.
#[derive(Debug)]
pub(super) struct Meter {
    budget: TuningBudget,
    state: Mutex<MeterState>,
}

#[derive(Debug, Default)]
struct MeterState {
    requests: u64,
    metrics: ExtractionMetrics,
    reserved: SpentBudget,
    has_refused: bool,
}

impl Meter {
    pub(super) fn new(budget: TuningBudget) -> Self {
        Self { budget, state: Mutex::default() }
    }

    /// Keeps this much back from now on.
    pub(super) fn reserve(&self, reserved: SpentBudget) {
        self.state().reserved = reserved;
    }

    /// Returns what was spent.
    pub(super) fn spent(&self) -> SpentBudget {
        self.spent_of(&self.state())
    }

    /// Returns the metrics of everything that was spent, and the number of requests.
    pub(super) fn metrics(&self) -> (ExtractionMetrics, u64) {
        let state = self.state();
        (state.metrics.clone(), state.requests)
    }

    /// Returns whether a request was refused since the last call.
    pub(super) fn take_refused(&self) -> bool {
        std::mem::take(&mut self.state().has_refused)
    }

    /// Returns whether there is room for this much more.
    pub(super) fn has_room_for(&self, more: SpentBudget) -> bool {
        let state = self.state();
        self.is_within(self.spent_of(&state).plus(state.reserved).plus(more))
    }

    /// Returns the name of a model whose cost is limited, but not known.
    pub(super) fn unpriced(&self) -> Option<String> {
        let prices = self.budget.prices.as_ref()?;
        self.state().metrics.cost(prices).unpriced.into_iter().next()
    }

    fn is_within(&self, spent: SpentBudget) -> bool {
        let TuningBudget { requests, tokens, cost, .. } = &self.budget;
        let number = |limit: &Option<u64>| limit.map_or(f64::INFINITY, as_number);
        spent.requests <= number(requests)
            && spent.tokens <= number(tokens)
            && cost.is_none_or(|cost| spent.cost <= cost)
    }

    fn spent_of(&self, state: &MeterState) -> SpentBudget {
        SpentBudget {
            requests: as_number(state.requests),
            tokens: as_number(state.metrics.usage.total()),
            cost: self.budget.prices.as_ref().map_or(0.0, |prices| state.metrics.cost(prices).amount),
        }
    }

    /// Counts a request, or refuses it.
    fn begin(&self) -> Result<(), AgentError> {
        let mut state = self.state();
        let one = SpentBudget { requests: 1.0, ..SpentBudget::default() };
        let is_used_up = {
            let known = self.spent_of(&state).plus(state.reserved);
            // The tokens of a request are known when it is answered: the last one may exceed the limit.
            let tokens = self.budget.tokens.is_some_and(|limit| known.tokens >= as_number(limit));
            let cost = self.budget.cost.is_some_and(|limit| known.cost >= limit);
            tokens || cost || !self.is_within(known.plus(one))
        };
        if is_used_up {
            state.has_refused = true;
            return Err(AgentError::unavailable("the budget of the tuning is used up"));
        }
        state.requests += 1;
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, MeterState> {
        // Numbers that are only added to are right after a panic too.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exact up to 2⁵³.
#[expect(clippy::cast_precision_loss)]
fn as_number(count: u64) -> f64 {
    count as f64
}

/// An agent whose requests are counted, and refused after the end of the budget.
pub(super) struct MeteredAgent<'a> {
    pub(super) agent: &'a dyn Agent,
    pub(super) meter: &'a Meter,
}

impl MeteredAgent<'_> {
    fn ask<'s>(&'s self, request: &'s Request, sink: Option<DeltaSink<'s>>) -> ReplyFuture<'s> {
        Box::pin(async move {
            self.meter.begin()?;
            let reply = respond_or_stream(self.agent, request, sink).await?;
            let used = reply.tokens_by_model(&self.agent.name(), || request.chars());
            self.meter.state().metrics.spend(used);
            Ok(reply)
        })
    }
}

impl Agent for MeteredAgent<'_> {
    fn respond<'s>(&'s self, request: &'s Request) -> ReplyFuture<'s> {
        self.ask(request, None)
    }

    fn stream<'s>(&'s self, request: &'s Request, sink: DeltaSink<'s>) -> ReplyFuture<'s> {
        self.ask(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        self.agent.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.agent.capabilities()
    }

    fn constraint<'s>(&'s self, request: &'s Request) -> ConstraintFuture<'s> {
        self.agent.constraint(request)
    }
}
