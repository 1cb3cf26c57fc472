//! The subschemas of a schema that can apply to some value, and how they lead to each other.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::view::SchemaView;
use crate::vocabulary::path::Path;

/// The index of a subschema.
pub(super) type SubschemaIndex = usize;

/// Every subschema that can apply to some value.
pub(crate) struct Subschemas<'s> {
    view: SchemaView<'s>,
    all: Vec<Subschema<'s>>,
    /// By address.
    known: HashMap<*const Value, SubschemaIndex>,
}

struct Subschema<'s> {
    schema: &'s Value,
    found_by: FoundBy<'s>,
    same_value: Vec<SubschemaIndex>,
    parts: Vec<(SubschemaScope, SubschemaIndex)>,
}

/// The part of a value that a subschema applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubschemaScope {
    /// The entry under one key.
    Entry,
    /// Entries under any keys.
    Entries,
    Elements,
}

/// How a subschema was found, which determines its path.
enum FoundBy<'s> {
    Root,
    /// Inside another one.
    In(SubschemaIndex, &'s str, Option<SubschemaStep<'s>>),
    /// By a reference.
    Reference(&'s str),
}

enum SubschemaStep<'s> {
    Key(&'s str),
    Index(usize),
}

impl<'s> Subschemas<'s> {
    pub(crate) fn of(root: &'s Value) -> Self {
        let mut subschemas = Self { view: SchemaView::of(root), all: Vec::new(), known: HashMap::new() };
        subschemas.id(root, || FoundBy::Root);
        let mut next = 0;
        while let Some(subschema) = subschemas.all.get(next) {
            if let Value::Object(object) = subschema.schema {
                subschemas.look(next, object);
            }
            next += 1;
        }
        subschemas
    }

    pub(super) fn view(&self) -> &SchemaView<'s> {
        &self.view
    }

    /// The keywords of the schema `id`.
    pub(super) fn object(&self, id: SubschemaIndex) -> Option<&'s Map<String, Value>> {
        self.all[id].schema.as_object()
    }

    /// Returns whether a value may be tested with the schema `id` and not satisfy it, because it is in a condition or
    /// a negation.
    pub(super) fn is_tested(&self, id: SubschemaIndex) -> bool {
        match self.all[id].found_by {
            FoundBy::In(around, keyword, _) => {
                matches!(keyword, "not" | "if" | "then" | "else" | "contains" | "dependentSchemas")
                    || self.is_tested(around)
            }
            FoundBy::Root | FoundBy::Reference(_) => false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The schemas that apply to the same value as the schema `id`.
    pub(super) fn same_value(&self, id: SubschemaIndex) -> &[SubschemaIndex] {
        &self.all[id].same_value
    }

    /// The schemas that apply to parts of that value.
    pub(super) fn parts(&self, id: SubschemaIndex) -> &[(SubschemaScope, SubschemaIndex)] {
        &self.all[id].parts
    }

    pub(super) fn path(&self, id: SubschemaIndex) -> Path {
        match &self.all[id].found_by {
            FoundBy::Root => Path::root(),
            FoundBy::Reference(reference) => self.view.path(reference),
            FoundBy::In(around, keyword, step) => {
                let path = self.path(*around).key(*keyword);
                match step {
                    None => path,
                    Some(SubschemaStep::Key(key)) => path.key(*key),
                    Some(SubschemaStep::Index(index)) => path.index(*index),
                }
            }
        }
    }

    fn id(&mut self, schema: &'s Value, found_by: impl FnOnce() -> FoundBy<'s>) -> SubschemaIndex {
        let next = self.all.len();
        let id = *self.known.entry(std::ptr::from_ref(schema)).or_insert(next);
        if id == next {
            self.all.push(Subschema {
                schema,
                found_by: found_by(),
                same_value: Vec::new(),
                parts: Vec::new(),
            });
        }
        id
    }

    /// Records the targets of the schema `id`.
    fn look(&mut self, id: SubschemaIndex, object: &'s Map<String, Value>) {
        for (keyword, value) in object {
            let keyword = keyword.as_str();
            match (keyword, value) {
                ("$ref" | "$dynamicRef", Value::String(reference)) => {
                    if let Some(target) = self.view.target(reference).filter(|target| target.is_object()) {
                        let target = self.id(target, || FoundBy::Reference(reference));
                        self.all[id].same_value.push(target);
                    }
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(parts)) => {
                    for (index, part) in parts.iter().enumerate() {
                        self.inside(id, keyword, Some(SubschemaStep::Index(index)), part);
                    }
                }
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies",
                    Value::Object(parts),
                ) => {
                    for (key, part) in parts {
                        self.inside(id, keyword, Some(SubschemaStep::Key(key)), part);
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

    fn inside(
        &mut self,
        around: SubschemaIndex,
        keyword: &'s str,
        step: Option<SubschemaStep<'s>>,
        part: &'s Value,
    ) {
        if !part.is_object() {
            return;
        }
        let id = self.id(part, || FoundBy::In(around, keyword, step));
        let around = &mut self.all[around];
        match keyword {
            "properties" => around.parts.push((SubschemaScope::Entry, id)),
            "patternProperties" | "additionalProperties" | "unevaluatedProperties" => {
                around.parts.push((SubschemaScope::Entries, id));
            }
            "prefixItems" | "items" | "contains" | "unevaluatedItems" => {
                around.parts.push((SubschemaScope::Elements, id));
            }
            // Keys have no parts.
            "propertyNames" => {}
            _ => around.same_value.push(id),
        }
    }
}
