//! Turns a failed attempt into the next question.
//!
//! A [`FeedbackStrategy`] such as [`Feedback`] decides how to ask again, and
//! [`build_repair_prompt`] lists what is wrong.

mod continuation;
mod failed;
mod message;
mod strategy;

pub(crate) use self::{
    continuation::RestQuestion,
    failed::{FailureDetails, ToolExchange},
    message::{AnswerForm, again, listing},
};
pub use self::{
    failed::{FailedAttempt, FeedbackOptions},
    message::build_repair_prompt,
    strategy::{Feedback, FeedbackQuestion, FeedbackStrategy},
};
use crate::vocabulary::violation::Violation;

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
