//! The loop: ask, read, judge, feed back, until the value is right or the budget is used up.
//!
//! It knows nothing of the type that is wanted. One attempt is one reply; whatever makes it unacceptable costs one
//! of `max_attempts`, and the next attempt follows at once.

use std::time::Instant;

use serde_json::Value;

use super::{
    ending::{End, Story},
    event::Event,
    judging::{Answer, Judged, Verdict, judge},
    progress::{is_stalled, regressions},
    questions::{Asked, Questions},
    settings::Settings,
    submission::Outcome,
    time_limit::within,
    transport,
};
use crate::{
    AttemptRecord, Contract, ExtractionError, ExtractionMetrics,
    agent::{Agent, Conversation, Reply},
    feedback::should_retry,
    metrics::{AttemptMetrics, TokenUsage},
};

/// Everything that the loop works with.
pub(super) struct Run<'r> {
    pub(super) contract: &'r Contract,
    pub(super) settings: &'r Settings,
    /// Judges a value that satisfies the schema; keeps it when it is accepted.
    pub(super) submit: &'r mut (dyn FnMut(&Value) -> Outcome + Send),
    pub(super) observe: &'r mut (dyn FnMut(&Event<'_>) + Send),
}

impl Run<'_> {
    /// Asks until there is a value that `submit` keeps. An attempt that wins nothing moves on to the next of `agents`,
    /// of which there is at least one.
    pub(super) async fn run(
        mut self,
        agents: &[Box<dyn Agent + '_>],
        prompt: &str,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        self.settings.check()?;
        let mut story = Story::new();
        let attempts = within(self.settings.deadline, self.attempts(agents, prompt, &mut story));
        let result = attempts.await.unwrap_or(Err(End::Deadline));
        self.end(story, result)
    }

    /// Judges a reply that is there already, as the only attempt.
    pub(super) fn judge_only(mut self, reply: Reply) -> Result<ExtractionMetrics, ExtractionError> {
        let mut story = Story::new();
        let usage = TokenUsage::of(&Conversation::new(), &reply);
        let judged = self.judge(Answer { number: 1, agent: String::new(), reply, usage, base: None });
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

    async fn attempts(
        &mut self,
        agents: &[Box<dyn Agent + '_>],
        prompt: &str,
        story: &mut Story,
    ) -> Result<(), End> {
        let mut agents = agents.iter();
        let mut agent = agents.next().expect("there is at least one agent");
        let mut questions = Questions::new(self.contract, self.settings, prompt);
        let mut asked = questions.first();
        loop {
            let number = story.metrics.attempts + 1;
            let judged = self.attempt(&**agent, number, &asked, &mut story.metrics).await?;
            let is_truncated = matches!(judged.verdict, Verdict::Truncated);
            let Some(last) = self.settle(judged, story)? else {
                return Ok(());
            };
            let stronger = if last.is_stalled { agents.next() } else { None };
            agent = stronger.unwrap_or(agent);
            asked = questions.next(asked, last, is_truncated, stronger.is_some());
            let agent = agent.name();
            (self.observe)(&Event::FeedingBack { record: last, agent: &agent, request: &asked.request });
        }
    }

    /// Writes a judged attempt into the story. `None` when its value was accepted, the record when another attempt
    /// may follow.
    fn settle<'s>(&mut self, judged: Judged, story: &'s mut Story) -> Result<Option<&'s AttemptRecord>, End> {
        let Judged { mut record, verdict } = judged;
        if let Some(before) = story.history.last() {
            record.is_stalled = is_stalled(before, &record);
            record.regressions = regressions(before, &record);
        }
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
        let end = self.end_after(&record, verdict, &story.metrics);
        story.history.push(record);
        match end {
            Some(end) => Err(end),
            None => Ok(story.history.last()),
        }
    }

    /// Why no attempt may follow the one of `record`, which was not accepted.
    fn end_after(
        &self,
        record: &AttemptRecord,
        verdict: Verdict,
        metrics: &ExtractionMetrics,
    ) -> Option<End> {
        let settings = self.settings;
        let is_last = record.number >= settings.max_attempts;
        match verdict {
            Verdict::Panicked(message) => Some(End::Panicked(message)),
            _ if !should_retry(&record.violations) => Some(End::Fatal),
            Verdict::Truncated if is_last => Some(End::Truncated),
            _ if is_last => Some(End::Exhausted),
            _ if settings.stop_on_stall && record.is_stalled => Some(End::Stalled),
            _ if settings.token_budget.is_some_and(|budget| metrics.usage.total() >= budget) => {
                Some(End::TokenBudget)
            }
            _ => None,
        }
    }

    async fn attempt(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        asked: &Asked,
        metrics: &mut ExtractionMetrics,
    ) -> Result<Judged, End> {
        let max_attempts = self.settings.max_attempts;
        let observe = &mut *self.observe;
        let request = &asked.request;
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
        let agent = agent.name().into_owned();
        let mut judged = self.judge(Answer { number, agent, reply, usage, base: asked.base.as_ref() });
        judged.record.elapsed = started.elapsed();
        Ok(judged)
    }

    fn judge(&mut self, answer: Answer<'_>) -> Judged {
        let attempt = answer.number;
        let observe = &mut *self.observe;
        judge(answer, self.contract, self.settings, self.submit, |reading| {
            observe(&Event::Read { attempt, reading });
        })
    }
}
