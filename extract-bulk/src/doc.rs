//! A document of a job.

use extract::{
    agent::Prompt,
    document::{Chunks, Document},
};
use serde_json::Value;

/// A document of a job: a key, and the question about it.
///
/// The key names the document in the journal and in all outputs, and is not shown to the agent.
/// Keys must be unique within a job. A prompt can have [parts](extract::agent::Part) such as images.
/// A long text is better passed as a [`document`](Self::document), where quotes can be looked up.
///
/// ```
/// use extract_bulk::Doc;
///
/// let doc = Doc::new("2041.txt", "INV-2041, total 12 EUR").meta(serde_json::json!({"line": 17}));
/// assert_eq!(doc.key(), "2041.txt");
/// ```
#[derive(Debug, Clone)]
pub struct Doc {
    pub(super) key: String,
    pub(super) prompt: Prompt,
    pub(super) meta: Value,
    pub(super) document: Option<Document>,
    pub(super) chunks: Option<Chunks>,
}

impl Doc {
    /// Creates a document from its key and prompt.
    pub fn new(key: impl Into<String>, prompt: impl Into<Prompt>) -> Self {
        Self { key: key.into(), prompt: prompt.into(), meta: Value::Null, document: None, chunks: None }
    }

    /// Sets data that is copied into the outcome, such as a row number or a file name. The agent
    /// does not see it.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Value>) -> Self {
        self.meta = meta.into();
        self
    }

    /// Sets the text to ask about, as [`Extraction::document`](extract::Extraction::document) does.
    #[must_use]
    pub fn document(mut self, document: &Document) -> Self {
        self.document = Some(document.clone());
        self
    }

    /// Asks about that text in chunks, as [`Extraction::chunks`](extract::Extraction::chunks) does.
    #[must_use]
    pub fn chunks(mut self, chunks: Chunks) -> Self {
        self.chunks = Some(chunks);
        self
    }

    /// Returns the name of the document.
    pub fn key(&self) -> &str {
        &self.key
    }
}
