//! The loop that asks until the answer is right, and its builder.

mod attempt;
mod chunks;
mod confidence;
mod escalation;
mod extractor;
pub mod items;
mod list_continuation;
mod narrow;
pub mod partials;
mod pool;
mod question;
mod run;
mod settings;
mod shots;
mod trace;

use std::{
    borrow::Cow,
    marker::PhantomData,
    mem,
    pin::Pin,
    sync::{Arc, LazyLock, atomic::AtomicBool},
    task::{Context, Poll},
    time::Duration,
};

use serde::Serialize;
use serde_json::Value;

use self::{
    chunks::settings::ChunkingSettings,
    confidence::{LargerAgent, SampledExtraction},
    run::ExtractionRun,
    settings::settings_methods,
    shots::{GivenShot, ShotChooser},
};
pub use self::{
    chunks::settings::Passes,
    extractor::{Extractor, QuestionFingerprint},
    shots::ShotSource,
};
use crate::{
    agent::{
        Agent, Capabilities, ConstraintFuture, DeltaSink, Parts, Prompt, Reply, ReplyFuture, Request,
        ThinkingLevel, Turn, forward_agent,
    },
    contract::Contract,
    derive_support::{DescribedType, WithContext},
    document::Document,
    error::{ExtractionError, ExtractionResult, SettingsError},
    feedback::FeedbackStrategy,
    judging::{
        AcceptedJson, AcceptedParts, AttemptLog, ConfidenceMeter, Event, Observer, OnSubmit, ValueChecks,
        ValueJudge, notify, with_example_for,
    },
    metrics::ConfidenceCalibration,
    prompt::{Instructions, PromptOptions, WriteInstructions},
    reading::ReadingOptions,
    schema::SchemaError,
    settings::{
        Calibrated, Confidence, ExtractionSettings, FeedbackOptions, SharedStrategy, TransportOptions,
    },
    vocabulary::{
        context::{ErasedContext, NoContext},
        rejection::IntoRejections,
        violation::Code,
    },
};

/// A question to an agent. Nothing is sent until it is awaited.
///
/// Made by [`Extractable::extract`](crate::Extractable::extract), [`Contract::extract`] and
/// [`Extractor::extract`]. It needs no particular async runtime. Dropping the future ends the
/// extraction at once. Settings are read when it is first polled.
///
/// `C` is the context of the rules of `T`, set with [`context`](Self::context).
///
/// # Errors
///
/// [`ExtractionError`](crate::ExtractionError), with every attempt made so far.
///
/// # Panics
///
/// A panic in the agent propagates to the caller. A panic in a rule, a check or `on_submit` becomes
/// [`ExtractionError::Panicked`](crate::ExtractionError::Panicked), where panics unwind.
#[must_use = "an extraction asks nothing until it is awaited"]
pub struct Extraction<'a, T, C = NoContext> {
    settings: Arc<ExtractionSettings>,
    /// Until the first poll.
    input: Option<Box<ExtractionInput<'a, T>>>,
    /// After the first poll.
    running: Option<RunningExtraction<'a, T>>,
    rules: PhantomData<fn(C)>,
}

type RunningExtraction<'a, T> = Pin<Box<dyn Future<Output = ExtractionResult<T>> + Send + 'a>>;

/// The question, and the judges of the answer.
struct ExtractionInput<'a, T> {
    /// The first agent, and those that take over after an attempt that made no progress.
    agents: Vec<Box<dyn Agent + 'a>>,
    contract: Result<Contract, ExtractionError>,
    checks: ValueChecks<T>,
    context: ErasedContext<'a>,
    prompt: Prompt,
    document: Option<Document>,
    chunking: ChunkingSettings,
    shots: Vec<GivenShot>,
    /// Choose further shots for the text in question.
    shot_choices: Vec<ShotChooser<'a>>,
    on_submit: Vec<OnSubmit<'a, T>>,
    observers: Vec<Observer<'a>>,
    /// The parts that no attempt may change.
    accepted_parts: Option<Arc<dyn AcceptedParts>>,
    /// Also keeps the JSON of the value, if set.
    accepted_json: Option<AcceptedJson>,
    /// For the leaves that are not sure enough, if set.
    larger: Option<LargerAgent<'a>>,
    /// Whether parts of the value are shown while it is written.
    shows_parts: bool,
    /// Runs it. A function, so that a type that cannot be asked for is an error where it is asked for,
    /// and not where the answer is awaited too.
    start: fn(Box<Self>, Arc<ExtractionSettings>) -> RunningExtraction<'a, T>,
}

/// A borrowed agent. A plain reference cannot become `Box<dyn Agent>` for unsized agents.
struct BorrowedAgent<'a, A: ?Sized>(&'a A);

impl<A: Agent + ?Sized> Agent for BorrowedAgent<'_, A> {
    forward_agent!(this => this.0);
}

impl<'a, T: DescribedType + Send> Extraction<'a, T> {
    pub(crate) fn typed<A: Agent + ?Sized>(
        contract: Result<Contract, SchemaError>,
        agent: &'a A,
        prompt: Prompt,
    ) -> Self {
        Self::new(contract, ValueChecks::TYPED, agent, prompt)
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
        Self::new(Ok(contract), ValueChecks::UNTYPED, agent, prompt)
    }
}

impl<'a, T> Extraction<'a, T> {
    /// Sets the context of the rules: what they look up besides the value. A type with
    /// `#[extract(context = C)]` needs it; without it the program does not compile.
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
        let Self { settings, mut input, running, .. } = self;
        if let Some(input) = &mut input {
            input.context = ErasedContext::new(context);
        }
        Extraction { settings, input, running, rules: PhantomData }
    }
}

impl<'a, T: Send + 'a> Extraction<'a, T> {
    fn new<A: Agent + ?Sized>(
        contract: Result<Contract, SchemaError>,
        checks: ValueChecks<T>,
        agent: &'a A,
        prompt: Prompt,
    ) -> Self {
        let input = ExtractionInput {
            agents: vec![Box::new(BorrowedAgent(agent))],
            contract: contract.map_err(Into::into),
            checks,
            context: ErasedContext::default(),
            prompt,
            document: None,
            chunking: ChunkingSettings::default(),
            shots: Vec::new(),
            shot_choices: Vec::new(),
            on_submit: Vec::new(),
            observers: Vec::new(),
            accepted_parts: None,
            accepted_json: None,
            larger: None,
            shows_parts: false,
            start: |input, settings| Box::pin(input.run(settings)),
        };
        Self {
            settings: ExtractionSettings::shared(),
            input: Some(Box::new(input)),
            running: None,
            rules: PhantomData,
        }
    }
}

impl<'a, T, C> Extraction<'a, T, C> {
    /// Takes all settings from `extractor`, in place of those that were set before: call it first.
    pub fn with(mut self, extractor: &Extractor) -> Self {
        self.settings = Arc::clone(extractor.settings());
        self
    }

    settings_methods!();

    /// Adds an agent, such as a stronger model, that takes over when an attempt makes no progress
    /// over the previous one. It gets the prompt, the last submission and its violations. It also
    /// takes over after a [refusal](crate::agent::Reply::is_refusal), if attempts are left, and
    /// then gets the unchanged first question. Several agents take over in the order in which they
    /// were added. For an agent that gives no reply at all, use
    /// [layers](crate::agent::layers#a-layer-or-a-setting-of-the-extraction).
    ///
    /// ```
    /// # use extract::{Contract, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let (small, large) = (ScriptedAgent::new(["three", "three"]), ScriptedAgent::new(["3"]));
    /// let (value, _) = block_on(contract.extract(&small, "How many?").escalate_to(&large))?;
    /// assert_eq!(value, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn escalate_to<A: Agent + ?Sized>(self, agent: &'a A) -> Self {
        self.asking(|input| input.agents.push(Box::new(BorrowedAgent(agent))))
    }

    /// Adds a callback that decides on values that satisfy the contract and all rules. A rejection
    /// is one more violation: it costs an attempt and is fed back to the agent, unless it is
    /// [fatal](crate::Rejection::fatal).
    ///
    /// All callbacks run on every such value, in the order in which they were added.
    pub fn on_submit<E: IntoRejections>(
        self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {
        let callback = move |value: &T| callback(value).map_err(IntoRejections::into_rejections);
        self.asking(|input| input.on_submit.push(Box::new(callback)))
    }

    /// Adds an observer of the extraction: it sees every question, reply and judgement as it
    /// happens.
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
    pub fn observe(self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {
        self.asking(|input| input.observers.push(Box::new(observer)))
    }

    /// Streams to a consumer. The agent pauses after each delta that sets the returned flag.
    fn consumed(self) -> (Self, Arc<AtomicBool>) {
        let mut extraction = self.stream(true);
        let has_news = Arc::<AtomicBool>::default();
        Arc::make_mut(&mut extraction.settings).has_news = Some(Arc::clone(&has_news));
        (extraction, has_news)
    }

    /// Changes the question, unless it was asked already.
    fn asking(mut self, change: impl FnOnce(&mut ExtractionInput<'a, T>)) -> Self {
        if let Some(input) = &mut self.input {
            change(input);
        }
        self
    }
}

impl<'a, T, C> Extraction<'a, T, C> {
    /// Chooses worked examples for the text in question, when the extraction starts: the text of
    /// the [document](Self::document), else that of the prompt's last turn. Each is a text with the
    /// JSON of its right answer. They come after those of [`shot`](Self::shot), and are judged as
    /// those are. They are not part of the [fingerprint](Self::fingerprint): a job whose choice
    /// changes needs another version, or [`choose_shots_from`](Self::choose_shots_from).
    ///
    /// ```
    /// use extract::{Contract, testing::{ScriptedAgent, block_on}};
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["3"]);
    /// let extraction = contract.extract(&agent, "three").choose_shots(|text| {
    ///     let known = [("four".to_owned(), json!(4)), ("three".to_owned(), json!(3))];
    ///     known.into_iter().filter(|(known, _)| known != text).collect()
    /// });
    /// assert_eq!(block_on(extraction)?.0, 3);
    /// assert_eq!(agent.requests()[0].conversation.turns()[2].text(), "4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn choose_shots(self, choose: impl FnOnce(&str) -> Vec<(String, Value)> + Send + 'a) -> Self {
        self.choosing(ShotChooser { choose: Box::new(choose), source: None })
    }

    /// Chooses worked examples like [`choose_shots`](Self::choose_shots), from a source that is part
    /// of the [fingerprint](Self::fingerprint): a job asks again if it changes.
    ///
    /// ```
    /// use extract::{Contract, ShotSource, testing::ScriptedAgent};
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["3"]);
    /// let of = |source: &str| {
    ///     let source = ShotSource::new(source).chars(5);
    ///     let extraction = contract.extract(&agent, "three");
    ///     extraction.choose_shots_from(source, |_| vec![("four".to_owned(), json!(4))]).fingerprint(&contract)
    /// };
    /// assert_eq!(of("numbers"), of("numbers"));
    /// assert_ne!(of("numbers"), of("more numbers"));
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn choose_shots_from(
        self,
        source: ShotSource,
        choose: impl FnOnce(&str) -> Vec<(String, Value)> + Send + 'a,
    ) -> Self {
        self.choosing(ShotChooser { choose: Box::new(choose), source: Some(source) })
    }

    fn choosing(self, chooser: ShotChooser<'a>) -> Self {
        self.asking(|input| input.shot_choices.push(chooser))
    }
}

impl<T: Serialize, C> Extraction<'_, T, C> {
    /// Adds a worked example: a text, and the right answer to it. The agent sees both before the
    /// prompt, as [turns](crate::settings::ShotPosition) of an earlier conversation by default.
    ///
    /// Before anything is asked, the value is serialized and judged like a submission, but without
    /// async checks and rules (`async_check`, `async_rule`) and without `on_submit`. A wrong answer
    /// is an error, because an agent would copy its mistake:
    /// [`SettingsError::Shot`](crate::settings::SettingsError::Shot).
    ///
    /// ```
    /// use extract::{Extractable, testing::{ScriptedAgent, block_on}};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize, Extractable)]
    /// struct Dose {
    ///     #[extract(range(min = 1))]
    ///     milligrams: u32,
    /// }
    ///
    /// let agent = ScriptedAgent::new([r#"{"milligrams": 200}"#]);
    /// let (dose, _) = block_on(Dose::extract(&agent, "Ibuprofen 0.2 g").shot("one gram", &Dose { milligrams: 1000 }))?;
    /// assert_eq!(dose.milligrams, 200);
    /// let asked = &agent.requests()[0].conversation;
    /// assert_eq!(asked.turns()[2].text(), r#"{"milligrams":1000}"#);
    ///
    /// let error = block_on(Dose::extract(&agent, "Ibuprofen").shot("nothing", &Dose { milligrams: 0 }));
    /// assert_eq!(
    ///     error.err().unwrap().to_string(),
    ///     "shot 1 is not a right answer: [INVALID_VALUE] $.milligrams: too small (expected at least 1, got 0)",
    /// );
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn shot(self, text: impl Into<Parts>, answer: &T) -> Self {
        self.asking(|input| input.shots.push(GivenShot::new(text.into(), answer)))
    }
}

impl<'a, T: Send + 'a> ExtractionInput<'a, T> {
    fn add_chosen_shots(&mut self) {
        for ShotChooser { choose, .. } in mem::take(&mut self.shot_choices) {
            let chosen = match (&self.document, self.prompt.conversation().turns().last()) {
                (Some(document), _) => choose(document.text()),
                (None, Some(turn)) => choose(turn.text()),
                (None, None) => Vec::new(),
            };
            self.shots.extend(chosen.into_iter().map(|(text, answer)| GivenShot::new(text.into(), &answer)));
        }
    }

    /// The text that is asked about, if its leaves are looked up in it.
    fn searched_text(&self, settings: &ExtractionSettings) -> Option<String> {
        let turns = self.prompt.conversation().turns();
        match (settings.confidence, &self.document) {
            (Confidence::Off, _) => None,
            (_, Some(document)) => Some(document.text().to_owned()),
            (_, None) => turns.last().map(|turn| turn.text().to_owned()),
        }
    }

    async fn run(mut self: Box<Self>, settings: Arc<ExtractionSettings>) -> ExtractionResult<T> {
        self.add_chosen_shots();
        self.check_confidence(&settings)?;
        let (is_sampled, text) = (self.is_sampled(&settings), self.searched_text(&settings));
        let settings = confidence::sampling_settings(settings);
        let chunks = self.chunking.chunks_of(self.document.as_ref())?;
        if let (Some(chunks), Some(document)) = (chunks, self.document.clone()) {
            // In a box, as other rare ways are: many extractions may wait at once, and their memory counts.
            return Box::pin(self.run_in_chunks(settings, &document, chunks)).await;
        }
        let mut contract = self.contract?;
        if let Some(document) = &self.document {
            self.prompt = self.prompt.with_text(document.text());
        }
        if !self.prompt.asks() {
            let last = self.prompt.conversation().turns().last().map(Turn::role);
            return Err(SettingsError::NothingAsked { last }.into());
        }
        if self.context.is_some() && settings.shows_example() {
            contract = with_example_for(self.checks, contract, self.context);
        }
        let shots = shots::checked(self.shots, &contract, self.checks, self.context)?;
        let asked = settings.opening(&self.prompt, &shots);
        let meter = ConfidenceMeter::of(&contract, &settings, text.as_deref());
        if is_sampled {
            let sampled = SampledExtraction {
                agents: &self.agents,
                larger: self.larger.as_ref(),
                checks: self.checks,
                context: self.context,
                opening: asked,
                settings: &settings,
                meter,
                accepted_json: self.accepted_json,
            };
            return Box::pin(sampled.run(&mut self.on_submit, &mut self.observers)).await;
        }
        let value_judge = ValueJudge::new(self.checks, &contract, self.context, &mut self.on_submit);
        let mut value_judge = value_judge.keeping(self.accepted_json);
        // Observers see the value as it was read.
        if self.observers.is_empty() {
            value_judge = value_judge.judging_text();
        }
        let observe = &mut notify(&mut self.observers);
        let run = ExtractionRun {
            contract: &contract,
            settings: &settings,
            value_judge: &mut value_judge,
            observe,
            accepted_parts: self.accepted_parts.as_deref(),
            meter: (settings.confidence != Confidence::Off).then_some(meter),
        };
        let mut metrics = run.run(&self.agents, asked).await?;
        metrics.chunks.extend(self.chunking.only_chunk(self.document.as_ref(), &metrics));
        Ok((value_judge.into_value(), metrics))
    }
}

/// Judges an existing reply, without callbacks and async checks.
pub(crate) fn judge_reply<T: DescribedType>(
    contract: &Contract,
    reply: Reply,
    context: ErasedContext<'_>,
) -> ExtractionResult<T> {
    // Static, because building the settings would take a tenth of the time of a short reply.
    static ONE_ATTEMPT: LazyLock<ExtractionSettings> =
        LazyLock::new(|| ExtractionSettings { max_attempts: 1, ..ExtractionSettings::default() });
    let mut value_judge = ValueJudge::new(ValueChecks::SYNC, contract, context, &mut []).judging_text();
    let mut log = AttemptLog::new();
    match run::judge_only(reply, contract, &ONE_ATTEMPT, &mut value_judge, &mut log) {
        Ok(()) => Ok((value_judge.into_value(), log.metrics)),
        Err(end) => Err(end.into_error(log, &ONE_ATTEMPT)),
    }
}

// Not `IntoFuture`: without a context, the compiler would report a missing future instead of the
// reason.
impl<'a, T: WithContext<C> + 'a, C> Future for Extraction<'a, T, C> {
    type Output = ExtractionResult<T>;

    fn poll(self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(input) = this.input.take() {
            this.running = Some((input.start)(input, Arc::clone(&this.settings)));
        }
        let running = this.running.as_mut().expect("a question that was taken is running");
        running.as_mut().poll(waker)
    }
}

/// A type is itself, and nothing else.
///
/// A bound on a method's own parameter, as in `fn items<L: ItemList>(self) where T: SameType<L>`, is
/// checked after the method was found. One on `T` is checked before, and then the compiler only
/// says that there is no such method.
pub trait SameType<T> {}

#[diagnostic::do_not_recommend]
impl<T> SameType<T> for T {}
