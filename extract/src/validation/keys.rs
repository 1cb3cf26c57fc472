//! Violations of the keys of an object.

use serde_json::Value;

use super::{
    nodes::{AllowedKeys, KeyRule, SchemaNodes},
    report::ViolationReport,
    walk::{FailureCause, KeywordFailure, ValidationWalk},
};
use crate::vocabulary::{
    path::Path,
    suggest::{self, MAX_COMPARED},
    text::{quoted, ticked},
    violation::{Code, Violation},
};

/// Maximum number of violations for one key that is not allowed.
const MAX_KEY_FAILURES: usize = 20;

/// Adds the violations of `key`, a key of an object, against `schema`, the schema of its keys.
pub(super) fn push_wrong<'a>(
    key: &str,
    schema: &'a Value,
    failure: &KeywordFailure<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    let name = Value::from(key);
    let walk = walk.fresh();
    for failure in walk.failures(schema, schema, &name, failure.path.clone().key(key), MAX_KEY_FAILURES).list
    {
        let mut inside = report.fresh_for_key();
        inside.explain(&failure, &walk);
        let expected = inside.into_violations().into_iter().find_map(|violation| violation.expected);
        let mut violation = Violation::new(failure.path.clone(), Code::InvalidValue, "not an allowed key");
        // `false` allows no key at all, which the message says already.
        violation.expected = expected.filter(|_| !matches!(failure.cause, FailureCause::False));
        report.push(violation.keyword("propertyNames").actual(quoted(key)));
    }
}

/// The violation for the required key `property`, which is absent. `beside` is the key whose
/// presence requires it.
pub(super) fn missing<'a>(
    property: &Value,
    beside: Option<&str>,
    failure: &KeywordFailure<'a>,
    walk: &ValidationWalk<'a>,
) -> Violation {
    let key = property.as_str().unwrap_or_default();
    let required = match beside {
        Some(other) => format!("required beside {}, but absent", ticked(other)),
        None => "required, but absent".to_owned(),
    };
    let violation = Violation::new(failure.path.clone().key(key), Code::MissingField, required);
    let violation = violation.expected(expected_under(key, failure, walk));
    let violation = violation.keyword(if beside.is_some() { "dependentRequired" } else { "required" });
    let misnamed = misnamed(key, failure, walk).map(suggest::looks_like);
    let inside =
        || Some(format!("it is inside of {}, where it does not belong", ticked(holder(key, failure, walk)?)));
    match misnamed.or_else(inside) {
        Some(hint) => violation.hint(hint),
        None => violation,
    }
}

/// The unknown key of the object whose value is an object with `key`.
fn holder<'a>(key: &str, failure: &KeywordFailure<'a>, walk: &ValidationWalk<'a>) -> Option<&'a str> {
    let mut members = failure.value.as_object()?.iter().take(MAX_COMPARED);
    let is_unknown = |name: &str| SchemaNodes::new(&walk.view, [failure.whole]).property(name).is_none();
    let (name, _) = members.find(|(name, value)| value.get(key).is_some() && is_unknown(name))?;
    Some(name)
}

/// Describes the values allowed under `key` of the value of `failure`.
pub(super) fn expected_under<'a>(
    key: &str,
    failure: &KeywordFailure<'a>,
    walk: &ValidationWalk<'a>,
) -> String {
    let own = failure.schema.get("properties").and_then(|properties| properties.get(key));
    // Alternatives that only require keys leave the schema of the values to the enclosing schema.
    let found = own.or_else(|| SchemaNodes::new(&walk.view, [failure.whole]).property(key));
    found.map_or_else(|| "a value".to_owned(), |found| walk.words(found).to_string())
}

/// The unknown key of the object that was probably meant to be `key`.
fn misnamed<'a>(key: &str, failure: &KeywordFailure<'a>, walk: &ValidationWalk<'a>) -> Option<&'a str> {
    // An object with thousands of keys is not a record with one wrong name.
    let given = failure.value.as_object().filter(|object| object.len() <= MAX_COMPARED)?;
    let own = failure.schema.get("properties").and_then(Value::as_object);
    let unknown =
        given.keys().map(String::as_str).filter(|given| !own.is_some_and(|own| own.contains_key(*given)));
    let near = suggest::nearest(key, unknown)?;
    // A key that is unknown here may be known elsewhere in the schema.
    SchemaNodes::new(&walk.view, [failure.whole]).property(near).is_none().then_some(near)
}

/// Adds violations for `keys`, which the object may not have.
pub(super) fn push_unknown<'a>(
    keys: &[&str],
    by: KeyRule,
    failure: &KeywordFailure<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    let allowed = walk.allowed(failure.schema, by);
    push_each(keys.iter().copied(), &allowed, failure, report);
}

/// Adds violations for all keys of an object that may have none.
pub(super) fn push_all(failure: &KeywordFailure<'_>, report: &mut ViolationReport) {
    let keys = failure.value.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    push_each(keys, &AllowedKeys::new(Vec::new(), &[], "propertyNames"), failure, report);
}

fn push_each<'k>(
    mut keys: impl Iterator<Item = &'k str>,
    allowed: &AllowedKeys<'_>,
    failure: &KeywordFailure<'_>,
    report: &mut ViolationReport,
) {
    while report.has_room()
        && let Some(key) = keys.next()
    {
        report.push(unknown(&failure.path, key, failure.value, allowed));
    }
    report.omit(keys.count());
}

fn unknown(at: &Path, key: &str, object: &Value, allowed: &AllowedKeys<'_>) -> Violation {
    let is_free = |name: &&str| object.get(*name).is_none();
    let meant = suggest::meant(key, allowed.names.iter().copied().take(MAX_COMPARED).filter(is_free));
    let mut violation = Violation::new(at.clone().key(key), Code::UnknownField, "unknown key");
    violation.hint = meant.map(|meant| suggest::did_you_mean(&ticked(meant)));
    violation.actual = object.get(key).map(quoted);
    violation.expected(&*allowed.expected).keyword(allowed.keyword)
}
