//! The documents of a job with batches that are processed, and do not wait for an answer.

use std::{collections::HashSet, sync::Arc};

use crate::request_name::RequestId;

/// The number of the write that admits a document, before it is pushed.
pub(super) const UNWRITTEN: u64 = u64::MAX;

/// Documents in flight, as the journal has them.
#[derive(Default)]
pub(super) struct DocsInFlight {
    pub(super) keys: HashSet<Arc<str>>,
    /// The write with the documents that are about to start or to go on, and the requests of the
    /// latter.
    pub(super) released: Option<(u64, Vec<RequestId>)>,
}
