//! The source of a job's documents.

use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::doc::Doc;

/// Why a source failed.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// The documents of a job. Created from an iterator or a stream, see [`IntoSource`].
pub struct Source<'a> {
    documents: Documents<'a>,
    /// The number of documents, if known.
    pub(super) expected: Option<u64>,
}

enum Documents<'a> {
    Iterator(Box<dyn Iterator<Item = Result<Doc, SourceError>> + Send + 'a>),
    Stream(Pin<Box<dyn Stream<Item = Result<Doc, SourceError>> + Send + 'a>>),
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("expected", &self.expected).finish_non_exhaustive()
    }
}

impl Source<'_> {
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Doc, SourceError>>> {
        match &mut self.documents {
            Documents::Iterator(documents) => Poll::Ready(documents.next()),
            Documents::Stream(documents) => documents.as_mut().poll_next(context),
        }
    }
}

/// Types that a job can take its documents from: an iterator or a stream of [`Doc`], or of
/// `Result<Doc, E>` if reading a document may fail. It is read as the job proceeds, ahead by at
/// most twice the number of documents that are processed at once.
///
/// `Kind` is [`FromIterator`] or [`FromStream`], and never has to be named.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of documents",
    label = "expected an iterator or a stream of `Doc` or `Result<Doc, E>` that can be sent to another thread"
)]
pub trait IntoSource<'a, Kind> {
    /// Converts it into a source.
    fn into_source(self) -> Source<'a>;
}

/// Marks an [`IntoSource`] that is an iterator.
#[derive(Debug)]
pub enum FromIterator {}

/// Marks an [`IntoSource`] that is a stream.
#[derive(Debug)]
pub enum FromStream {}

/// A [`Doc`], or the error of reading it.
pub trait SourceItem {
    /// The document.
    ///
    /// # Errors
    ///
    /// If the source failed.
    fn into_doc(self) -> Result<Doc, SourceError>;
}

impl SourceItem for Doc {
    fn into_doc(self) -> Result<Doc, SourceError> {
        Ok(self)
    }
}

impl<E: Into<SourceError>> SourceItem for Result<Doc, E> {
    fn into_doc(self) -> Result<Doc, SourceError> {
        self.map_err(Into::into)
    }
}

impl<'a, I> IntoSource<'a, FromIterator> for I
where
    I: IntoIterator,
    I::Item: SourceItem,
    I::IntoIter: Send + 'a,
{
    fn into_source(self) -> Source<'a> {
        let documents = self.into_iter();
        let expected = exact(documents.size_hint());
        Source { documents: Documents::Iterator(Box::new(SourceItems(documents))), expected }
    }
}

impl<'a, S> IntoSource<'a, FromStream> for S
where
    S: Stream + Send + 'a,
    S::Item: SourceItem,
{
    fn into_source(self) -> Source<'a> {
        let expected = exact(self.size_hint());
        Source { documents: Documents::Stream(Box::pin(Streamed(Box::pin(self)))), expected }
    }
}

fn exact((least, most): (usize, Option<usize>)) -> Option<u64> {
    most.filter(|most| *most == least).map(|most| most as u64)
}

/// The documents of an iterator.
struct SourceItems<I>(I);

impl<I: Iterator<Item: SourceItem>> Iterator for SourceItems<I> {
    type Item = Result<Doc, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(SourceItem::into_doc)
    }
}

/// The documents of a stream.
struct Streamed<S>(Pin<Box<S>>);

impl<S: Stream<Item: SourceItem>> Stream for Streamed<S> {
    type Item = Result<Doc, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context).map(|item| item.map(SourceItem::into_doc))
    }
}
