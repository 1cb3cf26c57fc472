//! Empty stand-ins for when the feature `tracing` is off.

use crate::{
    agent::{AgentError, Reply, Request},
    attempt::AttemptRecord,
    contract::Contract,
    error::ExtractionError,
    metrics::ExtractionMetrics,
    settings::ExtractionSettings,
    vocabulary::usage::TokenUsage,
};

pub(crate) struct ExtractionTrace;

#[allow(clippy::unused_self, reason = "the other `Trace` uses it")]
impl ExtractionTrace {
    pub(crate) fn extraction(_: &Contract) -> Self {
        Self
    }

    pub(crate) fn attempt(_: &str, _: u32, _: &Request, _: &ExtractionSettings) -> Self {
        Self
    }

    pub(crate) fn watch<F: Future>(&self, future: F) -> F {
        future
    }

    pub(crate) fn replied(&self, _: Result<&Reply, &AgentError>, _: &ExtractionSettings) {}

    pub(crate) fn used(&self, _: TokenUsage) {}

    pub(crate) fn judged(&self, _: &AttemptRecord) {}

    pub(crate) fn done(&self, _: Result<&ExtractionMetrics, &ExtractionError>) {}
}
