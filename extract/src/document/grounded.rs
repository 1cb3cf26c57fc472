//! Values with quotes from a document: words copied from it.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};

use crate::document::span::Span;

/// A value, and the words of the document that support it.
///
/// The agent is asked for both. The words must occur in the [document](crate::Extraction::document)
/// of the extraction, exactly or apart from whitespace and typography; otherwise there is one more
/// violation. A number or a date must be in its quote, where that can be decided.
///
/// The quote costs output tokens: a value with a quote takes about twice as many as the value
/// alone. [`Quote`] is the cheap form, where the words are the value.
///
/// ```
/// use extract::{Extractable, document::{Document, Grounded}, testing::{ScriptedAgent, block_on}};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Extractable)]
/// struct Medication {
///     name: Grounded<String>,
///     dose_mg: Option<Grounded<f64>>,
/// }
///
/// let document = Document::from_text("She takes ibuprofen (400 mg) when it hurts.");
/// let reply = r#"{"name": {"value": "Ibuprofen", "quote": "takes ibuprofen"},
///     "dose_mg": {"value": 400, "quote": "400 mg"}}"#;
/// let agent = ScriptedAgent::new([reply]);
/// let extraction = Medication::extract(&agent, "Which medication?").document(&document);
/// let (medication, _) = block_on(extraction)?;
///
/// assert_eq!(medication.name.value, "Ibuprofen");
/// let dose = medication.dose_mg.unwrap();
/// assert_eq!((*dose, dose.quote.words(), dose.span().unwrap().range()), (400.0, "400 mg", 21..27));
/// # Ok::<(), extract::ExtractionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grounded<T> {
    /// The value.
    pub value: T,
    /// The words that support it.
    pub quote: Quote,
}

impl<T> Grounded<T> {
    /// Creates a value whose quote has no location, for worked examples and tests.
    pub fn new(value: T, quote: impl Into<String>) -> Self {
        Self { value, quote: Quote::new(quote) }
    }

    /// Returns where the quote is in the document; see [`Quote::span`].
    pub fn span(&self) -> Option<Span> {
        self.quote.span()
    }
}

impl<T> Deref for Grounded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Grounded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Words copied from a document, with their location.
///
/// The agent gives the words, never the location. The words must occur in the
/// [document](crate::Extraction::document) of the extraction. They are then replaced by the
/// document's own text, byte for byte, and [`span`](Self::span) is its location.
///
/// For the agent, a quote is a JSON string. With a span it serializes as an object
/// `{"words": …, "span": …}`. Both forms deserialize.
///
/// ```
/// use extract::{Extractable, document::{Document, Quote}, testing::{ScriptedAgent, block_on}};
///
/// let document = Document::from_text("Denied chest pain.\nReported a mild head-\nache.");
/// let agent = ScriptedAgent::new([r#"["mild headache"]"#]);
/// let extraction = Vec::<Quote>::extract(&agent, "Which symptoms were reported?").document(&document);
/// let (symptoms, _) = block_on(extraction)?;
/// assert_eq!(symptoms[0].words(), "mild head-\nache");
/// let span = symptoms[0].span().unwrap();
/// assert_eq!(&document.text()[span.range()], "mild head-\nache");
/// # Ok::<(), extract::ExtractionError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Quote {
    words: String,
    span: Option<Span>,
}

impl Quote {
    /// Creates a quote without a location, for worked examples and tests.
    pub fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), span: None }
    }

    /// Returns the words. With a span, they are the document's own, byte for byte.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Returns where the words are in the document. `None` only if the quote was not extracted: it
    /// was created by [`new`](Self::new), or read from JSON without a span.
    pub fn span(&self) -> Option<Span> {
        self.span
    }
}

impl Deref for Quote {
    type Target = str;

    fn deref(&self) -> &str {
        &self.words
    }
}

impl AsRef<str> for Quote {
    fn as_ref(&self) -> &str {
        &self.words
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Debug for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.words)?;
        match self.span {
            Some(span) => write!(f, " at {}..{}", span.start(), span.end()),
            None => Ok(()),
        }
    }
}

impl Serialize for Quote {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(span) = self.span else { return serializer.serialize_str(&self.words) };
        let mut object = serializer.serialize_struct("Quote", 2)?;
        object.serialize_field("words", &self.words)?;
        object.serialize_field("span", &span)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Quote {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuoteVisitor)
    }
}

struct QuoteVisitor;

impl<'de> de::Visitor<'de> for QuoteVisitor {
    type Value = Quote;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, words: &str) -> Result<Quote, E> {
        Ok(Quote::new(words))
    }

    fn visit_string<E: de::Error>(self, words: String) -> Result<Quote, E> {
        Ok(Quote::new(words))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Quote, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Placed {
            words: String,
            span: Span,
        }
        let Placed { words, span } = Placed::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Quote { words, span: Some(span) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::Document;

    #[test]
    fn a_quote_is_a_string_until_it_has_a_place() {
        let quote: Quote = serde_json::from_value(json!("head ache")).unwrap();
        assert_eq!(quote, Quote::new("head ache"));
        assert_eq!(serde_json::to_value(&quote).unwrap(), json!("head ache"));

        let span = Document::from_text("headache").span(4..8).unwrap();
        let placed = json!({"words": "ache", "span": span});
        let quote: Quote = serde_json::from_value(placed.clone()).unwrap();
        assert_eq!(quote.span(), Some(span));
        assert_eq!(serde_json::to_value(&quote).unwrap(), placed);
        assert_eq!(format!("{quote:?}"), r#""ache" at 4..8"#);
    }
}
