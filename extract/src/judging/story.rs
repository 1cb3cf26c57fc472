//! What has happened, and how it ends.

use std::time::Instant;

use super::{
    judge::Verdict,
    progress::{is_stalled, regressions},
};
use crate::{
    agent::AgentError,
    attempt::AttemptRecord,
    contract::Contract,
    error::ExtractionError,
    feedback::should_retry,
    metrics::{AttemptMetrics, ExtractionMetrics},
    settings::Settings,
};

/// What has happened until now.
pub(crate) struct Story {
    pub(crate) started: Instant,
    pub(crate) history: Vec<AttemptRecord>,
    pub(crate) metrics: ExtractionMetrics,
}

impl Story {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), history: Vec::new(), metrics: ExtractionMetrics::default() }
    }

    /// Says of `record` what it won and lost over the attempt before.
    pub(crate) fn compare(&self, record: &mut AttemptRecord, contract: &Contract) {
        if let Some(before) = self.history.last() {
            record.is_stalled = is_stalled(before, record);
            record.regressions = regressions(before, record, contract);
        }
    }

    /// Adds an attempt to the metrics.
    pub(crate) fn count(&mut self, record: &AttemptRecord) {
        self.metrics.record(AttemptMetrics {
            number: record.number,
            usage: record.usage,
            elapsed: record.elapsed,
            violations: record.violations.len(),
            notes: record.notes.clone(),
        });
    }

    /// Why no attempt may follow the one of `record`, which was counted and not accepted.
    pub(crate) fn end_after(
        &self,
        record: &AttemptRecord,
        verdict: Verdict,
        settings: &Settings,
    ) -> Option<End> {
        let is_last = record.number >= settings.max_attempts;
        match verdict {
            Verdict::Panicked(message) => Some(End::Panicked(message)),
            _ if !should_retry(&record.violations) => Some(End::Fatal),
            Verdict::Truncated if is_last => Some(End::Truncated),
            _ if is_last => Some(End::Exhausted),
            _ if settings.stop_on_stall && record.is_stalled => Some(End::Stalled),
            _ if settings.token_budget.is_some_and(|budget| self.metrics.usage.total() >= budget) => {
                Some(End::TokenBudget)
            }
            _ => None,
        }
    }
}

/// Why there is no value.
pub(crate) enum End {
    Exhausted,
    Fatal,
    Truncated,
    Stalled,
    TokenBudget,
    Deadline,
    Panicked(String),
    Agent(AgentError),
}

impl End {
    pub(crate) fn into_error(self, story: Story, settings: &Settings) -> ExtractionError {
        let max_attempts = settings.max_attempts;
        let Story { history, metrics, .. } = story;
        let attempts = metrics.attempts;
        let metrics = Box::new(metrics);
        let last = history.last().map(|record| record.raw_output.clone());
        // Every end but that of the agent and the deadline follows a reply.
        let raw_output = last.clone().unwrap_or_default();
        match self {
            Self::Exhausted => {
                ExtractionError::MaxRetriesExceeded { attempts, max_attempts, history, raw_output, metrics }
            }
            Self::Fatal => ExtractionError::Fatal { attempts, max_attempts, history, raw_output, metrics },
            Self::Truncated => {
                ExtractionError::Truncated { attempts, max_attempts, history, raw_output, metrics }
            }
            Self::Stalled => {
                ExtractionError::Stalled { attempts, max_attempts, history, raw_output, metrics }
            }
            Self::TokenBudget => {
                let budget = settings.token_budget.unwrap_or_default();
                ExtractionError::TokenBudgetExceeded { budget, attempts, history, raw_output, metrics }
            }
            Self::Deadline => {
                let deadline = settings.deadline.unwrap_or_default();
                ExtractionError::DeadlineExceeded { deadline, attempts, history, raw_output: last, metrics }
            }
            Self::Panicked(message) => {
                ExtractionError::Panicked { message, attempts, history, raw_output, metrics }
            }
            Self::Agent(source) => {
                let source = Box::new(source);
                ExtractionError::Agent { source, attempts, max_attempts, history, raw_output: last, metrics }
            }
        }
    }
}
