//! From violations to the message that starts the next attempt.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    Violation,
    agent::{Conversation, Role},
    text::{counted, cut, fenced},
};

/// Violations that one message lists; an agent that mends these has done enough for one attempt.
const MAX_LISTED: usize = 50;

/// Characters of a rejected reply that is shown to the agent again.
const MAX_ECHO_CHARS: usize = 24_000;

/// How the next attempt is asked for after a failed one.
///
/// Either way the agent sees the schema once, its last submission once, and every violation. What failed
/// before that is not repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feedback {
    /// The conversation goes on: the submission is the agent's own turn, the feedback the next turn of the
    /// user.
    #[default]
    Continue,
    /// A new conversation that holds the prompt, the submission and the feedback in one turn of the user.
    Fresh,
}

/// What there is to say about a failed attempt.
#[derive(Debug)]
pub(crate) struct Failed<'a> {
    pub(crate) raw_output: &'a str,
    pub(crate) submitted: Option<&'a Value>,
    pub(crate) violations: &'a [Violation],
    pub(crate) is_truncated: bool,
    /// Number of the attempt to come.
    pub(crate) next: u32,
    pub(crate) max_attempts: u32,
}

impl Feedback {
    /// The other way, for when this one won nothing.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Continue => Self::Fresh,
            Self::Fresh => Self::Continue,
        }
    }

    /// The conversation for the attempt after `failed`; `opening` is that of the first attempt.
    pub(crate) fn conversation(self, opening: &Conversation, failed: &Failed<'_>) -> Conversation {
        let message = message(failed);
        let echo = echo(failed);
        match self {
            Self::Continue => opening.clone().with(Role::Assistant, echo).with(Role::User, message),
            Self::Fresh => opening.clone().append_to_last(&format!(
                "\n\nAn earlier answer to this was not accepted:\n{}\n\n{message}",
                fenced("", &echo)
            )),
        }
    }
}

fn message(failed: &Failed<'_>) -> String {
    let attempt = format!("Attempt {} of {}.", failed.next, failed.max_attempts);
    if failed.is_truncated {
        // Nothing is wrong with a cut answer but its length, so it is not asked to be mended.
        return format!(
            "{attempt} Your answer was cut off before its end. Give the whole answer again, as compact JSON and \
             with shorter texts where you have the choice. {ANSWER_ONLY}"
        );
    }
    format!("{attempt} {}", build_repair_prompt(failed.violations))
}

/// The submission as the agent sees it again: the value that was read, else the text itself.
fn echo(failed: &Failed<'_>) -> String {
    let text = match failed.submitted {
        Some(value) => value.to_string(),
        None => failed.raw_output.trim().to_owned(),
    };
    // Providers refuse a turn without text.
    if text.is_empty() { "(no answer)".to_owned() } else { cut(&text, MAX_ECHO_CHARS) }
}

const ANSWER_ONLY: &str = "Answer with the JSON only: no markdown fences, no explanation.";

/// The message that asks an agent to mend `violations`: one block for each, then what to do.
///
/// Warnings are left out. Beyond 50 violations the rest is counted.
///
/// ```
/// use extract::{Code, Path, Violation, build_repair_prompt};
///
/// let violation = Violation::new(Path::root().key("total"), Code::WrongType, "wrong type")
///     .expected("a number")
///     .actual(r#"the string "12 EUR""#);
/// assert_eq!(
///     build_repair_prompt(&[violation]),
///     r#"Your answer was not accepted: 1 violation.
///
/// 1. path: $.total
///    code: WRONG_TYPE
///    error: wrong type
///    expected: a number
///    got: the string "12 EUR"
///
/// Fix all of them and keep what was right. Answer with the JSON only: no markdown fences, no explanation."#
/// );
/// ```
pub fn build_repair_prompt(violations: &[Violation]) -> String {
    let violations: Vec<_> = violations.iter().filter(|violation| !violation.is_warning()).collect();
    let mut text = format!("Your answer was not accepted: {}.\n", counted(violations.len(), "violation"));
    for (index, violation) in violations.iter().take(MAX_LISTED).enumerate() {
        let _ = write!(
            text,
            "\n{}. path: {}\n   code: {}\n   error: {}\n",
            index + 1,
            violation.path,
            violation.code,
            one_line(&violation.message)
        );
        if let Some(expected) = &violation.expected {
            let _ = writeln!(text, "   expected: {}", one_line(expected));
        }
        if let Some(actual) = &violation.actual {
            let _ = writeln!(text, "   got: {}", one_line(actual));
        }
    }
    if violations.len() > MAX_LISTED {
        let _ = writeln!(text, "\n… and {} more of the kind", violations.len() - MAX_LISTED);
    }
    let _ = write!(text, "\nFix all of them and keep what was right. {ANSWER_ONLY}");
    text
}

/// A block stays a block: what a rule or a reply says cannot start a line of its own.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether asking again makes sense: there is something to mend, and nothing is fatal.
///
/// ```
/// use extract::{Code, Path, Severity, Violation, should_retry};
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

/// `violations` for people, one a line: `[CODE] path: message (expected …, got …)`.
///
/// ```
/// use extract::{Code, Path, Violation, format_violations_for_display};
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
    violations.iter().map(|violation| one_line(&violation.to_string())).collect::<Vec<_>>().join("\n")
}
