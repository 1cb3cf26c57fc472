//! Asking until the answer is right: the builder around the loop.

mod ending;
mod event;
mod extractor;
mod judging;
mod patch;
mod progress;
mod questions;
mod run;
mod settings;
mod submission;
mod time_limit;
mod transport;

use std::{pin::Pin, sync::Arc, time::Duration};

use serde_json::Value;

pub use self::{event::Event, extractor::Extractor};
use self::{
    run::Run,
    settings::{Settings, Strategy, settings_methods},
};
use crate::{
    Contract, Extractable, ExtractionError, ExtractionMetrics, FeedbackStrategy, IntoRejections, Leniency,
    Rejections, SchemaError, SchemaNotation, SchemaPlace,
    agent::{Agent, Reply, Request, Responding},
};

/// What an extraction returns: the value and what it took, or the story of why there is none.
pub type ExtractionResult<T> = Result<(T, ExtractionMetrics), ExtractionError>;

/// A question to an agent that is asked when it is awaited.
///
/// Made by [`Extractable::extract`], [`Contract::extract`] and [`Extractor::extract`]. Does not
/// depend on an async runtime. Dropping the future ends the extraction at once.
///
/// # Errors
///
/// [`ExtractionError`], with every attempt made until then.
///
/// # Panics
///
/// A panic in the agent itself comes through to the caller. A panic in a rule, a check or `on_submit` does
/// not: it becomes [`ExtractionError::Panicked`] (where panics unwind).
#[must_use = "an extraction asks nothing until it is awaited"]
pub struct Extraction<'a, T> {
    /// The agent that is asked first, and those that follow when it wins nothing.
    agents: Vec<Box<dyn Agent + 'a>>,
    contract: Result<Contract, SchemaError>,
    accept: submission::Accept<T>,
    prompt: String,
    settings: Arc<Settings>,
    on_submit: Vec<OnSubmit<'a, T>>,
    observers: Vec<Observer<'a>>,
}

type OnSubmit<'a, T> = Box<dyn FnMut(&T) -> Result<(), Rejections> + Send + 'a>;
type Observer<'a> = Box<dyn FnMut(&Event<'_>) + Send + 'a>;

/// An agent that is borrowed; unsized ones too, which is why it is not a plain reference.
struct Borrowed<'a, A: ?Sized>(&'a A);

impl<A: Agent + ?Sized> Agent for Borrowed<'_, A> {
    fn respond<'r>(&'r self, request: &'r Request) -> Responding<'r> {
        self.0.respond(request)
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        self.0.name()
    }
}

impl<'a, T: Extractable> Extraction<'a, T> {
    pub(crate) fn typed<A: Agent + ?Sized>(agent: &'a A, prompt: String) -> Self {
        Self::new(Contract::of::<T>(), submission::accept_typed, agent, prompt)
    }
}

impl<'a> Extraction<'a, Value> {
    pub(crate) fn untyped<A: Agent + ?Sized>(contract: Contract, agent: &'a A, prompt: String) -> Self {
        Self::new(Ok(contract), submission::accept_untyped, agent, prompt)
    }
}

impl<'a, T> Extraction<'a, T> {
    fn new<A: Agent + ?Sized>(
        contract: Result<Contract, SchemaError>,
        accept: submission::Accept<T>,
        agent: &'a A,
        prompt: String,
    ) -> Self {
        Self {
            agents: vec![Box::new(Borrowed(agent))],
            contract,
            accept,
            prompt,
            settings: Arc::default(),
            on_submit: Vec::new(),
            observers: Vec::new(),
        }
    }

    /// Takes all settings from `extractor`.
    pub fn with(mut self, extractor: &Extractor) -> Self {
        self.settings = Arc::clone(extractor.settings());
        self
    }

    settings_methods!();

    /// The agent that takes over when an attempt has won nothing over the one before, such as a stronger model. It is
    /// told the prompt, the last submission and what is wrong with it. Several are taken in the order in which they
    /// were given.
    ///
    /// ```
    /// # use extract::{Contract, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let (small, large) = (ScriptedAgent::new(["three", "three"]), ScriptedAgent::new(["3"]));
    /// let (value, _) = block_on(contract.extract(&small, "How many?").escalate_to(&large))?;
    /// assert_eq!(value, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn escalate_to<A: Agent + ?Sized>(mut self, agent: &'a A) -> Self {
        self.agents.push(Box::new(Borrowed(agent)));
        self
    }

    /// Has the last word on a value that satisfies the contract. A rejection is one more violation: it costs
    /// an attempt and is fed back to the agent, unless it is [fatal](crate::Rejection::fatal).
    ///
    /// Several callbacks run in the order in which they were given, all of them on every value.
    pub fn on_submit<E: IntoRejections>(
        mut self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {
        self.on_submit.push(Box::new(move |value| callback(value).map_err(IntoRejections::into_rejections)));
        self
    }

    /// Watches the extraction: what is asked, replied and judged, as it happens.
    ///
    /// ```
    /// # use extract::{Contract, Event, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["three", "3"]);
    /// let extraction = contract.extract(&agent, "How many?").observe(|event| {
    ///     if let Event::Judged { record, .. } = event {
    ///         println!("attempt {}: {} violations", record.number, record.violations.len());
    ///     }
    /// });
    /// let (value, metrics) = block_on(extraction)?;
    /// assert_eq!((value, metrics.attempts), (3.into(), 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe(mut self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {
        self.observers.push(Box::new(observer));
        self
    }
}

impl<'a, T: Send + 'a> Extraction<'a, T> {
    async fn run(mut self) -> ExtractionResult<T> {
        let contract = self.contract?;
        let mut accepted = None;
        let mut submit = submission::submit(self.accept, &contract, &mut self.on_submit, &mut accepted);
        let observe = &mut |event: &Event<'_>| {
            for observer in &mut self.observers {
                observer(event);
            }
        };
        let run = Run { contract: &contract, settings: &self.settings, submit: &mut submit, observe };
        let metrics = run.run(&self.agents, &self.prompt).await?;
        drop(submit);
        Ok((kept(accepted), metrics))
    }
}

/// Judges a reply that is there already, by everything but callbacks.
pub(crate) fn judge_reply<T: Extractable + Send>(reply: Reply) -> ExtractionResult<T> {
    let contract = Contract::of::<T>()?;
    let settings = Settings { max_attempts: 1, ..Settings::default() };
    let mut accepted = None;
    let mut submit = submission::submit(submission::accept_typed, &contract, &mut [], &mut accepted);
    let run = Run { contract: &contract, settings: &settings, submit: &mut submit, observe: &mut |_| {} };
    let metrics = run.judge_only(reply)?;
    drop(submit);
    Ok((kept(accepted), metrics))
}

fn kept<T>(accepted: Option<T>) -> T {
    accepted.expect("the loop ends well only after a value was accepted")
}

impl<'a, T: Send + 'a> IntoFuture for Extraction<'a, T> {
    type Output = ExtractionResult<T>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
