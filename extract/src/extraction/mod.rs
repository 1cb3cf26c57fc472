//! Asking until the answer is right: the builder around the loop.

mod attempt;
mod extractor;
mod questions;
mod run;
mod settings;
mod trace;
mod transport;
mod wanted;

use std::{
    marker::PhantomData,
    pin::Pin,
    sync::{Arc, LazyLock},
    task::{Context, Poll},
    time::Duration,
};

use serde_json::Value;

pub use self::extractor::Extractor;
use self::{run::Run, settings::settings_methods};
use crate::{
    agent::{Abilities, Agent, Heard, Prompt, Reply, Request, Responding},
    context::{Given, NoContext},
    contract::Contract,
    described::{Described, Within},
    error::ExtractionResult,
    feedback::FeedbackStrategy,
    judging::{Accept, Event, Observer, OnSubmit, Submissions, with_example_for},
    prompt::PromptOptions,
    reading::ReadingOptions,
    rejection::IntoRejections,
    schema::SchemaError,
    settings::{FeedbackOptions, Settings, Strategy, TransportOptions},
    violation::Code,
};

/// A question to an agent that is asked when it is awaited.
///
/// Made by [`Extractable::extract`](crate::Extractable::extract), [`Contract::extract`] and [`Extractor::extract`]. Does not
/// depend on an async runtime. Dropping the future ends the extraction at once. The settings are read when it is
/// polled for the first time.
///
/// `C` is the context of the rules of `T`, given with [`context`](Self::context).
///
/// # Errors
///
/// [`ExtractionError`](crate::ExtractionError), with every attempt made until then.
///
/// # Panics
///
/// A panic in the agent itself comes through to the caller. A panic in a rule, a check or `on_submit` does
/// not: it becomes [`ExtractionError::Panicked`](crate::ExtractionError::Panicked) (where panics unwind).
#[must_use = "an extraction asks nothing until it is awaited"]
pub struct Extraction<'a, T, C = NoContext> {
    settings: Arc<Settings>,
    /// Until it is asked.
    question: Option<Box<Question<'a, T>>>,
    /// From then on.
    running: Option<Running<'a, T>>,
    rules: PhantomData<fn(C)>,
}

type Running<'a, T> = Pin<Box<dyn Future<Output = ExtractionResult<T>> + Send + 'a>>;

/// What is asked, and who judges the answer.
struct Question<'a, T> {
    /// The agent that is asked first, and those that follow when it wins nothing.
    agents: Vec<Box<dyn Agent + 'a>>,
    contract: Result<Contract, SchemaError>,
    accept: Accept<T>,
    context: Given<'a>,
    prompt: Prompt,
    on_submit: Vec<OnSubmit<'a, T>>,
    observers: Vec<Observer<'a>>,
}

/// An agent that is borrowed; unsized ones too, which is why it is not a plain reference.
struct Borrowed<'a, A: ?Sized>(&'a A);

impl<A: Agent + ?Sized> Agent for Borrowed<'_, A> {
    fn respond<'r>(&'r self, request: &'r Request) -> Responding<'r> {
        self.0.respond(request)
    }

    fn stream<'r>(&'r self, request: &'r Request, heard: Heard<'r>) -> Responding<'r> {
        self.0.stream(request, heard)
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        self.0.name()
    }

    fn abilities(&self) -> Abilities {
        self.0.abilities()
    }
}

impl<'a, T: Described + Send> Extraction<'a, T> {
    pub(crate) fn typed<A: Agent + ?Sized>(
        contract: Result<Contract, SchemaError>,
        agent: &'a A,
        prompt: Prompt,
    ) -> Self {
        Self::new(contract, Accept::TYPED, agent, prompt)
    }
}

impl Contract {
    /// Asks `agent` for a value that satisfies the contract; the untyped form of
    /// [`Extractable::extract`](crate::Extractable::extract).
    pub fn extract<'a, A: Agent + ?Sized>(
        &self,
        agent: &'a A,
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, Value> {
        Extraction::untyped(self.clone(), agent, prompt.into())
    }
}

impl<'a> Extraction<'a, Value> {
    pub(crate) fn untyped<A: Agent + ?Sized>(contract: Contract, agent: &'a A, prompt: Prompt) -> Self {
        Self::new(Ok(contract), Accept::UNTYPED, agent, prompt)
    }
}

impl<'a, T> Extraction<'a, T> {
    /// The context of the rules: what they look up beside the value. A type with
    /// `#[extract(context = C)]` cannot be asked for without; without it the program does not compile.
    ///
    /// ```
    /// # use extract::{Extractable, testing::{ScriptedAgent, block_on}};
    /// # use serde::Deserialize;
    /// #[derive(Deserialize, Extractable)]
    /// #[extract(context = Prices, rule = is_affordable)]
    /// struct Order {
    ///     part: String,
    /// }
    ///
    /// struct Prices { budget: u32 }
    /// # impl Prices { fn of(&self, part: &str) -> u32 { if part == "gold" { 100 } else { 1 } } }
    ///
    /// fn is_affordable(order: &Order, prices: &Prices) -> Result<(), String> {
    ///     let price = prices.of(&order.part);
    ///     if price <= prices.budget { Ok(()) } else { Err(format!("costs {price}, over the budget")) }
    /// }
    ///
    /// let prices = Prices { budget: 10 };
    /// let agent = ScriptedAgent::new([r#"{"part": "gold"}"#, r#"{"part": "tin"}"#]);
    /// let (order, metrics) = block_on(Order::extract(&agent, "Order some metal.").context(&prices))?;
    /// assert_eq!((order.part.as_str(), metrics.attempts), ("tin", 2));
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Extraction<'a, T, C> {
        let Self { settings, mut question, running, .. } = self;
        if let Some(question) = &mut question {
            question.context = Given::new(context);
        }
        Extraction { settings, question, running, rules: PhantomData }
    }

    fn new<A: Agent + ?Sized>(
        contract: Result<Contract, SchemaError>,
        accept: Accept<T>,
        agent: &'a A,
        prompt: Prompt,
    ) -> Self {
        let question = Question {
            agents: vec![Box::new(Borrowed(agent))],
            contract,
            accept,
            context: Given::default(),
            prompt,
            on_submit: Vec::new(),
            observers: Vec::new(),
        };
        Self {
            settings: Arc::default(),
            question: Some(Box::new(question)),
            running: None,
            rules: PhantomData,
        }
    }
}

impl<'a, T, C> Extraction<'a, T, C> {
    /// Takes all settings from `extractor`.
    pub fn with(mut self, extractor: &Extractor) -> Self {
        self.settings = Arc::clone(extractor.settings());
        self
    }

    settings_methods!();

    /// The agent that takes over when an attempt has made no progress over the one before, such as a stronger model. It is
    /// told the prompt, the last submission and what is wrong with it. Several are taken in the order in which they
    /// were given. An agent that gives no reply at all is a matter of [layers](crate::agent::layers#a-layer-or-a-setting-of-the-extraction).
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
        if let Some(question) = &mut self.question {
            question.agents.push(Box::new(Borrowed(agent)));
        }
        self
    }

    /// Has the last word on a value that satisfies the contract and all rules. A rejection is one more violation: it costs
    /// an attempt and is fed back to the agent, unless it is [fatal](crate::Rejection::fatal).
    ///
    /// Several callbacks run in the order in which they were given, all of them on every value.
    pub fn on_submit<E: IntoRejections>(
        mut self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {
        if let Some(question) = &mut self.question {
            let callback = move |value: &T| callback(value).map_err(IntoRejections::into_rejections);
            question.on_submit.push(Box::new(callback));
        }
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
        if let Some(question) = &mut self.question {
            question.observers.push(Box::new(observer));
        }
        self
    }
}

impl<'a, T: Send + 'a> Question<'a, T> {
    async fn run(mut self, settings: Arc<Settings>) -> ExtractionResult<T> {
        let mut contract = self.contract?;
        if self.context.is_some() {
            contract = with_example_for(self.accept, contract, self.context);
        }
        let mut submissions = Submissions::new(self.accept, &contract, self.context, &mut self.on_submit);
        let observe = &mut |event: &Event<'_>| {
            for observer in &mut self.observers {
                observer(event);
            }
        };
        let run = Run { contract: &contract, settings: &settings, submit: &mut submissions, observe };
        let metrics = run.run(&self.agents, &self.prompt).await?;
        Ok((kept(submissions), metrics))
    }
}

/// Judges a reply that is there already, by everything but callbacks and what has to be awaited.
pub(crate) fn judge_reply<T: Described + Send>(
    contract: &Contract,
    reply: Reply,
    context: Given<'_>,
) -> ExtractionResult<T> {
    // Made once: of a short reply, a tenth of the time would go into it.
    static ONE_ATTEMPT: LazyLock<Settings> =
        LazyLock::new(|| Settings { max_attempts: 1, ..Settings::default() });
    let mut submissions = Submissions::new(Accept::TYPED, contract, context, &mut []);
    let run = Run { contract, settings: &ONE_ATTEMPT, submit: &mut submissions, observe: &mut |_| {} };
    let metrics = run.judge_only(reply)?;
    Ok((kept(submissions), metrics))
}

fn kept<T>(submissions: Submissions<'_, '_, T>) -> T {
    submissions.into_accepted().expect("the loop ends well only after a value was accepted")
}

// Not `IntoFuture`: where a context is missing, the compiler would then say that this is no future, and not why.
impl<'a, T: Within<C> + Send + 'a, C> Future for Extraction<'a, T, C> {
    type Output = ExtractionResult<T>;

    fn poll(self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(question) = this.question.take() {
            this.running = Some(Box::pin(question.run(Arc::clone(&this.settings))));
        }
        let running = this.running.as_mut().expect("a question that was taken is running");
        running.as_mut().poll(waker)
    }
}
