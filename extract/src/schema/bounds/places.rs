//! The schemas in a schema, and which of them speak of the same value.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::{path::Path, schema::view::View};

/// Where a schema stands among all of them.
pub(super) type Id = usize;

/// Every schema that can apply to some value.
pub(super) struct Places<'s> {
    view: View<'s>,
    all: Vec<Place<'s>>,
    /// Where each stands in memory.
    known: HashMap<*const Value, Id>,
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
        let mut places = Self { view: View::of(root), all: Vec::new(), known: HashMap::new() };
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
            Named::Reference(reference) => self.view.path(reference),
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
                    if let Some(target) = self.view.target(reference).filter(|target| target.is_object()) {
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
}
