//! What has happened, and how it ends.

use std::time::Instant;

use super::settings::Settings;
use crate::{AttemptRecord, ExtractionError, ExtractionMetrics, agent::AgentError};

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
