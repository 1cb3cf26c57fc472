//! The stream of the steps of an extraction.

use std::{
    fmt, future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{
    super::{Extraction, Running},
    feed::{Feed, Next, Restart},
    partial::Partial,
    step::Step,
    verdicts::Judging,
};
use crate::{
    contract::Contract,
    described::Within,
    error::{ExtractionError, ExtractionResult},
    judging::{Event, tools::ToolSet},
    reading::GrowingAnswer,
    settings::Settings,
};

/// The steps of an extraction, from [`Extraction::partials`]; see the
/// [module](crate::partials) for what they show and when.
///
/// Ends after [`Step::Finished`] or an error. Dropping it ends the extraction.
#[must_use = "a stream asks nothing until it is polled"]
pub struct Partials<'a, T> {
    running: Option<Running<'a, T>>,
    /// How the extraction ended, until the steps before that are taken.
    result: Option<ExtractionResult<T>>,
    feed: Option<SharedFeed>,
    judging: Option<Judging<'a, T>>,
    /// Whether there may be a step before the result that needs no poll.
    may_know_more: bool,
}

type SharedFeed = Arc<Mutex<Feed>>;

impl<'a, T: Send + 'a, C: 'a> Extraction<'a, T, C>
where
    T: Within<C>,
{
    /// Extracts the value and shows it while it is written; see [`partials`](crate::partials).
    ///
    /// The reply is [streamed](Self::stream), as far as the agent can. Everything else is as when
    /// the extraction is awaited.
    pub fn partials(self) -> Partials<'a, T> {
        let mut extraction = self.stream(true);
        let feed = extraction.feed();
        let judging = extraction.judging();
        Partials { running: Some(Box::pin(extraction)), result: None, feed, judging, may_know_more: false }
    }

    /// Who judges the parts that are complete.
    fn judging(&self) -> Option<Judging<'a, T>> {
        let input = self.input.as_ref()?;
        Some(Judging::new(input.contract.as_ref().ok()?.clone(), input.checks, input.context))
    }

    /// A feed of the events; `None` if there will be none.
    fn feed(&mut self) -> Option<SharedFeed> {
        let input = self.input.as_mut()?;
        let contract = input.contract.as_ref().ok()?;
        let tool_set = self.settings.uses_tools.then(|| ToolSet::of(contract));
        let feed = Feed::new(growing(contract, &self.settings), tool_set);
        let feed = Arc::new(Mutex::new(feed));
        let observed = Arc::clone(&feed);
        let observe = move |event: &Event<'_>| locked(&observed, |feed| feed.observe(event));
        input.observers.push(Box::new(observe));
        Some(feed)
    }
}

fn growing(contract: &Contract, settings: &Settings) -> GrowingAnswer {
    GrowingAnswer::new(Arc::clone(contract.shapes()), settings.reading)
}

fn locked<R>(feed: &SharedFeed, look: impl FnOnce(&mut Feed) -> R) -> R {
    look(&mut feed.lock().unwrap_or_else(PoisonError::into_inner))
}

impl<T> Partials<'_, T> {
    /// The next step; `None` after the last one. The same as `StreamExt::next` of `futures-util`.
    ///
    /// # Errors
    ///
    /// [`ExtractionError`], as the extraction. Nothing follows it.
    pub async fn next(&mut self) -> Option<Result<Step<T>, ExtractionError>> {
        future::poll_fn(|waker| Pin::new(&mut *self).poll_next(waker)).await
    }

    /// A step that is known already.
    fn known(&mut self) -> Option<Result<Step<T>, ExtractionError>> {
        let next = self.feed.as_ref().and_then(|feed| locked(feed, Feed::next));
        let step = match next {
            Some(Next::Partial(snapshot)) => {
                let verdicts = self.judging.as_mut()?.verdicts(&snapshot);
                Step::Partial(Partial::new(snapshot, verdicts))
            }
            Some(Next::Restart(Restart { attempt, violations })) => {
                self.may_know_more = true;
                Step::Restarted { attempt, violations }
            }
            None => {
                let result = self.result.take()?;
                return Some(result.map(|(value, metrics)| Step::Finished(value, metrics)));
            }
        };
        Some(Ok(step))
    }
}

// What is pinned is in a box of its own.
impl<T> Unpin for Partials<'_, T> {}

impl<T> Stream for Partials<'_, T> {
    type Item = Result<Step<T>, ExtractionError>;

    fn poll_next(self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if (std::mem::take(&mut this.may_know_more) || this.result.is_some())
            && let Some(step) = this.known()
        {
            return Poll::Ready(Some(step));
        }
        let Some(running) = &mut this.running else { return Poll::Ready(None) };
        if let Poll::Ready(result) = running.as_mut().poll(waker) {
            this.running = None;
            this.result = Some(result);
        }
        match this.known() {
            Some(step) => Poll::Ready(Some(step)),
            None => Poll::Pending,
        }
    }
}

impl<T> fmt::Debug for Partials<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partials").field("is_running", &self.running.is_some()).finish_non_exhaustive()
    }
}
