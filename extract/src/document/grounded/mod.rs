//! Values with quotes from a document.

mod quote;

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

pub use self::quote::Quote;
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
