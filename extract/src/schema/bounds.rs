//! Limits what a schema may require of one value.
//!
//! `properties`, `items` and similar keywords lead to a part of the value, so recursion through
//! them ends with the value. `$ref`, `allOf`, `anyOf` and similar keywords lead to another schema
//! for the same value. A circle of those never ends, and a long chain or a wide tree of them takes
//! stack and time for every value, however small. Everything that walks a schema relies on these
//! checks.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    SchemaError,
    view::{MAX_CHAIN, SchemaView},
};
use crate::vocabulary::path::Path;

/// Maximum levels of brackets in a schema. `serde_json` parses at most 128; a value that a program
/// builds may have any number, and all code that reads it recurses.
const MAX_NESTING: usize = 256;

/// Maximum schemas that may apply to one value at once because references repeat them. A schema
/// that writes each of them out may have more.
const MAX_AT_ONCE: usize = 10_000;

/// Maximum nested schemas that are applied to a value and its parts. Validation takes the most
/// stack, about 2 KB for each of them without optimisation, and explaining the failures as much
/// again. Threads usually have 2 MiB.
const MAX_APPLIED: usize = 512;

/// Maximum schemas that a message names.
const NAMED: usize = 6;

/// Checks the nesting of `schema`. A schema that is too deep is dropped here without recursion.
pub(crate) fn check_nesting(schema: Value) -> Result<Value, SchemaError> {
    if !nests_deeper(&schema, MAX_NESTING) {
        return Ok(schema);
    }
    drop_iteratively(schema);
    let message = format!("it nests more than {MAX_NESTING} levels deep");
    Err(SchemaError::new(Path::root(), message))
}

/// The limits for a value of one schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueBounds {
    /// Maximum levels of brackets of a value, so that the schema can be applied to the whole value.
    pub(crate) depth: usize,
    /// Whether one schema may be evaluated repeatedly for the same part of a value, because nested
    /// alternatives lead to it. Without a cache the time doubles with each of their levels.
    pub(crate) repeats: bool,
}

/// # Errors
///
/// When the schema leads back to itself for the same value, or to too many others.
pub(crate) fn bounds(subschemas: &Subschemas<'_>) -> Result<ValueBounds, SchemaError> {
    let longest = chains(subschemas)?.iter().map(|chain| chain.longest).max().unwrap_or(1);
    Ok(ValueBounds { depth: MAX_APPLIED / longest, repeats: repeat(subschemas) })
}

/// The schemas that apply to a value together with one of them.
#[derive(Debug, Clone, Copy)]
struct SchemaChain {
    longest: usize,
    all: usize,
}

impl SchemaChain {
    const ONE: Self = Self { longest: 1, all: 1 };
}

fn chains(subschemas: &Subschemas<'_>) -> Result<Vec<SchemaChain>, SchemaError> {
    let mut known = vec![SchemaChain::ONE; subschemas.len()];
    let target = |id, nth| subschemas.same_value(id).get(nth).copied();
    let circle = |way: &[SubschemaIndex], target| Err(circle(subschemas, way, target));
    visit_targets_first(subschemas.len(), target, circle, |id| {
        known[id] = count(subschemas, id, &known)?;
        Ok(())
    })?;
    Ok(known)
}

/// Counts the schemas that apply at `id`, given the counts of its targets.
fn count(
    subschemas: &Subschemas<'_>,
    id: SubschemaIndex,
    known: &[SchemaChain],
) -> Result<SchemaChain, SchemaError> {
    let below = subschemas.same_value(id).iter().map(|target| known[*target]);
    let chain = below.fold(SchemaChain::ONE, |chain, below| SchemaChain {
        longest: chain.longest.max(1 + below.longest),
        all: chain.all.saturating_add(below.all),
    });
    let most = subschemas.len().max(MAX_AT_ONCE);
    let message = if chain.longest > MAX_CHAIN {
        format!("more than {MAX_CHAIN} schemas lead to each other here for one and the same value")
    } else if chain.all > most {
        format!("more than {most} schemas apply to one value here, because references repeat them")
    } else {
        return Ok(chain);
    };
    Err(SchemaError::new(subschemas.path(id), message))
}

fn circle(subschemas: &Subschemas<'_>, way: &[SubschemaIndex], target: SubschemaIndex) -> SchemaError {
    let start = way.iter().position(|id| *id == target).unwrap_or(0);
    let pointer = |id: SubschemaIndex| format!("`#{}`", subschemas.path(id).to_pointer());
    let mut names: Vec<_> = way[start..].iter().take(NAMED).map(|id| pointer(*id)).collect();
    if way.len() - start > NAMED {
        names.push("…".to_owned());
    }
    names.push(pointer(target));
    let message = format!(
        "it leads back to itself for the same value, which has no end: {}; recursion has to go through \
         `properties`, `items` or another part of the value",
        names.join(" → ")
    );
    SchemaError::new(subschemas.path(target), message)
}

/// Returns whether `value` has more levels of brackets than `levels`. Recursion stops there.
pub(crate) fn nests_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(list) => levels == 0 || list.iter().any(|inside| nests_deeper(inside, levels - 1)),
        Value::Object(object) => {
            levels == 0 || object.values().any(|inside| nests_deeper(inside, levels - 1))
        }
        _ => false,
    }
}

fn drop_iteratively(value: Value) {
    let mut to_do = vec![value];
    while let Some(value) = to_do.pop() {
        match value {
            Value::Array(list) => to_do.extend(list),
            Value::Object(object) => to_do.extend(object.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    /// On the path from the start to the current schema.
    OnWay,
    Visited,
}

/// Calls `visit` once for each of `schemas`, after its targets. `target` is the nth target of a
/// schema. A target already on the current path closes a cycle, which is passed to `circle`. Does
/// not recurse, because nothing is known yet of how far the targets lead.
///
/// # Errors
///
/// The first error of `circle` or `visit`.
pub(super) fn visit_targets_first<E>(
    schemas: usize,
    target: impl Fn(SubschemaIndex, usize) -> Option<SubschemaIndex>,
    circle: impl Fn(&[SubschemaIndex], SubschemaIndex) -> Result<(), E>,
    mut visit: impl FnMut(SubschemaIndex) -> Result<(), E>,
) -> Result<(), E> {
    let mut states = vec![VisitState::New; schemas];
    let mut next = vec![0; schemas];
    for start in 0..schemas {
        let mut way = Vec::new();
        if states[start] == VisitState::New {
            states[start] = VisitState::OnWay;
            way.push(start);
        }
        while let Some(&id) = way.last() {
            let Some(target) = target(id, next[id]) else {
                visit(id)?;
                states[id] = VisitState::Visited;
                way.pop();
                continue;
            };
            next[id] += 1;
            match states[target] {
                VisitState::New => {
                    states[target] = VisitState::OnWay;
                    way.push(target);
                }
                VisitState::OnWay => circle(&way, target)?,
                VisitState::Visited => {}
            }
        }
    }
    Ok(())
}

/// Visits of one part that are always allowed, however small the schema is.
const ALWAYS_ALLOWED: u64 = 256;

/// Returns whether one part may be visited more often than there are schemas.
fn repeat(subschemas: &Subschemas<'_>) -> bool {
    let most = u64::try_from(subschemas.len()).unwrap_or(u64::MAX).max(ALWAYS_ALLOWED);
    // A schema that leads back to itself counts once: the validator caches the results of recursive
    // references.
    let mut visits = SchemaVisits { subschemas, known: vec![1; subschemas.len()] };
    let target = |id, nth| {
        let (same, parts) = (subschemas.same_value(id), subschemas.parts(id));
        same.get(nth).or_else(|| parts.get(nth - same.len()).map(|(_, target)| target)).copied()
    };
    let visit = |id| {
        visits.known[id] = visits.count(id);
        if visits.known[id] > most { Err(TooMany) } else { Ok(()) }
    };
    visit_targets_first(subschemas.len(), target, |_, _| Ok(()), visit).is_err()
}

/// Ends the search.
struct TooMany;

struct SchemaVisits<'p, 's> {
    subschemas: &'p Subschemas<'s>,
    known: Vec<u64>,
}

impl SchemaVisits<'_, '_> {
    /// Returns the visits of the most visited part, given the counts of all targets.
    fn count(&self, id: SubschemaIndex) -> u64 {
        let parts = self.subschemas.parts(id);
        let of = |wanted: SubschemaScope| {
            parts.iter().filter(move |(part, _)| *part == wanted).map(|(_, id)| self.known[*id])
        };
        let entry =
            of(SubschemaScope::Entry).max().unwrap_or(0).saturating_add(sum(of(SubschemaScope::Entries)));
        let here = entry.max(sum(of(SubschemaScope::Elements))).max(1);
        here.saturating_add(sum(self.subschemas.same_value(id).iter().map(|target| self.known[*target])))
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
