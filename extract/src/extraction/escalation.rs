//! Asks a larger agent about unsure leaves.

use super::{BorrowedAgent, Extraction, ExtractionInput, confidence::LargerAgent};
use crate::{
    agent::Agent,
    error::SettingsError,
    settings::{Confidence, ExtractionSettings},
};

impl<'a, T, C> Extraction<'a, T, C> {
    /// Asks `agent`, such as a larger model, about the leaves whose
    /// [confidence](Self::confidence) is below `confidence`, from 0 to 1, or unknown. It gets the
    /// prompt, the value so far and a schema of these leaves only, and has
    /// [`max_attempts`](Self::max_attempts) of its own.
    ///
    /// Its answer replaces these leaves. The value must then satisfy the whole contract and all rules,
    /// or it stays as it was, and [`metrics.escalation`](crate::ExtractionMetrics::escalation) says
    /// why. So it does if the agent fails. Confidence and rules come before async checks and
    /// [`on_submit`](Self::on_submit), which see the final value only. The tokens of both agents are in
    /// the metrics, and count towards one [`token_budget`](Self::token_budget).
    ///
    /// The answer counts as one more sample of a leaf that was asked about: of one sample, it has the
    /// [agreement](crate::metrics::LeafEvidence::agreement) 1 if both are the same, else 1/2.
    ///
    /// ```
    /// use extract::{Confidence, Contract, agent::{Reply, TokenProbability}, testing::{ScriptedAgent, block_on}};
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({
    ///     "type": "object",
    ///     "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}},
    ///     "required": ["city", "guests"],
    /// }))?;
    /// let reply = r#"{"city": "Lyon", "guests": 12}"#;
    /// let tokens = [TokenProbability::new(9..15, -0.01), TokenProbability::new(27..29, -1.5)];
    /// let small = ScriptedAgent::new([Reply::new(reply).with_token_probabilities(tokens)])
    ///     .reporting_log_probabilities();
    /// let large = ScriptedAgent::new([r#"{"guests": 2}"#]);
    /// let extraction = contract.extract(&small, "Two of us come to Lyon.").confidence(Confidence::Auto);
    /// let (value, metrics) = block_on(extraction.escalate_below(0.9, &large))?;
    ///
    /// assert_eq!(value, json!({"city": "Lyon", "guests": 2}));
    /// let escalation = metrics.escalation.unwrap();
    /// assert_eq!((escalation.asked.len(), escalation.changed[0].to_string()), (1, "$.guests".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SettingsError::Confidence`](crate::settings::SettingsError::Confidence) if no confidence is
    /// asked for, for a number that is not from 0 to 1, and for
    /// [`items`](Self::items) and [`partials`](Self::partials).
    pub fn escalate_below<A: Agent + ?Sized>(self, confidence: f64, agent: &'a A) -> Self {
        let agent = Box::new(BorrowedAgent(agent));
        self.asking(|input| input.larger = Some(LargerAgent { below: confidence, agent }))
    }
}

impl<'a, T: Send + 'a> ExtractionInput<'a, T> {
    /// Returns whether the value is made of several answers.
    pub(super) fn is_sampled(&self, settings: &ExtractionSettings) -> bool {
        self.larger.is_some() || settings.confidence.samples() > 1
    }

    /// Checks whether the confidence that is asked for can be measured.
    pub(super) fn check_confidence(&self, settings: &ExtractionSettings) -> Result<(), SettingsError> {
        let refused = |message: &str| Err(SettingsError::Confidence { message: message.to_owned() });
        let reports = |agent: &dyn Agent| agent.capabilities().reports_log_probabilities;
        if let Some(LargerAgent { below, .. }) = &self.larger {
            if settings.confidence == Confidence::Off {
                return refused("`escalate_below` needs one; add `.confidence(...)`");
            }
            if !(0.0..=1.0).contains(below) {
                return refused("the number of `escalate_below` is not from 0 to 1");
            }
        }
        if settings.confidence != Confidence::Off && self.chunking.chunks.is_some() {
            return refused("a document in chunks has none; leave out `.chunks(...)` or `.confidence(...)`");
        }
        if self.is_sampled(settings) && (self.accepted_parts.is_some() || self.shows_parts) {
            return refused("parts are shown while one answer is written, and there are several answers");
        }
        if settings.confidence == Confidence::Tokens && !self.agents.iter().all(|agent| reports(&**agent)) {
            return refused("the agent reports no log probabilities; `Confidence::Samples` needs none");
        }
        Ok(())
    }
}
