//! Quotes that must stand in a document.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Contract;
use crate::{
    document::{Document, Span},
    path::Path,
    text::{cut, quoted},
    validation::{Quoted, Quotes},
    violation::{Code, Severity, Violation},
};

/// Where quotes are looked up.
#[derive(Debug, Clone)]
pub(super) struct Source {
    document: Document,
    /// The part of it that the agent was shown.
    part: Span,
}

/// A value whose quotes were looked up.
pub(crate) struct Grounding<'v> {
    /// The value with the places of its quotes, and the words that stand there.
    pub(crate) value: Cow<'v, Value>,
    /// What is wrong with its quotes, and warnings.
    pub(crate) violations: Vec<Violation>,
    /// The quotes that the document writes in another way.
    pub(crate) respelled: Vec<Respelled>,
}

/// A quote that the document writes in another way.
pub(crate) struct Respelled {
    pub(crate) path: Path,
    /// The words of the agent.
    pub(crate) before: String,
    /// The words of the document.
    pub(crate) after: String,
}

/// Maximum characters of a passage in a message.
const PASSAGE_CHARS: usize = 200;

impl Contract {
    /// The same contract for values with quotes from `document`: what
    /// [`Quote`](crate::document::Quote) and [`Grounded`](crate::document::Grounded) quote must stand
    /// in it.
    ///
    /// In a contract from a JSON Schema, the keyword `"x-quote": true` marks a string that is a
    /// quote, and `"x-grounded": true` an object with a `value` that has to be in its `quote`.
    ///
    /// ```
    /// use extract::{Contract, document::Document};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "array", "items": {"type": "string", "x-quote": true}});
    /// let contract = Contract::from_schema(schema)?.about(&Document::from_text("She denied pain."));
    /// assert!(contract.validate(&json!(["denied pain"])).is_empty());
    /// assert_eq!(contract.validate(&json!(["felt pain"]))[0].code.as_str(), "NOT_IN_SOURCE");
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn about(&self, document: &Document) -> Self {
        self.about_part(document, Span { start: 0, end: document.text().len() })
    }

    /// The same, for quotes from one part of the document.
    pub(crate) fn about_part(&self, document: &Document, part: Span) -> Self {
        let source = Some(Source { document: document.clone(), part });
        Self { inner: self.inner.clone(), source }
    }

    /// Whether values have quotes, and there is no document to look them up in.
    pub(crate) fn lacks_document(&self) -> bool {
        self.inner.has_quotes && self.source.is_none()
    }

    /// The value without the places of its quotes, as an agent writes it.
    pub(crate) fn without_places<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if !self.inner.has_quotes {
            return Cow::Borrowed(value);
        }
        let mut value = value.clone();
        Quotes::of(self.schema()).drop_places(&mut value);
        Cow::Owned(value)
    }

    /// Looks up the quotes of `value`.
    pub(crate) fn ground<'v>(&self, value: &'v Value) -> Grounding<'v> {
        let mut grounding =
            Grounding { value: Cow::Borrowed(value), violations: Vec::new(), respelled: Vec::new() };
        if !self.inner.has_quotes {
            return grounding;
        }
        let quotes = Quotes::of(self.schema()).within(value);
        match &self.source {
            None if quotes.is_empty() => {}
            None => grounding.violations.push(no_document(&quotes[0])),
            Some(source) => source.ground(quotes, &mut grounding),
        }
        grounding.violations = self.redacted(grounding.violations, value);
        grounding
    }
}

fn no_document(first: &Quoted<'_>) -> Violation {
    Violation::new(first.path.clone(), Code::NotInSource, "there is no document to look the quote up in")
        .severity(Severity::Fatal)
}
