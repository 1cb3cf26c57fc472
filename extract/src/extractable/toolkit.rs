//! The tools of a type.

use std::sync::Arc;

use super::Extractable;
use crate::{contract::Contract, extraction::Extractor, schema::SchemaError, toolkit::Toolkit};

impl<T: Extractable + Send> Toolkit<'_, T> {
    /// The tools of a type.
    ///
    /// # Errors
    ///
    /// As [`Contract::of`].
    pub fn new() -> Result<Self, SchemaError> {
        Ok(Self::typed(Contract::of::<T>()?))
    }
}

impl<T, C> Toolkit<'_, T, C> {
    /// Takes the settings of `extractor` that are about judging: attempts, reading, `max_feedback_chars`,
    /// `show_failing_schemas`, `stop_on_stall`, `token_budget`. Those about asking (the prompt, the transport, temperature,
    /// time limits) are up to whoever asks the agent.
    #[must_use]
    pub fn with(self, extractor: &Extractor) -> Self {
        self.with_settings(Arc::clone(extractor.settings()))
    }
}
