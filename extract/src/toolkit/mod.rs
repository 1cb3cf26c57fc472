//! The three tools of a type, for agents that call tools instead of answering in text.
//!
//! An agent of this library that [calls tools](crate::agent::Capabilities::calls_tools) is given them by
//! [`tools`](crate::Extraction::tools), and MCP clients by `mcp::serve::<MyType>()`. This is for everybody else:
//!
//! A [`Toolkit`] offers `example`, `validate` and `submit`. Whoever talks to the agent gives it the [`tools`](Toolkit::tools),
//! hands every [`ToolCall`] to [`call`](Toolkit::call) and the [`ToolResult`] back, until [`state`](Toolkit::state) says that it
//! is over; [`finish`](Toolkit::finish) then returns what an extraction returns.
//!
//! ```
//! use extract::{Extractable, toolkit::{ToolCall, Toolkit, ToolkitState}};
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! /// A bill, as printed.
//! #[derive(Debug, Deserialize, Extractable)]
//! struct Bill {
//!     #[extract(range(min = 1))]
//!     total: u32,
//! }
//!
//! # extract::testing::block_on(async {
//! let mut toolkit = Toolkit::<Bill>::new()?;
//! let names: Vec<_> = toolkit.tools().into_iter().map(|tool| tool.name).collect();
//! assert_eq!(names, ["example", "validate", "submit"]);
//!
//! // What the agent calls, in your loop:
//! let result = toolkit.call(ToolCall::new("submit", json!({"total": 0}))).await;
//! assert!(result.is_error);
//! assert!(result.text.starts_with("Attempt 2 of 3. Your answer was not accepted: 1 violation."));
//! let result = toolkit.call(ToolCall::new("submit", json!({"total": 12}))).await;
//! assert_eq!(result.text, "Accepted in attempt 2 of 3. Nothing more is to be done.");
//!
//! assert_eq!(toolkit.state(), ToolkitState::Accepted);
//! let (bill, metrics) = toolkit.finish()?;
//! assert_eq!((bill.total, metrics.attempts), (12, 2));
//! # Ok::<(), extract::ExtractionError>(())
//! # }).unwrap();
//! ```

mod attempt;
mod messages;
mod received;
mod report;

use std::{fmt, marker::PhantomData, sync::Arc, time::Instant};

use serde_json::Value;

pub use self::received::ReceivedCall;
pub use crate::agent::{Tool, ToolCall, ToolResult};
use crate::{
    agent::AgentError,
    attempt::AttemptRecord,
    context::{Given, NoContext},
    contract::Contract,
    described::Described,
    error::ExtractionResult,
    judging::{
        AttemptLog, EndReason, Event, Observer, OnSubmit, ValueChecks, tools::ToolSet, with_example_for,
    },
    metrics::ExtractionMetrics,
    reading::ReadingOptions,
    rejection::IntoRejections,
    settings::{FeedbackOptions, Settings},
    violation::Code,
};

/// The tools `example`, `validate` and `submit` for a `T`, and what became of the calls to them.
///
/// `example` shows a value and the schema, `validate` lists everything that is wrong with a value without handing it in, `submit`
/// hands it in. A `validate` or `submit` that fails is an attempt of one budget ([`max_attempts`](Self::max_attempts)); asking for
/// an example is none, nor is a `validate` that finds nothing. An accepted `submit` ends it, and so do the last attempt and a
/// [fatal](crate::Rejection::fatal) rejection; every later call is told so.
///
/// `C` is the context of the rules of `T`, given with [`context`](Self::context).
pub struct Toolkit<'a, T, C = NoContext> {
    contract: Contract,
    tool_set: ToolSet,
    checks: ValueChecks<T>,
    context: Given<'a>,
    on_submit: Vec<OnSubmit<'a, T>>,
    observers: Vec<Observer<'a>>,
    settings: Arc<Settings>,
    log: AttemptLog,
    /// When the agent was last told something; `None` before its first call.
    last_answered: Option<Instant>,
    outcome: Outcome<T>,
    rules: PhantomData<fn(C)>,
}

enum Outcome<T> {
    Open,
    Accepted(T),
    Failed(EndReason),
}

/// Whether a [`Toolkit`] still takes submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolkitState {
    /// It does.
    Open {
        /// Attempts made until now.
        attempts: u32,
        /// Attempts allowed.
        max_attempts: u32,
    },
    /// A value was accepted.
    Accepted,
    /// The budget is used up, or the value was rejected for good.
    Failed,
}

impl Toolkit<'_, Value> {
    /// The tools of a contract that is known at run time only. Its title, if its schema has one, names them where names are
    /// needed.
    ///
    /// ```
    /// use extract::{Contract, toolkit::{ToolCall, Toolkit}};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let mut toolkit = Toolkit::untyped(contract);
    /// let call = ToolCall::new("submit", serde_json::json!({"value": 3}));
    /// extract::testing::block_on(toolkit.call(call));
    /// assert_eq!(toolkit.finish()?.0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn untyped(contract: Contract) -> Self {
        Self::build(ToolSet::of(&contract), contract, ValueChecks::UNTYPED)
    }
}

impl<T: Described + Send> Toolkit<'_, T> {
    /// The tools of a type.
    pub(crate) fn typed(contract: Contract) -> Self {
        Self::build(ToolSet::new(&contract, &T::__extract_schema_name()), contract, ValueChecks::TYPED)
    }
}

impl<'a, T> Toolkit<'a, T> {
    fn build(tool_set: ToolSet, contract: Contract, checks: ValueChecks<T>) -> Self {
        Self {
            contract,
            tool_set,
            checks,
            context: Given::default(),
            on_submit: Vec::new(),
            observers: Vec::new(),
            settings: Arc::default(),
            log: AttemptLog::new(),
            last_answered: None,
            outcome: Outcome::Open,
            rules: PhantomData,
        }
    }

    /// The context of the rules: what they look up beside the value. A type with `#[extract(context = C)]` takes no calls
    /// without.
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Toolkit<'a, T, C> {
        let context = Given::new(context);
        Toolkit {
            contract: with_example_for(self.checks, self.contract, context),
            tool_set: self.tool_set,
            checks: self.checks,
            context,
            on_submit: self.on_submit,
            observers: self.observers,
            settings: self.settings,
            log: self.log,
            last_answered: self.last_answered,
            outcome: self.outcome,
            rules: PhantomData,
        }
    }
}

impl<'a, T, C> Toolkit<'a, T, C> {
    /// Puts a name into those of the tools, for agents that have several toolkits: `submit_invoice` instead of `submit`.
    /// Whatever is not an ASCII letter or digit becomes `_`.
    ///
    /// ```
    /// # use extract::toolkit::Toolkit;
    /// let toolkit = Toolkit::<Vec<u8>>::new()?.named("Lottery numbers");
    /// assert_eq!(toolkit.tools()[2].name, "submit_lottery_numbers");
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.tool_set = self.tool_set.named(name);
        self
    }

    /// How many attempts there are; 3 by default.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        Arc::make_mut(&mut self.settings).max_attempts = attempts;
        self
    }

    /// Which arguments are read, and which changes are accepted in reading them.
    #[must_use]
    pub fn reading_options(mut self, options: ReadingOptions) -> Self {
        Arc::make_mut(&mut self.settings).reading = options;
        self
    }

    /// What the result of a failed call holds.
    #[must_use]
    pub fn feedback_options(mut self, options: FeedbackOptions) -> Self {
        Arc::make_mut(&mut self.settings).feedback_options = options;
        self
    }

    /// Whether to give up as soon as an attempt has made no progress over the one before, as
    /// [`Extraction::stop_on_stall`](crate::Extraction::stop_on_stall).
    #[must_use]
    pub fn stop_on_stall(mut self, stop: bool) -> Self {
        Arc::make_mut(&mut self.settings).stop_on_stall = stop;
        self
    }

    /// How many tokens all attempts may take together, as far as the calls [report](ToolCall::usage) them; no limit by default.
    #[must_use]
    pub fn token_budget(mut self, tokens: u64) -> Self {
        Arc::make_mut(&mut self.settings).token_budget = Some(tokens);
        self
    }

    /// Codes of your own that end it, as [`Extraction::fatal_codes`](crate::Extraction::fatal_codes).
    #[must_use]
    pub fn fatal_codes(mut self, codes: impl IntoIterator<Item: Into<Code>>) -> Self {
        Arc::make_mut(&mut self.settings).fatal_codes = codes.into_iter().map(Into::into).collect();
        self
    }

    /// Has the last word on a value that satisfies the contract and all rules, as
    /// [`Extraction::on_submit`](crate::Extraction::on_submit). `validate` does not ask it.
    #[must_use]
    pub fn on_submit<E: IntoRejections>(
        mut self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {
        self.on_submit.push(Box::new(move |value| callback(value).map_err(IntoRejections::into_rejections)));
        self
    }

    /// Watches the calls: every attempt as it is [judged](Event::Judged), and the [end](Event::Done).
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// What the agent has to be told about the tools.
    pub fn tools(&self) -> Vec<Tool> {
        self.tool_set.tools(&self.contract, self.settings.max_attempts)
    }

    /// Whether further calls can win anything.
    pub fn state(&self) -> ToolkitState {
        let (attempts, max_attempts) = (self.log.metrics.attempts, self.settings.max_attempts);
        match &self.outcome {
            Outcome::Open if attempts < max_attempts => ToolkitState::Open { attempts, max_attempts },
            Outcome::Accepted(_) => ToolkitState::Accepted,
            Outcome::Open | Outcome::Failed(_) => ToolkitState::Failed,
        }
    }

    /// Every failed attempt until now, in order.
    pub fn history(&self) -> &[AttemptRecord] {
        &self.log.history
    }

    /// What the attempts took until now. Of an agent that reports no tokens, those that it wrote are estimated; those that it
    /// read are not known here.
    pub fn metrics(&self) -> &ExtractionMetrics {
        &self.log.metrics
    }

    /// The accepted value and what it took.
    ///
    /// # Errors
    ///
    /// [`ExtractionError`](crate::ExtractionError) with every attempt: when the budget is used up, when a value was rejected for good, and, as
    /// [`ExtractionError::Agent`](crate::ExtractionError::Agent), when the agent stopped before.
    pub fn finish(mut self) -> ExtractionResult<T> {
        self.take(|| AgentError::transport("the agent stopped without an accepted submission"))
    }

    /// As [`finish`](Self::finish), for an agent of which it is known why it stopped. An end that was reached before counts.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub fn finish_because(mut self, error: AgentError) -> ExtractionResult<T> {
        self.take(|| error)
    }

    /// How it ended; the toolkit begins anew, with the whole budget.
    pub(crate) fn take(&mut self, stopped: impl FnOnce() -> AgentError) -> ExtractionResult<T> {
        self.settings.check()?;
        let outcome = std::mem::replace(&mut self.outcome, Outcome::Open);
        let mut log = std::mem::replace(&mut self.log, AttemptLog::new());
        if matches!(outcome, Outcome::Open) && self.last_answered.is_some() {
            log.metrics.elapsed = log.started.elapsed();
        }
        self.last_answered = None;
        match outcome {
            Outcome::Accepted(value) => Ok((value, log.metrics)),
            Outcome::Failed(end) => Err(end.into_error(log, &self.settings)),
            Outcome::Open => Err(EndReason::Agent(stopped()).into_error(log, &self.settings)),
        }
    }

    /// Gives the tools names that tell them from those of other types, unless they were given one.
    #[cfg(feature = "mcp")]
    pub(crate) fn distinguish(&mut self) {
        self.tool_set.distinguish();
    }
}

impl<T, C> fmt::Debug for Toolkit<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolkit")
            .field("name", &self.tool_set.title())
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}
