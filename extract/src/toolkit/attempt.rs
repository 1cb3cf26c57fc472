//! Runs one call: from its arguments to its record and its result, for programs and for the agent.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Toolkit, ToolkitOutcome, ToolkitState};
use crate::{
    agent::{Conversation, FinishReason, Reply, ToolCall, ToolResult},
    attempt::AttemptRecord,
    derive_support::WithContext,
    feedback::{AnswerForm, FailedAttempt, FailureDetails, again, listing},
    judging::{
        AttemptOutcome, ConfidenceMeter, EndReason, JudgedAttempt, OtherAgents, ReceivedReply, SampledAnswer,
        ValueJudge, judge_as, notify,
        tools::{self, DONE, ToolKind, ToolSubmission, hand_in},
    },
    metrics::{Confidences, ModelUsage},
    settings::Confidence,
    vocabulary::{
        change::Change, text::counted, time_limit::Instant, usage::TokenUsage, violation::Violation,
    },
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
        let text = self.last().map(|record| closing_message(record, self.settings.max_attempts, &end));
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
        let next = next_step(status, state, &self.tool_set.name_of(ToolKind::Submit));
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
        let text = closed_message(self.state());
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

/// Maximum number of violations and changes that are listed; the rest is only counted.
const MAX_LISTED: usize = 50;

/// Maximum bytes of the JSON Pointers of those violations.
const MAX_POINTER_BYTES: usize = 65_536;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ReportStatus {
    Valid,
    Accepted,
    Rejected,
    Closed,
}

struct ToolReport<'a> {
    status: ReportStatus,
    attempts: u32,
    attempts_left: u32,
    next: String,
    violations: &'a [Violation],
    changes: &'a [Change],
    /// The accepted value.
    value: Option<&'a Value>,
    /// Those of the accepted value, if they are measured.
    confidences: Option<&'a Confidences>,
}

impl ToolReport<'_> {
    fn to_json(&self) -> Value {
        let mut report = json!({
            "status": self.status,
            "attempts": self.attempts,
            "attempts_left": self.attempts_left,
            "next": self.next,
            "violation_count": self.violations.len(),
            "violations": listed(self.violations).map(violation_json).collect::<Vec<_>>(),
            "change_count": self.changes.len(),
            "changes": self.changes.iter().take(MAX_LISTED).map(change_json).collect::<Vec<_>>(),
        });
        if let Some(value) = self.value {
            report["value"] = value.clone();
        }
        let leaves = self.confidences.into_iter().flat_map(Confidences::by_pointer);
        let numbers: Map<_, _> = leaves.filter_map(|(leaf, number)| Some((leaf, json!(number?)))).collect();
        if !numbers.is_empty() {
            report["confidence"] = numbers.into();
        }
        report
    }
}

/// The first violations. Their pointers are exact, so one may be as long as the reply.
fn listed(violations: &[Violation]) -> impl Iterator<Item = &Violation> {
    let mut bytes = 0;
    violations.iter().take(MAX_LISTED).take_while(move |violation| {
        let is_first = bytes == 0;
        bytes += 1 + violation.path.pointer_bytes();
        is_first || bytes <= MAX_POINTER_BYTES
    })
}

fn violation_json(violation: &Violation) -> Value {
    let mut report = json!({
        "path": violation.path.to_string(),
        "pointer": violation.path.to_pointer(),
        "code": violation.code,
        "message": violation.message_with_hint(),
        "severity": violation.severity,
    });
    // Absent instead of `null`, which not every client's dialect of JSON Schema supports.
    for (name, text) in [("expected", &violation.expected), ("actual", &violation.actual)] {
        if let Some(text) = text {
            report[name] = json!(text);
        }
    }
    report
}

fn change_json(change: &Change) -> Value {
    json!({
        "path": change.path.to_string(),
        "kind": change.kind,
        "before": change.before,
        "after": change.after,
        "loss": change.loss,
    })
}

const STOP: &str = "Do not call this tool again; tell the user what is wrong.";

/// The next step for the agent, if it sees only the structured result.
fn next_step(status: ReportStatus, state: ToolkitState, submit: &str) -> String {
    match (status, state) {
        (ReportStatus::Valid, _) => hand_in(submit),
        (_, ToolkitState::Open { .. }) => {
            format!("Fix all violations and keep what was right. {}", again(submit))
        }
        (_, ToolkitState::Accepted) => DONE.to_owned(),
        (_, ToolkitState::Failed) => STOP.to_owned(),
    }
}

/// The message about the last failed attempt.
fn closing_message(record: &AttemptRecord, max_attempts: u32, end: &EndReason) -> String {
    let number = record.number;
    let why = match end {
        EndReason::Exhausted | EndReason::Truncated | EndReason::Deadline | EndReason::Agent(_) => {
            format!("This was attempt {number} of {max_attempts}, the last one.")
        }
        EndReason::Stalled => {
            format!("Attempt {number} of {max_attempts} made no progress over the one before.")
        }
        EndReason::Refused => format!("Attempt {number} of {max_attempts} was a refusal."),
        EndReason::TokenBudget => {
            format!("The budget of tokens is used up after {}.", counted(number as usize, "attempt"))
        }
        EndReason::Fatal => format!("It was rejected for good in attempt {number} of {max_attempts}."),
        EndReason::Panicked(_) => {
            return format!("The program that judges the value failed; no other value will fix that. {STOP}");
        }
    };
    format!("{}\n{why} {STOP}", listing(&record.violations))
}

/// The message about a call after the end.
fn closed_message(state: ToolkitState) -> String {
    match state {
        ToolkitState::Accepted => {
            format!("This call was ignored: a value was already accepted. {DONE}")
        }
        _ => format!("This call was ignored: no attempt is left. {STOP}"),
    }
}
