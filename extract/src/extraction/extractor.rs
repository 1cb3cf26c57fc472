//! Reusable settings.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{Extraction, job::QuestionFingerprint, settings::settings_methods};
use crate::{
    agent::{Agent, Prompt, ThinkingLevel},
    contract::Contract,
    feedback::FeedbackStrategy,
    metrics::ConfidenceCalibration,
    prompt::{Instructions, PromptOptions, WriteInstructions},
    reading::ReadingOptions,
    settings::{
        Calibrated, Confidence, ExtractionSettings, FeedbackOptions, SharedStrategy, TransportOptions,
    },
    vocabulary::violation::Code,
};

/// The settings of an extraction as a value, for programs that configure once. Cheap to clone.
///
/// ```
/// use extract::{Contract, Extractor, testing::{ScriptedAgent, block_on}};
///
/// let extractor = Extractor::new().max_attempts(5).system("You read invoices.");
///
/// let agent = ScriptedAgent::new(["42"]);
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let extraction = extractor.extract_untyped(&contract, &agent, "What is the number?");
/// assert_eq!(block_on(extraction)?.0, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Extractor {
    settings: Arc<ExtractionSettings>,
}

impl Extractor {
    /// Creates an extractor with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    settings_methods!();

    /// Asks `agent` for a value that satisfies `contract`, with these settings.
    pub fn extract_untyped<'a>(
        &self,
        contract: &Contract,
        agent: &'a (impl Agent + ?Sized),
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, Value> {
        contract.extract(agent, prompt).with(self)
    }

    /// Returns a string that distinguishes answers with these settings from other answers,
    /// regardless of the prompt. It contains the version of the library's own prompts, the schema,
    /// instructions and other settings that matter, and the name of the agent. Use it in the key of
    /// an answer store; hash it, because it is long.
    ///
    /// Limits on attempts, time and tokens are not in it, because they decide whether there is an
    /// answer, not which one is right. Rules and checks are code, so they cannot be in it.
    ///
    /// ```
    /// use extract::{Contract, Extractor, testing::ScriptedAgent};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["42"]);
    /// let fingerprint = Extractor::new().fingerprint(&contract, &agent);
    /// assert_eq!(fingerprint, Extractor::new().max_attempts(5).fingerprint(&contract, &agent));
    /// assert_ne!(fingerprint, Extractor::new().system("Count.").fingerprint(&contract, &agent));
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn fingerprint(&self, contract: &Contract, agent: &(impl Agent + ?Sized)) -> String {
        let QuestionFingerprint { question, asker, .. } =
            self.extract_untyped(contract, agent, Prompt::default()).fingerprint(contract);
        format!("{}\n{}\n{question}\n{asker}", QuestionFingerprint::VERSION, contract.schema())
    }

    pub(crate) fn settings(&self) -> &Arc<ExtractionSettings> {
        &self.settings
    }
}
