//! The three tools of a type, for agents that call tools instead of answering in text.
//!
//! Agents of this library that [call tools](crate::agent::Capabilities::calls_tools) get these
//! tools from [`tools`](crate::Extraction::tools), and MCP clients get them from
//! `extract_mcp::serve::<MyType>()` of the package `extractable-mcp`. A [`Toolkit`] is for all other
//! agents.
//!
//! It offers `example`, `validate` and `submit`. Give the agent the [`tools`](Toolkit::tools), pass
//! every [`ToolCall`] to [`call`](Toolkit::call) and return the [`ToolResult`], until
//! [`state`](Toolkit::state) is no longer open. Then [`finish`](Toolkit::finish) returns the same
//! as an extraction.
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
//! assert_eq!(result.text, "Accepted in attempt 2 of 3. No further action is needed.");
//!
//! assert_eq!(toolkit.state(), ToolkitState::Accepted);
//! let (bill, metrics) = toolkit.finish()?;
//! assert_eq!((bill.total, metrics.attempts), (12, 2));
//! # Ok::<(), extract::ExtractionError>(())
//! # }).unwrap();
//! ```

mod attempt;

use std::{fmt, marker::PhantomData, sync::Arc};

use serde::Serialize;
use serde_json::Value;

pub use self::attempt::ReceivedCall;
pub use crate::agent::{Tool, ToolCall, ToolResult};
use crate::{
    agent::AgentError,
    attempt::AttemptRecord,
    contract::Contract,
    derive_support::DescribedType,
    document::Document,
    error::ExtractionResult,
    judging::{
        AttemptLog, EndReason, Event, Observer, OnSubmit, ValueChecks, tools::ToolSet, with_example_for,
    },
    metrics::{ConfidenceCalibration, ExtractionMetrics},
    reading::ReadingOptions,
    schema::NarrowingError,
    settings::{Calibrated, Confidence, ExtractionSettings, FeedbackOptions, SettingsError},
    vocabulary::{
        context::{ErasedContext, NoContext},
        path::IntoPathPattern,
        rejection::IntoRejections,
        time_limit::Instant,
        violation::Code,
    },
};

/// The tools `example`, `validate` and `submit` for a `T`, and the state of their calls.
///
/// `example` shows a value and the schema. `validate` lists everything wrong with a value, without
/// submitting it. `submit` submits a value. A failed `validate` or `submit` is an attempt, and both
/// share one budget ([`max_attempts`](Self::max_attempts)); `example` and a passing `validate` do
/// not count. An accepted `submit`, the last attempt or a [fatal](crate::Rejection::fatal)
/// rejection ends the toolkit. Every later call reports that it has ended.
///
/// `C` is the context of the rules of `T`, set with [`context`](Self::context).
pub struct Toolkit<'a, T, C = NoContext> {
    contract: Contract,
    tool_set: ToolSet,
    checks: ValueChecks<T>,
    context: ErasedContext<'a>,
    on_submit: Vec<OnSubmit<'a, T>>,
    observers: Vec<Observer<'a>>,
    settings: Arc<ExtractionSettings>,
    log: AttemptLog,
    /// When the last result was returned; `None` before the first call.
    last_answered: Option<Instant>,
    outcome: ToolkitOutcome<T>,
    rules: PhantomData<fn(C)>,
}

enum ToolkitOutcome<T> {
    Open,
    Accepted(T),
    Failed(EndReason),
}

/// The state of a [`Toolkit`]: whether it still accepts submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolkitState {
    /// It accepts submissions.
    Open {
        /// Attempts made so far.
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
    /// Creates the tools of a contract known only at run time. If the tools need distinct names,
    /// they get the title of its schema, if there is one.
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

impl<T: DescribedType + Send> Toolkit<'_, T> {
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
            context: ErasedContext::default(),
            on_submit: Vec::new(),
            observers: Vec::new(),
            settings: Arc::default(),
            log: AttemptLog::new(),
            last_answered: None,
            outcome: ToolkitOutcome::Open,
            rules: PhantomData,
        }
    }

    /// Sets the context of the rules: what they look up besides the value. A type with
    /// `#[extract(context = C)]` accepts no calls without it.
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Toolkit<'a, T, C> {
        let context = ErasedContext::new(context);
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
    /// Adds a suffix to the names of the tools, for agents with several toolkits: `submit_invoice`
    /// instead of `submit`. Whatever is not an ASCII letter or digit becomes `_`.
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

    /// Sets the document in which the [quotes](crate::document::Quote) of submitted values must
    /// occur. The tools do not show it: the agent already has it. Without a document, no value with
    /// a quote is accepted.
    #[must_use]
    pub fn document(mut self, document: &Document) -> Self {
        self.contract = self.contract.document(document);
        self
    }

    /// Sets the maximum number of attempts; 3 by default.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        Arc::make_mut(&mut self.settings).max_attempts = attempts;
        self
    }

    /// Sets which arguments are read, and which changes reading may make.
    #[must_use]
    pub fn reading_options(mut self, options: ReadingOptions) -> Self {
        Arc::make_mut(&mut self.settings).reading = options;
        self
    }

    /// Sets the contents of the result of a failed call. The agent already has its submission in
    /// its call, so [`show_submission`](FeedbackOptions::show_submission) changes nothing here.
    #[must_use]
    pub fn feedback_options(mut self, options: FeedbackOptions) -> Self {
        Arc::make_mut(&mut self.settings).feedback_options = options;
        self
    }

    /// Sets whether to give up as soon as an attempt makes no progress over the previous one; see
    /// [`Extraction::stop_on_stall`](crate::Extraction::stop_on_stall).
    #[must_use]
    pub fn stop_on_stall(mut self, stop: bool) -> Self {
        Arc::make_mut(&mut self.settings).stop_on_stall = stop;
        self
    }

    /// Sets the maximum number of tokens that calls [report](ReceivedCall::usage) for all attempts
    /// together; no limit by default.
    #[must_use]
    pub fn token_budget(mut self, tokens: u64) -> Self {
        Arc::make_mut(&mut self.settings).token_budget = Some(tokens);
        self
    }

    /// Sets your own codes that end the toolkit; see
    /// [`Extraction::fatal_codes`](crate::Extraction::fatal_codes).
    #[must_use]
    pub fn fatal_codes(mut self, codes: impl IntoIterator<Item: Into<Code>>) -> Self {
        Arc::make_mut(&mut self.settings).fatal_codes = codes.into_iter().map(Into::into).collect();
        self
    }

    /// Measures what is known of each leaf of the accepted value, into
    /// [`metrics.confidences`](ExtractionMetrics::confidences). A call has neither log probabilities
    /// nor samples, so there is [evidence](crate::metrics::LeafEvidence), such as whether the leaf is
    /// in the [`document`](Self::document), and no number before it is [calibrated](Self::calibrated).
    #[must_use]
    pub fn measure_evidence(mut self) -> Self {
        Arc::make_mut(&mut self.settings).confidence = Confidence::Auto;
        self
    }

    /// [Measures the evidence](Self::measure_evidence) and makes probabilities of it, by a calibration
    /// that was fitted to documents of this kind with known values, such as `Calibration` of
    /// `extractable-gold`. They are in the result of the accepted call, too.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Calibration`] if it is for another schema. Narrow the toolkit first.
    pub fn calibrated(
        self,
        calibration: impl ConfidenceCalibration + 'static,
    ) -> Result<Self, SettingsError> {
        let mut toolkit = self.measure_evidence();
        Arc::make_mut(&mut toolkit.settings).calibration = Some(Calibrated(Arc::new(calibration)));
        toolkit.settings.check_calibration(&toolkit.contract)?;
        Ok(toolkit)
    }

    /// Adds a callback that decides on values that satisfy the contract and all rules; see
    /// [`Extraction::on_submit`](crate::Extraction::on_submit). `validate` does not call it.
    #[must_use]
    pub fn on_submit<E: IntoRejections>(
        mut self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {
        self.on_submit.push(Box::new(move |value| callback(value).map_err(IntoRejections::into_rejections)));
        self
    }

    /// Adds an observer: it sees every attempt when it is [judged](Event::Judged), and the
    /// [end](Event::Done).
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Returns the descriptions of the tools for the agent.
    pub fn tools(&self) -> Vec<Tool> {
        self.tool_set.tools(&self.contract, self.settings.max_attempts)
    }

    /// Returns whether the toolkit still accepts submissions.
    pub fn state(&self) -> ToolkitState {
        let (attempts, max_attempts) = (self.log.metrics.attempts, self.settings.max_attempts);
        match &self.outcome {
            ToolkitOutcome::Open if attempts < max_attempts => ToolkitState::Open { attempts, max_attempts },
            ToolkitOutcome::Accepted(_) => ToolkitState::Accepted,
            ToolkitOutcome::Open | ToolkitOutcome::Failed(_) => ToolkitState::Failed,
        }
    }

    /// Returns every failed attempt so far, in order.
    pub fn history(&self) -> &[AttemptRecord] {
        &self.log.history
    }

    /// Returns the metrics of the attempts so far. If the agent reports no tokens, its output is
    /// estimated; its input is unknown here.
    pub fn metrics(&self) -> &ExtractionMetrics {
        &self.log.metrics
    }

    /// Returns the accepted value and its metrics.
    ///
    /// # Errors
    ///
    /// [`ExtractionError`](crate::ExtractionError) with every attempt: if the budget is used up, if
    /// a value was rejected for good, or, as
    /// [`ExtractionError::Agent`](crate::ExtractionError::Agent), if the agent stopped before.
    pub fn finish(mut self) -> ExtractionResult<T> {
        self.take_outcome(AgentError::transport("the agent stopped without an accepted submission"))
    }

    /// Like [`finish`](Self::finish), if it is known why the agent stopped. An end that was already
    /// reached takes precedence.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub fn finish_because(mut self, error: AgentError) -> ExtractionResult<T> {
        self.take_outcome(error)
    }

    /// Like [`finish_because`](Self::finish_because), and resets the toolkit to its full budget:
    /// for a server that takes one value after the other. Settings, callbacks and names stay.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    ///
    /// ```
    /// use extract::{agent::AgentError, toolkit::{ToolCall, Toolkit}};
    ///
    /// # extract::testing::block_on(async {
    /// let mut toolkit = Toolkit::<Vec<u8>>::new()?;
    /// for value in [3, 5] {
    ///     toolkit.call(ToolCall::new("submit", serde_json::json!({"value": [value]}))).await;
    ///     let (values, _) = toolkit.take_outcome(AgentError::transport("the client went away"))?;
    ///     assert_eq!(values, [value]);
    /// }
    /// # Ok::<(), extract::ExtractionError>(())
    /// # }).unwrap();
    /// ```
    pub fn take_outcome(&mut self, stopped: AgentError) -> ExtractionResult<T> {
        self.settings.check(&self.contract)?;
        let outcome = std::mem::replace(&mut self.outcome, ToolkitOutcome::Open);
        let mut log = std::mem::replace(&mut self.log, AttemptLog::new());
        if matches!(outcome, ToolkitOutcome::Open) && self.last_answered.is_some() {
            log.metrics.elapsed = log.started.elapsed();
        }
        self.last_answered = None;
        match outcome {
            ToolkitOutcome::Accepted(value) => Ok((value, log.metrics)),
            ToolkitOutcome::Failed(end) => Err(end.into_error(log, &self.settings)),
            ToolkitOutcome::Open => Err(EndReason::Agent(stopped).into_error(log, &self.settings)),
        }
    }

    /// Adds the name of the type to the names of the tools, unless they are [named](Self::named): for
    /// a server with several toolkits.
    ///
    /// ```
    /// # use extract::toolkit::Toolkit;
    /// let mut toolkit = Toolkit::<Vec<u8>>::new()?.named("numbers");
    /// toolkit.distinguish();
    /// assert_eq!(toolkit.tools()[2].name, "submit_numbers");
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn distinguish(&mut self) {
        self.tool_set.distinguish();
    }
}

impl<T, C> fmt::Debug for Toolkit<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolkit")
            .field("name", &self.tool_set.title)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl<T, C> Toolkit<'_, T, C> {
    /// Allows only `values` at `place`; see [`Contract::one_of`]. The tools then describe the
    /// narrowed contract, and accept no other value.
    ///
    /// ```
    /// use extract::{Extractable, Toolkit, at};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Ticket {
    ///     category: String,
    /// }
    ///
    /// let toolkit = Toolkit::<Ticket>::new()?.one_of(at!(Ticket, category), ["billing", "delivery"])?;
    /// let submit = &toolkit.tools()[2];
    /// let category = &submit.input_schema["properties"]["category"];
    /// assert_eq!(category["enum"], serde_json::json!(["billing", "delivery"]));
    /// # let _ = |ticket: Ticket| ticket.category;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the contract has no such path, a value does not fit there, or no value is left.
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, NarrowingError> {
        let place = place.into_place();
        self.narrowed(|contract| contract.one_of(place, values))
    }

    /// Replaces the description at `place`; see [`Contract::describe`].
    ///
    /// # Errors
    ///
    /// If the contract has no such path.
    pub fn describe(
        self,
        place: impl IntoPathPattern<T>,
        text: impl AsRef<str>,
    ) -> Result<Self, NarrowingError> {
        let place = place.into_place();
        self.narrowed(|contract| contract.describe(place, text))
    }

    fn narrowed(
        mut self,
        with: impl FnOnce(&Contract) -> Result<Contract, NarrowingError>,
    ) -> Result<Self, NarrowingError> {
        let contract = with(&self.contract)?;
        self.tool_set = self.tool_set.for_contract(&contract);
        self.contract = if self.context.is_some() {
            with_example_for(self.checks, contract, self.context)
        } else {
            contract
        };
        Ok(self)
    }
}
