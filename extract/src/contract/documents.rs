//! Contracts about a document: of the answers to its chunks, and with quotes that must occur in it.

use std::{borrow::Cow, ops::Range, sync::Arc};

use serde_json::Value;

use super::{CompiledContract, Contract};
use crate::{
    document::{Document, Span},
    merging::{self, LeafVote, MergedValue},
    schema::{self, SchemaError, ValueOrder},
    validation::{self, GroundedValue, QuoteSource, SchemaNodes},
    vocabulary::path::Path,
};

impl Contract {
    /// The contract of the answer to one chunk: a part of the value, without the rules for the
    /// whole.
    pub(crate) fn of_chunk(&self) -> Result<Self, SchemaError> {
        let CompiledContract { type_judges, type_, example, .. } = &*self.inner;
        let mut relaxed =
            Self::compile(schema::relaxed(self.schema()), Vec::new(), type_judges.clone())?.of_type(*type_);
        // An example of the whole shows more than an example of a part would.
        Arc::make_mut(&mut relaxed.inner).example.clone_from(example);
        Ok(Self { source: self.source.clone(), ..relaxed })
    }

    /// The orders by which merging chooses one of several statements.
    fn orders(&self) -> &[ValueOrder] {
        self.inner.type_judges.as_ref().map_or(&[], |judges| &judges.orders)
    }

    /// Returns the spans of the quotes in the part of `value` at `path`, or in the nearest
    /// enclosing part with quotes.
    pub(crate) fn spans_around(&self, value: &Value, path: &Path) -> Vec<Span> {
        merging::spans_around(self.schema(), value, path)
    }

    /// Returns what most of `samples` have. As a whole it was given by nobody.
    pub(crate) fn majority(&self, samples: &[&Value]) -> Value {
        let samples: Vec<_> = samples.iter().map(|sample| self.known(sample)).collect();
        let samples: Vec<&Value> = samples.iter().map(|sample| &**sample).collect();
        merging::majority(self.schema(), self.orders(), &samples)
    }

    /// Returns the leaves of `value`, each with the samples that agree with it.
    pub(crate) fn votes(&self, value: &Value, samples: &[&Value]) -> Vec<LeafVote> {
        let samples: Vec<_> = samples.iter().map(|sample| self.known(sample)).collect();
        let samples: Vec<&Value> = samples.iter().map(|sample| &**sample).collect();
        merging::votes(self.schema(), self.orders(), &self.known(value), &samples)
    }

    /// Merges the answers to chunks, each with the number of its chunk, in document order. Their
    /// quotes already have spans.
    pub(crate) fn merge<'v>(&self, answers: impl IntoIterator<Item = (usize, &'v Value)>) -> MergedValue {
        let answers: Vec<_> =
            answers.into_iter().map(|(chunk, answer)| (chunk, self.known(answer))).collect();
        let answers = answers.iter().map(|(chunk, answer)| (*chunk, &**answer));
        let mut merged = merging::merge(self.schema(), self.orders(), answers);
        if let Some(sensitive) = self.sensitive() {
            let values = sensitive.values_in(&merged.value);
            for conflict in &mut merged.conflicts {
                for statement in std::iter::once(&mut conflict.kept).chain(&mut conflict.others) {
                    sensitive.redact_at(&conflict.path, &mut statement.value, &values);
                }
                conflict.path = sensitive.redacted_path(&conflict.path, &values);
            }
            for mentions in &mut merged.mentions {
                mentions.path = sensitive.redacted_path(&mentions.path, &values);
            }
        }
        merged
    }
}

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

    /// Returns the text in which quotes are looked up.
    pub(crate) fn document_text(&self) -> Option<&str> {
        self.source.as_ref().map(QuoteSource::text)
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
        validation::drop_spans(&SchemaNodes::of(self.schema()), &mut value);
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
        let quotes = validation::quotes_in(self.schema(), path, value);
        let mut grounding = validation::ground(path, value, &quotes, self.source.as_ref());
        if let Some(sensitive) = self.sensitive() {
            // The hint is the nearest passage, which may be what the quote should have been.
            let quotes = grounding.violations.iter_mut().filter(|one| sensitive.is_sensitive(&one.path));
            quotes.for_each(|violation| violation.hint = None);
            sensitive.redact_violations(path, &mut grounding.violations, value);
        }
        grounding
    }
}
