//! Tags that distinguish alternatives.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{UnionKeyword, properties};
use crate::{
    schema::{SchemaView, is_deprecated},
    validation::nodes::constants,
    vocabulary::text::quoted_list,
};

/// The tags that distinguish the alternatives of one union.
#[derive(Default)]
pub(crate) struct UnionTags<'a> {
    /// The alternatives that are objects, with their positions among all.
    pub(crate) objects: Vec<(usize, &'a Value)>,
    pub(crate) by: TagSource<'a>,
    /// Whether the tag decides: every alternative that it does not name is certain not to fit.
    is_decisive: bool,
}

#[derive(Default)]
pub(crate) enum TagSource<'a> {
    /// The only key of each object, with its aliases.
    OnlyKey { names: Vec<Vec<&'a str>>, positions: HashMap<&'a str, usize> },
    /// A key for which each object lists its own values.
    Value { tag: &'a str, values: Vec<&'a Value>, positions: HashMap<&'a Value, usize> },
    #[default]
    Nothing,
}

impl<'a> UnionTags<'a> {
    /// From `alternatives`, with references followed.
    pub(crate) fn of(alternatives: &[&'a Value], keyword: UnionKeyword, view: &SchemaView<'a>) -> Self {
        let is_object = |(_, schema): &(usize, &Value)| properties(schema).is_some();
        let all = alternatives.iter().copied().enumerate();
        let (objects, others): (Vec<_>, Vec<_>) = all.partition(is_object);
        let schemas: Vec<_> = objects.iter().map(|(_, schema)| *schema).collect();
        let is_decisive = others.iter().all(|(_, schema)| takes_no_object(schema));
        let by = match (only_keys(&schemas, keyword), shared_tag(&schemas, view)) {
            _ if objects.is_empty() => TagSource::Nothing,
            (Some(names), _) => {
                let positions = objects.iter().zip(&names);
                let positions = positions.flat_map(|((at, _), names)| names.iter().map(|name| (*name, *at)));
                TagSource::OnlyKey { positions: positions.collect(), names }
            }
            (None, Some(tag)) if objects.len() > 1 => {
                let values = objects
                    .iter()
                    .flat_map(|(at, schema)| tag_values(schema, tag, view).map(|value| (value, *at)));
                let values: Vec<_> = values.collect();
                let positions = values.iter().copied().collect();
                TagSource::Value {
                    tag,
                    values: values.into_iter().map(|(value, _)| value).collect(),
                    positions,
                }
            }
            _ => TagSource::Nothing,
        };
        Self { objects, by, is_decisive }
    }

    /// The only alternative that can fit `object`, if its tag decides.
    pub(crate) fn only(&self, object: &Map<String, Value>) -> Option<usize> {
        match &self.by {
            _ if !self.is_decisive => None,
            TagSource::Value { tag, positions, .. } => positions.get(object.get(*tag)?).copied(),
            TagSource::OnlyKey { positions, .. } => match given(object, positions)[..] {
                [only] => Some(only),
                _ => None,
            },
            TagSource::Nothing => None,
        }
    }
}

/// The alternatives whose only key `object` has, up to two.
pub(crate) fn given(object: &Map<String, Value>, positions: &HashMap<&str, usize>) -> Vec<usize> {
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

/// Returns whether `schema` is certain to reject every object.
fn takes_no_object(schema: &Value) -> bool {
    let takes = match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => constants(schema).next().is_none() || constants(schema).any(Value::is_object),
    };
    !takes
}

/// The names of the only key of each alternative, if each has one (serde's external tagging) and
/// all differ. Aliases follow a name. In a `oneOf`, other keys may occur beside the only key
/// (serde's flattening).
pub(crate) fn only_keys<'e>(objects: &[&'e Value], keyword: UnionKeyword) -> Option<Vec<Vec<&'e str>>> {
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
        if !(is_closed || keyword == UnionKeyword::OneOf && is_required)
            || is_known
            || !aliases.iter().all(|name| is_alias(name))
        {
            return None;
        }
        keys.push(names);
    }
    Some(keys)
}

/// Describes an object with one of `keys`.
pub(crate) fn with_one_of(keys: &[Vec<&str>]) -> String {
    let names: Vec<Value> =
        keys.iter().filter_map(|names| names.first()).map(|name| Value::from(*name)).collect();
    match &names[..] {
        [only] => format!("an object with the key {only}"),
        _ => format!("an object with exactly one of the keys {}", quoted_list(names.iter())),
    }
}

/// The key for which every alternative lists its own values (serde's internal and adjacent
/// tagging).
pub(crate) fn shared_tag<'e>(objects: &[&'e Value], view: &SchemaView<'e>) -> Option<&'e str> {
    let (first, rest) = objects.split_first()?;
    let is_tag = |name: &str, schema: &'e Value| {
        let mut seen: HashSet<&Value> = listed(schema, view).collect();
        !seen.is_empty()
            && rest.iter().all(|branch| {
                let others: HashSet<&Value> = tag_values(branch, name, view).collect();
                let differs = !others.is_empty() && others.is_disjoint(&seen);
                seen.extend(others);
                differs
            })
    };
    properties(first)?.iter().find(|(name, schema)| is_tag(name, schema)).map(|(name, _)| name.as_str())
}

pub(crate) fn tag_values<'e>(
    schema: &'e Value,
    tag: &str,
    view: &SchemaView<'e>,
) -> impl Iterator<Item = &'e Value> {
    let property = properties(schema).and_then(|properties| properties.get(tag));
    property.into_iter().flat_map(|property| listed(property, view))
}

/// The values that `schema` lists, or else those that its references list.
fn listed<'e>(schema: &'e Value, view: &SchemaView<'e>) -> impl Iterator<Item = &'e Value> + use<'e> {
    let listing = view.chain(schema).find(|schema| constants(schema).next().is_some());
    listing.into_iter().flat_map(constants)
}
