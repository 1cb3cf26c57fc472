//! Extraction from a document.

use super::Extraction;
use crate::document::Document;

impl<T, C> Extraction<'_, T, C> {
    /// Extracts from `document`: the agent sees its text after the prompt, and
    /// [quotes](crate::document::Quote) must occur in it.
    ///
    /// The prompt is the question, and may be empty. The text is fenced, so that it cannot pose as
    /// instructions.
    ///
    /// ```
    /// use extract::{Extractable, document::{Document, Quote}, testing::{ScriptedAgent, block_on}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Symptoms {
    ///     denied: Vec<Quote>,
    /// }
    ///
    /// let document = Document::from_text("She denied chest pain, but not fever.");
    /// let agent = ScriptedAgent::new([r#"{"denied": ["no chest pain"]}"#, r#"{"denied": ["chest pain"]}"#]);
    /// let (symptoms, metrics) = block_on(Symptoms::extract(&agent, "Which?").document(&document))?;
    /// assert_eq!((symptoms.denied[0].span().unwrap().range(), metrics.attempts), (11..21, 2));
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn document(mut self, document: &Document) -> Self {
        if let Some(input) = &mut self.input {
            if let Ok(contract) = &mut input.contract {
                *contract = contract.document(document);
            }
            input.document = Some(document.clone());
        }
        self
    }
}
