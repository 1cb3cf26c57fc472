//! Values that fit none of several alternatives.
//!
//! "Not valid under any of the schemas" helps nobody. The alternative that was meant is chosen by its [`tag`], else by
//! best [`fit`], and its own violations are reported at their own paths.

mod fit;
mod tag;

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use self::tag::Chosen;
use super::{
    describe,
    schema_errors::{self, not_listed, path_of},
};
use crate::{Code, Path, Violation};

/// One alternative, and why the value is not that.
#[derive(Clone, Copy)]
struct Branch<'e> {
    /// The alternative with references followed; `true` where it cannot be found.
    schema: &'e Value,
    errors: &'e [ValidationError<'static>],
}

/// Appends what is wrong with `error`'s value, which fits none of `branches`. `root` is the root schema.
pub(super) fn push(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    root: &Value,
    violations: &mut Vec<Violation>,
) {
    let at = path_of(error.instance_path());
    let actual = error.instance().as_ref();
    let branches = with_schemas(error, branches, root);
    // Null is what stands for absence; a value that is not null was meant for another alternative.
    let others: Vec<_> = branches.iter().copied().filter(|branch| !fit::is_null(branch.schema)).collect();
    let branches = if others.is_empty() { branches } else { others };
    if let Some(violation) = not_one_of_the_constants(actual, &branches, &at) {
        return violations.push(violation);
    }
    match tag::choose(actual, &branches, &at) {
        Chosen::Wrong(violation) => violations.push(*violation),
        Chosen::Branch(branch) => push_all(branch, root, violations),
        Chosen::Unknown => {
            if let Some(violation) = no_such_type(actual, &branches, &at, root) {
                violations.push(violation);
            } else if let Some(best) = branches.iter().min_by_key(|branch| fit::misfit(actual, branch, &at)) {
                push_all(*best, root, violations);
            }
        }
    }
}

fn push_all(branch: Branch<'_>, root: &Value, violations: &mut Vec<Violation>) {
    for error in branch.errors {
        schema_errors::push(error, root, violations);
    }
}

fn with_schemas<'e>(
    error: &ValidationError<'_>,
    branches: &'e [Vec<ValidationError<'static>>],
    root: &'e Value,
) -> Vec<Branch<'e>> {
    let schemas = root.pointer(error.schema_path().as_str()).and_then(Value::as_array);
    let schema = |index: usize| schemas.and_then(|schemas| schemas.get(index));
    branches
        .iter()
        .enumerate()
        .map(|(index, errors)| Branch {
            schema: schema(index).map_or(&Value::Bool(true), |schema| describe::target(schema, root)),
            errors,
        })
        .filter(|branch| !branch.errors.is_empty())
        .collect()
}

/// The values that an alternative would accept in place of a scalar, if it lists them.
fn listed(error: &ValidationError<'static>) -> Option<Vec<Value>> {
    match error.kind() {
        Kind::Constant { expected_value } => Some(vec![expected_value.as_ref().clone()]),
        Kind::Enum { options } => options.as_array().cloned(),
        _ => None,
    }
}

/// All alternatives list values (a commented enum is written so): their lists are one list.
fn not_one_of_the_constants(actual: &Value, branches: &[Branch<'_>], at: &Path) -> Option<Violation> {
    if actual.is_object() || actual.is_array() {
        return None;
    }
    let mut options = Vec::new();
    for branch in branches {
        let here = |error: &&ValidationError<'static>| path_of(error.instance_path()) == *at;
        options.extend(branch.errors.iter().filter(here).find_map(listed)?);
    }
    (!options.is_empty()).then(|| not_listed(at.clone(), &options, actual))
}

/// The value is of a type that no alternative takes.
fn no_such_type(actual: &Value, branches: &[Branch<'_>], at: &Path, root: &Value) -> Option<Violation> {
    if !branches.iter().all(|branch| fit::is_wrong_type(branch, at)) {
        return None;
    }
    let mut expected: Vec<String> = Vec::new();
    for branch in branches {
        let mut here = branch.errors.iter().filter(|error| path_of(error.instance_path()) == *at);
        let name = here.find_map(type_names);
        let name = name.unwrap_or_else(|| describe::schema(branch.schema, root));
        if !expected.contains(&name) {
            expected.push(name);
        }
    }
    let is_object = expected.iter().all(|name| name == describe::OBJECT);
    let violation = if at.is_root() && is_object {
        Violation::new(at.clone(), Code::NotObject, "the answer is not a JSON object")
    } else {
        Violation::new(at.clone(), Code::WrongType, "wrong type")
    };
    Some(violation.expected(expected.join(" or ")).actual(describe::typed(actual)))
}

fn type_names(error: &ValidationError<'static>) -> Option<String> {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(name) } => Some(describe::types(&[*name])),
        Kind::Type { kind: TypeKind::Multiple(names) } => {
            Some(describe::types(&names.iter().collect::<Vec<_>>()))
        }
        _ => None,
    }
}
