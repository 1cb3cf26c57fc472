//! The value while it is written.
//!
//! [`Extraction::partials`](crate::Extraction::partials) turns an extraction into a stream of
//! [`PartialStep`]s: what is known of the value after every delta of the reply, and finally the value. A
//! [`Partial`] is a cheap handle on shared parts: a thousand of them take no more memory than one.
//!
//! ```
//! use extract::{Extractable, partials::{PartState, PartialStep}};
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//! #[derive(Deserialize, Extractable)]
//! struct Invoice {
//!     number: String,
//!     total: f64,
//! }
//!
//! # let agent = ScriptedAgent::new([r#"{"number": "INV-7", "total": 1200}"#])
//! #     .streaming([r#"{"number": "INV"#, r#"-7", "total": 12"#]);
//! # block_on(async {
//! let mut shown = Vec::new();
//! let mut steps = Invoice::extract(&agent, "…").partials();
//! while let Some(step) = steps.next().await {
//!     match step? {
//!         PartialStep::Partial(partial) => shown.push((partial.get("/number"), partial.state("/total"))),
//!         PartialStep::Restarted { .. } => shown.clear(),
//!         PartialStep::Finished(invoice, _) => assert_eq!((&*invoice.number, invoice.total), ("INV-7", 1200.0)),
//!         _ => {}
//!     }
//! }
//! assert_eq!(
//!     shown,
//!     [
//!         (Some("INV".into()), PartState::Pending),
//!         (Some("INV-7".into()), PartState::Writing), // not 12
//!         (Some("INV-7".into()), PartState::Done),
//!     ]
//! );
//! # Ok::<(), extract::ExtractionError>(())
//! # }).unwrap();
//! ```
//!
//! # When parts are shown
//!
//! - Nothing before the answer begins: no reasoning, no prose.
//! - A string grows while it is written. A string with a pattern, a format or a list of allowed
//!   values appears when it is complete, and so do numbers, booleans and null: `12` may become
//!   `1200`.
//! - A part is [`Done`](PartState::Done) as soon as the text after it shows that it is complete and
//!   will be read as written. A number, a word or a string is done at the comma or bracket after
//!   it. A part that is done does not change within an attempt. It may still break the rules.
//! - Only parts that the schema names are shown. A part that is not written as the schema requires,
//!   such as `"12"` for a number, appears when the whole reply was read.
//! - From the first byte that is not strict JSON, such as a single quote, the tolerant reader takes
//!   over. It rereads the text whenever the text has grown by half, so all its readings together
//!   pass over at most three times the bytes of the reply. It stays a few hundred bytes behind the
//!   end of the text, because those may change how the text is read.
//!
//! # Fields
//!
//! `#[extract(partial)]` on a struct generates a type with the same fields, which has a
//! [`Progress`] for each of them. [`Partial::fields`] returns it. [`Partial::progress`] does the
//! same for every other type, such as a list of such structs. A field of an enum type is
//! `Writing(())` until the whole enum is complete, because its variant decides what its parts mean.
//!
//! ```
//! use extract::{Extractable, partials::{Progress, PartialStep}};
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//! #[derive(Deserialize, Extractable)]
//! #[extract(partial)]
//! struct Invoice {
//!     number: String,
//!     #[extract(range(min = 0.0))]
//!     total: f64,
//! }
//!
//! # let reply = r#"{"total": -1, "number": "INV-7"}"#;
//! # let agent = ScriptedAgent::new([reply]).streaming([&reply[..29]]);
//! # block_on(async {
//! # let mut steps = Invoice::extract(&agent, "…").partials();
//! # while let Some(step) = steps.next().await {
//! if let PartialStep::Partial(partial) = step? {
//!     let InvoicePartial { number, total } = partial.fields();
//!     assert_eq!(number, Progress::Writing("INV-".to_owned()));
//!     assert_eq!(total, Progress::Done(-1.0));
//!     assert_eq!(partial.violations("/total").len(), 1);
//! }
//! # break;
//! # }
//! # let _ = |invoice: Invoice| (invoice.number, invoice.total);
//! # Ok::<(), extract::ExtractionError>(())
//! # }).unwrap();
//! ```
//!
//! # Violations
//!
//! [`Partial::violations`] returns what the schema, serde, checks and rules find in the complete
//! parts, so that a form can show a red field while the rest is written. The judgement of the whole
//! value remains the authority.
//!
//! # Steps
//!
//! [`PartialStep::Restarted`] supersedes everything shown before: the next attempt begins, the transport
//! failed, or the reader chose another value of the reply as the answer.
//!
//! A reply that [continues](crate::Extraction::max_continuations) a cut one is not the value
//! itself. If it continues a list, the complete part is shown again, and then each complete element
//! that the overlap cannot take back. Otherwise the value is shown when the rest was read.
//!
//! If the value is submitted by calling a [tool](crate::Extraction::tools), the arguments of the
//! first `submit` of a reply are shown, without any wrapper around the value. A list that is
//! submitted in several calls is shown when it was read. A value that is only validated is not the
//! answer until the attempt is judged by it, and is shown then.
//!
//! An agent that does not stream, or does not stream the arguments of its calls, shows its value at
//! once. The stream needs no runtime, and asks nothing until it is polled. Dropping it ends the
//! extraction. A slow consumer costs no memory: missed steps are skipped, except `Restarted` and
//! the last partial.

mod feed;

use std::{
    collections::VecDeque,
    fmt, future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use futures_core::Stream;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::feed::{PartialFeed, PartialJudge, PartialScreen, PartialViolations, ScreenRestart};
use crate::{
    contract::Contract,
    derive_support::{DescribedType, WithContext, WrittenPart},
    error::{ExtractionError, ExtractionResult},
    extraction::{Extraction, RunningExtraction, SameType},
    judging::{Event, tools::ToolSet},
    metrics::ExtractionMetrics,
    reading::{GrowingAnswer, Mark, Sight},
    settings::ExtractionSettings,
    vocabulary::violation::Violation,
};
pub use crate::{
    derive_support::{HasPartial, Progress, WhileWriting},
    reading::PartState,
};

/// The steps of an extraction, from [`Extraction::partials`]; see the
/// [module](crate::partials) for what they show and when.
///
/// Ends after [`PartialStep::Finished`] or an error. Dropping it ends the extraction.
#[must_use = "a stream asks nothing until it is polled"]
pub struct Partials<'a, T> {
    running: Option<RunningExtraction<'a, T>>,
    /// How the extraction ended, until all earlier steps are taken.
    result: Option<ExtractionResult<T>>,
    /// Where the value is shown, and who judges its parts; `None` if nothing will be shown.
    screen: Option<(Arc<PartialScreen>, PartialJudge<'a, T>)>,
    /// Restarts that the consumer has not seen.
    restarts: VecDeque<ScreenRestart>,
    /// The value that is shown.
    shown: Option<Arc<PartialViolations<T>>>,
    /// How much the consumer has seen.
    seen: Mark,
    /// Whether another step may be available without polling the extraction.
    may_know_more: bool,
}

impl<'a, T: Send + 'a, C: 'a> Extraction<'a, T, C>
where
    T: WithContext<C>,
{
    /// Extracts the value and shows it while it is written; see [`partials`](crate::partials).
    ///
    /// The reply is [streamed](Self::stream) if the agent can stream. Everything else is the same
    /// as when the extraction is awaited.
    pub fn partials(self) -> Partials<'a, T> {
        let (mut extraction, has_news) = self.consumed();
        let screen = extraction.screen(has_news).zip(extraction.judging());
        Partials {
            running: Some(Box::pin(extraction)),
            result: None,
            screen,
            restarts: VecDeque::new(),
            shown: None,
            seen: Mark::default(),
            may_know_more: false,
        }
    }

    /// Who judges the parts that are complete.
    fn judging(&self) -> Option<PartialJudge<'a, T>> {
        let input = self.input.as_ref()?;
        Some(PartialJudge::new(input.contract.as_ref().ok()?.clone(), input.checks, input.context))
    }

    /// Adds a feed that shows the value on the returned screen; `None` if there will be no value.
    fn screen(&mut self, has_news: Arc<AtomicBool>) -> Option<Arc<PartialScreen>> {
        let input = self.input.as_mut()?;
        input.shows_parts = true;
        let contract = input.contract.as_ref().ok()?;
        let tool_set = self.settings.uses_tools.then(|| ToolSet::of(contract));
        let screen = Arc::new(PartialScreen::default());
        let mut feed = PartialFeed::new(growing(contract, &self.settings), tool_set, Arc::clone(&screen));
        input.observers.push(Box::new(move |event: &Event<'_>| {
            feed.observe(event);
            has_news.store(true, Ordering::Relaxed);
        }));
        Some(screen)
    }
}

fn growing(contract: &Contract, settings: &ExtractionSettings) -> GrowingAnswer {
    GrowingAnswer::new(Arc::clone(contract.shapes()), settings.reading)
}

impl<T> Partials<'_, T> {
    /// Returns the next step; `None` after the last one. The same as `StreamExt::next` of
    /// `futures-util`.
    ///
    /// # Errors
    ///
    /// [`ExtractionError`], as the extraction. Nothing follows it.
    pub async fn next(&mut self) -> Option<Result<PartialStep<T>, ExtractionError>> {
        future::poll_fn(|waker| Pin::new(&mut *self).poll_next(waker)).await
    }

    /// The next step that needs no polling.
    fn known(&mut self) -> Option<Result<PartialStep<T>, ExtractionError>> {
        if let Some(step) = self.restart().or_else(|| self.partial()) {
            return Some(Ok(step));
        }
        // Nearly always there is none, and taking moves it all the same.
        self.result.as_ref()?;
        let result = self.result.take()?;
        Some(result.map(|(value, metrics)| PartialStep::Finished(value, Box::new(metrics))))
    }

    /// The next restart.
    fn restart(&mut self) -> Option<PartialStep<T>> {
        let (screen, judging) = self.screen.as_ref()?;
        if let Some(news) = screen.news() {
            self.restarts.extend(news.restarts);
            self.shown = news.tape.map(|tape| judging.violations(tape));
            self.seen = Mark::default();
        }
        let ScreenRestart { attempt, violations } = self.restarts.pop_front()?;
        Some(PartialStep::Restarted { attempt, violations })
    }

    /// Returns the shown value, if the consumer has not seen all of it.
    fn partial(&mut self) -> Option<PartialStep<T>> {
        let ((screen, judging), shown) = (self.screen.as_ref()?, self.shown.as_ref()?);
        let mark = screen.mark();
        if std::mem::replace(&mut self.seen, mark) == mark {
            return None;
        }
        screen.mark_seen();
        judging.judge(shown, mark);
        Some(PartialStep::Partial(Partial::new(Arc::clone(shown), mark)))
    }
}

// Everything that needs pinning is boxed.
impl<T> Unpin for Partials<'_, T> {}

impl<T> Stream for Partials<'_, T> {
    type Item = Result<PartialStep<T>, ExtractionError>;

    fn poll_next(self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.may_know_more
            && let Some(step) = this.known()
        {
            return Poll::Ready(Some(step));
        }
        let Some(running) = &mut this.running else { return Poll::Ready(None) };
        if let Poll::Ready(result) = running.as_mut().poll(waker) {
            this.running = None;
            this.result = Some(result);
        }
        let step = this.known();
        this.may_know_more = this.result.is_some() || matches!(step, Some(Ok(PartialStep::Restarted { .. })));
        step.map_or(Poll::Pending, |step| Poll::Ready(Some(step)))
    }
}

impl<T> fmt::Debug for Partials<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partials").field("is_running", &self.running.is_some()).finish_non_exhaustive()
    }
}

/// The known part of a `T` at one moment. It never changes and is cheap to clone.
///
/// Parts are named by JSON Pointers (RFC 6901) with the names of the JSON: `/lines/0/qty`, and the
/// empty string for the whole value.
///
/// `Debug` omits the value, so that it does not end up in a log by accident.
pub struct Partial<T> {
    value: Arc<PartialViolations<T>>,
    mark: Mark,
}

impl<T> Partial<T> {
    fn new(value: Arc<PartialViolations<T>>, mark: Mark) -> Self {
        Self { value, mark }
    }

    fn sight(&self) -> Sight<'_> {
        self.value.sight(self.mark)
    }

    /// Returns how complete the part at `pointer` is; `Pending` if there is no such part.
    pub fn state(&self, pointer: &str) -> PartState {
        self.sight().state(pointer)
    }

    /// Returns what is known of the part at `pointer`: the start of a string that is being written,
    /// the parts so far of an object or a list. `None` if nothing is known yet.
    ///
    /// The value is a copy, so ask for the parts that you show, not for all of a long list each
    /// time; [`len`](Self::len) tells what is new.
    pub fn get(&self, pointer: &str) -> Option<Value> {
        self.sight().value(pointer)
    }

    /// Returns how many elements of a list, or members of an object, have begun; `None` if
    /// `pointer` leads to neither. All elements of a list before the last one are complete.
    pub fn len(&self, pointer: &str) -> Option<usize> {
        self.sight().len(pointer)
    }

    /// Returns the part at `pointer` as a `U`, once it is [`Done`](PartState::Done); `None` until
    /// then.
    ///
    /// # Errors
    ///
    /// If it cannot be deserialized. The attempt will then fail.
    ///
    /// ```
    /// # use extract::{Contract, partials::PartialStep, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "array"}))?;
    /// let agent = ScriptedAgent::new(["[[1, 2], [3, 4]]"]).streaming(["[[1, 2], [3"]);
    /// # block_on(async {
    /// let mut steps = contract.extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// let part = |pointer| partial.part::<(u8, u8)>(pointer).transpose();
    /// assert_eq!((part("/0")?, part("/1")?), (Some((1, 2)), None));
    /// # Ok::<(), serde_json::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn part<U: DeserializeOwned>(&self, pointer: &str) -> Option<serde_json::Result<U>> {
        if self.state(pointer) != PartState::Done {
            return None;
        }
        self.get(pointer).map(serde_json::from_value)
    }

    /// Returns what is known of the value as a `T`: the elements of a list that have begun, or the
    /// fields of a type with `#[extract(partial)]`; see [`WhileWriting`](WhileWriting).
    ///
    /// The result is a copy of everything known, and each part is copied once. For the new rows of
    /// a long list, [`len`](Self::len) and [`part`](Self::part) are cheaper.
    ///
    /// ```
    /// # use extract::{Extractable, testing::{ScriptedAgent, block_on}};
    /// use extract::partials::{Progress, PartialStep};
    ///
    /// let agent = ScriptedAgent::new([r#"["one", "two"]"#]).streaming([r#"["one", "tw"#]);
    /// # block_on(async {
    /// let mut steps = Vec::<String>::extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// let Progress::Writing(words) = partial.progress() else { panic!() };
    /// assert_eq!(words, [Progress::Done("one".to_owned()), Progress::Writing("tw".to_owned())]);
    /// # });
    /// ```
    pub fn progress(&self) -> Progress<T>
    where
        T: DescribedType,
    {
        WrittenPart::new(self.sight().root()).progress()
    }

    /// Returns what is known of the value's fields. `T` has `#[extract(partial)]`.
    ///
    /// A field is `Done` as soon as serde has deserialized it. A field that serde rejects stays
    /// `Writing`; the attempt will then fail.
    ///
    /// The result is a copy, as in [`progress`](Self::progress).
    ///
    /// ```
    /// # use extract::testing::{ScriptedAgent, block_on};
    /// use extract::{Extractable, partials::{Progress, PartialStep}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// #[extract(partial)]
    /// struct Invoice {
    ///     number: String,
    ///     lines: Vec<Line>,
    ///     total: f64,
    /// }
    ///
    /// #[derive(Deserialize, Extractable)]
    /// #[extract(partial)]
    /// struct Line {
    ///     what: String,
    ///     qty: u32,
    /// }
    ///
    /// let reply = r#"{"number": "INV-7", "lines": [{"what": "bolts", "qty": 12}], "total": 1200}"#;
    /// let agent = ScriptedAgent::new([reply]).streaming([&reply[..42]]);
    /// # block_on(async {
    /// let mut steps = Invoice::extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// let InvoicePartial { number, lines, total } = partial.fields();
    /// assert_eq!(number, Progress::Done("INV-7".to_owned()));
    /// assert_eq!(total, Progress::Pending);
    /// // The rows of a table, whether they are complete or not.
    /// let rows: Vec<LinePartial> =
    ///     lines.known().into_iter().flatten().filter_map(Progress::known).collect();
    /// assert_eq!(rows[0].what, Progress::Writing("bo".to_owned()));
    /// assert_eq!(rows[0].qty, Progress::Pending);
    /// # });
    /// ```
    pub fn fields<U: HasPartial + DescribedType>(&self) -> U::Partial
    where
        T: SameType<U>,
    {
        WrittenPart::new(self.sight().root()).fields::<U>()
    }

    /// Returns the known violations of the part at `pointer` and inside it, which the schema,
    /// serde, and the checks and rules of the type find in the parts that are
    /// [`Done`](PartState::Done).
    ///
    /// Each part is judged once: when it is first asked for or, if the rules have a context, when
    /// it is shown. Parts more than four levels inside the value are judged with the part around
    /// them, so the work is proportional to the length of the reply. In an enum, violations that
    /// depend on the variant are known once the variant is known. No violation is taken back within
    /// an attempt. At most 1,000 violations are known.
    ///
    /// The judgement of the whole value is the authority. Only it runs the rules of the whole,
    /// async checks and `on_submit`, and reports missing parts of values that are not complete yet.
    /// It also reports the panic of a check, which is not a violation here. Sensitive values are
    /// redacted.
    ///
    /// ```
    /// # use extract::testing::{ScriptedAgent, block_on};
    /// use extract::{Extractable, partials::PartialStep};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Invoice {
    ///     #[extract(range(min = 0))]
    ///     total: i32,
    ///     note: String,
    /// }
    ///
    /// # let agent = ScriptedAgent::new([r#"{"total": -1, "note": "x"}"#]).streaming([r#"{"total": -1, "no"#]);
    /// # block_on(async {
    /// let mut steps = Invoice::extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// assert_eq!(partial.violations("/total")[0].message, "too small");
    /// assert!(partial.violations("/note").is_empty());
    /// # });
    /// # let _ = |invoice: Invoice| (invoice.total, invoice.note);
    /// ```
    pub fn violations(&self, pointer: &str) -> Vec<Violation> {
        self.value.violations(pointer, self.mark)
    }

    /// Returns everything known of the value; null if nothing is known yet.
    pub fn to_value(&self) -> Value {
        self.get("").unwrap_or_default()
    }
}

impl<T> Clone for Partial<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.value), self.mark)
    }
}

impl<T> fmt::Debug for Partial<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partial").field("state", &self.state("")).finish_non_exhaustive()
    }
}

/// One step of an extraction, from [`Partials`](Partials).
#[derive(Debug)]
#[non_exhaustive]
pub enum PartialStep<T> {
    /// More is known of the value.
    Partial(Partial<T>),
    /// Everything shown before is superseded. A partial of the new value may follow.
    #[non_exhaustive]
    Restarted {
        /// Number of the attempt that continues, from 1.
        attempt: u32,
        /// The violations of the previous attempt. Empty if the attempt is the same: the transport
        /// failed and the agent was asked again, or the reader chose another value of the reply as
        /// the answer.
        violations: Vec<Violation>,
    },
    /// The value and its metrics. The stream ends.
    ///
    /// The metrics are boxed because a step is moved with each delta: unboxed, these moves took
    /// half as long as parsing the reply.
    Finished(T, Box<ExtractionMetrics>),
}
