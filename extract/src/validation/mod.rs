//! From a JSON value to the list of everything that is wrong with it.

mod at;
mod describe;
mod judge;
mod schema_errors;
mod serde_errors;
mod suggest;
mod union;

use jsonschema::Validator;
use serde_json::Value;

pub use self::{
    at::{At, Step},
    judge::{Judge, Place},
};
pub(crate) use self::{schema_errors::path_of, serde_errors::deserialize};
use crate::Violation;

/// Violations that are collected of one value; beyond them a value is wrong enough.
const MAX_VIOLATIONS: usize = 1_000;

/// Everything in `value` that breaks `schema`, which `validator` was compiled from, sorted by path.
pub(crate) fn against_schema(validator: &Validator, schema: &Value, value: &Value) -> Vec<Violation> {
    // The validator's quick answer costs a fraction of its list of errors.
    if validator.is_valid(value) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for error in validator.iter_errors(value) {
        schema_errors::push(&error, schema, &mut violations);
        if violations.len() >= MAX_VIOLATIONS {
            break;
        }
    }
    sort(&mut violations);
    violations
}

/// Brings violations into the order of their paths and drops repetitions.
pub(crate) fn sort(violations: &mut Vec<Violation>) {
    violations.sort_by(|a, b| (&a.path, &a.code, &a.message).cmp(&(&b.path, &b.code, &b.message)));
    violations.dedup();
}
