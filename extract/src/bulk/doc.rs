//! A document of a job.

use serde_json::Value;

use crate::{
    agent::Prompt,
    document::{Chunks, Document},
};

/// A document of a job: a key, and what is asked about it.
///
/// The key names the document in the journal and in all outputs, and is not shown to the agent. Two
/// documents of a job have two keys. A prompt can have [parts](crate::agent::Part) such as images. A
/// long text is better given as a [`document`](Self::document), where quotes can be looked up.
///
/// ```
/// use extract::bulk::Doc;
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
    /// A document and its prompt.
    pub fn new(key: impl Into<String>, prompt: impl Into<Prompt>) -> Self {
        Self { key: key.into(), prompt: prompt.into(), meta: Value::Null, document: None, chunks: None }
    }

    /// What goes into the outcome as it is, such as a row number or a file name. The agent does not see it.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Value>) -> Self {
        self.meta = meta.into();
        self
    }

    /// The text that is asked about, as of [`Extraction::document`](crate::Extraction::document).
    #[must_use]
    pub fn document(mut self, document: &Document) -> Self {
        self.document = Some(document.clone());
        self
    }

    /// Asks about that text in chunks, as [`Extraction::chunks`](crate::Extraction::chunks) does.
    #[must_use]
    pub fn chunks(mut self, chunks: Chunks) -> Self {
        self.chunks = Some(chunks);
        self
    }

    /// The name of the document.
    pub fn key(&self) -> &str {
        &self.key
    }
}
