//! Evidence that an agent is not constrained as it claims.

use serde::de::IgnoredAny;

use crate::{
    agent::Constraint,
    attempt::AttemptRecord,
    vocabulary::{attempt_status::AttemptStatus, violation::Violation},
};

/// Keywords that every decoder enforces unless it says otherwise.
const ALWAYS_ENFORCED: [&str; 5] = ["type", "required", "additionalProperties", "enum", "const"];

/// Returns whether a reply that was not cut proves that `constraint` did not apply: it is not plain
/// JSON, or breaks something that is supposed to be enforced.
pub(super) fn is_unconstrained(last: &AttemptRecord, constraint: &Constraint) -> bool {
    let is_enforced = |keyword: &str| {
        ALWAYS_ENFORCED.contains(&keyword)
            && constraint.unenforced.iter().all(|unenforced| unenforced.keyword != keyword)
    };
    let is_whole = !matches!(last.verdict, AttemptStatus::Truncated | AttemptStatus::Repeated);
    let is_broken = |violation: &Violation| {
        !violation.is_warning() && violation.keyword.as_deref().is_some_and(is_enforced)
    };
    is_whole
        && (serde_json::from_str::<IgnoredAny>(&last.raw_output).is_err()
            || last.violations.iter().any(is_broken))
}
