//! What is wrong with the keys of an object.

use serde_json::Value;

use super::{
    allowed::Allowed,
    nodes::Nodes,
    report::Report,
    suggest::{self, MAX_COMPARED},
    walk::{Cause, Fault, Walk},
};
use crate::{
    path::Path,
    text::{quoted, ticked},
    violation::{Code, Violation},
};

/// Reasons that are told why one key is not allowed.
const MAX_KEY_FAULTS: usize = 20;

/// What is wrong with `key` of an object, by the schema of its keys.
pub(super) fn push_wrong<'a>(
    key: &str,
    schema: &'a Value,
    fault: &Fault<'a>,
    walk: &Walk<'a>,
    report: &mut Report,
) {
    let name = Value::from(key);
    let walk = walk.anew();
    for fault in walk.faults(schema, schema, &name, fault.path.clone().key(key), MAX_KEY_FAULTS).list {
        let mut inside = report.anew_for_key();
        inside.explain(&fault, &walk);
        let expected = inside.into_violations().into_iter().find_map(|violation| violation.expected);
        let mut violation = Violation::new(fault.path.clone(), Code::InvalidValue, "not an allowed key");
        // `false` allows no key at all, which the message says already.
        violation.expected = expected.filter(|_| !matches!(fault.cause, Cause::False));
        report.push(violation.keyword("propertyNames").actual(quoted(key)));
    }
}

/// The key `property` of an object is absent, which is required, maybe because the key `beside` is there.
pub(super) fn missing<'a>(
    property: &Value,
    beside: Option<&str>,
    fault: &Fault<'a>,
    walk: &Walk<'a>,
) -> Violation {
    let key = property.as_str().unwrap_or_default();
    let required = match beside {
        Some(other) => format!("required beside {}, but absent", ticked(other)),
        None => "required, but absent".to_owned(),
    };
    let violation = Violation::new(fault.path.clone().key(key), Code::MissingField, required);
    let violation = violation.expected(expected_under(key, fault, walk));
    let violation = violation.keyword(if beside.is_some() { "dependentRequired" } else { "required" });
    match misnamed(key, fault, walk) {
        Some(given) => violation.hint(suggest::looks_like(given)),
        None => violation,
    }
}

/// What is allowed under `key` of the value that `fault` speaks of.
pub(super) fn expected_under<'a>(key: &str, fault: &Fault<'a>, walk: &Walk<'a>) -> String {
    let own = fault.schema.get("properties").and_then(|properties| properties.get(key));
    // Alternatives that ask for keys only leave it to what is around them to say what stands there.
    let found = own.or_else(|| Nodes::new(&walk.view, [fault.whole]).property(key));
    found.map_or_else(|| "a value".to_owned(), |found| walk.words(found).to_string())
}

/// The key of the object that was probably meant to be `key`: one that the schema does not know.
fn misnamed<'a>(key: &str, fault: &Fault<'a>, walk: &Walk<'a>) -> Option<&'a str> {
    // An object of thousands of keys is no record with one name wrong.
    let given = fault.value.as_object().filter(|object| object.len() <= MAX_COMPARED)?;
    let own = fault.schema.get("properties").and_then(Value::as_object);
    let unknown =
        given.keys().map(String::as_str).filter(|given| !own.is_some_and(|own| own.contains_key(*given)));
    let near = suggest::nearest(key, unknown)?;
    // What the key's own schema does not know may be known beside it.
    Nodes::new(&walk.view, [fault.whole]).property(near).is_none().then_some(near)
}

/// Adds `keys`, which an object may not have.
pub(super) fn push_unknown<'a>(
    keys: &[&str],
    is_unevaluated: bool,
    fault: &Fault<'a>,
    walk: &Walk<'a>,
    report: &mut Report,
) {
    let allowed = walk.allowed(fault.schema, is_unevaluated);
    push_each(keys.iter().copied(), &allowed, fault, report);
}

/// Adds all keys of an object that may have none.
pub(super) fn push_all(fault: &Fault<'_>, report: &mut Report) {
    let keys = fault.value.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    push_each(keys, &Allowed::new(Vec::new(), &[], "propertyNames"), fault, report);
}

fn push_each<'k>(
    mut keys: impl Iterator<Item = &'k str>,
    allowed: &Allowed<'_>,
    fault: &Fault<'_>,
    report: &mut Report,
) {
    while report.has_room()
        && let Some(key) = keys.next()
    {
        report.push(unknown(&fault.path, key, fault.value, allowed));
    }
    report.leave_out(keys.count());
}

fn unknown(at: &Path, key: &str, object: &Value, allowed: &Allowed<'_>) -> Violation {
    let is_free = |name: &&str| object.get(*name).is_none();
    let meant = suggest::meant(key, allowed.names.iter().copied().take(MAX_COMPARED).filter(is_free));
    let mut violation = Violation::new(at.clone().key(key), Code::UnknownField, "unknown key");
    violation.hint = meant.map(|meant| suggest::did_you_mean(&ticked(meant)));
    violation.actual = object.get(key).map(quoted);
    violation.expected(&*allowed.expected).keyword(allowed.keyword)
}
