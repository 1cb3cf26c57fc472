//! What is said of a value, without its sensitive parts.

use serde_json::Value;

use super::Sensitive;
use crate::{
    redaction::{VALUE_MARKER, Values},
    text::quoted,
    validation::describe,
    violation::{Code, Violation},
};

/// What stands in the place of a message that cannot be told without the risk of telling a value.
const UNSAFE_MESSAGE: &str = "not accepted; the reason is hidden, because it may repeat a sensitive value";

impl Sensitive<'_> {
    /// Takes sensitive values out of what is said of `value`: what was found at such a place is hidden, and so are the values
    /// wherever the user's own words quote them.
    pub(crate) fn redact_violations(self, violations: &mut [Violation], value: &Value) {
        if self.is_empty() || violations.is_empty() {
            return;
        }
        let values = self.values_in(value);
        for violation in violations {
            self.requote(violation, value, &values);
            if self.is_sensitive(&violation.path) {
                redact(violation);
            }
            violation.path = self.told(&violation.path, &values);
            if violation.code == Code::Patch {
                // What it quotes is none of the places that the schema knows.
                redact_violation_quotes(std::slice::from_mut(violation));
            }
            redact_words(violation, &values);
        }
    }

    /// `message`, which the user's own code wrote, without the sensitive values of `value`.
    pub(crate) fn redact_message(self, message: &mut String, value: &Value) {
        self.values_in(value).redact_message(message, UNSAFE_MESSAGE);
    }

    /// Quotes the value of a violation again, redacted, where it is quoted as it is: what is cut off afterwards would hide a value
    /// from the search, but not from a reader.
    fn requote(self, violation: &mut Violation, value: &Value, values: &Values) {
        let Some(found) = violation.path.resolve(value) else { return };
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

/// [`quoted`], but for the marker, which is no string of the value.
pub(crate) fn quoted_redacted(redacted: &Value) -> String {
    if redacted == VALUE_MARKER { VALUE_MARKER.to_owned() } else { quoted(redacted) }
}

/// Hides what violations quote of a reply of which no value is known, and so not what in it is sensitive.
pub(crate) fn redact_violation_quotes(violations: &mut [Violation]) {
    for violation in violations.iter_mut().filter(|violation| violation.actual.is_some()) {
        violation.actual = Some(VALUE_MARKER.to_owned());
    }
}

fn redact_words(violation: &mut Violation, values: &Values) {
    let Violation { message, hint, expected, actual, .. } = violation;
    if is_own(&violation.code) {
        values.redact_message(message, UNSAFE_MESSAGE);
        for text in [hint, expected, actual].into_iter().flatten() {
            values.redact_message(text, VALUE_MARKER);
        }
        return;
    }
    // What the schema expects is no secret; a short one would only be found in it by chance.
    for text in [Some(message), hint.as_mut(), actual.as_mut()].into_iter().flatten() {
        *text = values.redact(text).into_owned();
    }
}

/// Whether the words are those of the user's own code.
fn is_own(code: &Code) -> bool {
    matches!(code, Code::Rule | Code::Rejected | Code::Custom(_))
}

/// Hides what a violation at a sensitive place tells of the value.
fn redact(violation: &mut Violation) {
    if violation.actual.is_some() {
        violation.actual = Some(VALUE_MARKER.to_owned());
    }
    if is_own(&violation.code) {
        return;
    }
    violation.hint = None;
    if violation.expected.is_none() {
        // What serde says quotes the value; what the schema says has an expectation.
        "not accepted".clone_into(&mut violation.message);
    }
}
