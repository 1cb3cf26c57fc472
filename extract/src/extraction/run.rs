//! The loop: ask, read, judge, feed back, until the value is right or the budget is used up.
//!
//! It does not know the requested type. One attempt is one reply. Whatever makes it unacceptable
//! costs one of `max_attempts`, and the next attempt follows at once.

use std::time::Duration;

use serde_json::Value;

use super::{
    question::{NextAttempt, QuestionBuilder},
    trace::ExtractionTrace,
};
use crate::{
    agent::{Agent, AgentErrorKind, Reply},
    contract::Contract,
    error::ExtractionError,
    judging::{
        AcceptedParts, AttemptLog, AttemptOutcome, ConfidenceMeter, EndReason, ErasedAsyncJudge, ErasedJudge,
        Event, OtherAgents, ReceivedReply, ReplyContinuation, SampledAnswer, accept_valid_items, judge,
        judge_merged,
    },
    metrics::{Confidences, ExtractionMetrics},
    prompt::OpeningOptions,
    settings::ExtractionSettings,
    vocabulary::{attempt_status::AttemptStatus, time_limit::within},
};

/// The parts that the loop works with.
pub(super) struct ExtractionRun<'r> {
    pub(super) contract: &'r Contract,
    pub(super) settings: &'r ExtractionSettings,
    /// Judges values that satisfy the schema, and keeps the accepted one.
    pub(super) value_judge: &'r mut dyn ErasedAsyncJudge,
    pub(super) observe: &'r mut (dyn FnMut(&Event<'_>) + Send),
    /// The parts that no attempt may change.
    pub(super) accepted_parts: Option<&'r dyn AcceptedParts>,
    /// Measures the accepted value, if set.
    pub(super) meter: Option<ConfidenceMeter<'r>>,
}

impl<'r> ExtractionRun<'r> {
    /// A run of an answer that is neither shown while it is written nor measured.
    pub(super) fn new(
        contract: &'r Contract,
        settings: &'r ExtractionSettings,
        value_judge: &'r mut dyn ErasedAsyncJudge,
        observe: &'r mut (dyn FnMut(&Event<'_>) + Send),
    ) -> Self {
        Self { contract, settings, value_judge, observe, accepted_parts: None, meter: None }
    }

    /// Judges `value`, which was merged from several answers. Returns whether it is accepted; if not,
    /// the agents may be asked about it.
    pub(super) async fn settle_merged(
        &mut self,
        value: &Value,
        agents: &[Box<dyn Agent + '_>],
        log: &mut AttemptLog,
    ) -> Result<bool, EndReason> {
        let judged = judge_merged(value, self.contract, self.value_judge).await;
        let others = OtherAgents::of(agents.len().saturating_sub(1));
        match log.settle(judged, self.contract, self.settings, others, self.observe) {
            AttemptOutcome::Accepted(_) => Ok(true),
            AttemptOutcome::Retry(_) => Ok(false),
            AttemptOutcome::Ended(end) => Err(end),
        }
    }
}

impl ExtractionRun<'_> {
    /// Asks until `value_judge` accepts a value. After an attempt that made no progress, and after
    /// a refusal, the next of `agents` takes over; there is at least one agent.
    pub(super) async fn run(
        mut self,
        agents: &[Box<dyn Agent + '_>],
        asked: OpeningOptions<'_>,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        let trace = ExtractionTrace::extraction(self.contract);
        // In a box, because `watch` would double its size. So are others below.
        let result = trace.watch(Box::pin(self.run_untraced(agents, asked))).await;
        trace.done(result.as_ref());
        result
    }

    async fn run_untraced(
        &mut self,
        agents: &[Box<dyn Agent + '_>],
        asked: OpeningOptions<'_>,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        self.settings.check(self.contract)?;
        let mut log = AttemptLog::new();
        let result = self.ask_all(agents, asked, &mut log).await;
        self.end(log, result)
    }

    /// Makes all attempts. They follow the last one of `log`, if it has one.
    pub(super) async fn ask_all(
        &mut self,
        agents: &[Box<dyn Agent + '_>],
        asked: OpeningOptions<'_>,
        log: &mut AttemptLog,
    ) -> Result<(), EndReason> {
        let result = match self.settings.deadline {
            Some(Duration::ZERO) => None,
            limit => within(limit, Box::pin(self.attempts(agents, asked, log))).await,
        };
        match result.unwrap_or(Err(EndReason::Deadline)) {
            Err(end) if self.settings.keep_valid_items && end.is_of_budget() => {
                Box::pin(self.keep_valid_items(log, end)).await
            }
            result => result,
        }
    }

    /// Accepts the best attempt without its broken items, or ends as before. Async checks are not
    /// awaited after the deadline.
    async fn keep_valid_items(&mut self, log: &mut AttemptLog, end: EndReason) -> Result<(), EndReason> {
        let Self { contract, settings, value_judge, accepted_parts, .. } = self;
        let time_left = settings.deadline.map(|limit| limit.saturating_sub(log.started.elapsed()));
        let accepting =
            accept_valid_items(&log.history, contract, settings, &mut **value_judge, *accepted_parts);
        match within(time_left, accepting).await {
            Some(Ok(Some(accepted))) => {
                log.accept_in_part(accepted, self.observe);
                Ok(())
            }
            Some(Err(panic)) => Err(EndReason::Panicked(panic)),
            Some(Ok(None)) | None => Err(end),
        }
    }

    fn end(
        &mut self,
        mut log: AttemptLog,
        result: Result<(), EndReason>,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        if let (Ok(()), Some(meter)) = (&result, &self.meter) {
            log.metrics.confidences = measured(meter, &mut log);
        }
        log.close(result.is_ok(), self.observe);
        match result {
            Ok(()) => Ok(log.metrics),
            Err(end) => Err(end.into_error(log, self.settings)),
        }
    }

    async fn attempts(
        &mut self,
        agents: &[Box<dyn Agent + '_>],
        asked: OpeningOptions<'_>,
        log: &mut AttemptLog,
    ) -> Result<(), EndReason> {
        let mut agents = agents.iter();
        let mut agent = agents.next().expect("there is at least one agent");
        let mut questions = QuestionBuilder::new(self.contract, self.settings, asked, &**agent).await;
        let mut pending = questions.first();
        if let Some(last) = log.history.last() {
            let max_attempts = log.max_attempts(self.settings);
            let next = NextAttempt { last, is_other_agent: false, max_attempts };
            pending = Box::pin(questions.next(pending, None, next, &**agent)).await;
        }
        loop {
            let number = log.metrics.attempts + 1;
            let judged = match self.attempt(&**agent, number, &mut pending, &mut log.metrics).await {
                Err(EndReason::Agent(error)) if pending.is_refused_with(&error) => {
                    let rest = pending.take_rest();
                    let has_room = error.kind() != AgentErrorKind::TooLong || rest.is_some();
                    let Some(last) = log.history.last().filter(|_| has_room) else {
                        return Err(EndReason::Agent(error));
                    };
                    let max_attempts = log.max_attempts(self.settings);
                    let next = NextAttempt { last, is_other_agent: false, max_attempts };
                    let rest = rest.map(ReplyContinuation::Rest);
                    pending = Box::pin(questions.next(pending, rest, next, &**agent)).await;
                    let why = error.message();
                    pending.refused.push(format!("the cut text was not continued: {why}"));
                    continue;
                }
                judged => judged?,
            };
            let others = OtherAgents::of(agents.len());
            let continuation = match log.settle(judged, self.contract, self.settings, others, self.observe) {
                AttemptOutcome::Accepted(record) => {
                    log.accepted = Some(record);
                    return Ok(());
                }
                AttemptOutcome::Retry(continuation) => continuation,
                AttemptOutcome::Ended(end) => return Err(end),
            };
            let max_attempts = log.max_attempts(self.settings);
            let Some(last) = log.history.last() else { return Ok(()) };
            let is_refused = last.verdict == AttemptStatus::Refused;
            let other = if last.is_stalled || is_refused { agents.next() } else { None };
            agent = other.unwrap_or(agent);
            pending = if is_refused {
                questions.restart(&**agent).await
            } else {
                let next = NextAttempt { last, is_other_agent: other.is_some(), max_attempts };
                Box::pin(questions.next(pending, continuation, next, &**agent)).await
            };
            let agent = agent.name();
            (self.observe)(&Event::FeedingBack { record: last, agent: &agent, request: &pending.request });
        }
    }
}

/// The confidences of the accepted value. None if it was accepted without its broken items.
fn measured(meter: &ConfidenceMeter<'_>, log: &mut AttemptLog) -> Confidences {
    let Some(accepted) = log.accepted.take() else { return Confidences::default() };
    meter.measure(&SampledAnswer::accepted(std::mem::take(&mut log.history), *accepted))
}

/// Judges an existing reply as the only attempt.
pub(super) fn judge_only(
    reply: Reply,
    contract: &Contract,
    settings: &ExtractionSettings,
    value_judge: &mut dyn ErasedJudge,
    log: &mut AttemptLog,
) -> Result<(), EndReason> {
    let observe = &mut |_: &Event<'_>| {};
    let usage = reply.cost(|| 0);
    let received = ReceivedReply::whole(1, String::new(), reply, usage);
    let mut judged = judge(received, contract, &settings.reading, value_judge, |_| {});
    judged.run_callbacks(value_judge);
    let result = match log.settle(judged, contract, settings, OtherAgents::None, observe) {
        AttemptOutcome::Ended(end) => Err(end),
        AttemptOutcome::Accepted(_) | AttemptOutcome::Retry(_) => Ok(()),
    };
    log.close(result.is_ok(), observe);
    result
}
