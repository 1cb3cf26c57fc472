//! Writes a schema as an outline: its keys with their descriptions and constraints, without types
//! and without values that need no explanation.
//!
//! It is for a model whose decoder is constrained to the schema. Such a model needs no types. It
//! needs to know which keys exist, in which order, and what they mean.

mod part;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

pub(crate) use self::words::OutlineOptions;
use self::{
    part::{OutlineInside, OutlinePart},
    words::OutlineWords,
};
use super::MAX_DEPTH;
use crate::{
    schema::{
        absence::says_of_null,
        aliases::drop_aliases,
        view::{SchemaView, reference},
    },
    vocabulary::path::{Path, Segment},
};

/// Writes `schema` as lines; empty if there is nothing to say.
///
/// Each definition is described once, so the outline is longer than the schema by repeated names at
/// most.
pub(crate) fn outline(schema: &Value, options: OutlineOptions<'_>) -> String {
    let mut schema = schema.clone();
    drop_aliases(&mut schema);
    let view = SchemaView::of(&schema);
    let mut writer = OutlineWriter {
        view: &view,
        words: OutlineWords::new(options),
        shows_keys: options.shows_keys,
        known: HashMap::new(),
        deferred: VecDeque::new(),
        of_null: HashMap::new(),
        depth: 0,
    };
    let whole = writer.part(&schema, &Path::root(), "the answer");
    let mut sentences = whole.sentences(options.shows_keys);
    while let Some((target, path, name)) = writer.deferred.pop_front() {
        let part = writer.part(target, &path, &name);
        if !part.is_empty() {
            sentences.push(format!("{name} is {}.", part.text()));
        }
    }
    sentences.join("\n")
}

struct OutlineWriter<'s> {
    view: &'s SchemaView<'s>,
    words: OutlineWords<'s>,
    /// The name under which each definition is described, by address; `None` for definitions with
    /// nothing to say.
    known: HashMap<*const Value, Option<String>>,
    /// Definitions too deep to be described where they occur, with their names.
    deferred: VecDeque<(&'s Value, Path, String)>,
    shows_keys: bool,
    /// Whether each schema allows null, by address.
    of_null: HashMap<*const Value, Option<bool>>,
    /// How many references lead to the current schema.
    depth: usize,
}

impl<'s> OutlineWriter<'s> {
    /// Describes the values of `schema`, which is at `path`. `name` is the key that holds them.
    fn part(&mut self, schema: &'s Value, path: &Path, name: &str) -> OutlinePart {
        let Some(object) = schema.as_object() else { return OutlinePart::default() };
        let mut part = OutlinePart { words: self.words.of(object, path), ..self.own(object, path, name) };
        part = part.and(self.referenced(object, name));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let path = path.clone().key(keyword);
            let schemas = object.get(keyword).and_then(Value::as_array).into_iter().flatten();
            let parts =
                schemas.enumerate().map(|(i, schema)| self.part(schema, &path.clone().index(i), name));
            let parts: Vec<_> = parts.collect();
            part = if keyword == "allOf" {
                parts.into_iter().fold(part, OutlinePart::and)
            } else {
                part.and(OutlinePart::any_of(parts))
            };
        }
        part
    }

    /// Describes the target of a reference, at its first occurrence only.
    fn referenced(&mut self, object: &'s Map<String, Value>, name: &str) -> OutlinePart {
        let Some((target, path)) = reference(object)
            .and_then(|(_, reference)| Some((self.view.target(reference)?, self.view.path(reference))))
        else {
            return OutlinePart::default();
        };
        let address = std::ptr::from_ref(target);
        if let Some(place) = self.known.get(&address) {
            return place.as_deref().map(OutlinePart::like).unwrap_or_default();
        }
        if self.depth == MAX_DEPTH {
            let name = match path.segments().last() {
                Some(Segment::Key(key)) => key.as_str().to_owned(),
                _ => name.to_owned(),
            };
            let part = OutlinePart::like(&name);
            self.known.insert(address, Some(name.clone()));
            self.deferred.push_back((target, path, name));
            return part;
        }
        self.known.insert(address, Some(name.to_owned()));
        self.depth += 1;
        let part = self.part(target, &path, name);
        self.depth -= 1;
        if part.is_empty() {
            self.known.insert(address, None);
        }
        part
    }

    /// Describes what `object` itself says about the parts of a value, or its only value.
    fn own(&mut self, object: &'s Map<String, Value>, path: &Path, name: &str) -> OutlinePart {
        if let Some(only) = object.get("const").filter(|_| self.shows_keys) {
            return OutlinePart { value: only.to_string(), ..OutlinePart::default() };
        }
        let keys = self.keys(object, &path.clone().key("properties"));
        let inside =
            if keys.is_empty() { self.elements(object, path, name) } else { OutlineInside::Keys(keys) };
        OutlinePart { inside, ..OutlinePart::default() }
    }

    fn keys(&mut self, object: &'s Map<String, Value>, path: &Path) -> Vec<String> {
        let properties = object.get("properties").and_then(Value::as_object);
        let keys = properties.into_iter().flatten().filter_map(|(key, schema)| {
            let mut part = self.part(schema, &path.clone().key(key), key);
            // Without this, a small model invents values that the text does not state; see
            // `docs/decisions.md`.
            if self.shows_keys && self.takes_null(schema) {
                part.words.push("or null".to_owned());
            }
            (self.shows_keys || !part.is_empty()).then(|| part.behind(key))
        });
        keys.collect()
    }

    /// Returns whether `schema` explicitly allows null, directly or through references.
    fn takes_null(&mut self, schema: &'s Value) -> bool {
        let view = self.view;
        all(view.chain(schema).map(|schema| self.of_null(schema))) == Some(true)
    }

    /// Returns whether `schema` and its alternatives allow null, not counting references. Each
    /// definition is visited once, so many references to a long union cost no more than one.
    fn of_null(&mut self, schema: &'s Value) -> Option<bool> {
        let (view, object) = (self.view, schema.as_object()?);
        let own = |schema: &Value| says_of_null(schema.as_object()?);
        *self.of_null.entry(std::ptr::from_ref(schema)).or_insert_with(|| {
            let branches =
                ["anyOf", "oneOf"].into_iter().filter_map(|keyword| object.get(keyword)?.as_array());
            let unions =
                branches.map(|branches| any(branches.iter().map(|branch| all(view.chain(branch).map(own)))));
            all(unions.chain([own(schema)]))
        })
    }

    /// The elements of a list or a tuple, or the values of a map.
    fn elements(&mut self, object: &'s Map<String, Value>, path: &Path, name: &str) -> OutlineInside {
        let tuple = object.get("prefixItems").and_then(Value::as_array).into_iter().flatten().enumerate();
        let of_tuple = path.clone().key("prefixItems");
        let mut parts: Vec<_> =
            tuple.map(|(i, schema)| self.part(schema, &of_tuple.clone().index(i), name)).collect();
        parts.extend(object.get("items").map(|items| self.part(items, &path.clone().key("items"), name)));
        if parts.iter().any(|part| !part.is_empty()) {
            let parts: Vec<_> = parts.into_iter().map(OutlinePart::text).collect();
            return OutlineInside::Other(format!("[{}]", parts.join(", ")));
        }
        let values = object.get("additionalProperties");
        let values = values.map(|values| self.part(values, &path.clone().key("additionalProperties"), name));
        match values {
            Some(part) if !part.is_empty() => OutlineInside::Other(format!("{{any key: {}}}", part.text())),
            _ => OutlineInside::Nothing,
        }
    }
}

/// Combines schemas that all apply: whether they allow null.
fn all(said: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    said.flatten().reduce(|one, other| one && other)
}

/// Combines alternatives: whether they allow null. `None` if none does and one does not say.
fn any(said: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut together = Some(false);
    for one in said {
        match one {
            Some(true) => return one,
            Some(false) => {}
            None => together = None,
        }
    }
    together
}
