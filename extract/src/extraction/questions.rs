//! What the agent is asked: first, and after each failed attempt.

use super::{patch, settings::Settings};
use crate::{
    AttemptRecord, Contract,
    agent::{Conversation, Request},
    feedback::{FailedAttempt, Failure},
};

/// A question on its way.
pub(super) struct Asked {
    pub(super) request: Request,
    /// What the reply may be a patch of.
    pub(super) base: Option<patch::Base>,
}

/// Everything that questions are made of.
pub(super) struct Questions<'q> {
    contract: &'q Contract,
    settings: &'q Settings,
    /// The conversation of the first attempt.
    opening: Conversation,
    stalls: u32,
}

impl<'q> Questions<'q> {
    pub(super) fn new(contract: &'q Contract, settings: &'q Settings, prompt: &str) -> Self {
        let opening = settings.telling.opening(contract, settings.system.as_deref(), prompt);
        Self { contract, settings, opening, stalls: 0 }
    }

    pub(super) fn first(&self) -> Asked {
        let mut request = Request::new(self.opening.clone()).with_schema(self.contract.shared_schema());
        request.max_output_tokens = self.settings.max_output_tokens;
        request.temperature = self.settings.temperature;
        Asked { request, base: None }
    }

    /// The question after the attempt of `last`, which `before` had asked for.
    pub(super) fn next(
        &mut self,
        before: Asked,
        last: &AttemptRecord,
        is_truncated: bool,
        is_other_agent: bool,
    ) -> Asked {
        let Settings { show_failing_schemas, max_feedback_chars, temperature_on_stall, .. } = *self.settings;
        self.stalls += u32::from(last.is_stalled);
        let failed = FailedAttempt {
            opening: &self.opening,
            record: last,
            next: last.number + 1,
            max_attempts: self.settings.max_attempts,
            stalls: self.stalls,
            is_other_agent,
            failure: Failure {
                is_truncated,
                schema: show_failing_schemas.then(|| self.contract.schema()),
                max_chars: max_feedback_chars,
            },
        };
        let question = self.settings.feedback.question(&failed);
        let mut request = before.request;
        request.conversation = question.conversation;
        if last.is_stalled && temperature_on_stall.is_some() {
            request.temperature = temperature_on_stall;
        }
        if is_truncated {
            request.max_output_tokens = request.max_output_tokens.map(|tokens| tokens.saturating_mul(2));
        }
        let patched = last.submitted.as_ref().filter(|_| question.wants_patch && !is_truncated);
        let base =
            patched.map(|value| patch::Base { value: value.clone(), violations: last.violations.clone() });
        let schema = if base.is_some() { patch::schema() } else { self.contract.shared_schema() };
        request.schema = Some(schema);
        Asked { request, base }
    }
}
