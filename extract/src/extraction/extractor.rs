//! Reusable settings.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{Extraction, settings::settings_methods};
use crate::{
    agent::{Agent, Prompt, ThinkingLevel},
    contract::Contract,
    feedback::FeedbackStrategy,
    prompt::{Instructions, PromptOptions, WriteInstructions},
    reading::ReadingOptions,
    settings::{FeedbackOptions, Settings, Strategy, TransportOptions},
    violation::Code,
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
    settings: Arc<Settings>,
}

impl Extractor {
    /// The defaults.
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

    pub(crate) fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }
}
