//! The subschemas that describe one value, and which keys they allow.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    schema::{
        SchemaView, is_deprecated, is_marked,
        view::keywords::{self, composed},
    },
    vocabulary::{
        path::Segment,
        text::{cut, first_of, named},
    },
};

/// The schemas that may describe one value.
pub(crate) struct SchemaNodes<'s> {
    view: SchemaView<'s>,
    pub(crate) all: Vec<&'s Value>,
}

impl<'s> SchemaNodes<'s> {
    /// `nodes`, with the targets of their references and their alternatives. Each is visited once,
    /// so recursion ends.
    pub(crate) fn new(view: &SchemaView<'s>, nodes: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut all: Vec<&Value> = Vec::new();
        let mut left: Vec<&Value> = nodes.into_iter().collect();
        let mut next = 0;
        let mut seen = HashSet::new();
        while let Some(node) = left.get(next).copied() {
            next += 1;
            if !seen.insert(std::ptr::from_ref(node)) {
                continue;
            }
            all.push(node);
            let Some(object) = node.as_object() else { continue };
            left.extend(view.targets(object).chain(composed(object)));
            left.extend(["if", "then", "else"].iter().filter_map(|keyword| object.get(*keyword)));
            left.extend(keywords::named(object, "dependentSchemas").map(|(_, part)| part));
        }
        Self { view: view.clone(), all }
    }

    /// The nodes of the whole schema.
    pub(crate) fn of(root: &'s Value) -> Self {
        Self::new(&SchemaView::of(root), [root])
    }

    /// Other `nodes` of the same schema.
    pub(crate) fn fresh(&self, nodes: impl IntoIterator<Item = &'s Value>) -> Self {
        Self::new(&self.view, nodes)
    }

    /// Returns whether no schema describes the value, or none allows it.
    pub(crate) fn is_unknown(&self) -> bool {
        self.all.iter().all(|node| **node == Value::Bool(false))
    }

    /// Returns whether one of the nodes has `mark`. In a union, the mark of one alternative counts
    /// for the values at the same path in all of them.
    pub(crate) fn are_marked(&self, mark: &str) -> bool {
        self.all.iter().any(|node| is_marked(node, mark))
    }

    /// The schema of the value under `key`, by name.
    pub(crate) fn property(&self, key: &str) -> Option<&'s Value> {
        self.all.iter().find_map(|node| node.get("properties")?.get(key))
    }

    /// The names and the patterns of the keys that they allow.
    pub(crate) fn keys(&self, keyword: &str) -> Vec<&'s str> {
        let mut seen = HashSet::new();
        let found = self.all.iter().filter_map(|node| node.get(keyword)?.as_object());
        found.flat_map(|named| named.keys()).map(String::as_str).filter(|key| seen.insert(*key)).collect()
    }

    pub(crate) fn step(&self, segment: &Segment) -> Self {
        let next = self.all.iter().flat_map(|node| match segment {
            Segment::Key(key) => under_key(node, key),
            Segment::Index(index) => at_index(node, *index),
        });
        self.fresh(next.collect::<Vec<_>>())
    }
}

/// The values that `schema` lists.
pub(crate) fn constants(schema: &Value) -> impl Iterator<Item = &Value> {
    let listed = schema.get("enum").and_then(Value::as_array);
    schema.get("const").into_iter().chain(listed.into_iter().flatten())
}

/// Treats every pattern of keys as matching: redacting too much is better than too little.
fn under_key<'s>(node: &'s Value, key: &str) -> Vec<&'s Value> {
    if let Some(property) = node.get("properties").and_then(|properties| properties.get(key)) {
        return vec![property];
    }
    let patterns = node.get("patternProperties").and_then(Value::as_object);
    let patterns = patterns.into_iter().flat_map(|patterns| patterns.values());
    let rest = ["additionalProperties", "unevaluatedProperties"];
    patterns.chain(rest.iter().filter_map(|keyword| node.get(*keyword))).collect()
}

fn at_index(node: &Value, index: usize) -> Vec<&Value> {
    let fixed = node.get("prefixItems").and_then(|items| items.get(index));
    let rest = ["items", "unevaluatedItems"].iter().filter_map(|keyword| node.get(*keyword));
    match fixed {
        Some(fixed) => vec![fixed],
        None => rest.chain(node.get("contains")).collect(),
    }
}

/// Maximum number of allowed keys that a message names.
pub(super) const MAX_NAMED: usize = 40;

/// Maximum characters of a pattern of keys.
const MAX_PATTERN_CHARS: usize = 160;

/// The keyword that forbids other keys than those that a schema names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyRule {
    Additional,
    /// References and alternatives beside it count too.
    Unevaluated,
}

impl KeyRule {
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Additional => "additionalProperties",
            Self::Unevaluated => "unevaluatedProperties",
        }
    }
}

/// The keys that an object may have.
pub(super) struct AllowedKeys<'s> {
    pub(super) names: Vec<&'s str>,
    /// All of them, described.
    pub(super) expected: String,
    /// The keyword that forbids other keys.
    pub(super) keyword: &'static str,
}

impl<'s> AllowedKeys<'s> {
    /// The keys that `schema` allows by this keyword.
    pub(super) fn of(schema: &'s Value, by: KeyRule, view: &SchemaView<'s>) -> Self {
        if by == KeyRule::Unevaluated {
            let nodes = SchemaNodes::new(view, [schema]);
            let patterns = nodes.keys("patternProperties");
            return Self::new(nodes.keys("properties"), &patterns, by.keyword());
        }
        let keys = |keyword: &str| {
            let found = schema.get(keyword).and_then(Value::as_object);
            let found = found.into_iter().flatten();
            // Deprecated aliases are accepted but not listed.
            let current = found.filter(|(_, schema)| !is_deprecated(schema));
            current.map(|(key, _)| key.as_str()).collect::<Vec<_>>()
        };
        Self::new(keys("properties"), &keys("patternProperties"), by.keyword())
    }

    pub(super) fn new(names: Vec<&'s str>, patterns: &[&str], keyword: &'static str) -> Self {
        let patterns = first_of(patterns, MAX_NAMED, |pattern| cut(pattern, MAX_PATTERN_CHARS));
        let listed = first_of(&names, MAX_NAMED, named);
        let expected = match (listed.is_empty(), patterns.is_empty()) {
            (true, true) => "no such key".to_owned(),
            (false, true) => ["only the keys ", &listed].concat(),
            (true, false) => format!("only keys that match {patterns}"),
            (false, false) => format!("only the keys {listed} and keys that match {patterns}"),
        };
        Self { names, expected, keyword }
    }
}
