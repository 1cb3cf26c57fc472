//! Alternatives that differ in their required keys, such as the names that serde accepts for one
//! field.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    schema::is_deprecated,
    validation::{
        describe::required_keys,
        keys::expected_under,
        nodes::SchemaNodes,
        walk::{KeywordFailure, ValidationWalk},
    },
    vocabulary::{
        suggest::{self, MAX_COMPARED},
        text::{quoted, quoted_list, ticked},
        violation::{Code, Violation},
    },
};

/// Maximum number of keys of a value that are compared with the names of alternatives. A value
/// meant for an alternative has few other keys.
pub(super) const MAX_KEYS: usize = 20;

/// Maximum number of alternatives that are named beside the nearest one.
const MAX_GROUPS: usize = 40;

/// The violations of `object`, the value of `failure`, which lacks the required keys of every
/// alternative. `None` if the alternatives differ in more than their keys.
pub(super) fn absent<'a>(
    failure: &KeywordFailure<'a>,
    object: &Map<String, Value>,
    alternatives: &[&'a Value],
    walk: &ValidationWalk<'a>,
) -> Option<Vec<Violation>> {
    let groups: Vec<_> =
        alternatives.iter().map(|schema| required_keys(schema.as_object()?)).collect::<Option<_>>()?;
    let is_absent = |key: &&str| !object.contains_key(*key);
    let nearest = groups.iter().min_by_key(|group| group.iter().filter(|key| is_absent(key)).count())?;
    let whole = SchemaNodes::new(&walk.view, [failure.whole]);
    let others: Vec<_> = groups
        .iter()
        .filter(|group| *group != nearest)
        .filter_map(|group| group.iter().copied().find(is_absent))
        .take(MAX_GROUPS)
        .filter(|key| !is_old_name(key, &whole))
        .map(ticked)
        .collect();
    let known: HashSet<&str> = groups.iter().flatten().copied().collect();
    let is_unknown = |key: &&str| !known.contains(key) && whole.property(key).is_none();
    let unknown: Vec<_> = object.keys().map(String::as_str).take(MAX_KEYS).filter(is_unknown).collect();
    // A name that resembles another name of the same field counts too.
    let mut wanted = groups.iter().flatten().take(MAX_COMPARED);
    let given = wanted.find_map(|key| suggest::nearest(key, unknown.iter().copied()));
    let hint = match given {
        Some(given) => Some(suggest::looks_like(given)),
        None => (!others.is_empty()).then(|| format!("or {} instead", others.join(" or "))),
    };
    let violation = |key: &&str| {
        let mut violation =
            Violation::new(failure.path.clone().key(key), Code::MissingField, "required, but absent");
        violation.hint.clone_from(&hint);
        violation.expected(expected_under(key, failure, walk)).keyword("required")
    };
    let absent: Vec<_> = nearest.iter().filter(|key| is_absent(key)).map(violation).collect();
    // If no key is absent, something beside a reference is wrong.
    (!absent.is_empty()).then_some(absent)
}

fn is_old_name(key: &str, whole: &SchemaNodes<'_>) -> bool {
    whole.property(key).is_some_and(is_deprecated)
}

/// The violations of `object`, the value of `failure`, which satisfies all of `alternatives`
/// although only one is allowed.
pub(super) fn several<'a>(
    failure: &KeywordFailure<'a>,
    object: &Map<String, Value>,
    alternatives: &[&'a Value],
    walk: &ValidationWalk<'a>,
) -> Option<Vec<Violation>> {
    let keys: Vec<&str> = alternatives.iter().map(|schema| only_required(schema)).collect::<Option<_>>()?;
    let whole = SchemaNodes::new(&walk.view, [failure.whole]);
    let current = keys.iter().find(|key| !is_old_name(key, &whole)).or_else(|| keys.first())?;
    let names: Vec<_> = keys.iter().map(|key| Value::from(*key)).collect();
    let expected = format!("only one of the keys {}", quoted_list(names.iter()));
    let others: Vec<_> = keys.iter().filter(|key| *key != current).collect();
    if others.is_empty() {
        // They require the same key, and differ elsewhere.
        return None;
    }
    if !others.iter().all(|key| is_old_name(key, &whole)) {
        let violation =
            Violation::new(failure.path.clone(), Code::InvalidValue, "keys that exclude each other");
        return Some(vec![violation.expected(expected).actual(quoted_list(names.iter()))]);
    }
    let surplus = |key: &&&str| {
        let message = format!("another name of {}, which is there as well", ticked(current));
        let violation = Violation::new(failure.path.clone().key(**key), Code::InvalidValue, message);
        let actual = object.get(**key).map(quoted).unwrap_or_default();
        violation.expected(expected.clone()).actual(actual)
    };
    Some(others.iter().map(surplus).collect())
}

fn only_required(schema: &Value) -> Option<&str> {
    match schema.get("required")?.as_array()?.as_slice() {
        [Value::String(key)] => Some(key),
        _ => None,
    }
}
