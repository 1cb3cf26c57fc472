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
    error::{ExtractionError, ExtractionRecord},
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

    /// Records in `record` what it gained and lost over the attempt before.
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
        let Story { history, metrics, .. } = story;
        let record = Box::new(ExtractionRecord {
            attempts: metrics.attempts,
            max_attempts: settings.max_attempts,
            history,
            metrics,
        });
        match self {
            Self::Exhausted => exhausted(*record),
            Self::Fatal => ExtractionError::Fatal { record },
            Self::Truncated => ExtractionError::Truncated { record },
            Self::Stalled => ExtractionError::Stalled { record },
            Self::TokenBudget => {
                let budget = settings.token_budget.unwrap_or_default();
                ExtractionError::TokenBudgetExceeded { budget, record }
            }
            Self::Deadline => {
                let deadline = settings.deadline.unwrap_or_default();
                ExtractionError::DeadlineExceeded { deadline, record }
            }
            Self::Panicked(message) => ExtractionError::Panicked { message, record },
            Self::Agent(source) => ExtractionError::Agent { source: Box::new(source), record },
        }
    }
}

fn exhausted(record: ExtractionRecord) -> ExtractionError {
    let ExtractionRecord { attempts, max_attempts, history, metrics } = record;
    let raw_output = history.last().map(|record| record.raw_output.clone()).unwrap_or_default();
    let metrics = Box::new(metrics);
    ExtractionError::MaxRetriesExceeded { attempts, max_attempts, history, raw_output, metrics }
}
