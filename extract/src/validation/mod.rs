//! From a JSON value to the list of everything that is wrong with it.

mod describe;
mod healthy;
mod judge;
mod later;
mod location;
mod nodes;
mod null_texts;
mod repeated;
mod schema_errors;
mod sensitive;
mod serde_errors;
pub(crate) mod suggest;
mod union;

use jsonschema::Validator;
use serde_json::Value;

pub use self::{
    healthy::{Healthy, Part},
    judge::{Judge, Place},
    later::Awaited,
};
pub(crate) use self::{
    later::Later,
    location::path_of,
    sensitive::{KEYWORD as SENSITIVE, Sensitive, hide_quotes, quoted_redacted},
    serde_errors::deserialize,
};
use self::{
    location::Root,
    schema_errors::{NOT_A_KEY, NOT_LISTED},
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
    let mut errors = validator.iter_errors(value);
    let mut violations = Vec::with_capacity(errors.size_hint().0.min(MAX_VIOLATIONS));
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
    drop_idle(&mut violations);
    violations
}

/// What is worth saying of a `value` that satisfies `schema`.
pub(crate) fn warnings(schema: &Value, value: &Value) -> Vec<Violation> {
    null_texts::warnings(schema, value)
}

/// Of a value of the wrong type, drops what goes without saying: a list of allowed values tells the type, and nothing else
/// can be said of a value that should be something else.
fn drop_idle(violations: &mut Vec<Violation>) {
    // As a rule no place has two.
    if violations.windows(2).all(|two| two[0].path != two[1].path) {
        return;
    }
    let is_type = |violation: &Violation| matches!(violation.code, Code::NotObject | Code::WrongType);
    let is_list = |violation: &Violation| violation.message.starts_with(NOT_LISTED);
    let of_one_place = |group: &[Violation]| -> Vec<bool> {
        let has_list = group.iter().any(is_list);
        let is_told = |violation| if has_list { is_list(violation) } else { is_type(violation) };
        let is_any = group.len() > 1 && group.iter().any(is_type);
        let is_of_key = |one: &Violation| one.code == Code::More || one.message == NOT_A_KEY;
        group.iter().map(|one| !is_any || is_of_key(one) || is_told(one)).collect()
    };
    let groups = violations.chunk_by(|one, next| one.path == next.path);
    let mut is_kept = groups.flat_map(of_one_place).collect::<Vec<_>>().into_iter();
    violations.retain(|_| is_kept.next().unwrap_or(true));
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
