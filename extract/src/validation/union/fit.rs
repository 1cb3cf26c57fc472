//! How well a value fits an alternative that it does not satisfy.

use std::{cmp::Reverse, mem::discriminant};

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::validation::{
    alternatives::properties,
    suggest::{self, MAX_COMPARED},
    walk::{Fault, Faults},
};

/// Whether `schema`, of which references are followed, may be a union and nothing else.
pub(super) fn may_be_union(schema: &Value) -> bool {
    const LEADING: [&str; 7] = ["anyOf", "oneOf", "allOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];
    LEADING.iter().any(|keyword| schema.get(keyword).is_some())
}

/// Whether `fault`, one of the value itself, says that the alternative wants another type.
pub(super) fn is_of_type(fault: &Fault<'_>) -> bool {
    if matches!(fault.cause.kind(), Some(Kind::Type { .. })) {
        return true;
    }
    // Where values of other types are listed, this one was meant for something else.
    let kind = discriminant(fault.value);
    listed(fault).is_some_and(|listed| listed.iter().all(|value| discriminant(value) != kind))
}

/// The values that an alternative would accept in the place of `fault`, if it lists them.
pub(super) fn listed<'f>(fault: &'f Fault<'_>) -> Option<&'f [Value]> {
    match fault.cause.kind()? {
        Kind::Constant { expected_value } => Some(std::slice::from_ref(&**expected_value)),
        Kind::Enum { options } => options.as_array().map(Vec::as_slice),
        _ => None,
    }
}

/// In the order of [`misfit`].
pub(super) type Misfit = (bool, usize, Reverse<usize>, usize);

/// How badly the value of `union` fits `alternative`, where it has `faults`: first by its own type, then by the values that
/// are listed for it and its keys, then by how few of its keys the alternative knows, then by the number of faults.
pub(super) fn misfit(
    is_wrong_type: bool,
    union: &Fault<'_>,
    alternative: &Value,
    faults: &Faults<'_>,
) -> Misfit {
    let depth = |fault: &Fault<'_>| fault.path.segments().len();
    let is_near = |fault: &&Fault<'_>| listed(fault).is_some() && depth(fault) <= depth(union) + 1;
    let wrong_constants = faults.list.iter().filter(is_near).count();
    (is_wrong_type, wrong_constants, Reverse(known_keys(union.value, alternative)), faults.count)
}

/// How many of the first keys of `value` are not named by `schema`.
pub(super) fn unshared_keys(value: &Value, schema: &Value) -> usize {
    let Some(value) = value.as_object() else { return 0 };
    let is_unknown = |key: &&String| !properties(schema).is_some_and(|known| known.contains_key(*key));
    value.keys().take(MAX_COMPARED).filter(is_unknown).count()
}

/// Two for each key of `value` that `schema` names, one for each that looks like one of its names.
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
