//! Limits the number of requests that are in progress.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::{
    Method,
    body::{Body, Bytes, Frame, SizeHint},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{idle::ActiveRequest, refusal::RequestRefusal};

/// Permits for requests, and separate ones for event streams, which do not end by themselves. Only
/// an accepted request takes one. Clones share the permits.
#[derive(Clone)]
pub(super) struct RequestLimits {
    max_requests: usize,
    requests: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl RequestLimits {
    pub(super) fn new(max_requests: usize, max_streams: usize) -> Self {
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
        Self { max_requests, requests: semaphore(max_requests), streams: semaphore(max_streams) }
    }

    /// How many requests are in progress, without event streams.
    pub(super) fn in_progress(&self) -> usize {
        self.max_requests.saturating_sub(self.requests.available_permits())
    }

    /// A permit for a request of this method.
    pub(super) fn acquire(
        &self,
        method: &Method,
        active: ActiveRequest,
    ) -> Result<RequestPermit, RequestRefusal> {
        let (permits, refusal) = match *method {
            Method::GET => (&self.streams, RequestRefusal::TooManyStreams),
            _ => (&self.requests, RequestRefusal::TooManyRequests),
        };
        let permit = Arc::clone(permits).try_acquire_owned().map_err(|_| refusal)?;
        Ok(RequestPermit { active, _permit: permit })
    }
}

/// Held by one request until it is answered.
pub(super) struct RequestPermit {
    pub(super) active: ActiveRequest,
    _permit: OwnedSemaphorePermit,
}

/// The body of an answer. Its request holds its permit until the body is sent.
pub(super) struct BodyWithPermit<B> {
    pub(super) body: B,
    pub(super) permit: Option<RequestPermit>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for BodyWithPermit<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) {
            self.permit = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
