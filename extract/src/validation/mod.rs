//! From a JSON value to the list of everything that is wrong with it.

mod at;
mod describe;
mod healthy;
mod judge;
mod later;
mod location;
mod schema_errors;
mod sensitive;
mod serde_errors;
mod suggest;
mod union;

use jsonschema::Validator;
use serde_json::Value;

use self::location::Root;
pub use self::{
    at::{At, Step},
    healthy::{Healthy, Part},
    judge::{Judge, Place},
    later::Awaited,
};
pub(crate) use self::{
    healthy::{judge_parts, with_parts},
    location::path_of,
    sensitive::{KEYWORD as SENSITIVE, MASK, Secret, Sensitive, hide_quotes, texts as secrets_in, without},
    serde_errors::deserialize,
};
use crate::{Code, Path, Violation, text::counted};

/// Violations that are collected of one value; beyond them a value is wrong enough.
const MAX_VIOLATIONS: usize = 1_000;

/// Everything in `value` that breaks `schema`, which `validator` was compiled from, sorted by path.
pub(crate) fn against_schema(validator: &Validator, schema: &Value, value: &Value) -> Vec<Violation> {
    // The validator's quick answer costs a fraction of its list of errors.
    if validator.is_valid(value) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    let mut errors = validator.iter_errors(value);
    while violations.len() < MAX_VIOLATIONS
        && let Some(error) = errors.next()
    {
        schema_errors::push(&error, Root { schema, value }, &mut violations);
    }
    let left_out = errors.count() + violations.len().saturating_sub(MAX_VIOLATIONS);
    violations.truncate(MAX_VIOLATIONS);
    if left_out > 0 {
        violations.push(more(left_out));
    }
    sort(&mut violations);
    violations
}

/// The violation that stands for those that are not listed.
fn more(count: usize) -> Violation {
    Violation::new(
        Path::root(),
        Code::More,
        format!("{} more that are not listed", counted(count, "violation")),
    )
}

/// Brings violations into the order of their paths and drops repetitions. The one that counts those that are not
/// listed comes last.
pub(crate) fn sort(violations: &mut Vec<Violation>) {
    fn key(violation: &Violation) -> impl Ord + '_ {
        let Violation { path, code, message, expected, actual, .. } = violation;
        (*code == Code::More, path, code, message, expected, actual)
    }
    violations.sort_by(|a, b| key(a).cmp(&key(b)));
    violations.dedup();
}
