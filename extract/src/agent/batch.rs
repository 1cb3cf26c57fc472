//! The interface of a provider that answers files of requests.

use std::{pin::Pin, sync::Arc};

use super::{AgentError, Reply, Request};

/// The future that the methods of a [`BatchAgent`] return.
pub type BatchFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, AgentError>> + Send + 'a>>;

/// Takes the answers of a batch: the id of a request, and the answer as the provider wrote it.
pub type BatchSink<'a> = Box<dyn FnMut(&str, &[u8]) + Send + 'a>;

/// A provider that takes files of requests and answers them within hours, often for half the price.
///
/// It only moves files. `Bulk::batches` of the package `extractable-bulk` decides what is sent when,
/// and judges the answers as in any other job; its page in the book has an example.
///
/// # Errors
///
/// A [transient](AgentError::is_transient) error of any method but [`read`](Self::read) is tried
/// again at the next poll, for as long as the transport bound of the job allows. Any other one of
/// `submit`, `find` and `status` ends the job.
pub trait BatchAgent: Send + Sync {
    /// Returns the request as one line of the file, without a line break. `id` has 48 hexadecimal
    /// digits; the answer has to carry it. Keys do not belong into it.
    ///
    /// # Errors
    ///
    /// If the request cannot be written. It ends the document like an error of an agent.
    fn write(&self, id: &str, request: &Request) -> Result<Vec<u8>, AgentError>;

    /// Reads the answer to a request.
    ///
    /// # Errors
    ///
    /// A transient error if it is no answer, such as a failure or an expired request; then the
    /// request is part of the next wave. Any other one if the request is refused.
    fn read(&self, request: &Request, answer: &[u8]) -> Result<Reply, AgentError>;

    /// Sends a file with one request in each line, and returns the id of the batch. `mark` names
    /// the batch, and has to be findable by [`find`](Self::find) from the moment the batch exists.
    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String>;

    /// Returns the id of the batch with this mark, or `None` if there is none. It is asked after a
    /// crash or an error between sending a file and recording its id, so `None` lets the requests
    /// be sent (and paid for) again.
    fn find<'a>(&'a self, mark: &'a str) -> BatchFuture<'a, Option<String>>;

    /// Returns whether a batch has ended.
    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus>;

    /// Passes the answers of a batch that has ended to `sink`, in any order. Answers that are
    /// missing are asked for in the next wave. Of several answers to one request, the first that
    /// can be [read](Self::read) counts.
    ///
    /// # Errors
    ///
    /// An error that is not transient means that there are no more answers, such as a file that is
    /// gone. Those passed before are kept.
    fn results<'a>(&'a self, id: &'a str, sink: BatchSink<'a>) -> BatchFuture<'a, ()>;

    /// Returns the limits of one batch; a wave with more is split into several.
    fn limits(&self) -> BatchLimits {
        BatchLimits::default()
    }
}

impl<T: BatchAgent + ?Sized> BatchAgent for Arc<T> {
    fn write(&self, id: &str, request: &Request) -> Result<Vec<u8>, AgentError> {
        (**self).write(id, request)
    }

    fn read(&self, request: &Request, answer: &[u8]) -> Result<Reply, AgentError> {
        (**self).read(request, answer)
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        (**self).submit(file, mark)
    }

    fn find<'a>(&'a self, mark: &'a str) -> BatchFuture<'a, Option<String>> {
        (**self).find(mark)
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        (**self).status(id)
    }

    fn results<'a>(&'a self, id: &'a str, sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        (**self).results(id, sink)
    }

    fn limits(&self) -> BatchLimits {
        (**self).limits()
    }
}

/// The state of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BatchStatus {
    /// It waits or is processed.
    Open,
    /// There will be no more answers, whether it is complete, expired, failed or cancelled.
    Ended,
}

/// The limits of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BatchLimits {
    /// Requests of a batch; 50,000 by default.
    pub requests: usize,
    /// Bytes of the file; 100 MB by default. A request with more is sent alone.
    pub bytes: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self { requests: 50_000, bytes: 100_000_000 }
    }
}
