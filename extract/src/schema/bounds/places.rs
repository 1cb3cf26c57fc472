//! The schemas in a schema, and which of them speak of the same value.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value};

use crate::path::Path;

/// Where a schema stands among all of them.
pub(super) type Id = usize;

/// Every schema that can apply to some value.
pub(super) struct Places<'s> {
    root: &'s Value,
    all: Vec<Place<'s>>,
    /// Where each stands in memory.
    known: HashMap<*const Value, Id>,
    /// Those that have a name of their own.
    anchors: HashMap<Cow<'s, str>, &'s Value>,
}

struct Place<'s> {
    schema: &'s Value,
    named: Named<'s>,
    same_value: Vec<Id>,
    parts: Vec<(Part, Id)>,
}

/// Which part of a value a schema speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The entry with one name.
    Entry,
    /// Entries with any names.
    Entries,
    Elements,
}

/// How a place was found, which is its name.
enum Named<'s> {
    Root,
    /// Inside of another one.
    In(Id, &'s str, Option<Step<'s>>),
    /// By a reference.
    Reference(&'s str),
}

enum Step<'s> {
    Key(&'s str),
    Index(usize),
}

impl<'s> Places<'s> {
    pub(super) fn of(root: &'s Value) -> Self {
        let mut anchors = HashMap::new();
        collect_anchors(root, &mut anchors);
        let mut places = Self { root, all: Vec::new(), known: HashMap::new(), anchors };
        places.id(root, || Named::Root);
        let mut next = 0;
        while let Some(place) = places.all.get(next) {
            if let Value::Object(object) = place.schema {
                places.look(next, object);
            }
            next += 1;
        }
        places
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The schemas that apply to the value that the one of `id` applies to.
    pub(super) fn same_value(&self, id: Id) -> &[Id] {
        &self.all[id].same_value
    }

    /// The schemas that apply to parts of that value.
    pub(super) fn parts(&self, id: Id) -> &[(Part, Id)] {
        &self.all[id].parts
    }

    pub(super) fn path(&self, id: Id) -> Path {
        match &self.all[id].named {
            Named::Root => Path::root(),
            Named::Reference(reference) => {
                let decoded = decoded(reference);
                let pointer = decoded.strip_prefix('#').unwrap_or(&decoded);
                Path::from_pointer_in(pointer, self.root).unwrap_or_else(|_| Path::root().key(pointer))
            }
            Named::In(around, keyword, step) => {
                let path = self.path(*around).key(*keyword);
                match step {
                    None => path,
                    Some(Step::Key(key)) => path.key(*key),
                    Some(Step::Index(index)) => path.index(*index),
                }
            }
        }
    }

    fn id(&mut self, schema: &'s Value, named: impl FnOnce() -> Named<'s>) -> Id {
        let next = self.all.len();
        let id = *self.known.entry(std::ptr::from_ref(schema)).or_insert(next);
        if id == next {
            self.all.push(Place { schema, named: named(), same_value: Vec::new(), parts: Vec::new() });
        }
        id
    }

    /// Notes what the schema `id` leads to.
    fn look(&mut self, id: Id, object: &'s Map<String, Value>) {
        for (keyword, value) in object {
            let keyword = keyword.as_str();
            match (keyword, value) {
                ("$ref" | "$dynamicRef", Value::String(reference)) => {
                    if let Some(target) = self.target(reference) {
                        let target = self.id(target, || Named::Reference(reference));
                        self.all[id].same_value.push(target);
                    }
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(parts)) => {
                    for (index, part) in parts.iter().enumerate() {
                        self.inside(id, keyword, Some(Step::Index(index)), part);
                    }
                }
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies",
                    Value::Object(parts),
                ) => {
                    for (key, part) in parts {
                        self.inside(id, keyword, Some(Step::Key(key)), part);
                    }
                }
                (
                    "not"
                    | "if"
                    | "then"
                    | "else"
                    | "items"
                    | "contains"
                    | "additionalProperties"
                    | "propertyNames"
                    | "unevaluatedItems"
                    | "unevaluatedProperties",
                    part,
                ) => self.inside(id, keyword, None, part),
                _ => {}
            }
        }
    }

    fn inside(&mut self, around: Id, keyword: &'s str, step: Option<Step<'s>>, part: &'s Value) {
        if !part.is_object() {
            return;
        }
        let id = self.id(part, || Named::In(around, keyword, step));
        let around = &mut self.all[around];
        match keyword {
            "properties" => around.parts.push((Part::Entry, id)),
            "patternProperties" | "additionalProperties" | "unevaluatedProperties" => {
                around.parts.push((Part::Entries, id));
            }
            "prefixItems" | "items" | "contains" | "unevaluatedItems" => {
                around.parts.push((Part::Elements, id));
            }
            // Names have no parts.
            "propertyNames" => {}
            _ => around.same_value.push(id),
        }
    }

    /// What a reference leads to within the schema.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        let found = match reference.strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                self.root.pointer(pointer).or_else(|| self.root.pointer(&decoded(pointer)))
            }
            _ => self.anchors.get(reference).copied(),
        };
        found.filter(|target| target.is_object())
    }
}

/// The schemas with a name of their own, under it as a reference has it.
fn collect_anchors<'s>(value: &'s Value, anchors: &mut HashMap<Cow<'s, str>, &'s Value>) {
    match value {
        Value::Object(object) => {
            for (keyword, inside) in object {
                match (keyword.as_str(), inside) {
                    ("$id", Value::String(name)) => drop(anchors.insert(Cow::Borrowed(name), value)),
                    ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                        anchors.insert(Cow::Owned(format!("#{name}")), value);
                    }
                    ("const" | "enum" | "default" | "examples", _) => {}
                    _ => collect_anchors(inside, anchors),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|inside| collect_anchors(inside, anchors)),
        _ => {}
    }
}

/// The fragment of a URI without percent-encoding (RFC 3986, section 2.1).
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = &after[if code.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
