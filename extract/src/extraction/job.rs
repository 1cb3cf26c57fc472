//! What a job over many documents needs of an extraction.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use super::{Extraction, shots::GivenShot};
use crate::{
    agent::{Agent, Prompt},
    contract::Contract,
    judging::{KeptValue, ValueChecks},
    settings::{Settings, TransportOptions},
};

/// What tells the questions of one extraction from those of another, without the prompt.
#[derive(Debug)]
pub(crate) struct Fingerprint {
    /// What is asked: instructions, shots, what is read and accepted.
    pub(crate) question: String,
    /// Who is asked, and how it samples.
    pub(crate) asker: String,
    /// Characters of the instructions and the shots, for an estimate.
    pub(crate) chars: usize,
}

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
    /// Puts each agent into what `wrap` makes of it and of the time limit of a request. What wraps it
    /// waits and repeats, so the extraction does neither. The JSON of the value is kept in `kept`.
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

    /// Judges the replies that `agent` repeats, `attempts` of them, and accepts the valid items.
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

    /// What the settings say of the question and of who is asked. Limits (attempts, time, tokens) are
    /// not part of it: they decide whether there is an answer, not which one is right.
    pub(crate) fn fingerprint(&self, contract: &Contract) -> Fingerprint {
        let settings = &*self.settings;
        let Settings { system, prompt, thoughts, uses_tools, fatal_codes, keep_valid_items, reading, .. } =
            settings;
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
        let Settings { temperature, thinking, max_output_tokens, .. } = settings;
        let asker = format!("{names}{temperature:?} {thinking:?} {max_output_tokens:?}");
        let schema = if written.is_some() { 0 } else { contract.schema().to_string().len() };
        let chars = system.as_ref().map_or(0, String::len) + written.map_or(0, |text| text.len());
        Fingerprint { question, asker, chars: chars + schema + shots.len() }
    }
}

impl GivenShot {
    fn write_to(&self, text: &mut String) {
        let parts = serde_json::to_string(self.parts.as_slice()).unwrap_or_default();
        let _ = match &self.answer {
            Ok(answer) => write!(text, "{parts} {answer} "),
            // It fails when it is asked.
            Err(error) => write!(text, "{parts} {error} "),
        };
    }
}
