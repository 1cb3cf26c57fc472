//! Requests that are not answered to the end: how many of them there may be.

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

use super::{lobby::Away, refusal::Refusal};

/// Places for requests, and others for event streams, which never end by themselves. Only who may
/// pass takes one. Clones share them.
#[derive(Clone)]
pub(super) struct Places {
    max_requests: usize,
    requests: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl Places {
    pub(super) fn new(max_requests: usize, max_streams: usize) -> Self {
        let semaphore = |places: usize| Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS)));
        Self { max_requests, requests: semaphore(max_requests), streams: semaphore(max_streams) }
    }

    /// How many requests have a place, without event streams.
    pub(super) fn taken(&self) -> usize {
        self.max_requests.saturating_sub(self.requests.available_permits())
    }

    /// A place for a request of this method.
    pub(super) fn take(&self, method: &Method, away: Away) -> Result<Place, Refusal> {
        let (places, refusal) = match *method {
            Method::GET => (&self.streams, Refusal::TooManyStreams),
            _ => (&self.requests, Refusal::TooManyRequests),
        };
        let permit = Arc::clone(places).try_acquire_owned().map_err(|_| refusal)?;
        Ok(Place { away, _permit: permit })
    }
}

/// The place of one request, until this is dropped.
pub(super) struct Place {
    pub(super) away: Away,
    _permit: OwnedSemaphorePermit,
}

/// A body whose request has its place until it is sent.
pub(super) struct Placed<B> {
    pub(super) body: B,
    pub(super) place: Option<Place>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for Placed<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) {
            self.place = None;
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
