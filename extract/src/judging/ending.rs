//! Replies that ended without an answer: refused, repeating themselves, or cut.

use crate::{
    agent::{Conversation, FinishReason, count_stated},
    contract::Contract,
    reading::{Reading, truncation},
    vocabulary::{
        attempt_status::AttemptStatus,
        path::Path,
        redaction::VALUE_MARKER,
        repetition::{self, StatedString, TextLoop},
        text::{counted, excerpt},
        violation::{Code, Severity, Violation},
    },
};

/// How a reply ended.
pub(super) struct ReplyEnding<'r> {
    pub(super) is_refusal: bool,
    /// The words of the refusal.
    pub(super) refusal: Option<&'r str>,
    pub(super) finish_reason: &'r FinishReason,
    /// The conversation that the reply answers, if known.
    pub(super) conversation: Option<&'r Conversation>,
    /// Whether a reply that was cut is checked for repetition.
    pub(super) may_repeat: bool,
}

impl ReplyEnding<'_> {
    /// The verdict and its reason, if the end of `reply` decides; otherwise the value decides.
    pub(super) fn verdict(
        &self,
        reply: &str,
        reading: &Reading,
        contract: &Contract,
    ) -> Option<(Violation, AttemptStatus)> {
        if self.is_refusal && !conforms(reading, contract) {
            return Some((refused(self.refusal, contract), AttemptStatus::Refused));
        }
        if !reading.completeness.is_truncated() {
            return None;
        }
        let found = self.repetition(reply);
        let is_repeated = found.is_some() || *self.finish_reason == FinishReason::Repetition;
        Some(if is_repeated {
            (repeated(found, contract), AttemptStatus::Repeated)
        } else {
            (truncation(reply), AttemptStatus::Truncated)
        })
    }

    fn repetition<'t>(&self, reply: &'t str) -> Option<TextLoop<'t>> {
        let stated = |stated: StatedString<'_>| {
            self.conversation.map_or(0, |conversation| count_stated(conversation, stated))
        };
        if self.may_repeat { repetition::at_end(reply, stated) } else { None }
    }
}

/// Returns whether a complete value was read, and satisfies the schema.
fn conforms(reading: &Reading, contract: &Contract) -> bool {
    !reading.completeness.is_truncated()
        && reading.violations.is_empty()
        && reading.value.as_ref().is_some_and(|value| contract.validate_schema(value).is_empty())
}

/// The violation of a reply that repeats itself. If the contract has sensitive values, it quotes no
/// keys and strings.
fn repeated(found: Option<TextLoop<'_>>, contract: &Contract) -> Violation {
    let shown = found.filter(|_| contract.sensitive().is_none());
    let path = shown.map_or_else(Path::root, |found| found.path());
    let violation = Violation::new(path, Code::Repetition, "the answer repeats itself from here on")
        .expected("each thing as often as it is stated, and then the end of the answer");
    match shown {
        Some(found) => violation.actual(format!("{} {}", found.block(), counted(found.times(), "time"))),
        None => violation,
    }
}

/// The violation of a refusal. Its words may quote the prompt, so they are redacted if the contract
/// has sensitive values.
fn refused(words: Option<&str>, contract: &Contract) -> Violation {
    let violation = Violation::new(Path::root(), Code::Refused, "the agent refused to answer");
    let violation = violation.severity(Severity::Fatal);
    match words.filter(|words| !words.trim().is_empty()) {
        Some(_) if contract.sensitive().is_some() => violation.actual(VALUE_MARKER),
        Some(words) => violation.actual(excerpt(words)),
        None => violation,
    }
}
