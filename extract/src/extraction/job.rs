//! Parts of an extraction for jobs over many documents.

use std::{sync::Arc, time::Duration};

use super::Extraction;
use crate::{
    agent::{Agent, Prompt},
    contract::Contract,
    judging::{KeptValue, ValueChecks},
    settings::TransportOptions,
};

impl<'a, T> Extraction<'a, T> {
    /// An extraction that owns its agent.
    pub(crate) fn of_job(
        contract: Contract,
        checks: ValueChecks<T>,
        agent: Box<dyn Agent + 'a>,
        prompt: Prompt,
    ) -> Self {
        Self::of_agent(Ok(contract), checks, agent, prompt)
    }
}

impl<'a, T, C> Extraction<'a, T, C> {
    /// Replaces each agent with the result of `wrap`, which also gets the time limit of a request.
    /// The wrapper waits and retries, so the extraction does neither. `kept` keeps the JSON of the
    /// value.
    pub(crate) fn in_job(
        mut self,
        kept: KeptValue,
        mut wrap: impl FnMut(Box<dyn Agent + 'a>, Option<Duration>) -> Box<dyn Agent + 'a>,
    ) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        let timeout = settings.timeout.take();
        settings.transport = TransportOptions::new().retries(0);
        if let Some(input) = &mut self.input {
            input.agents = input.agents.drain(..).map(|agent| wrap(agent, timeout)).collect();
            input.kept = Some(kept);
        }
        self
    }

    /// Judges the replies that `agent` replays, `attempts` of them, and keeps their valid items.
    pub(crate) fn replaying(mut self, agent: Box<dyn Agent + 'a>, attempts: u32, kept: KeptValue) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        settings.max_attempts = attempts;
        settings.keep_valid_items = true;
        settings.deadline = None;
        settings.token_budget = None;
        if let Some(input) = &mut self.input {
            input.agents = vec![agent];
            input.kept = Some(kept);
        }
        self
    }
}
