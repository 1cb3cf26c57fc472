//! Extractions of a type with reusable settings.

use super::Extractable;
use crate::{
    agent::{Agent, Prompt},
    extraction::{Extraction, Extractor},
};

impl Extractor {
    /// Asks `agent` for a `T` with these settings.
    pub fn extract<'a, T: Extractable + Send>(
        &self,
        agent: &'a (impl Agent + ?Sized),
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, T> {
        T::extract(agent, prompt).with(self)
    }
}
