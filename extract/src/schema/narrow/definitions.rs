//! The definitions of a changed schema.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
};

use serde_json::{Map, Value};

use crate::{
    schema::{
        DistinctNames, each, replace_references,
        view::{
            REFERENCES, SchemaView,
            pointer::{each_located, last_step},
        },
    },
    vocabulary::path::Segment,
};

/// Keywords that hold definitions.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Keywords that name a schema or a document; a copy must not repeat them.
const NAMES: [&str; 6] = ["$defs", "definitions", "$id", "$schema", "$anchor", "$dynamicAnchor"];

/// The changed copy of the target of a reference.
pub(super) struct DefinitionCopy<'s> {
    /// The name of its new definition.
    pub(super) name: String,
    pub(super) reference: &'s str,
    pub(super) target: &'s Value,
    pub(super) schema: Value,
}

/// Names that no definition of `root` has.
pub(super) fn new_names(root: &Value) -> DistinctNames {
    let definitions = root.get("$defs").and_then(Value::as_object);
    DistinctNames::beside(definitions.into_iter().flatten().map(|(name, _)| name.clone()))
}

/// A new name for the target of `reference`.
pub(super) fn new_name(names: &mut DistinctNames, reference: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = last_step(reference).chars().map(plain).take(80).collect();
    names.numbered(if name.is_empty() { "Root" } else { &name })
}

/// A reference to the definition `name`.
pub(super) fn reference_to(name: &str) -> String {
    format!("#/$defs/{name}")
}

/// A copy without names at any level.
pub(super) fn without_names(mut schema: Value) -> Value {
    each(&mut schema, &mut |object| NAMES.iter().for_each(|name| drop(object.shift_remove(*name))));
    schema
}

/// The changed `schema` of `root` with its definitions. References to schemas in `changed` are
/// redirected to copies of the originals. Definitions no longer needed are dropped, and their
/// copies take their names.
pub(super) fn settled(
    mut schema: Value,
    root: &Value,
    changed: &HashSet<*const Value>,
    (mut names, copies): (DistinctNames, Vec<DefinitionCopy<'_>>),
) -> Value {
    let mut origins = Vec::new();
    for DefinitionCopy { name, reference, target, schema: copy } in copies {
        define(&mut schema, &name, copy);
        origins.push(DefinitionOrigin { name, reference, target });
    }
    let as_they_were = kept_as_they_were(&mut schema, root, changed, &mut names);
    redirect(&mut schema, &as_they_were);
    let dropped = no_longer_needed(root, &schema);
    let old_names = dropped
        .into_iter()
        .filter_map(|(keyword, name)| drop_definition(&mut schema, root, (&keyword, &name), &origins));
    let old_names = old_names.collect();
    redirect(&mut schema, &old_names);
    schema
}

/// The source of the new definition `name`.
struct DefinitionOrigin<'s> {
    name: String,
    reference: &'s str,
    target: &'s Value,
}

/// Drops a definition. If it has only one copy, the copy takes its name; returns the old and the
/// new reference to that copy.
fn drop_definition(
    schema: &mut Value,
    root: &Value,
    (keyword, name): (&str, &str),
    origins: &[DefinitionOrigin<'_>],
) -> Option<(String, String)> {
    let original = root.get(keyword)?.get(name)?;
    let mut copies = origins.iter().filter(|origin| std::ptr::eq(origin.target, original));
    let only = copies.next().filter(|_| copies.next().is_none());
    let only = only.filter(|origin| keyword == "$defs" && origin.reference.starts_with("#/"));
    let definitions = schema.get_mut(keyword)?.as_object_mut()?;
    let Some(copy) = only.and_then(|origin| definitions.shift_remove(&origin.name)) else {
        definitions.shift_remove(name);
        if definitions.is_empty() {
            schema.as_object_mut()?.shift_remove(keyword);
        }
        return None;
    };
    definitions.insert(name.to_owned(), copy);
    only.map(|origin| (reference_to(&origin.name), origin.reference.to_owned()))
}

fn define(schema: &mut Value, name: &str, definition: Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    let definitions = schema.entry("$defs").or_insert_with(|| Value::Object(Map::new()));
    if let Some(definitions) = definitions.as_object_mut() {
        definitions.insert(name.to_owned(), definition);
    }
}

/// Adds copies of the originals of all changed schemas that references still target. Returns the
/// new references by the old ones.
fn kept_as_they_were(
    schema: &mut Value,
    root: &Value,
    changed: &HashSet<*const Value>,
    names: &mut DistinctNames,
) -> HashMap<String, String> {
    let view = SchemaView::of(root);
    let mut kept: HashMap<*const Value, String> = HashMap::new();
    let mut redirected = HashMap::new();
    loop {
        let is_changed = |target: &&Value| changed.contains(&std::ptr::from_ref(*target));
        let new =
            references(schema).into_iter().filter(|(_, reference)| !redirected.contains_key(*reference));
        let found: Vec<_> =
            new.filter_map(|(_, it)| Some((it.to_owned(), view.target(it).filter(is_changed)?))).collect();
        if found.is_empty() {
            return redirected;
        }
        for (reference, target) in found {
            let name = kept.entry(std::ptr::from_ref(target)).or_insert_with(|| {
                let name = new_name(names, &reference);
                define(schema, &name, without_names(target.clone()));
                name
            });
            redirected.insert(reference, reference_to(name));
        }
    }
}

fn redirect(schema: &mut Value, redirected: &HashMap<String, String>) {
    if !redirected.is_empty() {
        replace_references(schema, &mut |reference| redirected.get(reference).cloned());
    }
}

/// The keyword and the name of a definition.
type DefinitionKey = (String, String);

/// The definitions that the root of `schema` and `others` need, directly or indirectly.
fn reachable(schema: &Value, others: &[DefinitionKey]) -> HashSet<DefinitionKey> {
    let view = SchemaView::of(schema);
    let mut reached: HashSet<DefinitionKey> = others.iter().cloned().collect();
    let is_defined =
        |pointer: &str| pointer.split('/').nth(1).is_some_and(|keyword| DEFINITIONS.contains(&keyword));
    let mut found = references(schema);
    found.retain(|(pointer, _)| !is_defined(pointer));
    let mut to_do: Vec<&Value> =
        others.iter().filter_map(|(keyword, name)| schema.get(keyword)?.get(name)).collect();
    loop {
        for (_, reference) in found {
            let path = view.path(reference);
            if let [Segment::Key(keyword), Segment::Key(name), ..] = path.segments()
                && DEFINITIONS.contains(&keyword.as_str())
                && reached.insert((keyword.as_str().to_owned(), name.as_str().to_owned()))
            {
                to_do.extend(schema.get(keyword.as_str()).and_then(|all| all.get(name.as_str())));
            }
        }
        let Some(definition) = to_do.pop() else { return reached };
        found = references(definition);
    }
}

/// Returns the definitions that the root of `before` needs and the root of `now` does not.
/// Definitions that neither root needs are left alone, with everything they refer to.
fn no_longer_needed(before: &Value, now: &Value) -> Vec<DefinitionKey> {
    let needed = reachable(before, &[]);
    let all = DEFINITIONS.into_iter().flat_map(|keyword| {
        let names = before.get(keyword).and_then(Value::as_object).into_iter().flatten();
        names.map(move |(name, _)| (keyword.to_owned(), name.clone()))
    });
    let (needed, others): (Vec<_>, Vec<_>) = all.partition(|definition| needed.contains(definition));
    let still = reachable(now, &others);
    needed.into_iter().filter(|definition| !still.contains(definition)).collect()
}

/// The references in `schema`, each with the pointer to the schema that has it.
fn references(schema: &Value) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let Ok(()) = each_located(schema, &mut |part, pointer| {
        let own = REFERENCES.iter().filter_map(|keyword| part.get(keyword)?.as_str());
        found.extend(own.map(|reference| (pointer.to_owned(), reference)));
        Ok::<_, Infallible>(())
    });
    found
}
