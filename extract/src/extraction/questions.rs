//! What the agent is asked: first, and after each failed attempt.

use super::{patch, settings::Settings};
use crate::{
    AttemptRecord, Contract,
    agent::{Conversation, Marked, Prompt, Request},
    feedback::{FailedAttempt, Failure},
};

/// A question on its way.
pub(super) struct Asked {
    pub(super) request: Request,
    /// What the reply may be a patch of.
    pub(super) base: Option<patch::Base>,
    /// The bound of the reply before; the agent may refuse to write more.
    pub(super) room_before: Option<u32>,
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
    pub(super) fn new(contract: &'q Contract, settings: &'q Settings, prompt: &Prompt) -> Self {
        let opening = settings.telling.opening(contract, settings.system.as_deref(), prompt);
        Self { contract, settings, opening, stalls: 0 }
    }

    pub(super) fn first(&self) -> Asked {
        let mut request = Request::new(self.opening.clone()).with_schema(self.contract.shared_schema());
        request.max_output_tokens = self.settings.max_output_tokens;
        request.temperature = self.settings.temperature;
        request.marked = self.contract.sensitive().map(|_| Marked(self.contract.clone()));
        Asked { request, base: None, room_before: self.settings.max_output_tokens }
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
                sensitive: self.contract.sensitive(),
            },
        };
        let question = self.settings.feedback.question(&failed);
        let mut request = before.request;
        request.conversation = question.conversation;
        if last.is_stalled && temperature_on_stall.is_some() {
            request.temperature = temperature_on_stall;
        }
        let room_before = request.max_output_tokens;
        if is_truncated {
            request.max_output_tokens = more_room(room_before, last);
        }
        let patched = last.submitted.as_ref().filter(|_| question.wants_patch && !is_truncated);
        let base =
            patched.map(|value| patch::Base { value: value.clone(), violations: last.violations.clone() });
        let schema = if base.is_some() { patch::schema() } else { self.contract.shared_schema() };
        request.schema = Some(schema);
        Asked { request, base, room_before }
    }
}

/// Twice as many tokens as the bound was, or as the agent says that it has written until it was cut.
fn more_room(room: Option<u32>, last: &AttemptRecord) -> Option<u32> {
    let written = || u32::try_from(last.usage.output_tokens).ok().filter(|_| !last.usage.is_estimated);
    room.or_else(written).map(|tokens| tokens.saturating_mul(2))
}
