//! The outcomes of a job as a stream.

use std::{
    fmt, future,
    pin::Pin,
    sync::PoisonError,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{engine::Feed, error::BulkError, outcome::Outcome, report::Report};

pub(super) type StreamedJob<'a> = Pin<Box<dyn Future<Output = Result<Report, BulkError>> + Send + 'a>>;

/// The outcomes of a job, in the order in which they become known; see
/// [`Bulk::outcomes`](super::Bulk::outcomes).
///
/// A [`Stream`] that ends after the last outcome or an error. After that, [`report`](Self::report)
/// returns the report of the job. The job only proceeds while the stream is polled, so take the
/// outcomes promptly. Dropping it ends the job. The next run asks about the documents in flight
/// again.
#[must_use = "a job asks nothing until it is polled"]
pub struct Outcomes<'a, T> {
    job: Option<StreamedJob<'a>>,
    feed: Feed<T>,
    report: Option<Report>,
    failure: Option<BulkError>,
}

impl<'a, T> Outcomes<'a, T> {
    pub(super) fn new(job: StreamedJob<'a>, feed: Feed<T>) -> Self {
        Self { job: Some(job), feed, report: None, failure: None }
    }

    /// Returns the next outcome; `None` at the end.
    ///
    /// # Errors
    ///
    /// The errors of [`Bulk`](super::Bulk), once, after the outcomes that precede it.
    pub async fn next(&mut self) -> Option<Result<Outcome<T>, BulkError>> {
        future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the report of the job, after its end.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    fn pop(&self) -> Option<Outcome<T>> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

impl<T> Stream for Outcomes<'_, T> {
    type Item = Result<Outcome<T>, BulkError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(outcome) = self.pop() {
                return Poll::Ready(Some(Ok(outcome)));
            }
            let Some(job) = &mut self.job else { return Poll::Ready(self.failure.take().map(Err)) };
            match job.as_mut().poll(context) {
                Poll::Ready(ended) => {
                    self.job = None;
                    match ended {
                        Ok(report) => self.report = Some(report),
                        Err(error) => self.failure = Some(error),
                    }
                }
                Poll::Pending if self.feed.lock().unwrap_or_else(PoisonError::into_inner).is_empty() => {
                    return Poll::Pending;
                }
                Poll::Pending => {}
            }
        }
    }
}

impl<T> Unpin for Outcomes<'_, T> {}

impl<T> fmt::Debug for Outcomes<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcomes").field("is_running", &self.job.is_some()).finish_non_exhaustive()
    }
}
