//! Redacts the quotes in violations.

use serde_json::Value;

use super::SensitiveParts;
use crate::{
    validation::describe,
    vocabulary::{
        path::Path,
        redaction::{SensitiveValues, VALUE_MARKER},
        text::quoted,
        violation::{Code, Violation},
    },
};

/// Replaces a message that may contain a sensitive value.
const UNSAFE_MESSAGE: &str = "not accepted; the reason is redacted, because it may repeat a sensitive value";

impl SensitiveParts<'_> {
    /// Removes the sensitive values of `value` from `violations`: actual values at sensitive paths,
    /// and all quotes in messages of the user's code.
    pub(crate) fn redact_violations(self, violations: &mut [Violation], value: &Value) {
        self.redact_violations_at(&Path::root(), violations, value);
    }

    /// The same for a `value` at `at`. The violations have paths from the root.
    pub(crate) fn redact_violations_at(self, at: &Path, violations: &mut [Violation], value: &Value) {
        if self.is_empty() || violations.is_empty() {
            return;
        }
        let values = self.values_at(at, value);
        for violation in violations {
            self.requote(violation, (at, value), &values);
            if self.is_sensitive(&violation.path) {
                redact(violation);
            }
            violation.path = self.redacted_path(&violation.path, &values);
            if matches!(violation.code, Code::Patch | Code::Continuation) {
                // It quotes the patch or the rest of a list, which are not parts of the value.
                redact_violation_quotes(std::slice::from_mut(violation));
                violation.hint = None;
            }
            redact_words(violation, &values);
        }
    }

    /// Removes the sensitive values of `value` from `message`, which the user's code wrote.
    pub(crate) fn redact_message(self, message: &mut String, value: &Value) {
        self.redact_message_at(&Path::root(), message, value);
    }

    /// The same for a `value` at `at`.
    pub(crate) fn redact_message_at(self, at: &Path, message: &mut String, value: &Value) {
        self.values_at(at, value).redact_message(message, UNSAFE_MESSAGE);
    }

    /// Replaces the quoted value of a violation by its redacted form. This must happen before
    /// anything is cut: a search would not find a cut sensitive value.
    fn requote(self, violation: &mut Violation, (at, value): (&Path, &Value), values: &SensitiveValues) {
        let inside = violation.path.segments().strip_prefix(at.segments());
        let found = inside.and_then(|steps| steps.iter().try_fold(value, |value, step| step.within(value)));
        let Some(found) = found else { return };
        let mut redacted = found.clone();
        self.redact_at(&violation.path, &mut redacted, values);
        if redacted == *found {
            return;
        }
        let requoted = match &violation.actual {
            Some(actual) if *actual == quoted(found) => quoted_redacted(&redacted),
            Some(actual) if *actual == describe::typed(found) => match redacted.as_str() {
                Some(VALUE_MARKER) => VALUE_MARKER.to_owned(),
                _ => describe::typed(&redacted),
            },
            _ => return,
        };
        violation.actual = Some(requoted);
    }
}

/// [`quoted`], except for the marker, which is not a string of the value.
pub(crate) fn quoted_redacted(redacted: &Value) -> String {
    if redacted == VALUE_MARKER { VALUE_MARKER.to_owned() } else { quoted(redacted) }
}

/// Redacts all quotes in violations of a reply without a value, where the sensitive parts are
/// unknown.
pub(crate) fn redact_violation_quotes(violations: &mut [Violation]) {
    for violation in violations.iter_mut().filter(|violation| violation.actual.is_some()) {
        violation.actual = Some(VALUE_MARKER.to_owned());
    }
}

fn redact_words(violation: &mut Violation, values: &SensitiveValues) {
    let Violation { message, hint, expected, actual, .. } = violation;
    if is_own(&violation.code) {
        values.redact_message(message, UNSAFE_MESSAGE);
        for text in [hint, expected, actual].into_iter().flatten() {
            values.redact_message(text, VALUE_MARKER);
        }
        return;
    }
    // The expectations of the schema are not secret. A short sensitive value would occur in them
    // only by chance.
    for text in [Some(message), hint.as_mut(), actual.as_mut()].into_iter().flatten() {
        *text = values.redact(text).into_owned();
    }
}

/// Returns whether the message comes from the user's code.
fn is_own(code: &Code) -> bool {
    matches!(code, Code::Rule | Code::Rejected | Code::Custom(_))
}

/// Redacts a violation at a sensitive path.
fn redact(violation: &mut Violation) {
    if violation.actual.is_some() {
        violation.actual = Some(VALUE_MARKER.to_owned());
    }
    if is_own(&violation.code) {
        return;
    }
    violation.hint = None;
    if violation.expected.is_none() {
        // serde's message quotes the value. A violation of the schema has an expectation.
        "not accepted".clone_into(&mut violation.message);
    }
}
