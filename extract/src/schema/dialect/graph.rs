//! Properties of a whole projection: its size, its depth and its circles.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::schema::{
    bounds::visit_targets_first,
    view::keywords::{list, named, required, types},
};

/// The counts that a provider limits.
#[derive(Default)]
pub(super) struct ProjectionSizes {
    pub(super) properties: usize,
    pub(super) optional: usize,
    /// Properties with more than one type.
    pub(super) unions: usize,
    pub(super) enum_values: usize,
    /// The values and the characters of the longest enum.
    pub(super) longest_enum: (usize, usize),
    /// The characters of the names of properties and definitions, and of the values of `enum` and
    /// `const`.
    pub(super) chars: usize,
}

impl ProjectionSizes {
    pub(super) fn of(schema: &Map<String, Value>) -> Self {
        let mut sizes = Self::default();
        for (name, definition) in definitions(schema) {
            sizes.chars += name.chars().count();
            sizes.add(definition);
        }
        sizes.add(schema);
        sizes
    }

    fn add(&mut self, schema: &Map<String, Value>) {
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let chars = values.iter().map(chars_of).sum();
            self.enum_values += values.len();
            self.chars += chars;
            self.longest_enum = self.longest_enum.max((values.len(), chars));
        }
        self.chars += schema.get("const").map_or(0, chars_of);
        for property in properties(schema) {
            self.properties += 1;
            self.optional += usize::from(!property.is_required);
            self.unions += usize::from(is_union(property.schema));
            self.chars += property.name.chars().count();
            self.add(property.schema);
        }
        others(schema).for_each(|part| self.add(part));
    }
}

fn chars_of(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count())
}

fn is_union(schema: &Map<String, Value>) -> bool {
    schema.contains_key("anyOf") || schema.get("type").is_some_and(|kinds| types(kinds).len() > 1)
}

/// A property of one object.
pub(super) struct GraphProperty<'s> {
    name: &'s str,
    schema: &'s Map<String, Value>,
    pub(super) is_required: bool,
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = GraphProperty<'_>> {
    let required: HashSet<&str> = required(schema).collect();
    named(schema, "properties").filter_map(move |(name, schema)| {
        let is_required = required.contains(name.as_str());
        Some(GraphProperty { name, schema: schema.as_object()?, is_required })
    })
}

/// The parts of a schema that are not its properties.
fn others(schema: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let lists = ["anyOf", "prefixItems"].into_iter().flat_map(|keyword| list(schema, keyword));
    let single = ["items", "additionalProperties"].into_iter().filter_map(|keyword| schema.get(keyword));
    lists.chain(single).filter_map(Value::as_object)
}

fn definitions(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    named(schema, "$defs").filter_map(|(name, definition)| Some((name, definition.as_object()?)))
}

fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The name of a definition that contains itself through properties that `follows` accepts.
pub(super) fn circle(schema: &Map<String, Value>, follows: fn(&GraphProperty<'_>) -> bool) -> Option<String> {
    let mut definitions: Vec<_> = definitions(schema).collect();
    definitions.sort_unstable_by_key(|(name, _)| *name);
    let names: Vec<&str> = definitions.iter().map(|(name, _)| name.as_str()).collect();
    let targets = definitions.iter().map(|(_, definition)| {
        let mut found = Vec::new();
        collect(definition, follows, &mut found);
        found.into_iter().filter_map(|name| names.binary_search(&name).ok()).collect()
    });
    let targets: Vec<Vec<usize>> = targets.collect();
    let circle = |way: &[usize], target| {
        let circle = way.iter().skip_while(|id| **id != target);
        Err(circle.min().map(|id| names[*id].to_owned()))
    };
    let target = |id: usize, nth| targets[id].get(nth).copied();
    visit_targets_first(names.len(), target, circle, |_| Ok(())).err().flatten()
}

fn collect<'s>(
    schema: &'s Map<String, Value>,
    follows: fn(&GraphProperty<'_>) -> bool,
    found: &mut Vec<&'s str>,
) {
    found.extend(reference(schema));
    properties(schema).filter(follows).for_each(|property| collect(property.schema, follows, found));
    others(schema).for_each(|part| collect(part, follows, found));
}

/// Maximum nested definitions when levels are counted; each takes stack.
const MAX_STEPS: usize = 128;

/// The nesting depth of objects, counting each cycle once. The maximum, if references are nested
/// too deeply to follow.
pub(super) fn levels(schema: &Map<String, Value>) -> usize {
    let definitions: HashMap<&str, &Map<String, Value>> =
        definitions(schema).map(|(name, definition)| (name.as_str(), definition)).collect();
    NestingLevels { definitions, known: HashMap::new(), steps: 0 }.of(schema)
}

struct NestingLevels<'s> {
    definitions: HashMap<&'s str, &'s Map<String, Value>>,
    /// Holds 0 for a definition that is being counted.
    known: HashMap<&'s str, usize>,
    steps: usize,
}

impl<'s> NestingLevels<'s> {
    fn of(&mut self, schema: &'s Map<String, Value>) -> usize {
        let mut below = reference(schema).map_or(0, |name| self.of_definition(name));
        for part in properties(schema).map(|property| property.schema).chain(others(schema)) {
            below = below.max(self.of(part));
        }
        below.saturating_add(usize::from(schema.contains_key("properties")))
    }

    fn of_definition(&mut self, name: &'s str) -> usize {
        let Some(definition) = self.definitions.get(name).copied() else { return 0 };
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        if self.steps >= MAX_STEPS {
            return usize::MAX;
        }
        self.known.insert(name, 0);
        self.steps += 1;
        let levels = self.of(definition);
        self.steps -= 1;
        self.known.insert(name, levels);
        levels
    }
}
