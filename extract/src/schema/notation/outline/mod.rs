//! A schema as an outline: its keys with what is said about each, without types and without values that need no explanation.
//!
//! For a model whose decoder is constrained to the schema. It cannot leave the schema, so it needs no types; what it cannot know
//! is which keys there are, in which order, and what they mean.

mod part;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

pub(crate) use self::words::OutlineOptions;
use self::{
    part::{Inside, Part},
    words::Words,
};
use super::MAX_DEPTH;
use crate::{
    path::{Path, Segment},
    schema::{
        absence::says_of_null,
        aliases::drop_aliases,
        view::{View, reference},
    },
};

/// `schema` in lines; empty where there is nothing to say.
///
/// Each definition is described once, so the length does not exceed that of the schema by more than the names of places.
pub(crate) fn outline(schema: &Value, options: OutlineOptions<'_>) -> String {
    let mut schema = schema.clone();
    drop_aliases(&mut schema);
    let view = View::of(&schema);
    let mut writer = Writer {
        view: &view,
        words: Words::new(options),
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

struct Writer<'s> {
    view: &'s View<'s>,
    words: Words<'s>,
    /// The names of the places where definitions are described, by where each stands in memory; `None` for those of which
    /// there is nothing to say.
    known: HashMap<*const Value, Option<String>>,
    /// Definitions that lie too deep to be described where they are met, with their names.
    deferred: VecDeque<(&'s Value, Path, String)>,
    shows_keys: bool,
    /// What is known of null, by where each schema stands in memory.
    of_null: HashMap<*const Value, Option<bool>>,
    /// References that lead to where the writer is.
    depth: usize,
}

impl<'s> Writer<'s> {
    /// About values of `schema`, which stands at `path`. `name` is that of the key they belong to.
    fn part(&mut self, schema: &'s Value, path: &Path, name: &str) -> Part {
        let Some(object) = schema.as_object() else { return Part::default() };
        let mut part = Part { words: self.words.of(object, path), ..self.own(object, path, name) };
        part = part.and(self.referenced(object, name));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let path = path.clone().key(keyword);
            let schemas = object.get(keyword).and_then(Value::as_array).into_iter().flatten();
            let parts =
                schemas.enumerate().map(|(i, schema)| self.part(schema, &path.clone().index(i), name));
            let parts: Vec<_> = parts.collect();
            part = if keyword == "allOf" {
                parts.into_iter().fold(part, Part::and)
            } else {
                part.and(Part::any_of(parts))
            };
        }
        part
    }

    /// What a reference stands for; described where it is met first.
    fn referenced(&mut self, object: &'s Map<String, Value>, name: &str) -> Part {
        let Some((target, path)) = reference(object)
            .and_then(|(_, reference)| Some((self.view.target(reference)?, self.view.path(reference))))
        else {
            return Part::default();
        };
        let address = std::ptr::from_ref(target);
        if let Some(place) = self.known.get(&address) {
            return place.as_deref().map(Part::like).unwrap_or_default();
        }
        if self.depth == MAX_DEPTH {
            let name = match path.segments().last() {
                Some(Segment::Key(key)) => key.as_str().to_owned(),
                _ => name.to_owned(),
            };
            let part = Part::like(&name);
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

    /// What stands in `object` itself about the parts of a value, or the only value.
    fn own(&mut self, object: &'s Map<String, Value>, path: &Path, name: &str) -> Part {
        if let Some(only) = object.get("const").filter(|_| self.shows_keys) {
            return Part { value: only.to_string(), ..Part::default() };
        }
        let keys = self.keys(object, &path.clone().key("properties"));
        let inside = if keys.is_empty() { self.elements(object, path, name) } else { Inside::Keys(keys) };
        Part { inside, ..Part::default() }
    }

    fn keys(&mut self, object: &'s Map<String, Value>, path: &Path) -> Vec<String> {
        let properties = object.get("properties").and_then(Value::as_object);
        let keys = properties.into_iter().flatten().filter_map(|(key, schema)| {
            let mut part = self.part(schema, &path.clone().key(key), key);
            // Without this, a small model fills what the text does not state; see `docs/decisions.md`.
            if self.shows_keys && self.takes_null(schema) {
                part.words.push("or null".to_owned());
            }
            (self.shows_keys || !part.is_empty()).then(|| part.behind(key))
        });
        keys.collect()
    }

    /// Whether `schema` says that null may stand, also behind references.
    fn takes_null(&mut self, schema: &'s Value) -> bool {
        let view = self.view;
        all(view.chain(schema).map(|schema| self.of_null(schema))) == Some(true)
    }

    /// What `schema` and its alternatives say of null, whatever its references say. A definition is
    /// looked at once, so that many references to a long union do not cost more than one.
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
    fn elements(&mut self, object: &'s Map<String, Value>, path: &Path, name: &str) -> Inside {
        let tuple = object.get("prefixItems").and_then(Value::as_array).into_iter().flatten().enumerate();
        let of_tuple = path.clone().key("prefixItems");
        let mut parts: Vec<_> =
            tuple.map(|(i, schema)| self.part(schema, &of_tuple.clone().index(i), name)).collect();
        parts.extend(object.get("items").map(|items| self.part(items, &path.clone().key("items"), name)));
        if parts.iter().any(|part| !part.is_empty()) {
            let parts: Vec<_> = parts.into_iter().map(Part::text).collect();
            return Inside::Other(format!("[{}]", parts.join(", ")));
        }
        let values = object.get("additionalProperties");
        let values = values.map(|values| self.part(values, &path.clone().key("additionalProperties"), name));
        match values {
            Some(part) if !part.is_empty() => Inside::Other(format!("{{any key: {}}}", part.text())),
            _ => Inside::Nothing,
        }
    }
}

/// What schemas say together that all hold.
fn all(said: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    said.flatten().reduce(|one, other| one && other)
}

/// What schemas say together of which one holds: nothing, if the one may be one that says nothing.
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
