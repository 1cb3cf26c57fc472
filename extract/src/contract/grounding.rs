//! Quotes that must occur in a document.

use std::{borrow::Cow, ops::Range};

use serde_json::Value;

use super::Contract;
use crate::{
    document::Document,
    validation::{self, GroundedValue, QuoteCollector, QuoteSource},
    vocabulary::path::Path,
};

impl Contract {
    /// Returns the same contract, with quotes looked up in `document`. Every
    /// [`Quote`](crate::document::Quote), and the quote of every
    /// [`Grounded`](crate::document::Grounded), must occur in it.
    ///
    /// In a contract from a JSON Schema, the keyword `"x-quote": true` marks a string that is a
    /// quote, and `"x-grounded": true` marks an object whose `value` must be in its `quote`.
    ///
    /// ```
    /// use extract::{Contract, document::Document};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "array", "items": {"type": "string", "x-quote": true}});
    /// let contract = Contract::from_schema(schema)?.document(&Document::from_text("She denied pain."));
    /// assert!(contract.validate(&json!(["denied pain"])).is_empty());
    /// assert_eq!(contract.validate(&json!(["felt pain"]))[0].code.as_str(), "NOT_IN_SOURCE");
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn document(&self, document: &Document) -> Self {
        self.about_part(document, 0..document.text().len())
    }

    /// Like `about`, for quotes from one part of the document.
    pub(crate) fn about_part(&self, document: &Document, part: Range<usize>) -> Self {
        Self { inner: self.inner.clone(), source: Some(QuoteSource::new(document, part)) }
    }

    /// Returns the same contract for quotes from where `other` has its quotes from.
    pub(crate) fn with_source_of(self, other: &Self) -> Self {
        Self { source: other.source.clone(), ..self }
    }

    /// Returns the same contract for a correction of `value`. The agent is shown these passages:
    /// quotes of `value` keep their spans, and new quotes are most likely from the passages.
    pub(crate) fn correcting(&self, value: &Value, passages: Vec<Range<usize>>) -> Self {
        let found = || self.spans_around(value, &Path::root());
        let source = self.source.as_ref().map(|source| source.after(found(), passages));
        Self { inner: self.inner.clone(), source }
    }

    /// Returns whether values have quotes but no document to look them up in.
    pub(crate) fn lacks_document(&self) -> bool {
        self.inner.has_quotes && self.source.is_none()
    }

    /// Returns `value` with each quote as its words alone, as an agent writes it. An extracted value
    /// has `{"words": …, "span": …}` there, which the schema does not describe. A value without
    /// spans, or of a schema without quotes, stays as it is.
    ///
    /// ```
    /// use extract::Contract;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "array", "items": {"type": "string", "x-quote": true}});
    /// let contract = Contract::from_schema(schema)?;
    /// let value = json!([{"words": "denied pain", "span": {"start": 4, "end": 15}}]);
    /// assert_eq!(*contract.without_spans(&value), json!(["denied pain"]));
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn without_spans<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if !self.inner.has_quotes {
            return Cow::Borrowed(value);
        }
        let mut value = value.clone();
        QuoteCollector::of(self.schema()).drop_spans(&mut value);
        Cow::Owned(value)
    }

    /// Looks up the quotes of `value`.
    pub(crate) fn ground<'v>(&self, value: &'v Value) -> GroundedValue<'v> {
        self.ground_part(&Path::root(), value)
    }

    /// Looks up the quotes of `value`, which is the part at `path` of a value.
    pub(crate) fn ground_part<'v>(&self, path: &Path, value: &'v Value) -> GroundedValue<'v> {
        if !self.inner.has_quotes {
            return GroundedValue::of(value);
        }
        let quotes = QuoteCollector::of(self.schema()).within(path, value);
        let mut grounding = validation::ground(path, value, &quotes, self.source.as_ref());
        if let Some(sensitive) = self.sensitive() {
            // The hint is the nearest passage, which may be what the quote should have been.
            let quotes = grounding.violations.iter_mut().filter(|one| sensitive.is_sensitive(&one.path));
            quotes.for_each(|violation| violation.hint = None);
            sensitive.redact_violations_at(path, &mut grounding.violations, value);
        }
        grounding
    }
}
