//! What there is to say about a failed attempt.

use serde_json::Value;

use super::message::{self, Listing};
use crate::{
    agent::{Conversation, Reply, Turn},
    attempt::AttemptRecord,
    path::Path,
    redaction::VALUE_MARKER,
    text::{cut, visible},
    validation::Sensitive,
    violation::Code,
};

/// Characters of a rejected reply that is shown to the agent again.
const MAX_ECHO_CHARS: usize = 24_000;

/// A failed attempt, and what is known about the one to come.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedAttempt<'a> {
    /// The conversation of the first attempt: the contract and the prompt.
    pub opening: &'a Conversation,
    /// The attempt.
    pub record: &'a AttemptRecord,
    /// Number of the attempt to come.
    pub next: u32,
    /// Attempts allowed.
    pub max_attempts: u32,
    /// How many attempts until now made no progress over the one before.
    pub stalls: u32,
    /// Whether the next question goes to another agent than the one that failed.
    pub is_other_agent: bool,
    /// What was said with tools, where the reply called one.
    pub(crate) exchange: Option<&'a ToolExchange>,
    pub(crate) failure: FailureDetails<'a>,
}

/// A reply that called tools, and what is told about its calls.
#[derive(Debug, Clone)]
pub(crate) struct ToolExchange {
    reply: Turn,
    /// Which of the calls was judged.
    judged: usize,
    /// Whether it failed; a `validate` that finds something wrong has not.
    is_error: bool,
}

/// What is said to the calls that were not judged.
const NOT_LOOKED_AT: &str =
    "This call was not looked at: another one in the same reply was. Call one tool at a time.";

impl ToolExchange {
    pub(crate) fn of(reply: &Reply, judged: usize, is_error: bool) -> Self {
        Self { reply: Turn::of_calls(reply), judged, is_error }
    }

    /// `conversation` with the calls and what the tools say to them, of which the judged one says `message`.
    pub(crate) fn append_to(&self, conversation: Conversation, message: &str) -> Conversation {
        let results = self.reply.calls().iter().enumerate().map(|(index, call)| {
            if index == self.judged {
                call.answered(message, self.is_error)
            } else {
                call.answered(NOT_LOOKED_AT, true)
            }
        });
        let results = Turn::of_results(results);
        conversation.with_turn(self.reply.clone()).with_turn(results)
    }
}

/// The part of a [`FailedAttempt`] that is said in its messages only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailureDetails<'a> {
    pub(crate) is_truncated: bool,
    /// The schema to quote the failing parts of, if they are to be quoted.
    pub(crate) schema: Option<&'a Value>,
    pub(crate) max_chars: usize,
    /// What another agent is not told.
    pub(crate) sensitive: Option<Sensitive<'a>>,
    /// The tool that takes the answer, where there is one.
    pub(crate) submit: Option<&'a str>,
}

impl FailedAttempt<'_> {
    /// Whether the reply was cut before its end. Nothing else is known to be wrong with it then.
    pub fn is_truncated(&self) -> bool {
        self.failure.is_truncated
    }

    /// What the agent is told: which attempt comes, everything that is wrong, and what to do.
    pub fn message(&self) -> String {
        let attempt = self.attempt_line();
        if self.is_truncated() {
            // Nothing is wrong with a cut answer but its length, so it is not asked to be mended.
            return format!(
                "{attempt} Your answer was cut off before its end. Give the whole answer again, as compact JSON and \
                 with shorter texts where you have the choice. {}",
                message::how(self.failure.submit)
            );
        }
        format!("{attempt} {}", message::mend(&self.listing(), self.failure.submit))
    }

    pub(super) fn attempt_line(&self) -> String {
        format!("Attempt {} of {}.", self.next, self.max_attempts)
    }

    pub(super) fn listing(&self) -> Listing<'_> {
        Listing {
            violations: &self.record.violations,
            regressions: &self.record.regressions,
            schema: self.failure.schema,
            max_chars: self.failure.max_chars,
        }
    }

    /// The submission as the agent is shown it again: the value that was read, else the text itself. Another agent than
    /// the one that wrote it is shown neither sensitive values, wherever in the submission they stand, nor a text that may hold them.
    pub fn echo(&self) -> String {
        // The start of an answer that was cut is shown as it was written.
        let hidden = self.failure.sensitive.filter(|_| self.is_other_agent);
        let text = match (self.record.submitted.as_ref().filter(|_| !self.is_truncated()), hidden) {
            (Some(value), None) => value.to_string(),
            (Some(value), Some(sensitive)) => {
                let mut redacted = value.clone();
                sensitive.redact_at(&Path::root(), &mut redacted, &sensitive.values_in(value));
                redacted.to_string()
            }
            (None, Some(_)) => VALUE_MARKER.to_owned(),
            (None, None) => self.record.raw_output.trim().to_owned(),
        };
        // Providers refuse a turn without text.
        if text.is_empty() { "(no answer)".to_owned() } else { cut(&visible(&text), MAX_ECHO_CHARS) }
    }

    /// Whether this was a patch that did not apply.
    pub(super) fn is_failed_patch(&self) -> bool {
        self.record.violations.iter().any(|violation| violation.code == Code::Patch)
    }
}
