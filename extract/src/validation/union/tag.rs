//! What tells alternatives apart.

use serde_json::{Map, Value};

use super::{Branch, fit::properties};
use crate::{
    Code, Path, Violation,
    text::{quoted, quoted_list},
    validation::{schema_errors::not_listed, suggest},
};

/// What the tag of a value says.
pub(super) enum Chosen<'e> {
    /// It names this alternative.
    Branch(Branch<'e>),
    /// It names none, or is absent.
    Wrong(Box<Violation>),
    /// The alternatives have no tag.
    Unknown,
}

/// The alternative that the tag of `value`, which stands at `at`, names.
pub(super) fn choose<'e>(value: &Value, branches: &[Branch<'e>], at: &Path) -> Chosen<'e> {
    let objects: Vec<_> =
        branches.iter().copied().filter(|branch| properties(branch.schema).is_some()).collect();
    if objects.len() < 2 {
        return Chosen::Unknown;
    }
    if let Some(tags) = only_keys(&objects) {
        return by_only_key(value, &objects, &tags, branches, at);
    }
    match (value.as_object(), shared_tag(&objects)) {
        (Some(object), Some(tag)) => by_shared_tag(object, &objects, tag, at),
        _ => Chosen::Unknown,
    }
}

/// The one key of each alternative, where each has just one (serde's external tagging) and all differ.
fn only_keys<'e>(objects: &[Branch<'e>]) -> Option<Vec<&'e str>> {
    let mut keys = Vec::new();
    for branch in objects {
        let mut names = properties(branch.schema)?.keys();
        let (name, None) = (names.next()?, names.next()) else { return None };
        if branch.schema.get("additionalProperties") != Some(&Value::Bool(false))
            || keys.contains(&name.as_str())
        {
            return None;
        }
        keys.push(name);
    }
    Some(keys)
}

fn by_only_key<'e>(
    value: &Value,
    objects: &[Branch<'e>],
    tags: &[&str],
    branches: &[Branch<'e>],
    at: &Path,
) -> Chosen<'e> {
    let Some(object) = value.as_object() else {
        return Chosen::Unknown;
    };
    let mut given = objects.iter().zip(tags).filter(|(_, tag)| object.contains_key(**tag));
    let names: Vec<Value> = tags.iter().map(|tag| Value::from(*tag)).collect();
    let mut expected = format!("an object with exactly one of the keys {}", quoted_list(names.iter()));
    let words: Vec<&Value> = branches.iter().flat_map(|branch| constants(branch.schema)).collect();
    if !words.is_empty() {
        expected = format!("{expected}, or one of {}", quoted_list(words.into_iter()));
    }
    let violation = match (given.next(), given.next()) {
        (Some((branch, _)), None) => return Chosen::Branch(*branch),
        (Some(_), Some(_)) => Violation::new(at.clone(), Code::InvalidValue, "several alternatives at once")
            .actual(quoted(value)),
        (None, _) => match object.iter().next().filter(|_| object.len() == 1) {
            Some((key, value)) => {
                let message = match suggest::nearest(key, tags.iter().copied()) {
                    Some(meant) => format!("no such alternative; did you mean `{meant}`?"),
                    None => "no such alternative".to_owned(),
                };
                Violation::new(at.clone().key(key), Code::UnknownField, message).actual(quoted(value))
            }
            None => {
                Violation::new(at.clone(), Code::MissingField, "the key that names the alternative is absent")
                    .actual(quoted(value))
            }
        },
    };
    Chosen::Wrong(Box::new(violation.expected(expected)))
}

/// The key for which every alternative lists values of its own (serde's internal and adjacent tagging).
fn shared_tag<'e>(objects: &[Branch<'e>]) -> Option<&'e str> {
    let (first, rest) = objects.split_first()?;
    let is_tag = |name: &str, schema: &Value| {
        let own: Vec<&Value> = constants(schema).collect();
        let mut seen = own.clone();
        !own.is_empty()
            && rest.iter().all(|branch| {
                let others: Vec<&Value> = tag_values(branch, name).collect();
                let differs = !others.is_empty() && others.iter().all(|other| !seen.contains(other));
                seen.extend(others);
                differs
            })
    };
    properties(first.schema)?
        .iter()
        .find(|(name, schema)| is_tag(name, schema))
        .map(|(name, _)| name.as_str())
}

fn tag_values<'e>(branch: &Branch<'e>, tag: &str) -> impl Iterator<Item = &'e Value> {
    properties(branch.schema).and_then(|properties| properties.get(tag)).into_iter().flat_map(constants)
}

fn by_shared_tag<'e>(
    object: &Map<String, Value>,
    objects: &[Branch<'e>],
    tag: &str,
    at: &Path,
) -> Chosen<'e> {
    let options = || objects.iter().flat_map(|branch| tag_values(branch, tag)).cloned().collect::<Vec<_>>();
    let path = at.clone().key(tag);
    let Some(given) = object.get(tag) else {
        let expected = format!("one of {}", quoted_list(options().iter()));
        let known = object.keys().map(String::as_str);
        let message = match suggest::nearest(tag, known) {
            Some(similar) => format!("required, but absent; `{similar}` looks like it"),
            None => "required, but absent".to_owned(),
        };
        return Chosen::Wrong(Box::new(Violation::new(path, Code::MissingField, message).expected(expected)));
    };
    match objects.iter().find(|branch| tag_values(branch, tag).any(|value| value == given)) {
        Some(branch) => Chosen::Branch(*branch),
        None => Chosen::Wrong(Box::new(not_listed(path, &options(), given))),
    }
}

/// The values that `schema` lists.
fn constants(schema: &Value) -> impl Iterator<Item = &Value> {
    let listed = schema.get("enum").and_then(Value::as_array);
    schema.get("const").into_iter().chain(listed.into_iter().flatten())
}
