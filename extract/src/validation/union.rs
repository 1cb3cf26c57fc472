//! Values that fit none of several alternatives.
//!
//! "Not valid under any of the schemas" helps nobody. The alternative that was meant is chosen by its tag,
//! else by best fit, and its own violations are reported at their own paths.

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::schema_errors::{self, not_listed, path_of};
use crate::{Path, Violation};

/// Appends the violations of the alternative that fits `error`'s value best.
pub(super) fn push(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    schema: &Value,
    violations: &mut Vec<Violation>,
) {
    let at = path_of(error.instance_path());
    if let Some(violation) = not_one_of_the_constants(error.instance().as_ref(), branches, &at) {
        violations.push(violation);
        return;
    }
    if let Some(violation) = wrong_tag(branches, &at) {
        violations.push(violation);
        return;
    }
    let best = branches.iter().filter(|branch| !branch.is_empty()).min_by_key(|branch| misfit(branch, &at));
    for error in best.into_iter().flatten() {
        schema_errors::push(error, schema, violations);
    }
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
fn not_one_of_the_constants(
    actual: &Value,
    branches: &[Vec<ValidationError<'static>>],
    at: &Path,
) -> Option<Violation> {
    let mut options = Vec::new();
    for branch in branches {
        let here = |error: &&ValidationError<'static>| path_of(error.instance_path()) == *at;
        match branch.iter().filter(here).find_map(listed) {
            Some(values) => options.extend(values),
            None if branch.iter().any(wants_null) => options.push(Value::Null),
            None => return None,
        }
    }
    // Null alone is no list: the value was meant for another alternative.
    if options.iter().all(Value::is_null) || actual.is_object() || actual.is_array() {
        return None;
    }
    Some(not_listed(at.clone(), &options, actual))
}

fn wants_null(error: &ValidationError<'static>) -> bool {
    matches!(
        error.kind(),
        Kind::Type { kind: jsonschema::error::TypeKind::Single(jsonschema::JsonType::Null) }
    )
}

/// Every alternative names another value for one key: that key is the tag, and none of its values was given.
fn wrong_tag(branches: &[Vec<ValidationError<'static>>], at: &Path) -> Option<Violation> {
    let depth = at.segments().len();
    let mut tag: Option<(Path, Value)> = None;
    let mut options = Vec::new();
    for branch in branches {
        if branch.iter().any(wants_null) {
            continue;
        }
        let (path, error) = branch
            .iter()
            .map(|error| (path_of(error.instance_path()), error))
            .find(|(path, error)| path.segments().len() == depth + 1 && listed(error).is_some())?;
        options.extend(listed(error)?);
        match &tag {
            Some((first, _)) if *first != path => return None,
            Some(_) => {}
            None => tag = Some((path, error.instance().as_ref().clone())),
        }
    }
    let (path, actual) = tag.filter(|_| options.len() > 1)?;
    Some(not_listed(path, &options, &actual))
}

/// How badly an alternative fits: first by a wrong type of the value itself, then by a wrong tag, then by
/// the number of errors.
fn misfit(branch: &[ValidationError<'static>], at: &Path) -> (bool, usize, usize) {
    let depth = at.segments().len();
    let is_wrong_type = branch.iter().any(|error| {
        matches!(error.kind(), Kind::Type { .. }) && error.instance_path().iter().count() == depth
    });
    let wrong_tags = branch
        .iter()
        .filter(|error| listed(error).is_some() && error.instance_path().iter().count() <= depth + 1)
        .count();
    (is_wrong_type, wrong_tags, branch.len())
}
