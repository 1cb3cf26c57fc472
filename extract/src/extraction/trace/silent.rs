//! Empty stand-ins for when the feature `tracing` is off.

use crate::{
    agent::{AgentError, Reply, Request},
    attempt::AttemptRecord,
    contract::Contract,
    error::ExtractionError,
    metrics::ExtractionMetrics,
    settings::ExtractionSettings,
    usage::TokenUsage,
};

pub(in crate::extraction) struct ExtractionTrace;

#[allow(clippy::unused_self, reason = "the other `Trace` uses it")]
impl ExtractionTrace {
    pub(in crate::extraction) fn extraction(_: &Contract) -> Self {
        Self
    }

    pub(in crate::extraction) fn attempt(_: &str, _: u32, _: &Request, _: &ExtractionSettings) -> Self {
        Self
    }

    pub(in crate::extraction) fn watch<F: Future>(&self, future: F) -> F {
        future
    }

    pub(in crate::extraction) fn replied(&self, _: Result<&Reply, &AgentError>, _: &ExtractionSettings) {}

    pub(in crate::extraction) fn used(&self, _: TokenUsage) {}

    pub(in crate::extraction) fn judged(&self, _: &AttemptRecord) {}

    pub(in crate::extraction) fn done(&self, _: Result<&ExtractionMetrics, &ExtractionError>) {}
}
