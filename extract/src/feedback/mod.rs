//! Turns a failed attempt into the next question.
//!
//! A [`FeedbackStrategy`] such as [`Feedback`] decides how to ask again, and
//! [`build_repair_prompt`] lists what is wrong.

mod continuation;
mod failed;
mod message;

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::Value;

pub(crate) use self::{
    continuation::RestQuestion,
    failed::{FailureDetails, ToolExchange},
    message::{AnswerForm, again, listing},
};
pub use self::{
    failed::{FailedAttempt, FeedbackOptions},
    message::build_repair_prompt,
};
use crate::{
    agent::{Conversation, Role},
    vocabulary::{path::Path, text::fenced, violation::Violation},
};

/// How to ask again after a failed attempt.
///
/// In every case the agent sees the schema once, its last submission once, every violation, and the
/// number of the attempt, unless [`FeedbackOptions`] say
/// otherwise. Earlier failures are not repeated, so the conversation does not grow.
///
/// After an attempt that [made no progress](crate::AttemptRecord::is_stalled) the way changes,
/// because repeating the same question would be wasted. Another agent is always asked with
/// [`Fresh`](Self::Fresh). To ask in your own way, implement [`FeedbackStrategy`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feedback {
    /// [`Patch`](Self::Patch) if the submission is long (2,000 characters or more) and at least
    /// four times as long as the expected patch, or if some of its [items](crate::items) may have
    /// been delivered; otherwise [`Continue`](Self::Continue).
    #[default]
    Auto,
    /// The conversation continues: the submission is a turn of the agent, and the feedback is the
    /// next user turn, or the result of the tool that the agent called.
    Continue,
    /// A new conversation, with the prompt, the submission and the feedback in one user turn.
    Fresh,
    /// Like `Continue`, but asks for a JSON Patch (RFC 6902) of the submission instead of the whole
    /// value. The patch may change only the paths with violations, and the value of an enum that is
    /// none of its variants. The patched value is judged as a whole. The question is for the whole value instead if the agent calls tools, if there
    /// is nothing to patch, or after a patch that could not be applied.
    Patch,
}

/// A way of asking again. Implemented for [`Feedback`], and for every closure from a
/// [`FailedAttempt`] to a [`Conversation`].
///
/// It is not called for a reply that was cut and is
/// [continued](crate::Extraction::max_continuations): nothing is known to be wrong with such a
/// reply, and the rest has a form of its own.
///
/// It may be called several times for one question, so it should have no effects. If the contract
/// has sensitive values, one call has [`is_other_agent`](FailedAttempt::is_other_agent) set: it
/// writes the question to any other agent that may take over ([`or`](crate::agent::AgentExt::or)).
///
/// ```
/// use extract::{agent::Role, Contract, feedback::FailedAttempt, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["three", "3"]);
/// let politely = |failed: &FailedAttempt<'_>| {
///     failed.opening.clone().with(Role::User, format!("Please try again. {}", failed.message()))
/// };
/// block_on(contract.extract(&agent, "How many?").feedback(politely))?;
/// let asked = agent.requests()[1].conversation.to_text();
/// assert!(asked.contains("Please try again. Attempt 2 of 3. Your answer was not accepted"), "{asked}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FeedbackStrategy: Send + Sync {
    /// The question after `failed`.
    fn question(&self, failed: &FailedAttempt<'_>) -> FeedbackQuestion;
}

impl<F: Fn(&FailedAttempt<'_>) -> Conversation + Send + Sync> FeedbackStrategy for F {
    fn question(&self, failed: &FailedAttempt<'_>) -> FeedbackQuestion {
        FeedbackQuestion::whole(self(failed))
    }
}

/// The next question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackQuestion {
    pub(crate) conversation: Conversation,
    pub(crate) wants_patch: bool,
}

impl FeedbackQuestion {
    /// Asks for the whole value.
    pub fn whole(conversation: Conversation) -> Self {
        Self { conversation, wants_patch: false }
    }

    /// Asks for a JSON Patch (RFC 6902) of the last submission. The whole value is accepted as
    /// well.
    pub fn patch(conversation: Conversation) -> Self {
        Self { conversation, wants_patch: true }
    }
}

/// Returns whether a retry makes sense: something can be fixed, and nothing is fatal.
///
/// ```
/// use extract::{Code, feedback::should_retry, Path, Severity, Violation};
///
/// let fixable = Violation::new(Path::root(), Code::Rule, "the total is wrong");
/// let fatal = Violation::new(Path::root(), Code::Rule, "not an invoice").severity(Severity::Fatal);
/// assert!(should_retry(&[fixable.clone()]));
/// assert!(!should_retry(&[fixable, fatal]));
/// assert!(!should_retry(&[]));
/// ```
pub fn should_retry(violations: &[Violation]) -> bool {
    !violations.iter().any(Violation::is_fatal) && !violations.iter().all(Violation::is_warning)
}

/// Returns `violations` for people, one per line of limited length: `[CODE] path: message (expected
/// …, got …)`.
///
/// ```
/// use extract::{Code, feedback::format_violations_for_display, Path, Violation};
///
/// let violations = [
///     Violation::new(Path::root().key("a"), Code::MissingField, "required, but absent").expected("a string"),
///     Violation::new(Path::root(), Code::Rule, "the parts do not add up"),
/// ];
/// assert_eq!(
///     format_violations_for_display(&violations),
///     "[MISSING_FIELD] $.a: required, but absent (expected a string)\n[RULE] $: the parts do not add up"
/// );
/// ```
pub fn format_violations_for_display(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A submission of at least this many characters is patched if [`likely_chars`] is at most a
/// quarter of it.
const PATCHED_CHARS: usize = 2_000;

impl FeedbackStrategy for Feedback {
    fn question(&self, failed: &FailedAttempt<'_>) -> FeedbackQuestion {
        match self.way(failed) {
            Self::Auto | Self::Continue => FeedbackQuestion::whole(continued(failed, failed.message())),
            Self::Fresh => FeedbackQuestion::whole(fresh(failed)),
            Self::Patch => FeedbackQuestion::patch(continued(failed, patch_message(failed))),
        }
    }
}

impl Feedback {
    /// This way, or another one if this one is impossible or would be wasted.
    fn way(self, failed: &FailedAttempt<'_>) -> Self {
        if failed.is_other_agent || !failed.shows_submission() {
            return Self::Fresh;
        }
        let is_turned = failed.stalls % 2 == 1;
        match self {
            Self::Patch if !is_turned && is_possible(failed) => Self::Patch,
            Self::Auto if !is_turned && is_patch_worthwhile(failed) => Self::Patch,
            Self::Fresh if is_turned => Self::Continue,
            Self::Fresh => Self::Fresh,
            _ if is_turned => Self::Fresh,
            _ => Self::Continue,
        }
    }
}

fn is_patch_worthwhile(failed: &FailedAttempt<'_>) -> bool {
    let Some(value) = failed.record.submitted().filter(|_| is_possible(failed)) else {
        return false;
    };
    if failed.failure.prefers_patch {
        return true;
    }
    let chars = value.to_string().len();
    chars >= PATCHED_CHARS && chars >= 4 * likely_chars(value, &failed.record.violations)
}

fn continued(failed: &FailedAttempt<'_>, message: String) -> Conversation {
    let opening = failed.opening.clone();
    match failed.exchange {
        Some(exchange) => exchange.append_to(opening, &message),
        None => opening.with(Role::Assistant, failed.echo()).with(Role::User, message),
    }
}

fn fresh(failed: &FailedAttempt<'_>) -> Conversation {
    if !failed.shows_submission() {
        return failed.opening.clone().with_user_text(&failed.message());
    }
    failed.opening.clone().with_user_text(&format!(
        "An earlier answer to this was not accepted:\n{}\n\n{}",
        fenced("", &failed.echo()),
        failed.message()
    ))
}

/// Characters of an operation without its path and value: `{"op":"replace","path":"","value":},`.
const OPERATION_CHARS: usize = 36;

/// Assumed characters of a missing value.
const ABSENT_CHARS: usize = 40;

/// Maximum number of paths in the message. With more paths, writing the whole value again is
/// better.
const MAX_PLACES: usize = 50;

/// Maximum number of characters of all paths as JSON Pointers, which the message lists in full.
const MAX_POINTER_CHARS: usize = 4_000;

/// Returns whether a patch is possible: there is a value, and its violations are inside it.
fn is_possible(failed: &FailedAttempt<'_>) -> bool {
    let mut errors = failed.record.violations.iter().filter(|violation| !violation.is_warning());
    failed.record.submitted().is_some()
        && failed.failure.form.submit.is_none()
        && !failed.is_partial()
        && !failed.is_failed_patch()
        && errors.all(|violation| !violation.path.is_root())
        && are_few(places(&failed.record.violations).take(MAX_PLACES + 1))
}

fn are_few<'p>(places: impl Iterator<Item = &'p Path>) -> bool {
    let (mut count, mut chars) = (0, 0);
    places.for_each(|place| {
        count += 1;
        chars += place.pointer_bytes();
    });
    count <= MAX_PLACES && chars <= MAX_POINTER_CHARS
}

/// Estimated characters of a patch that fixes `violations` of `value`, based on the present values.
fn likely_chars(value: &Value, violations: &[Violation]) -> usize {
    let chars = |path: &Path| {
        let now = path.resolve(value).map_or(ABSENT_CHARS, |now| now.to_string().len());
        OPERATION_CHARS + path.pointer_bytes() + now
    };
    places(violations).map(chars).sum()
}

/// The message that asks for a patch.
fn patch_message(failed: &FailedAttempt<'_>) -> String {
    let mut text = format!("{}{}", failed.attempt_line(), failed.listing());
    text.push_str(
        "\nDo not write the whole answer again. Answer with a JSON Patch (RFC 6902) for it: a JSON list of operations, \
         such as [{\"op\":\"replace\",\"path\":\"/a/0/b\",\"value\":1},{\"op\":\"remove\",\"path\":\"/c\"}]. \
         Only these paths and what is inside of them may change:\n",
    );
    for path in places(&failed.record.violations) {
        let _ = writeln!(text, "{}", Value::from(path.to_pointer()));
    }
    let wholes = failed.record.violations.iter().filter(|violation| !violation.is_warning());
    let wholes: BTreeSet<Path> = wholes.filter_map(Violation::whole).collect();
    for path in wholes.iter().filter(|path| !path.is_root()) {
        let _ = writeln!(text, "{}", Value::from(path.to_pointer()));
    }
    text.push_str("Answer with the JSON list only: no markdown fences, no explanation.");
    text
}

/// The paths of the violations, each once, without those inside another.
fn places(violations: &[Violation]) -> impl Iterator<Item = &Path> {
    let errors =
        || violations.iter().filter(|violation| !violation.is_warning()).map(|violation| &violation.path);
    errors().enumerate().filter_map(move |(index, path)| {
        let is_covered = errors()
            .enumerate()
            .any(|(other, place)| path.is_within(place) && (path != place || other < index));
        (!is_covered).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{path::Path, violation::Code};

    #[test]
    fn a_violation_is_one_line_of_bounded_length() {
        let long = format!("first\nsecond {}", "x".repeat(100_000));
        let violation =
            Violation::new(Path::root(), Code::Rule, long.clone()).expected(long.clone()).actual(long);
        let text = format_violations_for_display(&[violation]);
        assert!(text.starts_with("[RULE] $: first second xxx"), "{}", &text[..40]);
        assert!(!text.contains('\n') && text.len() < 4_000, "{}", text.len());
    }
}
