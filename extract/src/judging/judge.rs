//! Turns a reply into a judged attempt.

use serde_json::Value;

use super::{
    continuation::{ContinuationPlan, ContinuedReading},
    ending::ReplyEnding,
    joining::AdditionEnd,
    patch,
    reply_continuation::{ContinuationSupport, ContinuedAddition, ContinuedText, ReplyContinuation},
    tools::ToolKind,
    value_judge::{AcceptedParts, ErasedAsyncJudge, ErasedJudge, JudgeFindings, end_at_accepted},
};
use crate::{
    agent::{Conversation, FinishReason, Reply, ReplyParts},
    attempt::{self, AttemptRecord, Submission},
    contract::Contract,
    metrics::ModelUsage,
    reading::{self, Reading, ReadingOptions, ReplyEnd},
    validation::{self, RespelledQuote, SensitiveParts},
    vocabulary::{
        attempt_status::AttemptStatus,
        change::Change,
        path::Path,
        redaction::{SensitiveValues, VALUE_MARKER},
        usage::TokenUsage,
        violation::{Code, Severity, Violation},
    },
};

/// A judged attempt.
pub(crate) struct JudgedAttempt {
    /// Boxed, because it is large and moved several times.
    pub(crate) record: Box<AttemptRecord>,
    /// The tokens of the reply, by model.
    pub(crate) used: Vec<ModelUsage>,
    /// The message of a panic in the user's code.
    pub(crate) panic: Option<String>,
    /// How the next reply may continue this one, if it was cut.
    pub(crate) continuation: Option<ReplyContinuation>,
}

impl JudgedAttempt {
    pub(crate) fn is_accepted(&self) -> bool {
        self.record.verdict == AttemptStatus::Accepted
    }

    fn add(&mut self, findings: JudgeFindings) {
        (self.record.verdict, self.panic) = add_findings(findings, &mut self.record.violations);
    }

    /// Runs the async checks of a value that passed everything before.
    async fn run_async_checks(&mut self, value_judge: &mut dyn ErasedAsyncJudge) {
        if self.is_accepted()
            && let Some(outcome) = value_judge.run_async_checks()
        {
            self.add(outcome.await);
        }
    }

    /// Runs the callbacks on a value that passed everything else. They may have side effects.
    pub(crate) fn run_callbacks(&mut self, value_judge: &mut dyn ErasedJudge) {
        if self.is_accepted() {
            self.add(value_judge.run_callbacks());
        }
    }
}

/// A reply and the question that it answers.
pub(crate) struct ReceivedReply<'a> {
    pub(crate) question: AnsweredQuestion<'a>,
    pub(crate) agent: String,
    pub(crate) reply: Reply,
    pub(crate) usage: TokenUsage,
    /// The changes that made one value of several tool calls.
    pub(crate) changes: Vec<Change>,
    /// Why that value may not be used as it is.
    pub(crate) violations: Vec<Violation>,
}

/// What a question says about its reply.
#[derive(Clone, Copy)]
pub(crate) struct AnsweredQuestion<'a> {
    /// The number of the attempt.
    pub(crate) number: u32,
    /// The base that the reply may refer to.
    pub(crate) base: Option<&'a ReplyBase>,
    /// The conversation that the reply answers, if known.
    pub(crate) conversation: Option<&'a Conversation>,
    /// Whether a reply that was cut is checked for repetition.
    pub(crate) may_repeat: bool,
    /// How another reply may continue this one, if it was cut.
    pub(crate) may_continue: ContinuationSupport,
    /// The parts that the reply may not change.
    pub(crate) accepted_parts: Option<&'a dyn AcceptedParts>,
}

impl<'a> AnsweredQuestion<'a> {
    /// A question for a whole value.
    fn whole(number: u32) -> Self {
        Self {
            number,
            base: None,
            conversation: None,
            may_repeat: true,
            may_continue: ContinuationSupport::Never,
            accepted_parts: None,
        }
    }

    /// Returns whether the reply refers to nothing earlier.
    fn is_plain(&self) -> bool {
        self.base.is_none() && self.accepted_parts.is_none()
    }

    /// The text that the reply continues.
    fn prefill(&self) -> Option<&'a ContinuedText> {
        self.base.and_then(ReplyBase::prefill)
    }

    /// Returns whether a further reply may continue a value that was cut.
    fn may_go_on(&self) -> bool {
        self.may_continue != ContinuationSupport::Never
    }
}

/// The base of a reply that refers to something earlier.
pub(crate) enum ReplyBase {
    /// The submission that it may patch.
    Patch(patch::PatchBase),
    /// The reply that was cut, and that it continues.
    Cut(ReplyContinuation),
}

impl ReplyBase {
    /// Returns the continuation to record for the attempt.
    pub(crate) fn going(&self) -> Option<attempt::Continuation> {
        match self {
            Self::Cut(continuation) => Some(continuation.going()),
            Self::Patch(_) => None,
        }
    }

    /// The text that it continues.
    fn prefill(&self) -> Option<&ContinuedText> {
        match self {
            Self::Cut(ReplyContinuation::Text(prefill)) => Some(prefill),
            Self::Cut(ReplyContinuation::Rest(_)) | Self::Patch(_) => None,
        }
    }
}

impl ReceivedReply<'_> {
    /// A reply with a whole value.
    pub(crate) fn whole(number: u32, agent: String, reply: Reply, usage: TokenUsage) -> Self {
        let question = AnsweredQuestion::whole(number);
        Self { question, agent, reply, usage, changes: Vec::new(), violations: Vec::new() }
    }
}

/// Judges `received` as a call of the tool `kind`. A value that is only validated does not run the
/// callbacks, which may have side effects. Calls `read` with the reading.
pub(crate) async fn judge_as(
    kind: ToolKind,
    received: ReceivedReply<'_>,
    contract: &Contract,
    options: &ReadingOptions,
    value_judge: &mut dyn ErasedAsyncJudge,
    read: impl FnOnce(&Reading),
) -> JudgedAttempt {
    let accepted_parts = received.question.accepted_parts;
    let mut judged = judge(received, contract, options, value_judge, read);
    judged.run_async_checks(value_judge).await;
    if kind == ToolKind::Submit {
        judged.run_callbacks(value_judge);
    }
    if let Some(accepted) = accepted_parts {
        end_at_accepted(accepted, &mut judged.record.violations);
    }
    judged
}

/// Reads `received` and judges its value. Calls `read` with the reading, if it takes one.
pub(crate) fn judge(
    received: ReceivedReply<'_>,
    contract: &Contract,
    options: &ReadingOptions,
    value_judge: &mut dyn ErasedJudge,
    read: impl FnOnce(&Reading),
) -> JudgedAttempt {
    let ReceivedReply { question, agent, reply, usage, mut changes, violations: of_calls } = received;
    let (is_refusal, reply_end) = (reply.is_refusal(), reply.end());
    let called = reply.calls().first().map(|call| call.name.clone());
    let used = reply.usage_by_model(&agent, usage);
    let agent = reply.author(&agent).to_owned();
    let ReplyParts { text, finish_reason, refusal, mut notes, origin, token_probabilities, is_in_thoughts } =
        reply.into_parts();
    let added = text.len();
    let prefill = question.prefill();
    let may_grow =
        question.may_continue == ContinuationSupport::TheText && finish_reason == FinishReason::Length;
    let addition_end = if may_grow { AdditionEnd::MayGrow } else { AdditionEnd::Final };
    let JoinedReply { text, undecided, unjoined, note } = JoinedReply::of(text, prefill, addition_end);
    notes.extend(note);
    let is_value = (question.base.is_none() || prefill.is_some()) && unjoined.is_none();
    // Filled in place, because moving so many fields takes longer than allocating them.
    let mut record = Box::new(AttemptRecord::new(question.number, text, contract.sensitive().is_some()));
    if let Some(origin) = origin {
        record.origin = *origin;
    }
    let start = record.raw_output.len() - added;
    record.token_probabilities = token_probabilities.into_iter().map(|token| token.after(start)).collect();
    record.agent = agent;
    record.finish_reason = finish_reason;
    record.refusal = refusal;
    record.continuation = question.base.and_then(ReplyBase::going);
    record.usage = usage;
    record.notes = notes;
    let raw_output = &*record.raw_output;
    let options = ReadingOptions { reply_end, ..*options };
    let is_plain = question.is_plain() && !is_refusal && changes.is_empty() && of_calls.is_empty();
    if is_plain && let Some(findings) = value_judge.judge_text(raw_output, &options) {
        record.submitted = Submission::of_text(raw_output);
        let (verdict, panic) = add_findings(findings, &mut record.violations);
        record.verdict = verdict;
        return JudgedAttempt { record, used, panic, continuation: None };
    }
    let ReadReply { mut reading, patch, is_cut, decided, mut rest } = match unjoined {
        Some(prefill) => read_unjoined(prefill, contract, &options),
        None => read_reply(raw_output, question.base, contract, &options),
    };
    if is_in_thoughts && raw_output.trim().is_empty() {
        reading.violations = vec![reading::in_thoughts()];
    } else if let Some(name) = called.filter(|_| raw_output.trim().is_empty()) {
        reading.violations = vec![reading::is_call(&name)];
    }
    reading.violations.extend(of_calls);
    read(&reading);
    let ending = ReplyEnding {
        is_refusal,
        refusal: record.refusal.as_deref(),
        finish_reason: &record.finish_reason,
        conversation: question.conversation,
        may_repeat: question.may_repeat && is_cut,
    };
    let ended = ending.verdict(raw_output, &reading, contract);
    let mut found = std::mem::take(&mut reading.violations);
    if let Some(sensitive) = contract.sensitive() {
        sensitive.redact_violations_of_reply(&mut found);
    }
    let JudgedValue { violations, verdict, panic, respelled } = match (ended, decided) {
        (Some((violation, verdict)), _) if is_cut || verdict == AttemptStatus::Refused => {
            JudgedValue::new(vec![violation], verdict)
        }
        (_, Some(verdict)) => {
            let value = reading.value.as_ref().unwrap_or(&Value::Null);
            JudgedValue::new(contract.redacted(found, value), verdict)
        }
        (_, None) => {
            let value = reading.value.as_ref();
            let mut judged = judge_value(value, found, contract, value_judge);
            if let (Some(accepted), Some(value)) = (question.accepted_parts, value) {
                judged.reject(accepted.changes_in(value), contract, value);
            }
            judged
        }
    };
    let is_truncated = verdict == AttemptStatus::Truncated && question.may_go_on();
    if is_truncated && is_value {
        rest = match prefill.filter(|_| !undecided.is_empty()) {
            Some(prefill) => prefill.rest.clone(),
            None => ContinuationPlan::of(raw_output, &reading, contract, &options),
        };
    }
    rest = rest.filter(|_| is_truncated || (question.may_go_on() && verdict == AttemptStatus::Rejected));
    let continues_text = may_grow && is_truncated && is_value && added > 0;
    let continuation = ReplyContinuation::of(raw_output, &reading, continues_text.then_some(undecided), rest);
    changes.append(&mut reading.changes);
    changes.extend(validation::changes_of(respelled, raw_output));
    if let Some(sensitive) = contract.sensitive() {
        let values =
            reading.value.as_ref().map_or_else(SensitiveValues::default, |value| sensitive.values_in(value));
        redact_changes(&mut changes, sensitive, &values);
    }
    record.verdict = verdict;
    record.submitted = reading.value.into();
    record.patch = patch;
    record.violations = violations;
    record.changes = changes;
    JudgedAttempt { record, used, panic, continuation }
}

/// A reply with the text that it continues.
struct JoinedReply<'p> {
    /// The whole text, or the reply alone if it writes everything again.
    text: String,
    /// Where texts were joined that may not belong together.
    undecided: Vec<usize>,
    /// The text that is not continued, if the reply should have continued it.
    unjoined: Option<&'p ContinuedText>,
    note: Option<String>,
}

impl<'p> JoinedReply<'p> {
    /// The reply `added`, and the text that it should continue.
    fn of(added: String, prefill: Option<&'p ContinuedText>, end: AdditionEnd) -> Self {
        let joined = Self { text: added, undecided: Vec::new(), unjoined: None, note: None };
        let Some(prefill) = prefill else { return joined };
        let addition = match &*joined.text {
            "" => ContinuedAddition::Continues { undecided: prefill.undecided.clone() },
            added => prefill.add(added, end),
        };
        let text = format!("{}{}", prefill.text, joined.text);
        match addition {
            ContinuedAddition::Continues { undecided } => Self { text, undecided, ..joined },
            ContinuedAddition::Restarts => Self { note: Some(RESTARTED.to_owned()), ..joined },
            ContinuedAddition::Unclear => {
                Self { text, unjoined: Some(prefill), note: Some(UNJOINED.to_owned()), ..joined }
            }
        }
    }
}

/// The note on a reply that writes everything again.
const RESTARTED: &str =
    "the agent was asked to continue its reply and wrote it again from its start, so this one was read alone";

/// The note on a reply that does not continue what was cut.
const UNJOINED: &str =
    "what the agent added may not continue its reply where it was cut off, so it was left out";

/// The result of reading a reply.
struct ReadReply {
    reading: Reading,
    patch: Option<Value>,
    /// Whether the reply itself was cut.
    is_cut: bool,
    /// The verdict, if there is nothing to judge.
    decided: Option<AttemptStatus>,
    /// Where the value continues, if a usable part of it was read.
    rest: Option<Box<ContinuationPlan>>,
}

/// Reads the text of `prefill` alone. The text added to it does not continue it.
fn read_unjoined(prefill: &ContinuedText, contract: &Contract, options: &ReadingOptions) -> ReadReply {
    let is_cut = options.reply_end == ReplyEnd::Cut;
    let options = ReadingOptions { reply_end: ReplyEnd::Cut, ..*options };
    let mut reading = contract.read_with(&prefill.text, &options);
    let message = "what was added does not continue the answer where it was cut off";
    let violation = Violation::new(Path::root(), Code::Continuation, message);
    reading.violations = vec![violation.expected("only the text that follows")];
    ReadReply {
        reading,
        patch: None,
        is_cut,
        decided: Some(AttemptStatus::Truncated),
        rest: prefill.rest.clone(),
    }
}

fn read_reply(
    reply: &str,
    base: Option<&ReplyBase>,
    contract: &Contract,
    options: &ReadingOptions,
) -> ReadReply {
    let judged = |reading: Reading, patch| {
        let is_cut = reading.completeness.is_truncated();
        ReadReply { reading, patch, is_cut, decided: None, rest: None }
    };
    match base {
        None | Some(ReplyBase::Cut(ReplyContinuation::Text(_))) => {
            judged(contract.read_with(reply, options), None)
        }
        Some(ReplyBase::Patch(base)) => {
            let patched = patch::read(reply, base, contract, options);
            judged(patched.reading, patched.patch)
        }
        Some(ReplyBase::Cut(ReplyContinuation::Rest(base))) => match base.read(reply, contract, options) {
            ContinuedReading::Whole(reading) => judged(reading, None),
            ContinuedReading::Part { reading, is_cut, next: rest } => {
                ReadReply { reading, patch: None, is_cut, decided: Some(AttemptStatus::Truncated), rest }
            }
            ContinuedReading::Refused(reading) => {
                let decided = Some(AttemptStatus::Rejected);
                ReadReply { reading, patch: None, is_cut: false, decided, rest: Some(base.clone()) }
            }
        },
    }
}

/// The result of judging a value.
pub(super) struct JudgedValue {
    pub(super) violations: Vec<Violation>,
    pub(super) verdict: AttemptStatus,
    /// The message of a panic in the user's code.
    pub(super) panic: Option<String>,
    /// The quotes that the document spells differently.
    respelled: Vec<RespelledQuote>,
}

impl JudgedValue {
    fn new(violations: Vec<Violation>, verdict: AttemptStatus) -> Self {
        Self { violations, verdict, panic: None, respelled: Vec::new() }
    }

    fn add(&mut self, findings: JudgeFindings) {
        (self.verdict, self.panic) = add_findings(findings, &mut self.violations);
    }

    /// Adds the `changes` of accepted parts to what was found in `value`.
    fn reject(&mut self, changes: Vec<Violation>, contract: &Contract, value: &Value) {
        if !changes.is_empty() {
            self.violations.extend(contract.redacted(changes, value));
            validation::sort(&mut self.violations);
            self.verdict = AttemptStatus::Rejected;
        }
    }
}

/// Judges the value that was read with `violations`.
fn judge_value(
    value: Option<&Value>,
    mut violations: Vec<Violation>,
    contract: &Contract,
    value_judge: &mut dyn ErasedJudge,
) -> JudgedValue {
    let Some(value) = value else {
        return JudgedValue::new(violations, AttemptStatus::Rejected);
    };
    violations = contract.redacted(violations, value);
    violations.extend(contract.validate_schema(value));
    let is_broken = !violations.is_empty();
    let grounding = contract.ground(value);
    violations.extend(grounding.violations);
    let is_broken = is_broken || !violations.iter().all(Violation::is_warning);
    let judged = JudgedValue {
        respelled: grounding.respelled,
        ..JudgedValue::new(violations, AttemptStatus::Rejected)
    };
    judge_grounded(&grounding.value, is_broken, judged, value_judge)
}

/// Judges a value by serde, checks and rules; its quotes already have spans. If it `is_broken`,
/// only its valid parts are judged.
fn judge_grounded(
    value: &Value,
    is_broken: bool,
    mut judged: JudgedValue,
    value_judge: &mut dyn ErasedJudge,
) -> JudgedValue {
    if is_broken {
        judged.add(value_judge.judge_parts(value, &judged.violations));
        judged.verdict = AttemptStatus::Rejected;
    } else {
        judged.add(value_judge.judge(value));
    }
    judged
}

/// Judges the value merged from the answers to several chunks. Its quotes already have spans.
pub(crate) async fn judge_merged(
    value: &Value,
    contract: &Contract,
    value_judge: &mut dyn ErasedAsyncJudge,
) -> JudgedAttempt {
    let submitted = contract.without_spans(value).into_owned();
    let violations = contract.validate_schema(&submitted);
    let is_broken = !violations.is_empty();
    let judged = JudgedValue::new(violations, AttemptStatus::Rejected);
    let JudgedValue { violations, verdict, panic, .. } =
        judge_grounded(value, is_broken, judged, value_judge);
    let raw_output = submitted.to_string();
    let record = AttemptRecord {
        verdict,
        violations,
        submitted: Some(submitted).into(),
        ..AttemptRecord::new(0, raw_output, contract.sensitive().is_some())
    };
    let mut judged = JudgedAttempt { record: Box::new(record), used: Vec::new(), panic, continuation: None };
    judged.run_async_checks(value_judge).await;
    judged.run_callbacks(value_judge);
    judged
}

/// The violations of a value that no agent submitted. Async checks and callbacks do not run.
pub(crate) fn judge_given(
    value: &Value,
    contract: &Contract,
    value_judge: &mut dyn ErasedJudge,
) -> JudgeFindings {
    if let Some(violation) = contract.too_deep(value) {
        return Ok(vec![violation]);
    }
    let judged = judge_value(Some(value), Vec::new(), contract, value_judge);
    judged.panic.map_or(Ok(judged.violations), Err)
}

/// Judges `value` by all steps, including async checks and callbacks.
pub(super) async fn judge_whole(
    value: &Value,
    contract: &Contract,
    value_judge: &mut dyn ErasedAsyncJudge,
) -> JudgedValue {
    let mut judged = judge_value(Some(value), Vec::new(), contract, value_judge);
    if judged.verdict == AttemptStatus::Accepted
        && let Some(findings) = value_judge.run_async_checks()
    {
        judged.add(findings.await);
    }
    if judged.verdict == AttemptStatus::Accepted {
        judged.add(value_judge.run_callbacks());
    }
    judged
}

/// Redacts everything that changes quote, whatever their path: a wrapper contains the whole value.
fn redact_changes(changes: &mut [Change], sensitive: SensitiveParts<'_>, values: &SensitiveValues) {
    for change in changes {
        change.path = sensitive.redacted_path(&change.path, values);
        VALUE_MARKER.clone_into(&mut change.before);
        VALUE_MARKER.clone_into(&mut change.after);
    }
}

/// Adds the findings of one step. Returns the verdict, and the message of a panic.
fn add_findings(findings: JudgeFindings, violations: &mut Vec<Violation>) -> (AttemptStatus, Option<String>) {
    match findings {
        Err(message) => {
            // It is unknown whether the value is right, so it must not count as holding.
            let violation =
                Violation::new(Path::root(), Code::Rule, "a rule, a check or `on_submit` panicked over it");
            violations.push(violation.severity(Severity::Fatal));
            return (AttemptStatus::Rejected, Some(message));
        }
        Ok(more) => violations.extend(more),
    }
    validation::sort(violations);
    let is_accepted = violations.iter().all(Violation::is_warning);
    (if is_accepted { AttemptStatus::Accepted } else { AttemptStatus::Rejected }, None)
}
