//! The fingerprint of the settings, which distinguishes the answers of two extractions.

use std::fmt::Write as _;

use super::{Extraction, confidence::LargerAgent, shots::GivenShot};
use crate::{contract::Contract, settings::ExtractionSettings};

/// The identity of an extraction's questions, without prompt, document and schema; see
/// [`Extraction::fingerprint`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuestionFingerprint {
    /// The question: instructions, shots, what is read and accepted. It can be long.
    pub question: String,
    /// Who is asked, and how it samples.
    pub asker: String,
    /// Characters of the instructions, the schema and the shots, to estimate the tokens of a
    /// question.
    pub chars: usize,
}

impl QuestionFingerprint {
    /// Version of this library's prompts, feedback and reading. It is raised when earlier answers
    /// become obsolete.
    pub const VERSION: u32 = 1;
}

impl<T, C> Extraction<'_, T, C> {
    /// Returns the fingerprint of the settings, in two parts: a store of answers can then tell
    /// whether only somebody else was asked. [`Extractor::fingerprint`](crate::Extractor::fingerprint)
    /// has both, the schema and the version in one string.
    ///
    /// Custom instructions are compared by what they write for `contract`. Limits (attempts, time,
    /// tokens) are not part of it: they decide whether there is an answer, not which one is right.
    ///
    /// ```
    /// use extract::{Contract, testing::ScriptedAgent};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["42"]);
    /// let first = contract.extract(&agent, "One?").fingerprint(&contract);
    /// assert_eq!(first, contract.extract(&agent, "Two?").max_attempts(5).fingerprint(&contract));
    /// let warmer = contract.extract(&agent, "One?").temperature(0.7).fingerprint(&contract);
    /// assert!(warmer.question == first.question && warmer.asker != first.asker);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn fingerprint(&self, contract: &Contract) -> QuestionFingerprint {
        let settings = &*self.settings;
        let ExtractionSettings {
            system,
            prompt,
            think_first,
            uses_tools,
            fatal_codes,
            keep_valid_items,
            reading,
            ..
        } = settings;
        let start = settings.answer_start();
        let written = settings.instructions.as_ref().map(|write| write.sample(prompt, contract, start));
        let (mut shots, mut names, mut chunking) = (String::new(), String::new(), String::new());
        let mut chosen_chars = 0;
        if let Some(input) = &self.input {
            input.shots.iter().for_each(|shot| shot.write_to(&mut shots));
            for source in input.shot_choices.iter().filter_map(|chooser| chooser.source.as_ref()) {
                let _ = write!(shots, "from {:?} ", source.fingerprint);
                chosen_chars += source.chars;
            }
            for agent in &input.agents {
                let _ = write!(names, "{:?} ", agent.name());
            }
            if let Some(LargerAgent { below, agent }) = &input.larger {
                let _ = write!(names, "below {below} {:?} ", agent.name());
            }
            let way = &input.chunking;
            let _ = write!(chunking, "{:?} {:?} {}", way.chunks, way.passes, way.accepts_gaps);
        }
        let question = format!(
            "{system:?} {written:?} {prompt:?} {think_first} {uses_tools} {fatal_codes:?} {keep_valid_items} {reading:?} \
             {chunking} {shots}"
        );
        if settings.confidence.samples() > 1 {
            let _ = write!(names, "{:?} ", settings.confidence);
        }
        let ExtractionSettings { temperature, thinking, max_output_tokens, .. } = settings;
        let asker = format!("{names}{temperature:?} {thinking:?} {max_output_tokens:?}");
        let schema = if written.is_some() { 0 } else { contract.schema().to_string().len() };
        let chars = system.as_ref().map_or(0, String::len) + written.map_or(0, |text| text.len());
        QuestionFingerprint { question, asker, chars: chars + schema + shots.len() + chosen_chars }
    }
}

impl GivenShot {
    fn write_to(&self, text: &mut String) {
        let parts = serde_json::to_string(self.parts.as_slice()).unwrap_or_default();
        let _ = match &self.answer {
            Ok(answer) => write!(text, "{parts} {answer} "),
            // The extraction reports this error when it runs.
            Err(error) => write!(text, "{parts} {error} "),
        };
    }
}
