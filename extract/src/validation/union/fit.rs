//! How well a value fits an alternative that it does not satisfy.

use std::{cmp::Reverse, mem::discriminant};

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

use super::{Branch, listed};
use crate::validation::suggest;

/// Keys of a value that are looked for in an alternative.
const MAX_KEYS: usize = 200;

pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// Whether the alternative wants another type than that of the value, which stands at the JSON Pointer `here`.
pub(super) fn is_wrong_type(branch: &Branch<'_>, here: &str) -> bool {
    branch.errors_at(here).any(|error| match error.kind() {
        Kind::Type { .. } => true,
        // Where values of other types are listed, this one was meant for something else.
        Kind::Enum { .. } | Kind::Constant { .. } => {
            let kind = discriminant(error.instance().as_ref());
            listed(error).is_some_and(|listed| listed.iter().all(|value| discriminant(value) != kind))
        }
        _ => false,
    })
}

/// In the order of [`misfit`].
pub(super) type Misfit = (bool, usize, Reverse<usize>, usize);

/// How badly `value` fits: first by its own type, then by the values that are listed for it and its keys, then by how
/// few of its keys the alternative knows, then by the number of errors.
pub(super) fn misfit(value: &Value, branch: &Branch<'_>, here: &str) -> Misfit {
    let depth = |pointer: &str| pointer.matches('/').count();
    let wrong_constants = branch
        .errors
        .iter()
        .filter(|error| listed(error).is_some() && depth(error.instance_path().as_str()) <= depth(here) + 1)
        .count();
    (
        is_wrong_type(branch, here),
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
