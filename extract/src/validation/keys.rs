//! What is wrong with the keys of an object.

use serde_json::Value;

use super::{
    nodes::Nodes,
    report::Report,
    schema_errors,
    suggest::{self, MAX_COMPARED},
    walk::{Fault, Walk},
};
use crate::{
    path::Path,
    schema::is_deprecated,
    text::{cut, named, quoted, ticked},
    violation::{Code, Violation},
};

/// What is expected where no key is allowed.
const NO_KEY: &str = "no such key";

/// What is said of a key, not of the value under it.
pub(super) const NOT_A_KEY: &str = "not an allowed key";

/// Reasons that are told why one key is not allowed.
const MAX_KEY_FAULTS: usize = 20;

/// Keys that are named where others may not be.
const MAX_NAMED: usize = 40;

/// Characters of a pattern of keys.
const MAX_PATTERN_CHARS: usize = 160;

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
        let mut inside = Report::default();
        schema_errors::push(&fault, &walk, &mut inside);
        let expected = inside.into_violations().into_iter().find_map(|violation| violation.expected);
        let violation = Violation::new(fault.path.clone(), Code::InvalidValue, NOT_A_KEY);
        let violation = match expected.as_deref() {
            None | Some(NO_KEY) => violation,
            Some(expected) => match expected.strip_prefix("text ") {
                Some(form) => violation.expected(format!("a key {form}")),
                None if expected.starts_with("at ") => violation.expected(format!("a key of {expected}")),
                None => violation.expected(format!("a key that is {expected}")),
            },
        };
        report.push(violation.actual(quoted(key)));
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
    let message = match misnamed(key, fault, walk) {
        Some(given) => format!("{required}; {} looks like it", ticked(given)),
        None => required,
    };
    let violation = Violation::new(fault.path.clone().key(key), Code::MissingField, message);
    violation.expected(expected_under(key, fault, walk))
}

/// What is allowed under `key` of the value that `fault` speaks of.
pub(super) fn expected_under<'a>(key: &str, fault: &Fault<'a>, walk: &Walk<'a>) -> String {
    let own = fault.schema.get("properties").and_then(|properties| properties.get(key));
    // Alternatives that ask for keys only leave it to what is around them to say what stands there.
    let found = own.or_else(|| Nodes::new(walk.schema, [fault.whole]).property(key));
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
    Nodes::new(walk.schema, [fault.whole]).property(near).is_none().then_some(near)
}

/// The keys that an object may have.
pub(super) struct Allowed<'s> {
    names: Vec<&'s str>,
    /// All of them, in words.
    expected: String,
}

impl<'s> Allowed<'s> {
    /// By `schema`, in which `unevaluatedProperties` or else `additionalProperties` stands. Where `is_unevaluated`, references
    /// and alternatives beside it count as well.
    pub(super) fn of(schema: &'s Value, is_unevaluated: bool, root: &'s Value) -> Self {
        if is_unevaluated {
            let nodes = Nodes::new(root, [schema]);
            return Self::new(nodes.keys("properties"), &nodes.keys("patternProperties"));
        }
        let keys = |keyword: &str| {
            let found = schema.get(keyword).and_then(Value::as_object);
            let found = found.into_iter().flatten();
            // Other names that are still understood are not worth mentioning.
            let current = found.filter(|(_, schema)| !is_deprecated(schema));
            current.map(|(key, _)| key.as_str()).collect::<Vec<_>>()
        };
        Self::new(keys("properties"), &keys("patternProperties"))
    }

    fn new(names: Vec<&'s str>, patterns: &[&str]) -> Self {
        let patterns = first_of(patterns, |pattern| cut(pattern, MAX_PATTERN_CHARS));
        let listed = first_of(&names, named);
        let expected = match (listed.is_empty(), patterns.is_empty()) {
            (true, true) => NO_KEY.to_owned(),
            (false, true) => ["only the keys ", &listed].concat(),
            (true, false) => format!("only keys that match {patterns}"),
            (false, false) => format!("only the keys {listed} and keys that match {patterns}"),
        };
        Self { names, expected }
    }
}

/// The first of `names` as `shown`, and the number of those left out.
pub(super) fn first_of(names: &[&str], shown: impl Fn(&str) -> String) -> String {
    let told: Vec<_> = names.iter().take(MAX_NAMED).map(|name| shown(name)).collect();
    match names.len().saturating_sub(MAX_NAMED) {
        0 => told.join(", "),
        left_out => format!("{}, … {left_out} more", told.join(", ")),
    }
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
    push_each(keys, &Allowed::new(Vec::new(), &[]), fault, report);
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
    let message = match meant {
        Some(meant) => ["unknown key; did you mean ", &ticked(meant), "?"].concat(),
        None => "unknown key".to_owned(),
    };
    let violation = Violation::new(at.clone().key(key), Code::UnknownField, message);
    let violation = violation.expected(&*allowed.expected);
    match object.get(key) {
        Some(value) => violation.actual(quoted(value)),
        None => violation,
    }
}
