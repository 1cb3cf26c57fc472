//! Progress from one attempt to the next.

use crate::{
    attempt::{AttemptRecord, Regression},
    contract::Contract,
    validation::quoted_redacted,
    vocabulary::violation::{Code, Violation},
};

/// Returns whether the attempt made no progress: the same submission again, or none of its
/// violations fixed.
///
/// Two attempts without a value are equal only if their texts are, because each may be unreadable
/// in its own way. A patch that cannot be applied never counts as stalled: it leaves the submission
/// unchanged, and the whole value is asked for next. Nor does a refusal: another agent takes over.
pub(super) fn is_stalled(before: &AttemptRecord, now: &AttemptRecord) -> bool {
    if now.violations.iter().any(|violation| matches!(violation.code, Code::Patch | Code::Refused)) {
        return false;
    }
    // The value is unchanged, and the same rest is asked for once more.
    let is_misfit = |record: &AttemptRecord| has_code(record, &Code::Continuation);
    if is_misfit(now) && !is_misfit(before) {
        return false;
    }
    match (before.submitted(), now.submitted()) {
        (Some(old), Some(new)) => old == new || keeps_all(&before.violations, &now.violations),
        (None, None) => before.raw_output == now.raw_output,
        _ => false,
    }
}

fn has_code(record: &AttemptRecord, code: &Code) -> bool {
    record.violations.iter().any(|violation| violation.code == *code)
}

fn keeps_all(before: &[Violation], now: &[Violation]) -> bool {
    let mut errors = before.iter().filter(|violation| !violation.is_warning());
    errors.all(|old| now.iter().any(|new| (&old.path, &old.code) == (&new.path, &new.code)))
}

/// The violations of `now` at paths where `before` had another value and no violation.
pub(super) fn regressions(
    before: &AttemptRecord,
    now: &AttemptRecord,
    contract: &Contract,
) -> Vec<Regression> {
    let (Some(old), Some(new)) = (before.submitted(), now.submitted()) else {
        return Vec::new();
    };
    let mut regressions: Vec<Regression> = Vec::new();
    for violation in now.violations.iter().filter(|violation| !violation.is_warning()) {
        let path = &violation.path;
        let was_wrong = before
            .violations
            .iter()
            .any(|old| !old.is_warning() && (old.path.is_within(path) || path.is_within(&old.path)));
        let Some(right) = path.resolve(old).filter(|_| !was_wrong) else { continue };
        let is_told = regressions.iter().any(|told| told.path == *path);
        if !is_told && path.resolve(new) != Some(right) {
            let mut right = right.clone();
            if let Some(sensitive) = contract.sensitive() {
                let mut values = sensitive.values_in(old);
                sensitive.gather(new, &mut values);
                sensitive.redact_at(path, &mut right, &values);
            }
            regressions.push(Regression::new(path.clone(), quoted_redacted(&right)));
        }
    }
    regressions
}
