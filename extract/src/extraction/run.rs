//! The loop: ask, read, judge, feed back, until the value is right or the budget is used up.
//!
//! It knows nothing of the type that is wanted. One attempt is one reply; whatever makes it unacceptable costs one
//! of `max_attempts`, and the next attempt follows at once.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{
    event::Event, progress::is_stalled, settings::Settings, submission::Outcome, time_limit::within,
    transport,
};
use crate::{
    AttemptRecord, Contract, ExtractionError, ExtractionMetrics, Feedback, Violation,
    agent::{Agent, AgentError, Conversation, FinishReason, Reply, Request},
    feedback::{Failed, should_retry},
    metrics::{AttemptMetrics, TokenUsage},
    reading::truncation,
};

/// Everything that the loop works with.
pub(super) struct Run<'r> {
    pub(super) contract: &'r Contract,
    pub(super) settings: &'r Settings,
    /// Judges a value that satisfies the schema; keeps it when it is accepted.
    pub(super) submit: &'r mut (dyn FnMut(&Value) -> Outcome + Send),
    pub(super) observe: &'r mut (dyn FnMut(&Event<'_>) + Send),
}

/// What has happened until now.
struct Story {
    started: Instant,
    history: Vec<AttemptRecord>,
    metrics: ExtractionMetrics,
}

impl Story {
    fn new() -> Self {
        Self { started: Instant::now(), history: Vec::new(), metrics: ExtractionMetrics::default() }
    }
}

/// An attempt that was judged.
struct Judged {
    record: AttemptRecord,
    verdict: Verdict,
}

enum Verdict {
    Accepted,
    Rejected,
    Truncated,
    Panicked(String),
}

impl Run<'_> {
    /// Asks until there is a value that `submit` keeps.
    pub(super) async fn run(
        mut self,
        agent: &dyn Agent,
        prompt: &str,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        self.settings.check()?;
        let mut story = Story::new();
        let attempts = within(self.settings.deadline, self.attempts(agent, prompt, &mut story));
        let result = attempts.await.unwrap_or(Err(End::Deadline));
        self.end(story, result)
    }

    /// Judges a reply that is there already, as the only attempt.
    pub(super) fn judge_only(mut self, reply: Reply) -> Result<ExtractionMetrics, ExtractionError> {
        let mut story = Story::new();
        let usage = TokenUsage::of(&Conversation::new(), &reply);
        let judged = self.judge(1, reply, usage);
        let result = self.settle(judged, &mut story).map(drop);
        self.end(story, result)
    }

    fn end(
        &mut self,
        mut story: Story,
        result: Result<(), End>,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        story.metrics.elapsed = story.started.elapsed();
        (self.observe)(&Event::Done { is_success: result.is_ok(), metrics: &story.metrics });
        match result {
            Ok(()) => Ok(story.metrics),
            Err(end) => Err(end.into_error(story, self.settings)),
        }
    }

    async fn attempts(&mut self, agent: &dyn Agent, prompt: &str, story: &mut Story) -> Result<(), End> {
        let opening = self.opening(prompt);
        let mut request = self.request(opening.clone());
        let mut feedback = self.settings.feedback;
        loop {
            let number = story.metrics.attempts + 1;
            let judged = self.attempt(agent, number, &request, &mut story.metrics).await?;
            let is_truncated = matches!(judged.verdict, Verdict::Truncated);
            match self.settle(judged, story)? {
                None => return Ok(()),
                Some(last) => {
                    if last.is_stalled {
                        feedback = feedback.other();
                    }
                    request = self.next_request(feedback, &opening, last, is_truncated, request);
                }
            }
        }
    }

    /// Writes a judged attempt into the story. `None` when its value was accepted, the record when another attempt
    /// may follow.
    fn settle<'s>(&mut self, judged: Judged, story: &'s mut Story) -> Result<Option<&'s AttemptRecord>, End> {
        let Judged { mut record, verdict } = judged;
        record.is_stalled = story.history.last().is_some_and(|before| is_stalled(before, &record));
        let is_accepted = matches!(verdict, Verdict::Accepted);
        (self.observe)(&Event::Judged { record: &record, is_accepted });
        story.metrics.record(AttemptMetrics {
            number: record.number,
            usage: record.usage,
            elapsed: record.elapsed,
            violations: record.violations.len(),
        });
        if is_accepted {
            story.metrics.warnings = record.violations;
            story.metrics.changes = record.changes;
            return Ok(None);
        }
        let is_last = record.number >= self.settings.max_attempts;
        let may_retry = should_retry(&record.violations);
        let is_stalled = record.is_stalled;
        story.history.push(record);
        match verdict {
            Verdict::Panicked(message) => Err(End::Panicked(message)),
            _ if !may_retry => Err(End::Fatal),
            Verdict::Truncated if is_last => Err(End::Truncated),
            _ if is_last => Err(End::Exhausted),
            _ if self.settings.stop_on_stall && is_stalled => Err(End::Stalled),
            _ if self.settings.token_budget.is_some_and(|budget| story.metrics.usage.total() >= budget) => {
                Err(End::TokenBudget)
            }
            _ => Ok(story.history.last()),
        }
    }

    /// The conversation of the first attempt.
    fn opening(&self, prompt: &str) -> Conversation {
        self.settings.telling.opening(self.contract, self.settings.system.as_deref(), prompt)
    }

    fn request(&self, conversation: Conversation) -> Request {
        let mut request = Request::new(conversation).with_schema(self.contract.shared_schema());
        request.max_output_tokens = self.settings.max_output_tokens;
        request.temperature = self.settings.temperature;
        request
    }

    fn next_request(
        &self,
        feedback: Feedback,
        opening: &Conversation,
        last: &AttemptRecord,
        is_truncated: bool,
        mut request: Request,
    ) -> Request {
        request.conversation = feedback.conversation(
            opening,
            &Failed {
                raw_output: &last.raw_output,
                // The start of an answer that was cut is shown as it was written.
                submitted: last.submitted.as_ref().filter(|_| !is_truncated),
                violations: &last.violations,
                is_truncated,
                next: last.number + 1,
                max_attempts: self.settings.max_attempts,
            },
        );
        if is_truncated {
            request.max_output_tokens = request.max_output_tokens.map(|tokens| tokens.saturating_mul(2));
        }
        request
    }

    async fn attempt(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        request: &Request,
        metrics: &mut ExtractionMetrics,
    ) -> Result<Judged, End> {
        let max_attempts = self.settings.max_attempts;
        let observe = &mut *self.observe;
        observe(&Event::Asked { attempt: number, max_attempts, request });
        let started = Instant::now();
        let reply = transport::ask(agent, request, self.settings, |error, wait| {
            metrics.transport_retries += 1;
            observe(&Event::TransportFailed { attempt: number, error, wait });
        })
        .await
        .map_err(End::Agent)?;
        observe(&Event::Replied { attempt: number, reply: &reply });
        let usage = TokenUsage::of(&request.conversation, &reply);
        let mut judged = self.judge(number, reply, usage);
        judged.record.elapsed = started.elapsed();
        Ok(judged)
    }

    fn judge(&mut self, number: u32, reply: Reply, usage: TokenUsage) -> Judged {
        let (raw_output, finish_reason) = reply.into_parts();
        let reading = self.contract.read_with(&raw_output, &self.settings.reading);
        let mut violations = reading.violations;
        let mut verdict = Verdict::Rejected;
        let ran_out = matches!(finish_reason, FinishReason::Length | FinishReason::ContentFilter);
        if reading.completeness.is_truncated() || ran_out && reading.value.is_none() {
            verdict = Verdict::Truncated;
            violations = vec![truncation(&raw_output)];
        } else if let Some(value) = &reading.value {
            let was_read = violations.is_empty();
            violations.extend(self.contract.validate_schema(value));
            if violations.is_empty() {
                match (self.submit)(value) {
                    Ok(judged) => violations = judged,
                    Err(message) => verdict = Verdict::Panicked(message),
                }
                if matches!(verdict, Verdict::Rejected) && violations.iter().all(Violation::is_warning) {
                    verdict = Verdict::Accepted;
                }
            } else if !was_read {
                crate::validation::sort(&mut violations);
            }
        }
        let record = AttemptRecord {
            number,
            raw_output,
            finish_reason,
            submitted: reading.value,
            violations,
            changes: reading.changes,
            usage,
            elapsed: Duration::ZERO,
            is_stalled: false,
        };
        Judged { record, verdict }
    }
}

/// Why there is no value.
enum End {
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
    fn into_error(self, story: Story, settings: &Settings) -> ExtractionError {
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
