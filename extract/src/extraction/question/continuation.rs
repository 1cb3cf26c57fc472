//! The question for the rest of a value that was cut.

use super::{NextAttempt, PendingQuestion, QuestionBuilder};
use crate::{
    agent::{Constraint, MarkedSchema},
    feedback::RestQuestion,
    judging::{ContinuationPlan, ReplyBase, ReplyContinuation},
    vocabulary::attempt_status::AttemptStatus,
};

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
