//! Asking only for the parts that are wrong.

use std::fmt::Write as _;

use serde_json::Value;

use super::FailedAttempt;
use crate::vocabulary::{path::Path, violation::Violation};

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
pub(super) fn is_possible(failed: &FailedAttempt<'_>) -> bool {
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
pub(super) fn likely_chars(value: &Value, violations: &[Violation]) -> usize {
    let chars = |path: &Path| {
        let now = path.resolve(value).map_or(ABSENT_CHARS, |now| now.to_string().len());
        OPERATION_CHARS + path.pointer_bytes() + now
    };
    places(violations).map(chars).sum()
}

/// The message that asks for a patch.
pub(super) fn message(failed: &FailedAttempt<'_>) -> String {
    let mut text = format!("{}{}", failed.attempt_line(), failed.listing());
    text.push_str(
        "\nDo not write the whole answer again. Answer with a JSON Patch (RFC 6902) for it: a JSON list of operations, \
         such as [{\"op\":\"replace\",\"path\":\"/a/0/b\",\"value\":1},{\"op\":\"remove\",\"path\":\"/c\"}]. \
         Only these paths and what is inside of them may change:\n",
    );
    for path in places(&failed.record.violations) {
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
