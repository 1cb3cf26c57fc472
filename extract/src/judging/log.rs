//! The attempts so far, the progress from one to the next, and how they end.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::{
    event::Event, judge::JudgedAttempt, reply_continuation::ReplyContinuation, valid_items::ValidItems,
};
use crate::{
    agent::AgentError,
    attempt::{AttemptRecord, Regression},
    contract::Contract,
    error::{ExtractionError, ExtractionRecord},
    feedback::should_retry,
    metrics::{AttemptMetrics, ExtractionMetrics, ModelUsage},
    settings::ExtractionSettings,
    validation::quoted_redacted,
    vocabulary::{
        attempt_status::AttemptStatus,
        time_limit::Instant,
        violation::{Code, Violation},
    },
};

/// The attempts so far.
pub(crate) struct AttemptLog {
    pub(crate) started: Instant,
    /// The current chunk, if any.
    chunk: Option<usize>,
    /// Set if other logs share the token budget.
    spent: Option<SpentTokens>,
    /// The tokens of this log that are already in `spent`.
    shared: u64,
    pub(crate) history: Vec<AttemptRecord>,
    /// The accepted attempt, if the loop keeps it.
    pub(crate) accepted: Option<Box<AttemptRecord>>,
    pub(crate) metrics: ExtractionMetrics,
    /// How many attempts were cut and are continued by the next one. They do not count towards
    /// `max_attempts`.
    continued: u32,
}

impl AttemptLog {
    /// A log of questions about `chunk`, or about the whole after its chunks. All logs with the
    /// same `spent` share one token budget.
    pub(crate) fn sharing(spent: SpentTokens, chunk: Option<usize>) -> Self {
        Self { spent: Some(spent), chunk, ..Self::new() }
    }

    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            chunk: None,
            spent: None,
            shared: 0,
            history: Vec::new(),
            accepted: None,
            metrics: ExtractionMetrics::default(),
            continued: 0,
        }
    }

    /// Returns all attempts, the accepted one last.
    pub(crate) fn into_attempts(self) -> Vec<AttemptRecord> {
        let mut attempts = self.history;
        attempts.extend(self.accepted.map(|accepted| *accepted));
        attempts
    }

    /// Records a judged attempt, reports it to `observe`, and returns what follows. After a
    /// refusal, another attempt follows only if another agent can make it.
    pub(crate) fn settle(
        &mut self,
        judged: JudgedAttempt,
        contract: &Contract,
        settings: &ExtractionSettings,
        others: OtherAgents,
        observe: &mut dyn FnMut(&Event<'_>),
    ) -> AttemptOutcome {
        let is_accepted = judged.is_accepted();
        let JudgedAttempt { mut record, used, panic, continuation } = judged;
        record.chunk = self.chunk;
        settings.apply_fatal_codes(&mut record.violations);
        let is_continued = record.verdict == AttemptStatus::Truncated
            && continuation.is_some()
            && self.continued < settings.max_continuations;
        self.continued += u32::from(is_continued);
        if let Some(before) = self.history.last() {
            record.is_stalled = !is_continued && is_stalled(before, &record);
            record.regressions = regressions(before, &record, contract);
        }
        observe(&Event::Judged { record: &record, is_accepted });
        // No agent was asked for a merged value.
        if record.number > 0 {
            self.count(&record, used);
        }
        if is_accepted {
            self.metrics.warnings.clone_from(&record.violations);
            self.metrics.changes.clone_from(&record.changes);
            return AttemptOutcome::Accepted(record);
        }
        let max_attempts = if is_continued { u32::MAX } else { self.max_attempts(settings) };
        let end = match panic {
            Some(message) => Some(EndReason::Panicked(message)),
            None => self.end_after(&record, settings, others, max_attempts),
        };
        // A rest that does not fit is asked for once more. After that, the whole value is asked for.
        let is_asked_again = record.verdict == AttemptStatus::Rejected && !record.is_stalled;
        let continuation = continuation.filter(|_| is_continued || is_asked_again);
        self.history.push(*record);
        if let Some(end) = end {
            return AttemptOutcome::Ended(end);
        }
        // If the extraction ends, `close` sets the time.
        self.metrics.elapsed = self.started.elapsed();
        AttemptOutcome::Retry(continuation)
    }

    /// Records that an attempt is accepted without its broken items, and reports it to `observe`.
    pub(crate) fn accept_in_part(&mut self, accepted: ValidItems, observe: &mut dyn FnMut(&Event<'_>)) {
        let ValidItems { attempt, left_out, warnings } = accepted;
        if let Some(record) = self.history.iter().find(|record| record.number == attempt) {
            observe(&Event::LeftOut { attempt, record, left_out: &left_out });
            self.metrics.changes.clone_from(&record.changes);
        }
        (self.metrics.left_out, self.metrics.warnings) = (left_out, warnings);
        if let Some(metrics) = self.metrics.per_attempt.iter_mut().find(|one| one.number == attempt) {
            metrics.verdict = AttemptStatus::AcceptedInPart;
        }
    }

    /// Ends the log, and reports that to `observe`.
    pub(crate) fn close(&mut self, is_success: bool, observe: &mut dyn FnMut(&Event<'_>)) {
        self.metrics.elapsed = self.started.elapsed();
        observe(&Event::Done { is_success, metrics: &self.metrics });
    }

    /// Adds an attempt to the metrics.
    fn count(&mut self, record: &AttemptRecord, used: Vec<ModelUsage>) {
        let attempt = AttemptMetrics {
            number: record.number,
            chunk: record.chunk,
            agent: record.agent.clone(),
            origin: record.origin.clone(),
            usage: record.usage,
            elapsed: record.elapsed,
            violations: record.violations.len(),
            verdict: record.verdict,
            notes: record.notes.clone(),
        };
        self.metrics.continuations += u32::from(record.continuation.is_some());
        self.metrics.record(attempt, used);
        // Replies that do not count as attempts have tokens too.
        if let Some(spent) = &self.spent {
            let total = self.metrics.usage.total();
            spent.add(total.saturating_sub(std::mem::replace(&mut self.shared, total)));
        }
    }

    fn has_spent_all(&self, settings: &ExtractionSettings) -> bool {
        match &self.spent {
            Some(spent) => spent.exceed(settings),
            None => settings.token_budget.is_some_and(|budget| self.metrics.usage.total() >= budget),
        }
    }

    /// Attempts allowed, including those that are continued.
    pub(crate) fn max_attempts(&self, settings: &ExtractionSettings) -> u32 {
        settings.max_attempts.saturating_add(self.continued)
    }

    /// Why no attempt may follow `record`, which was counted and not accepted.
    fn end_after(
        &self,
        record: &AttemptRecord,
        settings: &ExtractionSettings,
        others: OtherAgents,
        max_attempts: u32,
    ) -> Option<EndReason> {
        let is_last = record.number >= max_attempts;
        match record.verdict {
            AttemptStatus::Refused if is_last || others == OtherAgents::None => Some(EndReason::Refused),
            verdict if verdict != AttemptStatus::Refused && !should_retry(&record.violations) => {
                Some(EndReason::Fatal)
            }
            AttemptStatus::Truncated if is_last => Some(EndReason::Truncated),
            _ if is_last => Some(EndReason::Exhausted),
            _ if settings.stop_on_stall && record.is_stalled => Some(EndReason::Stalled),
            _ if self.has_spent_all(settings) => Some(EndReason::TokenBudget),
            _ => None,
        }
    }
}

/// The tokens that all questions about a document have used, whichever chunk they are about.
#[derive(Debug, Clone, Default)]
pub(crate) struct SpentTokens(Arc<AtomicU64>);

impl SpentTokens {
    fn add(&self, tokens: u64) {
        self.0.fetch_add(tokens, Ordering::Relaxed);
    }

    /// Returns whether the budget is used up.
    pub(crate) fn exceed(&self, settings: &ExtractionSettings) -> bool {
        settings.token_budget.is_some_and(|budget| self.0.load(Ordering::Relaxed) >= budget)
    }
}

/// The agents after the current one. Only another agent can make an attempt after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherAgents {
    None,
    Some,
}

impl OtherAgents {
    pub(crate) fn of(count: usize) -> Self {
        if count > 0 { Self::Some } else { Self::None }
    }
}

/// The step after a judged attempt.
pub(crate) enum AttemptOutcome {
    /// The value is accepted. The attempt is in the metrics, not in the history.
    Accepted(Box<AttemptRecord>),
    /// Another attempt may follow; the failed one is the last in the history. The next one may
    /// continue where that one was cut.
    Retry(Option<ReplyContinuation>),
    /// No other attempt may follow.
    Ended(EndReason),
}

/// Why an extraction ended without a value.
pub(crate) enum EndReason {
    Exhausted,
    Fatal,
    Truncated,
    Refused,
    Stalled,
    TokenBudget,
    Deadline,
    Panicked(String),
    Agent(AgentError),
}

impl EndReason {
    /// Returns whether another attempt might have followed with a larger budget. Otherwise
    /// something other than broken items ended the extraction.
    pub(crate) fn is_of_budget(&self) -> bool {
        match self {
            Self::Exhausted | Self::Truncated | Self::Stalled | Self::TokenBudget | Self::Deadline => true,
            Self::Fatal | Self::Refused | Self::Panicked(_) | Self::Agent(_) => false,
        }
    }

    /// Returns whether it ends the questions about all chunks, even if gaps are accepted: the next ones would end
    /// alike.
    pub(crate) fn is_of_all_chunks(&self) -> bool {
        match self {
            Self::Panicked(_) => true,
            Self::Agent(error) => error.is_of_agent(),
            _ => false,
        }
    }

    /// Returns whether all questions about a document share the limit.
    pub(crate) fn is_of_whole(&self) -> bool {
        matches!(self, Self::TokenBudget | Self::Deadline)
    }

    pub(crate) fn into_error(self, log: AttemptLog, settings: &ExtractionSettings) -> ExtractionError {
        let max_attempts = log.max_attempts(settings);
        let AttemptLog { history, metrics, .. } = log;
        let record =
            Box::new(ExtractionRecord { attempts: metrics.attempts, max_attempts, history, metrics });
        match self {
            Self::Exhausted => exhausted(*record),
            Self::Fatal => ExtractionError::Fatal { record },
            Self::Truncated => ExtractionError::Truncated { record },
            Self::Refused => refused(record),
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

fn refused(record: Box<ExtractionRecord>) -> ExtractionError {
    let words = record.history.last().and_then(|last| last.refusal.clone());
    let message = words.filter(|words| !words.trim().is_empty()).unwrap_or_else(|| WITHHELD.to_owned());
    ExtractionError::Refused { message, record }
}

/// The message of a refusal that gives no words.
const WITHHELD: &str = "a content filter withheld the answer";

fn exhausted(record: ExtractionRecord) -> ExtractionError {
    let ExtractionRecord { attempts, max_attempts, history, metrics } = record;
    let raw_output = history.last().map(|record| record.raw_output.clone()).unwrap_or_default();
    let metrics = Box::new(metrics);
    ExtractionError::MaxRetriesExceeded { attempts, max_attempts, history, raw_output, metrics }
}

/// Returns whether the attempt made no progress: the same submission again, or none of its
/// violations fixed.
///
/// Two attempts without a value are equal only if their texts are, because each may be unreadable
/// in its own way. A patch that cannot be applied never counts as stalled: it leaves the submission
/// unchanged, and the whole value is asked for next. Nor does a refusal: another agent takes over.
pub(super) fn is_stalled(before: &AttemptRecord, now: &AttemptRecord) -> bool {
    if now.violations.iter().any(|violation| matches!(violation.code, Code::Patch | Code::Refused)) {
        return false;
    }
    // The value is unchanged, and the same rest is asked for once more.
    let is_misfit =
        |record: &AttemptRecord| record.violations.iter().any(|one| one.code == Code::Continuation);
    if is_misfit(now) && !is_misfit(before) {
        return false;
    }
    match (before.submitted(), now.submitted()) {
        (Some(old), Some(new)) => old == new || keeps_all(&before.violations, &now.violations),
        (None, None) => before.raw_output == now.raw_output,
        _ => false,
    }
}

fn keeps_all(before: &[Violation], now: &[Violation]) -> bool {
    let mut errors = before.iter().filter(|violation| !violation.is_warning());
    errors.all(|old| now.iter().any(|new| (&old.path, &old.code) == (&new.path, &new.code)))
}

/// The violations of `now` at paths where `before` had another value and no violation.
pub(super) fn regressions(
    before: &AttemptRecord,
    now: &AttemptRecord,
    contract: &Contract,
) -> Vec<Regression> {
    let (Some(old), Some(new)) = (before.submitted(), now.submitted()) else {
        return Vec::new();
    };
    let mut regressions: Vec<Regression> = Vec::new();
    for violation in now.violations.iter().filter(|violation| !violation.is_warning()) {
        let path = &violation.path;
        let was_wrong = before
            .violations
            .iter()
            .any(|old| !old.is_warning() && (old.path.is_within(path) || path.is_within(&old.path)));
        let Some(right) = path.resolve(old).filter(|_| !was_wrong) else { continue };
        let is_told = regressions.iter().any(|told| told.path == *path);
        if !is_told && path.resolve(new) != Some(right) {
            let mut right = right.clone();
            if let Some(sensitive) = contract.sensitive() {
                let mut values = sensitive.values_in(old);
                sensitive.gather(new, &mut values);
                sensitive.redact_at(path, &mut right, &values);
            }
            regressions.push(Regression { path: path.clone(), before: quoted_redacted(&right) });
        }
    }
    regressions
}
