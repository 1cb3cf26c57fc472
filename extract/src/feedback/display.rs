//! Violations for people, and whether asking again makes sense.

use super::message::one_line;
use crate::Violation;

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
