//! How well a value fits an alternative that it does not satisfy.

use std::{cmp::Reverse, mem::discriminant};

use jsonschema::{
    JsonType,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use crate::{
    validation::{
        alternatives::properties,
        walk::{KeywordFailure, KeywordFailures},
    },
    vocabulary::suggest::{self, MAX_COMPARED},
};

/// Returns whether `schema` may be only a union. References are followed already.
pub(super) fn may_be_union(schema: &Value) -> bool {
    const LEADING: [&str; 7] = ["anyOf", "oneOf", "allOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];
    LEADING.iter().any(|keyword| schema.get(keyword).is_some())
}

/// Returns whether `failure`, which the value itself has, means that another type is required.
pub(super) fn is_of_type(failure: &KeywordFailure<'_>) -> bool {
    if matches!(failure.cause.kind(), Some(Kind::Type { .. })) {
        return true;
    }
    // If only values of other types are listed, the value was meant for another alternative.
    let kind = discriminant(failure.value);
    listed(failure).is_some_and(|listed| listed.iter().all(|value| discriminant(value) != kind))
}

/// The values that the alternative lists for the value of `failure`, if any.
pub(super) fn listed<'f>(failure: &'f KeywordFailure<'_>) -> Option<&'f [Value]> {
    match failure.cause.kind()? {
        Kind::Constant { expected_value } => Some(std::slice::from_ref(&**expected_value)),
        Kind::Enum { options } => options.as_array().map(Vec::as_slice),
        _ => None,
    }
}

/// In the order of [`misfit`].
pub(super) type BranchMisfit = (bool, usize, Reverse<usize>, usize);

/// Returns how badly the value of `union` fits `alternative`, given its `failures`. Compared in
/// this order: the type, the listed values for it and its keys, how few of its keys the alternative
/// knows, the number of failures.
pub(super) fn misfit(
    is_wrong_type: bool,
    union: &KeywordFailure<'_>,
    alternative: &Value,
    failures: &KeywordFailures<'_>,
) -> BranchMisfit {
    let depth = |failure: &KeywordFailure<'_>| failure.path.segments().len();
    let is_near =
        |failure: &&KeywordFailure<'_>| listed(failure).is_some() && depth(failure) <= depth(union) + 1;
    let wrong_constants = failures.list.iter().filter(is_near).count();
    // A flattened value that may be absent: its keys are present, so it was not meant to be.
    let wants_nothing = |failure: &KeywordFailure<'_>| {
        let is_null = |kind: &Kind| matches!(kind, Kind::Type { kind: TypeKind::Single(JsonType::Null) });
        depth(failure) == depth(union) + 1 && failure.cause.kind().is_some_and(is_null)
    };
    let is_absence = alternative.get("required").is_none() && failures.list.iter().any(wants_nothing);
    let is_wrong_type = is_wrong_type || is_absence;
    (is_wrong_type, wrong_constants, Reverse(known_keys(union.value, alternative)), failures.count)
}

/// Returns how many of the first keys of `value` are not in `schema`.
pub(super) fn unshared_keys(value: &Value, schema: &Value) -> usize {
    let Some(value) = value.as_object() else { return 0 };
    let is_unknown = |key: &&String| !properties(schema).is_some_and(|known| known.contains_key(*key));
    value.keys().take(MAX_COMPARED).filter(is_unknown).count()
}

/// Two points for each key of `value` that `schema` names, one for each that resembles one of its
/// names.
fn known_keys(value: &Value, schema: &Value) -> usize {
    let (Some(value), Some(properties)) = (value.as_object(), properties(schema)) else { return 0 };
    let points = |key: &String| {
        if properties.contains_key(key) {
            return 2;
        }
        let free = properties.keys().map(String::as_str).filter(|name| !value.contains_key(*name));
        usize::from(suggest::nearest(key, free.take(MAX_COMPARED)).is_some())
    };
    value.keys().take(MAX_COMPARED).map(points).sum()
}
