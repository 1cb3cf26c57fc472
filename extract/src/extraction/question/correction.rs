//! The question after an attempt: what was wrong with it, or the rest of a value that was cut.

use std::sync::Arc;

use super::{NextAttempt, PendingQuestion, QuestionBuilder};
use crate::{
    agent::{Constraint, MarkedSchema},
    attempt::AttemptRecord,
    feedback::{AnswerForm, FailedAttempt, FailureDetails, RestQuestion},
    judging::{ContinuationPlan, PatchBase, ReplyBase, ReplyContinuation},
    vocabulary::{attempt_status::AttemptStatus, redaction::SensitiveValues},
};

/// The temperature after an attempt that made no progress, if it was lower. Measured; see
/// `docs/decisions.md`.
const TEMPERATURE_ON_STALL: f64 = 0.7;

impl QuestionBuilder<'_> {
    /// The question that says what was wrong with the last attempt, which answered `before`.
    pub(super) fn correction(&self, before: PendingQuestion, next: NextAttempt<'_>) -> PendingQuestion {
        let NextAttempt { last, is_other_agent, max_attempts } = next;
        let PendingQuestion { mut request, dialogue, .. } = before;
        request.marked_schema = self.contract.marked_schema().map(MarkedSchema);
        let mut failed = FailedAttempt {
            opening: &self.opening.conversation,
            record: last,
            next: last.number + 1,
            max_attempts,
            stalls: self.stalls,
            is_other_agent,
            exchange: dialogue.exchange.as_ref(),
            failure: FailureDetails {
                options: &self.settings.feedback_options,
                schema: self.contract.schema(),
                sensitive: self.contract.sensitive(),
                form: AnswerForm { submit: self.submit(), thoughts: self.settings.think_first },
                prefers_patch: self.settings.prefers_patch,
            },
        };
        let question = self.settings.feedback.question(&failed);
        let patched = last.submitted().filter(|_| question.wants_patch && !failed.is_partial());
        // A reply that is constrained to the form of a patch is not constrained to the schema.
        let is_to_patch = patched.is_some() && self.constraint.is_to_schema();
        let described = |conversation| {
            if self.has_broken_constraint || is_to_patch {
                self.describe_last(conversation)
            } else {
                conversation
            }
        };
        request.conversation = described(question.conversation);
        if last.is_stalled || last.verdict == AttemptStatus::Repeated {
            request.temperature = self.temperature_on_stall(request.temperature);
        }
        let is_truncated = failed.is_truncated();
        let previous_token_limit = request.max_output_tokens;
        if is_truncated {
            request.max_output_tokens = doubled_token_limit(previous_token_limit, last);
        }
        let base = patched.map(|value| {
            ReplyBase::Patch(PatchBase { value: value.clone(), violations: last.violations.clone() })
        });
        (request.redacted, request.prefill) = (None, None);
        let mut pending = self.with_schema(PendingQuestion {
            base,
            previous_token_limit,
            sensitive_values: self.sensitive_values_of(last),
            dialogue: dialogue.next(),
            ..PendingQuestion::new(request, max_attempts)
        });
        if self.contract.sensitive().is_some() && !failed.is_other_agent {
            failed.is_other_agent = true;
            let conversation = described(self.settings.feedback.question(&failed).conversation);
            let schema = pending.request.schema.as_ref().map(|_| Arc::clone(self.contract.forms().schema()));
            pending.redact(dialogue.author, conversation, schema);
        }
        pending
    }

    /// The sensitive values of an attempt that is quoted. A reply without a value is sensitive as a
    /// whole.
    fn sensitive_values_of(&self, last: &AttemptRecord) -> SensitiveValues {
        let mut sensitive_values = SensitiveValues::default();
        if let Some(sensitive) = self.contract.sensitive() {
            match last.submitted() {
                Some(value) => sensitive.gather(value, &mut sensitive_values),
                None => sensitive_values.insert_string(&last.raw_output),
            }
        }
        sensitive_values
    }

    /// The temperature after an attempt that made no progress or repeated itself, if it was
    /// `temperature` before. An unknown temperature stays unset, because not every provider accepts
    /// one.
    pub(super) fn temperature_on_stall(&self, temperature: Option<f64>) -> Option<f64> {
        self.settings
            .temperature_on_stall
            .or_else(|| {
                let current = temperature.or(self.capabilities.temperature)?;
                Some(current.max(TEMPERATURE_ON_STALL))
            })
            .or(temperature)
    }
}

/// Twice the limit; without a limit, twice the tokens that the agent reported for the cut reply.
fn doubled_token_limit(room: Option<u32>, last: &AttemptRecord) -> Option<u32> {
    let written = || u32::try_from(last.usage.output_tokens).ok().filter(|_| !last.usage.is_estimated);
    room.or_else(written).map(|tokens| tokens.saturating_mul(2))
}

impl QuestionBuilder<'_> {
    /// The question for the rest of a value that was cut. The token limit is unchanged. Instead of
    /// an echo, only the end of the existing part is shown.
    pub(crate) fn rest(
        &self,
        before: PendingQuestion,
        rest: Box<ContinuationPlan>,
        next: NextAttempt<'_>,
    ) -> PendingQuestion {
        let PendingQuestion { mut request, dialogue, .. } = before;
        // The instructions for tools do not fit, because the rest is asked for as text.
        let opening = match self.tools_in_use() {
            Some(_) => self.asked.opening(self.contract, &Constraint::json()).conversation,
            // The reply is constrained to the form of the rest, so the prompt has to describe the value.
            None if self.constraint.is_to_schema() || self.has_broken_constraint => {
                self.describe_last(self.opening.conversation.clone())
            }
            None => self.opening.conversation.clone(),
        };
        let asked =
            |is_redacted| opening.clone().with_user_text(&self.rest_message(&rest, next, is_redacted));
        request.conversation = asked(next.is_other_agent);
        let redacted = self.contract.sensitive().filter(|_| !next.is_other_agent).map(|_| asked(true));
        if next.last.is_stalled {
            request.temperature = self.temperature_on_stall(request.temperature);
        }
        request.marked_schema = rest.form.marked_schema().map(MarkedSchema);
        (request.redacted, request.prefill) = (None, None);
        let mut sensitive_values = self.sensitive_values_of(next.last);
        if let Some(sensitive) = self.contract.sensitive() {
            sensitive.gather(&rest.value, &mut sensitive_values);
        }
        let mut pending = self.with_schema(PendingQuestion {
            base: Some(ReplyBase::Cut(ReplyContinuation::Rest(rest))),
            sensitive_values,
            dialogue: dialogue.next(),
            ..PendingQuestion::new(request, next.max_attempts)
        });
        if let Some(conversation) = redacted {
            let schema = pending.request.schema.clone();
            pending.redact(dialogue.author, conversation, schema);
        }
        pending
    }

    /// The text of the question for the rest; redacted for another agent.
    fn rest_message(&self, rest: &ContinuationPlan, next: NextAttempt<'_>, is_redacted: bool) -> String {
        let NextAttempt { last, is_other_agent, max_attempts } = next;
        let mut there = rest.place.resolve(&rest.value).cloned().unwrap_or_default();
        if let Some(sensitive) = self.contract.sensitive().filter(|_| is_redacted) {
            sensitive.redact_at(&rest.place, &mut there, &sensitive.values_in(&rest.value));
        }
        let shows_attempt = self.settings.feedback_options.show_attempt;
        let question = RestQuestion {
            attempt: shows_attempt.then_some((last.number + 1, max_attempts)),
            place: &rest.place,
            there: &there,
            has_begun: rest.has_begun,
            after: rest.after(),
            way: &rest.place.segments()[rest.top.segments().len()..],
            is_own: !is_other_agent,
            violations: if last.verdict == AttemptStatus::Rejected { &last.violations } else { &[] },
        };
        question.message()
    }
}
