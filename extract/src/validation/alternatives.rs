//! The alternatives of a union: what they have in common, and what distinguishes them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::{
    schema::{SchemaView, is_deprecated, view::keywords::allows_type},
    validation::nodes::constants,
    vocabulary::text::quoted_list,
};

/// The keyword of a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnionKeyword {
    AnyOf,
    /// A value may satisfy only one alternative.
    OneOf,
}

/// `anyOf` or `oneOf`.
pub(super) struct UnionAlternatives<'a> {
    /// The alternatives.
    pub(super) schemas: &'a [Value],
    /// The same with references followed, where those lead somewhere.
    pub(super) targets: Vec<&'a Value>,
    pub(super) keyword: UnionKeyword,
    pub(super) tags: UnionTags<'a>,
}

impl<'a> UnionAlternatives<'a> {
    /// From the value of the keyword.
    pub(super) fn new(alternatives: &'a Value, keyword: UnionKeyword, view: &SchemaView<'a>) -> Self {
        let schemas = alternatives.as_array().map_or(&[][..], Vec::as_slice);
        let targets: Vec<_> = schemas.iter().map(|schema| view.followed(schema)).collect();
        let tags = UnionTags::of(&targets, keyword, view);
        Self { schemas, targets, keyword, tags }
    }

    /// Returns the alternatives except null. Null means absence, so a value that is not null was
    /// meant for another alternative.
    pub(super) fn likely(&self) -> Vec<usize> {
        let all = 0..self.targets.len();
        let others: Vec<_> = all.clone().filter(|index| !is_null(self.targets[*index])).collect();
        if others.is_empty() { all.collect() } else { others }
    }
}

pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

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
    schema.as_object().is_some_and(|schema| !allows_type(schema, "object"))
}

/// The names of the only key of each alternative, if each has one (serde's external tagging) and
/// all differ. Aliases follow a name. In a `oneOf`, other keys may occur beside the only key
/// (serde's flattening).
fn only_keys<'e>(objects: &[&'e Value], keyword: UnionKeyword) -> Option<Vec<Vec<&'e str>>> {
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
fn shared_tag<'e>(objects: &[&'e Value], view: &SchemaView<'e>) -> Option<&'e str> {
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

fn tag_values<'e>(schema: &'e Value, tag: &str, view: &SchemaView<'e>) -> impl Iterator<Item = &'e Value> {
    let property = properties(schema).and_then(|properties| properties.get(tag));
    property.into_iter().flat_map(|property| listed(property, view))
}

/// The values that `schema` lists, or else those that its references list.
pub(super) fn listed<'e>(
    schema: &'e Value,
    view: &SchemaView<'e>,
) -> impl Iterator<Item = &'e Value> + use<'e> {
    let listing = view.chain(schema).find(|schema| constants(schema).next().is_some());
    listing.into_iter().flat_map(constants)
}

/// The word for an object.
pub(crate) const OBJECT: &str = "an object";

/// Describes what `alternatives` allow together: listed values, then objects, then the rest as
/// `other` describes it. Null comes last. References are followed already.
pub(crate) fn in_words<'a>(
    alternatives: &[&'a Value],
    view: &SchemaView<'a>,
    other: &dyn Fn(&'a Value) -> String,
) -> String {
    let is_listed = |schema: &Value| constants(schema).any(|listed| !listed.is_null());
    let listed: Vec<_> =
        alternatives.iter().flat_map(|schema| constants(schema)).filter(|listed| !listed.is_null()).collect();
    let objects: Vec<_> =
        alternatives.iter().copied().filter(|schema| properties(schema).is_some()).collect();
    let mut names = Vec::new();
    if !listed.is_empty() {
        names.push(format!("one of {}", quoted_list(listed.into_iter())));
    }
    if !objects.is_empty() {
        names.push(objects_in_words(&objects, view));
    }
    let rest = alternatives
        .iter()
        .copied()
        .filter(|schema| !is_listed(schema) && properties(schema).is_none() && !is_null(schema));
    for schema in rest {
        let name = other(schema);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if alternatives.iter().any(|schema| is_null(schema) || constants(schema).any(Value::is_null)) {
        names.push("null".to_owned());
    }
    names.join(" or ")
}

/// Describes objects by what distinguishes them.
fn objects_in_words<'a>(objects: &[&'a Value], view: &SchemaView<'a>) -> String {
    if let Some(keys) = only_keys(objects, UnionKeyword::AnyOf) {
        return with_one_of(&keys);
    }
    match shared_tag(objects, view) {
        Some(tag) if objects.len() > 1 => {
            let values: Vec<_> = objects.iter().flat_map(|schema| tag_values(schema, tag, view)).collect();
            format!("{OBJECT} whose {} is one of {}", Value::from(tag), quoted_list(values.into_iter()))
        }
        _ => OBJECT.to_owned(),
    }
}
