//! The stream of the steps of an extraction.

use std::{
    collections::VecDeque,
    fmt, future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{
    feed::{PartialFeed, PartialScreen, ScreenRestart},
    partial::{Partial, PartialStep},
    violations::{PartialJudge, PartialViolations},
};
use crate::{
    contract::Contract,
    derive_support::WithContext,
    error::{ExtractionError, ExtractionResult},
    extraction::{Extraction, RunningExtraction},
    judging::{Event, tools::ToolSet},
    reading::{GrowingAnswer, Mark},
    settings::ExtractionSettings,
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
        let mut extraction = self.stream(true);
        let screen = extraction.screen().zip(extraction.judging());
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
    fn screen(&mut self) -> Option<Arc<PartialScreen>> {
        let input = self.input.as_mut()?;
        input.shows_parts = true;
        let contract = input.contract.as_ref().ok()?;
        let tool_set = self.settings.uses_tools.then(|| ToolSet::of(contract));
        let screen = Arc::new(PartialScreen::default());
        let mut feed = PartialFeed::new(growing(contract, &self.settings), tool_set, Arc::clone(&screen));
        input.observers.push(Box::new(move |event: &Event<'_>| feed.observe(event)));
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
