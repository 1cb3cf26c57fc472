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
/// `find` and `status` ends the job, and so does one of `submit`, unless it may be about a request in
/// the file ([`Refused`](super::AgentErrorKind::Refused) or [`TooLong`](super::AgentErrorKind::TooLong)
/// with the status 400, 413, 422 or none): then the halves of the file are sent, to find it.
pub trait BatchAgent: Send + Sync {
    /// Writes the request as one line of the file. `id` has 48 hexadecimal digits; the answer has to
    /// carry it. Keys do not belong into it.
    ///
    /// # Errors
    ///
    /// If the request cannot be written. It ends the document like an error of an agent.
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError>;

    /// Reads the answer to a request. `sent` is the [`WrittenRequest::sent`] of its line.
    ///
    /// # Errors
    ///
    /// A transient error if it is not an answer, such as a failure or an expired request; then the
    /// request is part of the next wave. Any other one if the request is refused.
    fn read(&self, request: &Request, sent: &str, answer: &[u8]) -> Result<Reply, AgentError>;

    /// Sends a file with one request in each line, and returns the id of the batch. `mark` names
    /// the batch, and has to be findable by [`find`](Self::find) from the moment the batch exists.
    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String>;

    /// Looks for a batch by its mark. It is called after a crash or an error between sending a file
    /// and recording its id, so [`BatchSearch::Missing`] lets the requests be sent (and paid for)
    /// again.
    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch>;

    /// Returns the state of a batch.
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

    /// Cancels a batch. It may go on for a while, and keeps the answers that it has until then.
    /// Cancelling one that has ended is not an error.
    fn cancel<'a>(&'a self, id: &'a str) -> BatchFuture<'a, ()>;

    /// Returns the limits of one batch; a wave with more is split into several.
    fn limits(&self) -> BatchLimits {
        BatchLimits::default()
    }
}

impl<T: BatchAgent + ?Sized> BatchAgent for Arc<T> {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        (**self).write(id, request)
    }

    fn read(&self, request: &Request, sent: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        (**self).read(request, sent, answer)
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        (**self).submit(file, mark)
    }

    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        (**self).find(lost)
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        (**self).status(id)
    }

    fn results<'a>(&'a self, id: &'a str, sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        (**self).results(id, sink)
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BatchFuture<'a, ()> {
        (**self).cancel(id)
    }

    fn limits(&self) -> BatchLimits {
        (**self).limits()
    }
}

/// A request as one line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRequest {
    /// The line, without a line break.
    pub line: Vec<u8>,
    /// A few bytes that [`BatchAgent::read`] needs about the line, such as whether it has a schema;
    /// empty if it needs nothing. It is kept in the journal with the request and with its answer.
    pub sent: String,
}

impl From<Vec<u8>> for WrittenRequest {
    fn from(line: Vec<u8>) -> Self {
        Self { line, sent: String::new() }
    }
}

/// A batch that was sent, or nearly so, and whose id is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostBatch<'a> {
    /// The mark that [`BatchAgent::submit`] was given.
    pub mark: &'a str,
    /// How many requests it has.
    pub requests: usize,
}

/// The result of looking for a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchSearch {
    /// The id of the batch.
    Found(String),
    /// There is no such batch.
    Missing,
    /// Another batch has to end before this is known. It is asked for again at the next poll.
    Undecided,
}

/// The state of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BatchStatus {
    /// It waits or is processed.
    Open,
    /// There will be no more answers, whether it is complete, expired or cancelled.
    Ended,
    /// The provider refused it as a whole, answered nothing and charges nothing. Its halves are sent,
    /// until the request is found that is refused alone.
    Refused {
        /// The provider's reason.
        reason: String,
    },
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
