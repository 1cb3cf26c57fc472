//! A failed attempt, as feedback sees it, and what the feedback says of it.

use serde_json::Value;

use super::message::{self, AnswerForm, MAX_FEEDBACK_CHARS, QuotedSchema, ViolationListing};
use crate::{
    agent::{Conversation, Reply, Turn},
    attempt::AttemptRecord,
    validation::SensitiveParts,
    vocabulary::{
        attempt_status::AttemptStatus,
        path::Path,
        redaction::VALUE_MARKER,
        repetition,
        text::{cut, said, visible},
        violation::{Code, Violation},
    },
};

/// Maximum number of characters of a rejected reply that is quoted.
const MAX_ECHO_CHARS: usize = 24_000;

/// A failed attempt, and what is known about the next one.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedAttempt<'a> {
    /// The conversation of the first attempt: the contract and the prompt.
    pub opening: &'a Conversation,
    /// The attempt.
    pub record: &'a AttemptRecord,
    /// Number of the next attempt.
    pub next: u32,
    /// Attempts allowed.
    pub max_attempts: u32,
    /// How many attempts so far made no progress over the previous one.
    pub stalls: u32,
    /// Whether the next question goes to another agent.
    pub is_other_agent: bool,
    /// The tool calls of the reply, if it made any.
    pub(crate) exchange: Option<&'a ToolExchange>,
    pub(crate) failure: FailureDetails<'a>,
}

/// A reply that called tools, and how to answer it.
#[derive(Debug, Clone)]
pub(crate) struct ToolExchange {
    reply: Turn,
    /// Indices of the judged calls.
    judged: Vec<usize>,
    /// Whether the judged calls failed; a `validate` that finds violations has not.
    is_error: bool,
}

/// The result of the calls that were judged together with the first one.
const JUDGED_TOGETHER: &str = "This call was judged together with the first one; see its result.";

/// The result of the calls that were not judged.
const NOT_LOOKED_AT: &str =
    "This call was ignored, because another one in the same reply was judged. Call one tool at a time.";

impl ToolExchange {
    /// The `judged` calls of `reply` passed, or only report what they found.
    pub(crate) fn passed(reply: &Reply, judged: Vec<usize>) -> Self {
        Self { reply: Turn::of_calls(reply), judged, is_error: false }
    }

    /// The `judged` calls of `reply` failed.
    pub(crate) fn failed(reply: &Reply, judged: Vec<usize>) -> Self {
        Self { is_error: true, ..Self::passed(reply, judged) }
    }

    /// Adds the calls and their results to `conversation`; the result of the first judged call is
    /// `message`.
    pub(crate) fn append_to(&self, conversation: Conversation, message: &str) -> Conversation {
        let results = self.reply.calls().iter().enumerate().map(|(index, call)| {
            match self.judged.iter().position(|judged| *judged == index) {
                Some(0) => call.answered(message, self.is_error),
                Some(_) => call.answered(JUDGED_TOGETHER, self.is_error),
                None => call.answered(NOT_LOOKED_AT, true),
            }
        });
        let results = Turn::of_results(results);
        conversation.with_turn(self.reply.clone()).with_turn(results)
    }
}

/// Details that only the messages of a [`FailedAttempt`] need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailureDetails<'a> {
    pub(crate) options: &'a FeedbackOptions,
    pub(crate) schema: &'a Value,
    /// Sensitive values, redacted for another agent.
    pub(crate) sensitive: Option<SensitiveParts<'a>>,
    pub(crate) form: AnswerForm<'a>,
    /// Whether a patch is preferred even if the whole value is short.
    pub(crate) prefers_patch: bool,
}

impl FailedAttempt<'_> {
    /// Returns whether the reply was cut before its end. In that case no other fault is known.
    pub fn is_truncated(&self) -> bool {
        self.record.verdict == AttemptStatus::Truncated
    }

    /// Returns whether the reply repeated itself until it was cut or ended. In that case no other
    /// fault is known.
    pub fn is_repeated(&self) -> bool {
        self.record.verdict == AttemptStatus::Repeated
    }

    /// Returns whether the end of the value is missing.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_truncated() || self.is_repeated()
    }

    /// Returns whether the agent sees its submission again, as set by
    /// [`FeedbackOptions::show_submission`](crate::settings::FeedbackOptions::show_submission).
    pub fn shows_submission(&self) -> bool {
        self.failure.options.show_submission
    }

    /// Returns the message for the agent: the number of the next attempt, every violation, and what
    /// to do. The [`FeedbackOptions`] decide what it contains.
    pub fn message(&self) -> String {
        let attempt = self.attempt_line();
        if self.is_truncated() {
            // Only the length of a cut answer is wrong, so there is nothing to fix.
            return format!(
                "{attempt}Your answer was cut off before its end. Give the whole answer again, as compact JSON and \
                 with shorter strings where you have the choice. {}",
                self.failure.form.request()
            );
        }
        if self.is_repeated() {
            return format!("{attempt}{} {}", self.repetition(), self.failure.form.request());
        }
        format!("{attempt}{}", message::request_repair(&self.listing(), self.failure.form))
    }

    /// Returns the advice for a reply that repeats itself.
    fn repetition(&self) -> String {
        let found = self.record.violations.iter().find(|violation| violation.code == Code::Repetition);
        let place = found.filter(|violation| !violation.path.is_root());
        let place = place.map(|violation| format!(" from {} on", violation.path)).unwrap_or_default();
        let what = found.and_then(|violation| violation.actual.as_deref());
        let what = what.map(|what| format!(" ({})", said(what))).unwrap_or_default();
        format!(
            "Your answer repeated itself{place}{what} and was stopped. Give the whole answer again. Write \
             each thing as often as the text states it and no more, then close the list or the string."
        )
    }

    /// `Attempt 2 of 3. `, if the options ask for it.
    pub(super) fn attempt_line(&self) -> String {
        let Self { next, max_attempts, .. } = self;
        if self.failure.options.show_attempt {
            format!("Attempt {next} of {max_attempts}. ")
        } else {
            String::new()
        }
    }

    fn quoted_schema(&self) -> QuotedSchema<'_> {
        let FailureDetails { options, schema, .. } = self.failure;
        if options.show_whole_schema {
            QuotedSchema::Whole(schema)
        } else if options.show_failing_schemas {
            QuotedSchema::Parts(schema)
        } else {
            QuotedSchema::Nothing
        }
    }

    pub(super) fn listing(&self) -> ViolationListing<'_> {
        ViolationListing {
            violations: &self.record.violations,
            regressions: &self.record.regressions,
            schema: self.quoted_schema(),
            max_chars: self.failure.options.max_chars,
        }
    }

    /// Returns the submission in the form in which the agent sees it again: the value that was
    /// read, otherwise the text. For another agent, sensitive values are redacted, and a text that
    /// may contain them is left out.
    pub fn echo(&self) -> String {
        // The start of a cut answer is shown as written, without its repetitions.
        let hidden = self.failure.sensitive.filter(|_| self.is_other_agent);
        let text = match (self.record.submitted().filter(|_| !self.is_partial()), hidden) {
            (Some(value), None) => value.to_string(),
            (Some(value), Some(sensitive)) => {
                let mut redacted = value.clone();
                sensitive.redact_at(&Path::root(), &mut redacted, &sensitive.values_in(value));
                redacted.to_string()
            }
            (None, Some(_)) => VALUE_MARKER.to_owned(),
            (None, None) if self.is_repeated() => self.once(),
            (None, None) => self.record.raw_output.trim().to_owned(),
        };
        // Providers refuse a turn without text.
        if text.is_empty() { "(no answer)".to_owned() } else { cut(&visible(&text), MAX_ECHO_CHARS) }
    }

    /// The reply up to the end of the first copy of a repeated block. Showing more would invite
    /// another loop.
    fn once(&self) -> String {
        let reply = self.record.raw_output.trim();
        match repetition::at_end(reply, |_| 0) {
            Some(found) => format!("{}…", found.before()),
            None => reply.to_owned(),
        }
    }

    /// Returns whether this was a patch that could not be applied, or a continuation that does not
    /// fit.
    pub(super) fn is_failed_patch(&self) -> bool {
        let is_of_form = |violation: &Violation| matches!(violation.code, Code::Patch | Code::Continuation);
        self.record.violations.iter().any(is_of_form)
    }
}

/// The contents of a feedback.
///
/// All [ways of asking again](super::Feedback) follow these switches.
/// [`FailedAttempt::message`](super::FailedAttempt::message) follows all except
/// [`show_submission`](Self::show_submission). Your own
/// [`FeedbackStrategy`](super::FeedbackStrategy) can use that message, and ask
/// [`FailedAttempt::shows_submission`](super::FailedAttempt::shows_submission) for the last switch.
///
/// ```
/// use extract::{Contract, settings::FeedbackOptions, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["eight", "8"]);
/// let options = FeedbackOptions::new().show_failing_schemas(false).show_attempt(false).show_submission(false);
/// block_on(contract.extract(&agent, "How many legs has a spider?").feedback_options(options))?;
/// let asked = &agent.requests()[1].conversation;
/// let feedback = asked.turns().last().unwrap().text();
/// assert!(feedback.starts_with("How many legs has a spider?\n\nYour answer was not accepted: 1 violation."));
/// assert!(!feedback.contains("schema"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct FeedbackOptions {
    show_failing_schemas: bool,
    show_whole_schema: bool,
    show_submission: bool,
    pub(crate) show_attempt: bool,
    pub(crate) max_chars: usize,
}

impl Default for FeedbackOptions {
    fn default() -> Self {
        Self {
            show_failing_schemas: true,
            show_whole_schema: false,
            show_submission: true,
            show_attempt: true,
            max_chars: MAX_FEEDBACK_CHARS,
        }
    }
}

impl FeedbackOptions {
    /// Creates the default options, which were measured (`docs/decisions.md` in the repository).
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the feedback quotes the parts of the schema for the paths with violations; on
    /// by default, because small models then fixed more.
    pub fn show_failing_schemas(mut self, show: bool) -> Self {
        self.show_failing_schemas = show;
        self
    }

    /// Sets whether the feedback quotes the JSON Schema of the whole answer, instead of its failing
    /// parts; off by default, because the conversation already has it.
    /// [`max_chars`](Self::max_chars) does not limit it. It is not quoted after a reply that was
    /// cut or repeats itself, because nothing is known to be wrong with such a value.
    pub fn show_whole_schema(mut self, show: bool) -> Self {
        self.show_whole_schema = show;
        self
    }

    /// Sets whether the agent sees its last submission again; on by default. Without it, each
    /// question is the first one followed by the feedback. [`Continue`](super::Feedback::Continue)
    /// and [`Fresh`](super::Feedback::Fresh) are then the same, and no patch is asked for, because
    /// the agent would not see the value to patch. Violations still quote values.
    pub fn show_submission(mut self, show: bool) -> Self {
        self.show_submission = show;
        self
    }

    /// Sets whether the feedback begins with `Attempt 2 of 3.`; on by default.
    pub fn show_attempt(mut self, show: bool) -> Self {
        self.show_attempt = show;
        self
    }

    /// Sets the maximum number of characters of violations in one feedback, including the count of
    /// the rest and the parts of the schema; 12,000 by default. The first violation and the count
    /// are always included: at most a few thousand characters together.
    pub fn max_chars(mut self, chars: usize) -> Self {
        self.max_chars = chars;
        self
    }
}
