//! What tells alternatives apart.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{MAX_KEYS, fit::properties};
use crate::{
    schema::is_deprecated,
    text::{quoted, quoted_list, ticked},
    validation::{
        nodes::constants,
        schema_errors::not_listed,
        suggest::{self, MAX_COMPARED},
        walk::Fault,
    },
    violation::{Code, Violation},
};

/// What the tag of a value says; an alternative is told by its position.
pub(super) enum Chosen {
    /// It names this alternative.
    Branch(usize),
    /// It names none, or is absent.
    Wrong(Box<Violation>),
    /// It names none, but nearly this one.
    Meant(Box<Violation>, usize),
    /// The alternatives have no tag.
    Unknown,
}

/// What tells the alternatives of one union apart.
#[derive(Default)]
pub(super) struct Tags<'a> {
    /// The alternatives that are objects, and where they stand among all.
    objects: Vec<(usize, &'a Value)>,
    by: By<'a>,
    /// Whether every alternative but the one that the tag names is sure not to fit.
    is_decisive: bool,
}

#[derive(Default)]
enum By<'a> {
    /// The only key of each object, and the other names that are understood for it.
    OnlyKey { names: Vec<Vec<&'a str>>, positions: HashMap<&'a str, usize> },
    /// This key, for which each object lists values of its own.
    Value { tag: &'a str, positions: HashMap<&'a Value, usize> },
    #[default]
    Nothing,
}

impl<'a> Tags<'a> {
    /// Of `alternatives`, with references followed. `is_exclusive` where no two of them may be at once.
    pub(super) fn of(alternatives: &[&'a Value], is_exclusive: bool) -> Self {
        let is_object = |(_, schema): &(usize, &Value)| properties(schema).is_some();
        let all = alternatives.iter().copied().enumerate();
        let (objects, others): (Vec<_>, Vec<_>) = all.partition(is_object);
        let schemas: Vec<_> = objects.iter().map(|(_, schema)| *schema).collect();
        let is_decisive = others.iter().all(|(_, schema)| takes_no_object(schema));
        let by = match (only_keys(&schemas, is_exclusive), shared_tag(&schemas)) {
            _ if objects.is_empty() => By::Nothing,
            (Some(names), _) => {
                let positions = objects.iter().zip(&names);
                let positions = positions.flat_map(|((at, _), names)| names.iter().map(|name| (*name, *at)));
                By::OnlyKey { positions: positions.collect(), names }
            }
            (None, Some(tag)) if objects.len() > 1 => {
                let positions =
                    objects.iter().flat_map(|(at, schema)| tag_values(schema, tag).map(|value| (value, *at)));
                By::Value { tag, positions: positions.collect() }
            }
            _ => By::Nothing,
        };
        Self { objects, by, is_decisive }
    }

    /// The only alternative that `object` can be, where its tag says so.
    pub(super) fn only(&self, object: &Map<String, Value>) -> Option<usize> {
        match &self.by {
            _ if !self.is_decisive => None,
            By::Value { tag, positions } => positions.get(object.get(*tag)?).copied(),
            By::OnlyKey { positions, .. } => match given(object, positions)[..] {
                [only] => Some(only),
                _ => None,
            },
            By::Nothing => None,
        }
    }

    /// The alternative that the tag of `object`, the value of `fault`, names. `alternatives` are all but null.
    pub(super) fn choose(
        &self,
        object: &Map<String, Value>,
        alternatives: &[&'a Value],
        fault: &Fault<'_>,
    ) -> Chosen {
        let has_words = || alternatives.iter().any(|schema| constants(schema).next().is_some());
        if self.objects.len() == 1 && !has_words() {
            return Chosen::Unknown;
        }
        match &self.by {
            By::OnlyKey { names, positions } => {
                let given = given(object, positions);
                self.by_only_key(object, &given, names, alternatives, fault)
            }
            By::Value { tag, positions } => self.by_shared_tag(object, tag, positions, fault),
            By::Nothing => Chosen::Unknown,
        }
    }

    fn by_only_key(
        &self,
        object: &Map<String, Value>,
        given: &[usize],
        names: &[Vec<&str>],
        alternatives: &[&Value],
        fault: &Fault<'_>,
    ) -> Chosen {
        let (at, all) = (&fault.path, || quoted(fault.value));
        let is_closed = self.objects.iter().all(|(_, schema)| schema.get("additionalProperties").is_some());
        let violation = match given {
            [only] => return Chosen::Branch(*only),
            [_, ..] => {
                Violation::new(at.clone(), Code::InvalidValue, "several alternatives at once").actual(all())
            }
            [] => match object.iter().next().filter(|_| object.len() == 1 && is_closed) {
                Some((key, _)) if is_word(key, alternatives) => {
                    let message = format!("{} is a text of its own, not a key", quoted(key));
                    let violation = Violation::new(at.clone(), Code::WrongType, message).actual(all());
                    return Chosen::Wrong(Box::new(violation.expected(quoted(key))));
                }
                Some((key, inside)) => {
                    let message = match suggest::meant(key, compared(names)) {
                        Some(meant) => format!("no such alternative; did you mean {}?", ticked(meant)),
                        None => "no such alternative".to_owned(),
                    };
                    Violation::new(at.clone().key(key), Code::UnknownField, message).actual(quoted(inside))
                }
                None => {
                    let mut message = "the key that names the alternative is absent".to_owned();
                    if let Some((given, tag)) = nearest_two(object, names) {
                        message = format!("{message}; {} looks like {}", ticked(given), ticked(tag));
                    }
                    Violation::new(at.clone(), Code::MissingField, message).actual(all())
                }
            },
        };
        let mut expected = with_one_of(names);
        let words: Vec<&Value> = alternatives.iter().flat_map(|schema| constants(schema)).collect();
        if !words.is_empty() {
            expected = format!("{expected}, or one of {}", quoted_list(words.into_iter()));
        }
        Chosen::Wrong(Box::new(violation.expected(expected)))
    }

    fn by_shared_tag(
        &self,
        object: &Map<String, Value>,
        tag: &str,
        positions: &HashMap<&Value, usize>,
        fault: &Fault<'_>,
    ) -> Chosen {
        let options: Vec<_> = self.objects.iter().flat_map(|(_, schema)| tag_values(schema, tag)).collect();
        let path = fault.path.clone().key(tag);
        let Some(given) = object.get(tag) else {
            let message = match self.instead_of(tag, object, positions) {
                Some(similar) => format!("required, but absent; {} looks like it", ticked(similar)),
                None => "required, but absent".to_owned(),
            };
            let expected = format!("one of {}", quoted_list(options.into_iter()));
            let violation = Violation::new(path, Code::MissingField, message).expected(expected);
            return Chosen::Wrong(Box::new(violation));
        };
        if let Some(position) = positions.get(given) {
            return Chosen::Branch(*position);
        }
        let texts = options.iter().take(MAX_COMPARED).filter_map(|option| option.as_str());
        let meant = given.as_str().and_then(|given| suggest::nearest(given, texts));
        let violation = Box::new(not_listed(path, &options, given));
        match meant.and_then(|meant| positions.get(&Value::from(meant))) {
            Some(position) => Chosen::Meant(violation, *position),
            None => Chosen::Wrong(violation),
        }
    }

    /// The key that stands in the place of `tag`: one that looks like it, or that no alternative knows and holds a tag.
    fn instead_of<'o>(
        &self,
        tag: &str,
        object: &'o Map<String, Value>,
        positions: &HashMap<&Value, usize>,
    ) -> Option<&'o str> {
        let is_known = |key: &str| {
            let mut all = self.objects.iter().filter_map(|(_, schema)| properties(schema));
            all.any(|properties| properties.contains_key(key))
        };
        let unknown: Vec<_> = object.iter().take(MAX_KEYS).filter(|(key, _)| !is_known(key)).collect();
        let similar = suggest::nearest(tag, unknown.iter().map(|(key, _)| key.as_str()));
        let holds_tag = || unknown.iter().find(|(_, value)| positions.contains_key(value));
        similar.or_else(|| holds_tag().map(|(key, _)| key.as_str()))
    }
}

/// The alternatives whose only key `object` has, up to two.
fn given(object: &Map<String, Value>, positions: &HashMap<&str, usize>) -> Vec<usize> {
    let mut given = Vec::new();
    let mut add = |position: Option<&usize>| {
        if let Some(position) = position.filter(|_| given.len() < 2)
            && !given.contains(position)
        {
            given.push(*position);
        }
    };
    if object.len() <= positions.len() {
        object.keys().for_each(|key| add(positions.get(key.as_str())));
    } else {
        let there = positions.iter().filter(|(name, _)| object.contains_key(**name));
        there.for_each(|(_, position)| add(Some(position)));
    }
    given
}

/// Whether `schema` is sure to take no object.
fn takes_no_object(schema: &Value) -> bool {
    let takes = match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => constants(schema).next().is_none() || constants(schema).any(Value::is_object),
    };
    !takes
}

/// Names of alternatives that are compared with what was given.
fn compared<'n>(names: &'n [Vec<&'n str>]) -> impl Iterator<Item = &'n str> + Clone {
    names.iter().flatten().copied().take(MAX_COMPARED)
}

/// A key of `object`, and the name among `names` that it looks like.
fn nearest_two<'o>(object: &'o Map<String, Value>, names: &'o [Vec<&str>]) -> Option<(&'o str, &'o str)> {
    let keys = || object.keys().map(String::as_str).take(MAX_KEYS);
    compared(names).find_map(|name| Some((suggest::nearest(name, keys())?, name)))
}

fn is_word(key: &str, alternatives: &[&Value]) -> bool {
    alternatives.iter().flat_map(|schema| constants(schema)).any(|word| word == key)
}

/// The names of the only key of each alternative, where each has just one (serde's external tagging) and all differ. Behind
/// its name stand those that are understood as well. Where no two alternatives may be at once, such a key may stand among
/// others (serde's flattening).
pub(super) fn only_keys<'e>(objects: &[&'e Value], is_exclusive: bool) -> Option<Vec<Vec<&'e str>>> {
    let mut keys: Vec<Vec<&str>> = Vec::new();
    let mut known = HashSet::new();
    for schema in objects {
        let properties = properties(schema)?;
        let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
        let is_alias = |name: &str| is_deprecated(&properties[name]);
        names.sort_by_key(|name| is_alias(name));
        let (first, aliases) = names.split_first()?;
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let is_required =
            schema.get("required").and_then(Value::as_array).is_some_and(|all| all == &[*first]);
        let is_known = names.iter().any(|name| !known.insert(*name));
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

/// The key for which every alternative lists values of its own (serde's internal and adjacent tagging).
pub(super) fn shared_tag<'e>(objects: &[&'e Value]) -> Option<&'e str> {
    let (first, rest) = objects.split_first()?;
    let is_tag = |name: &str, schema: &Value| {
        let mut seen: HashSet<&Value> = constants(schema).collect();
        !seen.is_empty()
            && rest.iter().all(|branch| {
                let others: HashSet<&Value> = tag_values(branch, name).collect();
                let differs = !others.is_empty() && others.is_disjoint(&seen);
                seen.extend(others);
                differs
            })
    };
    properties(first)?.iter().find(|(name, schema)| is_tag(name, schema)).map(|(name, _)| name.as_str())
}

pub(super) fn tag_values<'e>(schema: &'e Value, tag: &str) -> impl Iterator<Item = &'e Value> {
    properties(schema).and_then(|properties| properties.get(tag)).into_iter().flat_map(constants)
}
