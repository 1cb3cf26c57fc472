//! What only a whole projection shows: its size, its depth and its circles.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::conjunction::types;

/// How much there is of everything that is counted.
#[derive(Default)]
pub(super) struct Sizes {
    pub(super) properties: usize,
    pub(super) optional: usize,
    /// Properties with more than one type.
    pub(super) unions: usize,
    pub(super) enum_values: usize,
    /// The values and the characters of the longest enum.
    pub(super) longest_enum: (usize, usize),
    /// Of the names of properties and definitions, and of the values of `enum` and `const`.
    pub(super) chars: usize,
}

impl Sizes {
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
pub(super) struct Property<'s> {
    name: &'s str,
    schema: &'s Map<String, Value>,
    pub(super) is_required: bool,
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = Property<'_>> {
    let required = schema.get("required").and_then(Value::as_array);
    let all = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    all.filter_map(move |(name, schema)| {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        Some(Property { name, schema: schema.as_object()?, is_required })
    })
}

/// The parts of a schema that are not its properties.
fn others(schema: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let lists =
        ["anyOf", "prefixItems"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    let single = ["items", "additionalProperties"].into_iter().filter_map(|keyword| schema.get(keyword));
    lists.chain(single).filter_map(Value::as_object)
}

fn definitions(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let all = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    all.filter_map(|(name, definition)| Some((name, definition.as_object()?)))
}

fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// A definition that contains itself by way of properties that `follows` accepts.
pub(super) fn circle(schema: &Map<String, Value>, follows: fn(&Property<'_>) -> bool) -> Option<String> {
    let mut edges: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, definition) in definitions(schema) {
        collect(definition, follows, edges.entry(name).or_default());
    }
    let circles = edges.keys().filter(|name| reaches(&edges, name));
    circles.min().map(|name| (*name).to_owned())
}

fn reaches(edges: &HashMap<&str, Vec<&str>>, start: &str) -> bool {
    let mut seen = Vec::new();
    let mut to_do: Vec<&str> = edges.get(start).cloned().unwrap_or_default();
    while let Some(name) = to_do.pop() {
        if name == start {
            return true;
        }
        if !seen.contains(&name) {
            seen.push(name);
            to_do.extend(edges.get(name).into_iter().flatten());
        }
    }
    false
}

fn collect<'s>(schema: &'s Map<String, Value>, follows: fn(&Property<'_>) -> bool, found: &mut Vec<&'s str>) {
    found.extend(reference(schema));
    properties(schema).filter(follows).for_each(|property| collect(property.schema, follows, found));
    others(schema).for_each(|part| collect(part, follows, found));
}

/// How deep objects lie in each other, with each circle counted once.
pub(super) fn levels(schema: &Map<String, Value>) -> usize {
    let definitions: HashMap<&str, &Map<String, Value>> =
        definitions(schema).map(|(name, definition)| (name.as_str(), definition)).collect();
    levels_of(schema, &definitions, &mut HashMap::new())
}

/// `known` holds 0 for what is being looked at.
fn levels_of<'s>(
    schema: &'s Map<String, Value>,
    definitions: &HashMap<&'s str, &'s Map<String, Value>>,
    known: &mut HashMap<&'s str, usize>,
) -> usize {
    let mut below = 0;
    if let Some(name) = reference(schema)
        && let Some(definition) = definitions.get(name)
    {
        if !known.contains_key(name) {
            known.insert(name, 0);
            let levels = levels_of(definition, definitions, known);
            known.insert(name, levels);
        }
        below = known[name];
    }
    for part in properties(schema).map(|property| property.schema).chain(others(schema)) {
        below = below.max(levels_of(part, definitions, known));
    }
    below + usize::from(schema.contains_key("properties"))
}
