//! How well a value fits an alternative that it does not satisfy.

use std::cmp::Reverse;

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

use super::{Branch, listed};
use crate::{
    Path,
    validation::{schema_errors::path_of, suggest},
};

/// Keys of a value that are looked for in an alternative.
const MAX_KEYS: usize = 200;

pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// Whether the alternative wants another type than that of the value, which stands at `at`.
pub(super) fn is_wrong_type(branch: &Branch<'_>, at: &Path) -> bool {
    let mut here = branch.errors.iter().filter(|error| path_of(error.instance_path()) == *at);
    here.any(|error| match error.kind() {
        Kind::Type { .. } => true,
        // Scalars alone are listed, as a rule; an object or a list was meant for something else.
        Kind::Enum { .. } | Kind::Constant { .. } => {
            error.instance().is_object() || error.instance().is_array()
        }
        _ => false,
    })
}

/// How badly `value` fits: first by its own type, then by the values that are listed for it and its keys, then by how
/// few of its keys the alternative knows, then by the number of errors.
pub(super) fn misfit(value: &Value, branch: &Branch<'_>, at: &Path) -> (bool, usize, Reverse<usize>, usize) {
    let depth = at.segments().len();
    let wrong_constants = branch
        .errors
        .iter()
        .filter(|error| listed(error).is_some() && error.instance_path().iter().count() <= depth + 1)
        .count();
    (
        is_wrong_type(branch, at),
        wrong_constants,
        Reverse(known_keys(value, branch.schema)),
        branch.errors.len(),
    )
}

/// Two for each key of `value` that `schema` names, one for each that looks like one of its names.
fn known_keys(value: &Value, schema: &Value) -> usize {
    let (Some(value), Some(properties)) = (value.as_object(), properties(schema)) else { return 0 };
    let points = |key: &String| {
        if properties.contains_key(key) {
            return 2;
        }
        let free = properties.keys().map(String::as_str).filter(|name| !value.contains_key(*name));
        usize::from(suggest::nearest(key, free.take(MAX_KEYS)).is_some())
    };
    value.keys().take(MAX_KEYS).map(points).sum()
}

pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}
