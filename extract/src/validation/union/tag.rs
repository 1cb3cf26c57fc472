//! What tells alternatives apart.

use serde_json::{Map, Value};

use super::{Branch, Failed, fit::properties};
use crate::{
    Code, Violation,
    schema::is_deprecated,
    text::{quoted, quoted_list, ticked},
    validation::{nodes::constants, schema_errors::not_listed, suggest},
};

/// What the tag of a value says.
pub(super) enum Chosen<'e> {
    /// It names this alternative.
    Branch(Branch<'e>),
    /// It names none, or is absent.
    Wrong(Box<Violation>),
    /// It names none, but nearly this one.
    Meant(Box<Violation>, Branch<'e>),
    /// The alternatives have no tag.
    Unknown,
}

/// The alternative that the tag of `object` names. `is_exclusive` where no two alternatives may be at once.
pub(super) fn choose<'e>(
    object: &Map<String, Value>,
    branches: &[Branch<'e>],
    is_exclusive: bool,
    value: &Failed<'_>,
) -> Chosen<'e> {
    let objects: Vec<_> =
        branches.iter().copied().filter(|branch| properties(branch.schema).is_some()).collect();
    let schemas: Vec<_> = objects.iter().map(|branch| branch.schema).collect();
    let are_words = |branch: &Branch<'_>| constants(branch.schema).next().is_some();
    let has_words = branches.iter().any(are_words);
    if objects.is_empty() || objects.len() == 1 && !has_words {
        return Chosen::Unknown;
    }
    if let Some(tags) = only_keys(&schemas, is_exclusive) {
        return by_only_key(object, &objects, &tags, branches, value);
    }
    match shared_tag(&schemas).filter(|_| objects.len() > 1) {
        Some(tag) => by_shared_tag(object, &objects, tag, value),
        None => Chosen::Unknown,
    }
}

/// The names of the only key of each alternative, where each has just one (serde's external tagging) and all differ. Behind
/// its name stand those that are understood as well. Where no two alternatives may be at once, such a key may stand among
/// others (serde's flattening).
pub(super) fn only_keys<'e>(objects: &[&'e Value], is_exclusive: bool) -> Option<Vec<Vec<&'e str>>> {
    let mut keys: Vec<Vec<&str>> = Vec::new();
    for schema in objects {
        let properties = properties(schema)?;
        let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
        let is_alias = |name: &str| is_deprecated(&properties[name]);
        names.sort_by_key(|name| is_alias(name));
        let (first, aliases) = names.split_first()?;
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let is_required =
            schema.get("required").and_then(Value::as_array).is_some_and(|all| all == &[*first]);
        let is_known = keys.iter().flatten().any(|known| names.contains(known));
        if !(is_closed || is_exclusive && is_required)
            || is_known
            || !aliases.iter().all(|name| is_alias(name))
        {
            return None;
        }
        keys.push(names);
    }
    Some(keys)
}

/// An object with one of `keys`, in words.
pub(super) fn with_one_of(keys: &[Vec<&str>]) -> String {
    let names: Vec<Value> =
        keys.iter().filter_map(|names| names.first()).map(|name| Value::from(*name)).collect();
    match &names[..] {
        [only] => format!("an object with the key {only}"),
        _ => format!("an object with exactly one of the keys {}", quoted_list(names.iter())),
    }
}

fn by_only_key<'e>(
    object: &Map<String, Value>,
    objects: &[Branch<'e>],
    tags: &[Vec<&str>],
    branches: &[Branch<'e>],
    value: &Failed<'_>,
) -> Chosen<'e> {
    let is_given = |names: &Vec<&str>| names.iter().any(|name| object.contains_key(*name));
    let mut given = objects.iter().zip(tags).filter(|(_, names)| is_given(names));
    let (at, all) = (&value.at, || quoted(value.value));
    let is_closed = objects.iter().all(|branch| branch.schema.get("additionalProperties").is_some());
    let violation = match (given.next(), given.next()) {
        (Some((branch, _)), None) => return Chosen::Branch(*branch),
        (Some(_), Some(_)) => {
            Violation::new(at.clone(), Code::InvalidValue, "several alternatives at once").actual(all())
        }
        (None, _) => match object.iter().next().filter(|_| object.len() == 1 && is_closed) {
            Some((key, _)) if is_word(key, branches) => {
                let message = format!("{} is a text of its own, not a key", Value::from(key.as_str()));
                let violation = Violation::new(at.clone(), Code::WrongType, message).actual(all());
                return Chosen::Wrong(Box::new(violation.expected(Value::from(key.as_str()).to_string())));
            }
            Some((key, inside)) => {
                let message = match suggest::meant(key, tags.iter().flatten().copied()) {
                    Some(meant) => format!("no such alternative; did you mean {}?", ticked(meant)),
                    None => "no such alternative".to_owned(),
                };
                Violation::new(at.clone().key(key), Code::UnknownField, message).actual(quoted(inside))
            }
            None => {
                let keys = || object.keys().map(String::as_str);
                let near = tags.iter().flatten().find_map(|tag| Some((suggest::nearest(tag, keys())?, *tag)));
                let mut message = "the key that names the alternative is absent".to_owned();
                if let Some((given, tag)) = near {
                    message = format!("{message}; {} looks like {}", ticked(given), ticked(tag));
                }
                Violation::new(at.clone(), Code::MissingField, message).actual(all())
            }
        },
    };
    let mut expected = with_one_of(tags);
    let words: Vec<&Value> = branches.iter().flat_map(|branch| constants(branch.schema)).collect();
    if !words.is_empty() {
        expected = format!("{expected}, or one of {}", quoted_list(words.into_iter()));
    }
    Chosen::Wrong(Box::new(violation.expected(expected)))
}

fn is_word(key: &str, branches: &[Branch<'_>]) -> bool {
    branches.iter().flat_map(|branch| constants(branch.schema)).any(|word| word == key)
}

/// The key for which every alternative lists values of its own (serde's internal and adjacent tagging).
pub(super) fn shared_tag<'e>(objects: &[&'e Value]) -> Option<&'e str> {
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
    properties(first)?.iter().find(|(name, schema)| is_tag(name, schema)).map(|(name, _)| name.as_str())
}

pub(super) fn tag_values<'e>(schema: &'e Value, tag: &str) -> impl Iterator<Item = &'e Value> {
    properties(schema).and_then(|properties| properties.get(tag)).into_iter().flat_map(constants)
}

fn by_shared_tag<'e>(
    object: &Map<String, Value>,
    objects: &[Branch<'e>],
    tag: &str,
    value: &Failed<'_>,
) -> Chosen<'e> {
    let options: Vec<_> = objects.iter().flat_map(|branch| tag_values(branch.schema, tag)).cloned().collect();
    let path = value.at.clone().key(tag);
    let named = |given: &Value| {
        objects.iter().find(|branch| tag_values(branch.schema, tag).any(|value| value == given)).copied()
    };
    let Some(given) = object.get(tag) else {
        let message = match instead_of(tag, object, objects, &options) {
            Some(similar) => format!("required, but absent; {} looks like it", ticked(similar)),
            None => "required, but absent".to_owned(),
        };
        let expected = format!("one of {}", quoted_list(options.iter()));
        return Chosen::Wrong(Box::new(Violation::new(path, Code::MissingField, message).expected(expected)));
    };
    if let Some(branch) = named(given) {
        return Chosen::Branch(branch);
    }
    let texts = options.iter().filter_map(Value::as_str);
    let meant = given.as_str().and_then(|given| suggest::nearest(given, texts));
    let violation = Box::new(not_listed(path, &options, given));
    match meant.and_then(|meant| named(&Value::from(meant))) {
        Some(branch) => Chosen::Meant(violation, branch),
        None => Chosen::Wrong(violation),
    }
}

/// The key that stands in the place of `tag`: one that looks like it, or that no alternative knows and holds a tag.
fn instead_of<'o>(
    tag: &str,
    object: &'o Map<String, Value>,
    objects: &[Branch<'_>],
    options: &[Value],
) -> Option<&'o str> {
    let is_known = |key: &str| {
        objects
            .iter()
            .any(|branch| properties(branch.schema).is_some_and(|properties| properties.contains_key(key)))
    };
    let unknown = || object.iter().filter(|(key, _)| !is_known(key));
    suggest::nearest(tag, unknown().map(|(key, _)| key.as_str()))
        .or_else(|| unknown().find(|(_, value)| options.contains(value)).map(|(key, _)| key.as_str()))
}
