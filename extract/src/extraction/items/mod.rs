//! The items of a list, while the list is written.
//!
//! [`Extraction::items`](crate::Extraction::items) turns the extraction of a list into a stream of
//! its elements. [`items_of`](crate::Extraction::items_of) does the same for one list inside a
//! value. Each [`Item`] is validated when it arrives. [`Items::finish`] returns the whole value.
//!
//! ```
//! use extract::Extractable;
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//! #[derive(Deserialize, Extractable)]
//! struct Line {
//!     what: String,
//!     #[extract(range(min = 1))]
//!     qty: u32,
//! }
//!
//! # let agent = ScriptedAgent::new([
//! #     r#"[{"what": "bolts", "qty": 3}, {"what": "nuts", "qty": 0}, {"what": "rings", "qty": 5}]"#,
//! #     r#"[{"op": "replace", "path": "/1/qty", "value": 4}]"#,
//! # ]);
//! # block_on(async {
//! let mut shown = Vec::new();
//! let mut items = Vec::<Line>::extract(&agent, "…").items();
//! while let Some(item) = items.next().await {
//!     let item = item?;
//!     shown.push((item.index, item.value.what));
//! }
//! // The agent wrote 0 nuts, and was asked for them again.
//! assert_eq!(shown, [(0, "bolts".into()), (2, "rings".into()), (1, "nuts".into())]);
//! let (lines, metrics) = items.finish().await?;
//! assert_eq!((lines[1].qty, metrics.attempts), (4, 2));
//! # Ok::<(), extract::items::ItemsError>(())
//! # }).unwrap();
//! ```
//!
//! # Delivery
//!
//! - An item is delivered once it is complete and satisfies the schema, serde, its checks and its
//!   rules. Items come in the order in which they become valid. The [index](Item::index) of an item
//!   is its position in the final list.
//! - A broken item is held back, and the others continue. When the reply has ended, one question
//!   asks for corrections by index, as a [patch](crate::Feedback::Patch) where possible. The
//!   missing items follow.
//! - Each index is delivered once, and the final list has the same item there. A later attempt, or
//!   a reply that restarts because the transport failed, may not change a delivered item. If it
//!   does, nothing else in it is delivered, and the agent is told with
//!   [`Code::Changed`](crate::Code::Changed). Key order, and `2` or `2.0`, make no difference.
//! - Conditions on the whole list are checked at the end: its length, whether items are equal, the
//!   rules of the values around it, `on_submit`. If they fail for good, [`ItemsError`] lists the
//!   delivered items. A violation inside a delivered item ends the extraction at once, because the
//!   item can neither stay nor change.
//! - An item is delivered only after the whole reply was read if the text needs a repair from there
//!   on or has to be aligned to the schema; if the agent does not stream, submits the value by
//!   calling a [tool](crate::Extraction::tools), or answers with a patch; or if the list is inside
//!   a wrapper that the type does not have. It is delivered only after the whole value was accepted
//!   if it has `async_check`s or `async_rule`s, or if only the whole value shows which checks
//!   apply, as in an untagged enum.
//! - With [`keep_valid_items`](crate::Extraction::keep_valid_items), indexes count the items of the
//!   list as written, including the items that are finally [left
//!   out](crate::ExtractionMetrics::left_out). An attempt that lacks a delivered item is not
//!   accepted in part.
//!
//! A reply that [repeats itself](crate::Extraction::end_repetition) delivers repeated items until
//! the repetition is noticed. Items delivered from a reply that was cut stay. The items of its
//! continuation are delivered while that is written, as soon as the overlap cannot take them back.
//!
//! # Cost
//!
//! The work is proportional to the length of the replies. Checks and rules of an item run when it
//! is complete, and again when the whole value is judged. The stream needs no runtime, and asks
//! nothing until it is polled. While items wait to be taken, the agent is not polled, so a slow
//! consumer piles up the items of one delta at most. The text of the reply is kept for its final
//! reading and for the history. The text of each delivered item is kept to compare it with later
//! attempts. Everything else read of an item is dropped once the item was checked. Dropping the
//! stream ends the extraction.

mod feed;

use std::{
    collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque},
    error::Error,
    fmt, future,
    pin::Pin,
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use futures_core::Stream;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::feed::Item;
use self::feed::{DeliveredItems, ItemFeed};
use crate::{
    contract::Contract,
    derive_support::WithContext,
    error::{ExtractionError, SettingsError},
    extraction::{Extraction, ExtractionInput, RunningExtraction, SameType},
    judging::{AcceptedParts, Event, PartJudge},
    metrics::ExtractionMetrics,
    reading::{GrowingAnswer, UnknownMembers},
    settings::ExtractionSettings,
    vocabulary::{
        path::{Path, PathPattern, PatternStep, TypedPath},
        text::counted,
    },
};

/// The items of a list, from [`Extraction::items`] and [`Extraction::items_of`]; see the
/// [module](crate::items) for what is delivered and when.
///
/// A [`Stream`] that ends after the last item or an error. Then [`finish`](Self::finish) returns
/// the whole value. Dropping it ends the extraction.
#[must_use = "a stream asks nothing until it is polled"]
pub struct Items<'a, T, V> {
    running: Option<RunningExtraction<'a, T>>,
    /// How the extraction ended.
    outcome: Option<Result<(T, ExtractionMetrics), ItemsError>>,
    /// Whether the error was reported.
    is_reported: bool,
    feed: Option<SharedFeed<'a, T, V>>,
    delivered: Option<Arc<DeliveredItems>>,
}

type SharedFeed<'a, T, V> = Arc<Mutex<ItemFeed<'a, T, V>>>;

impl<'a, T: Send + 'a, C: 'a> Extraction<'a, T, C>
where
    T: WithContext<C>,
{
    /// Extracts a list and delivers its items while it is written; see [`items`](crate::items).
    ///
    /// The reply is [streamed](Self::stream) if the agent can stream. Corrections are requested as
    /// a [patch](crate::Feedback::Patch) where possible, unless [`feedback`](Self::feedback) was
    /// set to something else. Everything else is the same as when the extraction is awaited.
    pub fn items<L: ItemList>(self) -> Items<'a, T, L::Item>
    where
        T: SameType<L>,
        L::Item: DeserializeOwned + Send + 'a,
    {
        self.items_at(&PathPattern::root())
    }

    /// Extracts a value and delivers the items of one list in it while it is written; see
    /// [`items`](crate::items). [`Items::finish`] returns the value.
    ///
    /// ```
    /// use extract::{Extractable, at};
    /// # use extract::testing::{ScriptedAgent, block_on};
    /// # use serde::Deserialize;
    /// #[derive(Deserialize, Extractable)]
    /// struct Report {
    ///     findings: Vec<String>,
    ///     summary: String,
    /// }
    ///
    /// # let agent = ScriptedAgent::new([r#"{"findings": ["rust", "moss"], "summary": "old"}"#]);
    /// # block_on(async {
    /// let mut items = Report::extract(&agent, "…").items_of(at!(Report, findings));
    /// while let Some(finding) = items.next().await {
    ///     println!("{}", finding?.value);
    /// }
    /// let (report, metrics) = items.finish().await?;
    /// assert_eq!((report.findings.len(), &*report.summary, metrics.attempts), (2, "old", 1));
    /// # Ok::<(), extract::items::ItemsError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The stream fails with [`SettingsError::Items`] if the path goes through every element of
    /// another list (`[..]`), and with [`ExtractionError::Narrowing`] if the contract has no such
    /// path.
    pub fn items_of<P: ListPath<T>>(self, list: P) -> Items<'a, T, P::Item>
    where
        P::Item: DeserializeOwned + Send + 'a,
    {
        self.items_at(&list.into_place())
    }

    fn items_at<V: DeserializeOwned + Send + 'a>(self, place: &PathPattern) -> Items<'a, T, V> {
        let (mut extraction, has_news) = self.consumed();
        Arc::make_mut(&mut extraction.settings).prefers_patch = true;
        let watched = match &mut extraction.input {
            Some(input) => watch(input, &extraction.settings, place, has_news),
            None => Ok(None),
        };
        let mut items =
            Items { running: None, outcome: None, is_reported: false, feed: None, delivered: None };
        match watched {
            Err(error) => items.outcome = Some(Err(ItemsError::new([], error))),
            Ok(watched) => {
                (items.feed, items.delivered) = watched.unzip();
                items.running = Some(Box::pin(extraction));
            }
        }
        items
    }
}

/// Adds an observer that finds the items, and a record of those that may no longer change. `None`
/// if the extraction will fail before anything is asked.
#[expect(clippy::type_complexity, reason = "both are the parts of one stream")]
fn watch<'a, T: Send + 'a, V: DeserializeOwned + Send + 'a>(
    input: &mut ExtractionInput<'a, T>,
    settings: &ExtractionSettings,
    place: &PathPattern,
    has_news: Arc<AtomicBool>,
) -> Result<Option<(SharedFeed<'a, T, V>, Arc<DeliveredItems>)>, ExtractionError> {
    let Ok(contract) = &input.contract else { return Ok(None) };
    let list = list_at(place, contract)?;
    let answer = GrowingAnswer::new(Arc::clone(contract.shapes()), settings.reading);
    let keeps_unknown = input.checks.is_of_json();
    let unknown = if keeps_unknown { UnknownMembers::Unsure } else { UnknownMembers::UnsureIfForbidden };
    let answer = answer.with_unknown(unknown);
    let places = (!keeps_unknown).then(|| answer.places());
    let delivered = DeliveredItems::of(list.clone(), contract.sensitive().is_some(), places);
    let judge = PartJudge::new(contract.clone(), input.checks, input.context);
    let feed = ItemFeed::new(judge, list, Arc::clone(&delivered), answer);
    let feed = Arc::new(Mutex::new(feed));
    let observed = Arc::clone(&feed);
    let observe = move |event: &Event<'_>| {
        let has_items = locked(&observed, |feed| {
            feed.observe(event);
            feed.has_items()
        });
        has_news.fetch_or(has_items, Ordering::Relaxed);
    };
    input.observers.push(Box::new(observe));
    let accepted: Arc<dyn AcceptedParts> = Arc::clone(&delivered) as _;
    input.accepted_parts = Some(accepted);
    Ok(Some((feed, delivered)))
}

/// Returns the path of the one list at `place`.
fn list_at(place: &PathPattern, contract: &Contract) -> Result<Path, ExtractionError> {
    let mut path = Path::root();
    for step in place.steps() {
        path = match step {
            PatternStep::Key(key) => path.key(key.as_str()),
            PatternStep::Index(index) => path.index(*index),
            PatternStep::Each => {
                let message = "`[*]` stands for many lists; name one of them".to_owned();
                return Err(SettingsError::Items { place: place.to_string(), message }.into());
            }
        };
    }
    if !path.is_root() {
        contract.check_place(place)?;
    }
    Ok(path)
}

/// A panic of the consumer's code while the lock is held leaves the feed complete.
fn locked<F, R>(feed: &Mutex<F>, look: impl FnOnce(&mut F) -> R) -> R {
    look(&mut feed.lock().unwrap_or_else(PoisonError::into_inner))
}

impl<T, V: DeserializeOwned> Items<'_, T, V> {
    /// Returns the next item; `None` after the last one. The same as `StreamExt::next` of
    /// `futures-util`.
    ///
    /// # Errors
    ///
    /// [`ItemsError`], with the delivered items. No item follows it.
    pub async fn next(&mut self) -> Option<Result<Item<V>, ItemsError>> {
        future::poll_fn(|waker| Pin::new(&mut *self).poll_next(waker)).await
    }

    /// Returns the whole value and its metrics. Items that were not taken yet are skipped, but they
    /// are in the value.
    ///
    /// # Errors
    ///
    /// [`ItemsError`], even if the stream already reported it.
    pub async fn finish(mut self) -> Result<(T, ExtractionMetrics), ItemsError> {
        loop {
            let next = self.next().await;
            match (next, self.outcome.take()) {
                (Some(Err(error)), _) => return Err(error),
                (None, Some(outcome)) => return outcome,
                (None, None) => unreachable!("a stream that ended has an outcome"),
                (_, outcome) => self.outcome = outcome,
            }
        }
    }

    /// Returns the positions of the items delivered so far, in ascending order.
    pub fn delivered(&self) -> Vec<usize> {
        self.delivered.as_ref().map(|delivered| delivered.indexes()).unwrap_or_default()
    }

    fn known(&self) -> Option<Item<V>> {
        self.feed.as_ref().and_then(|feed| locked(feed, ItemFeed::next))
    }

    /// Records how the extraction ended.
    fn end(&mut self, result: Result<(T, ExtractionMetrics), ExtractionError>) {
        let misfit = self.feed.as_ref().and_then(|feed| locked(feed, ItemFeed::misfit));
        let result = match misfit {
            Some(misfit) => result.and(Err(misfit.into())),
            None => result,
        };
        self.outcome = Some(result.map_err(|error| ItemsError::new(self.delivered(), error)));
    }
}

// Everything that needs pinning is boxed.
impl<T, V> Unpin for Items<'_, T, V> {}

impl<T, V: DeserializeOwned> Stream for Items<'_, T, V> {
    type Item = Result<Item<V>, ItemsError>;

    fn poll_next(self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(item) = this.known() {
            return Poll::Ready(Some(Ok(item)));
        }
        if let Some(running) = &mut this.running
            && let Poll::Ready(result) = running.as_mut().poll(waker)
        {
            this.running = None;
            this.end(result);
        }
        if let Some(item) = this.known() {
            return Poll::Ready(Some(Ok(item)));
        }
        match &this.outcome {
            Some(Err(error)) if !std::mem::replace(&mut this.is_reported, true) => {
                Poll::Ready(Some(Err(error.clone())))
            }
            None if this.running.is_some() => Poll::Pending,
            _ => Poll::Ready(None),
        }
    }
}

impl<T, V> fmt::Debug for Items<'_, T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("is_running", &self.running.is_some()).finish_non_exhaustive()
    }
}

/// A type that is a list in JSON, so that its elements can be delivered one by one.
///
/// `Value` counts as a list of values, for a contract without a type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "only a list has items",
    note = "for a list inside of a type, name its place: `.items_of(at!(Report, findings))`",
    note = "an `Option` is entered with `?`, as in `at!(Report, findings?)`"
)]
pub trait ItemList {
    /// The type of an element.
    type Item;
}

macro_rules! lists {
    ($([$($generics:tt)*] $type:ty => $item:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> ItemList for $type {
            type Item = $item;
        }
    )*};
}

lists!(
    [T] Vec<T> => T,
    [T] Box<[T]> => T,
    [T] VecDeque<T> => T,
    [T] LinkedList<T> => T,
    [T] BinaryHeap<T> => T,
    [T] BTreeSet<T> => T,
    [T, S] HashSet<T, S> => T,
    [T, const N: usize] [T; N] => T,
    [L: ItemList] Box<L> => L::Item,
    [L: ItemList] Rc<L> => L::Item,
    [L: ItemList] Arc<L> => L::Item,
    [] Value => Value,
);

#[cfg(feature = "indexmap2")]
lists!([T, S] indexmap2::IndexSet<T, S> => T);

/// The path of a list in the values of a `T`: `at!(Report, findings)`. A contract without a type
/// also takes a [`PathPattern`], a [`Path`], or a string such as `"$.findings"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the place of a list in `{T}`",
    label = "no place of a list",
    note = "name one that the compiler can check: `at!({T}, list)`"
)]
pub trait ListPath<T> {
    /// The type of an element.
    type Item;

    /// Returns the place, without its type.
    fn into_place(self) -> PathPattern;
}

impl<T, L: ItemList> ListPath<T> for TypedPath<T, L> {
    type Item = L::Item;

    fn into_place(self) -> PathPattern {
        self.into()
    }
}

macro_rules! untyped {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl ListPath<Value> for $type {
            type Item = Value;

            fn into_place(self) -> PathPattern {
                PathPattern::from(self)
            }
        }
    )*};
}

untyped!(PathPattern, Path, &str, String);

/// An extraction that failed after some items of its list may have been delivered.
///
/// Cheap to clone. `Display` prints the number of items, and then the [`ExtractionError`].
#[derive(Debug, Clone)]
pub struct ItemsError {
    delivered: Arc<[usize]>,
    error: Arc<ExtractionError>,
}

impl ItemsError {
    fn new(delivered: impl IntoIterator<Item = usize>, error: ExtractionError) -> Self {
        Self { delivered: delivered.into_iter().collect(), error: Arc::new(error) }
    }

    /// Returns the positions of the delivered items, in ascending order. Each satisfied its part of
    /// the contract; the list as a whole was not accepted.
    pub fn delivered(&self) -> &[usize] {
        &self.delivered
    }

    /// Returns why the extraction failed, with every attempt.
    pub fn error(&self) -> &ExtractionError {
        &self.error
    }
}

impl fmt::Display for ItemsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {}: {}", counted(self.delivered.len(), "delivered item"), self.error)
    }
}

impl Error for ItemsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}
