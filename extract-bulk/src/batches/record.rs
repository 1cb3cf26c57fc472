//! Batches in the journal.

use serde::{Deserialize, Serialize};

/// A request of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchLine {
    /// The id in the file.
    pub(crate) id: String,
    /// The key of the document.
    pub(crate) key: String,
    /// The name of the request among the document's.
    pub(crate) name: String,
}

/// A batch whose answers are not all in the journal yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenBatch {
    pub(crate) mark: String,
    /// The provider's id; `None` if it is not known whether the file was sent.
    pub(crate) id: Option<String>,
    pub(crate) lines: Vec<BatchLine>,
}
