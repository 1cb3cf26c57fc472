//! Runs one call: from its arguments to its result and its record.

use std::sync::LazyLock;

use super::{
    Toolkit, ToolkitOutcome, ToolkitState, report,
    report::{ReportStatus, ToolReport},
};
use crate::{
    agent::{Conversation, FinishReason, Reply, ToolCall, ToolResult},
    attempt::AttemptRecord,
    derive_support::WithContext,
    feedback::{AnswerForm, FailedAttempt, FailureDetails},
    judging::{
        AttemptOutcome, ConfidenceMeter, EndReason, JudgedAttempt, OtherAgents, ReceivedReply, SampledAnswer,
        ValueJudge, judge_as, notify,
        tools::{self, ToolKind, ToolSubmission},
    },
    metrics::{Confidences, ModelUsage},
    settings::Confidence,
    vocabulary::{time_limit::Instant, usage::TokenUsage},
};

impl<T: WithContext<C> + Send, C> Toolkit<'_, T, C> {
    /// Runs a call of the agent, and returns the result for it.
    ///
    /// The arguments of `validate` and `submit` are read as leniently as a reply, with the same
    /// receipt: text around the value, a value in quotes, a trailing comma and the like cost no
    /// attempt. If the future is dropped before it is ready, the call has no effect.
    pub async fn call(&mut self, call: impl Into<ReceivedCall>) -> ToolResult {
        let received = call.into();
        if self.last_answered.is_none() {
            self.log.started = Instant::now();
            self.last_answered = Some(self.log.started);
        }
        if let Some(answer) = self.tool_set.answer(&received.call, &self.contract) {
            self.log.metrics.spend(received.used().into_iter().collect());
            return answer;
        }
        match self.tool_set.kind_of(&received.call.name) {
            Some(kind) if matches!(self.state(), ToolkitState::Open { .. }) => {
                self.attempt(kind, received).await
            }
            _ => self.closed(&received.call),
        }
    }

    async fn attempt(&mut self, kind: ToolKind, received: ReceivedCall) -> ToolResult {
        let call = received.call.clone();
        let (judged, value) = self.judge(kind, received).await;
        if kind == ToolKind::Validate && judged.is_accepted() {
            let JudgedAttempt { record, used, .. } = judged;
            self.log.metrics.spend(used);
            let text = tools::valid(&record, &self.tool_set.name_of(ToolKind::Submit));
            return self.result(&call, ReportStatus::Valid, &record, text);
        }
        self.last_answered = Some(Instant::now());
        let settled = self.log.settle(
            judged,
            &self.contract,
            &self.settings,
            OtherAgents::None,
            &mut notify(&mut self.observers),
        );
        match settled {
            AttemptOutcome::Accepted(record) => self.accept(&call, value, &record),
            AttemptOutcome::Retry(_) => self.reject(&call, kind),
            AttemptOutcome::Ended(end) => self.fail(&call, kind, end),
        }
    }

    /// Judges a value as a call of `kind`. Returns the value if it was accepted.
    async fn judge(&mut self, kind: ToolKind, received: ReceivedCall) -> (JudgedAttempt, Option<T>) {
        let ReceivedCall { call, finish_reason, usage, agent } = received;
        let options = &self.settings.reading;
        let ToolSubmission { text, changes, violations, .. } =
            self.tool_set.submission(&[&call], &self.contract, options);
        let mut reply = Reply::new(text).finished(finish_reason);
        if let Some(usage) = usage {
            reply = reply.with_usage(usage);
        }
        let usage = reply.cost(|| 0);
        let received = ReceivedReply::whole(self.log.metrics.attempts + 1, agent, reply, usage);
        let received = ReceivedReply { changes, violations, ..received };
        let mut value_judge = ValueJudge::new(self.checks, &self.contract, self.context, &mut self.on_submit);
        let mut judged = judge_as(kind, received, &self.contract, options, &mut value_judge, |_| {}).await;
        let now = Instant::now();
        judged.record.elapsed = now.duration_since(self.last_answered.unwrap_or(now));
        (judged, value_judge.into_accepted())
    }

    fn accept(&mut self, call: &ToolCall, value: Option<T>, record: &AttemptRecord) -> ToolResult {
        self.outcome = value.map_or(ToolkitOutcome::Open, ToolkitOutcome::Accepted);
        self.log.metrics.confidences = self.confidences(record);
        self.log.close(true, &mut notify(&mut self.observers));
        let text = tools::accepted(record, self.settings.max_attempts);
        self.result(call, ReportStatus::Accepted, record, text)
    }

    /// The confidences of the accepted value, if they are asked for.
    fn confidences(&self, accepted: &AttemptRecord) -> Confidences {
        if self.settings.confidence == Confidence::Off {
            return Confidences::default();
        }
        let meter = ConfidenceMeter::of(&self.contract, &self.settings, self.contract.document_text());
        meter.measure(&SampledAnswer::accepted(self.log.history.clone(), accepted.clone()))
    }

    /// Ends the toolkit: no attempt is left, or another one would be pointless.
    fn fail(&mut self, call: &ToolCall, kind: ToolKind, end: EndReason) -> ToolResult {
        let text = self.last().map(|record| report::closed_by(record, self.settings.max_attempts, &end));
        self.outcome = ToolkitOutcome::Failed(end);
        self.log.close(false, &mut notify(&mut self.observers));
        self.rejected(call, kind, text.unwrap_or_default())
    }

    /// Rejects the call; another attempt may follow.
    fn reject(&self, call: &ToolCall, kind: ToolKind) -> ToolResult {
        let submit = self.tool_set.name_of(ToolKind::Submit);
        let text = self.last().map(|record| self.failed(record, &submit).message());
        self.rejected(call, kind, text.unwrap_or_default())
    }

    fn rejected(&self, call: &ToolCall, kind: ToolKind, text: String) -> ToolResult {
        let Some(record) = self.last() else { return self.closed(call) };
        let is_error = kind == ToolKind::Submit;
        ToolResult { is_error, ..self.result(call, ReportStatus::Rejected, record, text) }
    }

    /// The last failed attempt.
    fn last(&self) -> Option<&AttemptRecord> {
        self.log.history.last()
    }

    /// The failed attempt for the feedback.
    fn failed<'r>(&'r self, record: &'r AttemptRecord, submit: &'r str) -> FailedAttempt<'r> {
        static NOTHING: LazyLock<Conversation> = LazyLock::new(Conversation::new);
        let settings = &self.settings;
        FailedAttempt {
            opening: &NOTHING,
            record,
            next: record.number + 1,
            max_attempts: settings.max_attempts,
            stalls: 0,
            is_other_agent: false,
            exchange: None,
            failure: FailureDetails {
                options: &settings.feedback_options,
                schema: self.contract.schema(),
                sensitive: self.contract.sensitive(),
                form: AnswerForm { submit: Some(submit), thoughts: false },
                prefers_patch: false,
            },
        }
    }

    fn result(
        &self,
        call: &ToolCall,
        status: ReportStatus,
        record: &AttemptRecord,
        text: String,
    ) -> ToolResult {
        let report = ToolReport {
            violations: &record.violations,
            changes: &record.changes,
            value: record.submitted().filter(|_| status == ReportStatus::Accepted),
            confidences: Some(&self.log.metrics.confidences),
            ..self.report(status)
        };
        call.answered(text, false).with_structured(report.to_json())
    }

    fn report(&self, status: ReportStatus) -> ToolReport<'static> {
        let attempts = self.log.metrics.attempts;
        let state = self.state();
        let attempts_left = match state {
            ToolkitState::Open { attempts, max_attempts } => max_attempts - attempts,
            ToolkitState::Accepted | ToolkitState::Failed => 0,
        };
        let next = report::next(status, state, &self.tool_set.name_of(ToolKind::Submit));
        ToolReport {
            status,
            attempts,
            attempts_left,
            next,
            violations: &[],
            changes: &[],
            value: None,
            confidences: None,
        }
    }

    fn closed(&self, call: &ToolCall) -> ToolResult {
        let text = report::closed(self.state());
        call.answered(text, true).with_structured(self.report(ReportStatus::Closed).to_json())
    }
}

/// A [`ToolCall`] with the known facts about its reply. Most callers know nothing more and pass the
/// call itself.
///
/// ```
/// use extract::{TokenUsage, toolkit::{ReceivedCall, ToolCall}};
///
/// let call = ToolCall::new("submit", serde_json::json!({"total": 3}));
/// let received = ReceivedCall::from(call).by("openai/gpt-5-mini").with_usage(TokenUsage::new(120, 6));
/// # let _ = received;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReceivedCall {
    /// The call.
    pub call: ToolCall,
    /// Why the agent stopped. Arguments that were cut at the token limit never count as whole.
    pub finish_reason: FinishReason,
    /// Tokens that the agent reported for this call.
    pub usage: Option<TokenUsage>,
    /// Name of the agent, for the history.
    pub agent: String,
}

impl From<ToolCall> for ReceivedCall {
    fn from(call: ToolCall) -> Self {
        Self { call, finish_reason: FinishReason::Unknown, usage: None, agent: String::new() }
    }
}

impl ReceivedCall {
    /// Sets why the agent stopped.
    #[must_use]
    pub fn finished(mut self, reason: FinishReason) -> Self {
        self.finish_reason = reason;
        self
    }

    /// Adds the token counts that the agent reported.
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The tokens of a call that does not count as an attempt, if it reports any.
    pub(super) fn used(&self) -> Option<ModelUsage> {
        Some(ModelUsage::of_reply(self.agent.clone(), None, self.usage?))
    }

    /// Sets the name of the agent.
    #[must_use]
    pub fn by(mut self, agent: impl Into<String>) -> Self {
        self.agent = agent.into();
        self
    }
}
