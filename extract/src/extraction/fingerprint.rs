//! The fingerprint of the settings, which distinguishes the answers of two extractions.

use std::fmt::Write as _;

use super::{Extraction, shots::GivenShot};
use crate::{contract::Contract, settings::ExtractionSettings};

/// Version of the prompts, of feedback and of reading. Raise it with any change that should make
/// earlier answers obsolete: every job then asks again.
pub(crate) const VERSION: u32 = 1;

/// The identity of an extraction's questions, without the prompt.
#[derive(Debug)]
pub(crate) struct QuestionFingerprint {
    /// The question: instructions, shots, what is read and accepted.
    pub(crate) question: String,
    /// Who is asked, and how it samples.
    pub(crate) asker: String,
    /// Characters of the instructions and the shots, for an estimate.
    #[cfg_attr(not(feature = "bulk"), allow(dead_code))]
    pub(crate) chars: usize,
}

impl<T, C> Extraction<'_, T, C> {
    /// Returns the fingerprint of the settings. Limits (attempts, time, tokens) are not part of it:
    /// they decide whether there is an answer, not which one is right.
    pub(crate) fn fingerprint(&self, contract: &Contract) -> QuestionFingerprint {
        let settings = &*self.settings;
        let ExtractionSettings {
            system,
            prompt,
            thoughts,
            uses_tools,
            fatal_codes,
            keep_valid_items,
            reading,
            ..
        } = settings;
        let written = settings.instructions.as_ref().map(|write| write.sample(prompt, contract, *thoughts));
        let (mut shots, mut names, mut chunking) = (String::new(), String::new(), String::new());
        if let Some(input) = &self.input {
            input.shots.iter().for_each(|shot| shot.write_to(&mut shots));
            for agent in &input.agents {
                let _ = write!(names, "{:?} ", agent.name());
            }
            let way = &input.chunking;
            let _ = write!(chunking, "{:?} {:?} {}", way.chunks, way.passes, way.accepts_gaps);
        }
        let question = format!(
            "{system:?} {written:?} {prompt:?} {thoughts} {uses_tools} {fatal_codes:?} {keep_valid_items} {reading:?} \
             {chunking} {shots}"
        );
        let ExtractionSettings { temperature, thinking, max_output_tokens, .. } = settings;
        let asker = format!("{names}{temperature:?} {thinking:?} {max_output_tokens:?}");
        let schema = if written.is_some() { 0 } else { contract.schema().to_string().len() };
        let chars = system.as_ref().map_or(0, String::len) + written.map_or(0, |text| text.len());
        QuestionFingerprint { question, asker, chars: chars + schema + shots.len() }
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
