//! Writes to a journal.

use serde::{Deserialize, Serialize};

use crate::batches::BatchRecord;

/// A document that is in progress, or was when a run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Intent {
    /// The question, in hexadecimal. Crashes count only for the same question.
    pub(crate) question: String,
    /// How many runs crashed while it was in flight among few.
    pub(crate) crashes: u32,
    /// How many runs crashed while it was in flight among more.
    #[serde(default)]
    pub(crate) crowded: u32,
    /// Whether it is in flight now.
    pub(crate) is_open: bool,
}

impl Intent {
    pub(super) fn bytes(&self) -> Vec<u8> {
        // An intent is always JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// A change to a journal. Several are committed at once.
#[derive(Debug)]
pub(crate) enum Write {
    /// The document with this number has this key.
    Order(u64, String),
    /// The document is about to be processed, or was released without an outcome.
    Intent(String, Intent),
    /// All documents of a job with batches that are in flight now, instead of an intent for each.
    InFlight(Vec<(String, Intent)>),
    /// The outcome of the document; closes the intent.
    Outcome(String, Vec<u8>),
    /// A reply about a document that needs several: key, digest of the request, reply.
    Reply(String, String, Vec<u8>),
    /// A batch is about to be sent: its mark, and its requests.
    BatchIntent(String, BatchRecord),
    /// The id of the batch with this mark.
    BatchId(String, String),
    /// All answers of the batch with this mark are in the journal.
    BatchEnded(String),
    /// The answer to a request in a batch: key, name of the request, and the bytes of a
    /// [`KnownAnswer`](crate::batches::KnownAnswer).
    Answer(String, String, Vec<u8>),
    /// The source has this many documents.
    Documents(u64),
}

impl Write {
    pub(crate) fn is_outcome(&self) -> bool {
        matches!(self, Self::Outcome(..))
    }
}
