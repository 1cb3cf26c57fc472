//! Merges the keys of one object into another: `flatten`, and newtype variants beside their tag.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    marker::PhantomData,
    rc::Rc,
    sync::Arc,
    time::{Duration, SystemTime},
};

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{
    mistakes::{self, BUFFERED, buffer, buffer_parts},
    view::{MAX_CHAIN, keywords::is_annotation},
};

/// The keywords that can be merged one by one. A schema with others is kept whole.
const PLAIN: [&str; 11] = [
    "type",
    "title",
    "description",
    "examples",
    "properties",
    "required",
    "dependentRequired",
    "allOf",
    "additionalProperties",
    "propertyNames",
    BUFFERED,
];

/// Maximum depth of nested unions; a union may contain itself.
const MAX_DEPTH: usize = 8;

/// Number of keys from which no more unions are searched for others.
const MAX_KEYS: usize = 1 << 12;

/// Where the type of a flattened field is read.
const FLATTENED: &str = "in a flattened field";

/// Merges the schema of a flattened field, which serde reads from the same object.
///
/// serde treats an `optional` field as absent if anything is wrong with it. That would lose data
/// that the agent sent, so the schema is stricter: none of the keys, or all required ones. The
/// fields of the object itself take the keys `own` before the flattened one.
pub(super) fn into_object(
    object: &mut Map<String, Value>,
    name: &str,
    flat: Schema,
    optional: bool,
    own: &[&str],
    generator: &SchemaGenerator,
) {
    let Some(mut flat) = keys_or_any(object, resolve(flat.to_value(), generator)) else { return };
    unit_variants_as_keys(&mut flat);
    if !may_have_keys(&flat, generator, 0) {
        return mistakes::note(object, format!("the flattened field `{name}` is {}", not_an_object(&flat)));
    }
    let variants = variant_keys(&flat);
    allow_unknown(&mut flat);
    if let Some(keys) = variants.filter(|_| optional) {
        push(&mut flat, "allOf", one_of_keys(keys));
    }
    let parts = flat.get("allOf").and_then(Value::as_array);
    let has_union = parts.into_iter().flatten().any(|part| !is_of_names(part));
    if !flat.keys().all(|key| PLAIN.contains(&key.as_str())) || optional && has_union {
        buffer(&mut flat, FLATTENED);
        let nothing = optional.then(|| nothing_of(&flat, own, generator));
        let whole = Value::Object(flat);
        let branch = nothing.map_or_else(|| whole.clone(), |nothing| json!({ "anyOf": [whole, nothing] }));
        return push(object, "allOf", branch);
    }
    if optional {
        require_names_if_present(&mut flat, own, generator);
        require_together(&mut flat);
    }
    buffer_parts(&mut flat, FLATTENED);
    merge(object, flat);
}

/// Merges the content of a newtype variant into the object that holds its tag.
pub(super) fn beside_tag(
    object: &mut Map<String, Value>,
    name: &str,
    content: Schema,
    generator: &SchemaGenerator,
) {
    let Some(mut content) = keys_or_any(object, resolve(content.to_value(), generator)) else { return };
    if content.get("type").is_some_and(|kind| kind == "null") {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
        return;
    }
    unit_variants_as_keys(&mut content);
    if !may_have_keys(&content, generator, 0) {
        let what = not_an_object(&content);
        return mistakes::note(
            object,
            format!("the content of the variant `{name}`, beside its tag, is {what}"),
        );
    }
    if content.keys().all(|key| PLAIN.contains(&key.as_str())) {
        return merge(object, content);
    }
    allow_unknown(&mut content);
    push(object, "allOf", Value::Object(content));
}

/// Records that the keys of `name`, a flattened field or a variant beside its tag, have no end.
pub(super) fn note_endless(object: &mut Map<String, Value>, name: &str) {
    let message =
        format!("the content of `{name}`, whose keys are beside others, leads to its own type again");
    mistakes::note(object, message);
}

/// The schema of the keys that are merged into `object`; `None` if they may be any, which `object`
/// says then.
fn keys_or_any(object: &mut Map<String, Value>, flat: Value) -> Option<Map<String, Value>> {
    match flat {
        Value::Object(flat) if !flat.keys().all(|keyword| is_annotation(keyword)) => Some(flat),
        Value::Bool(false) => None,
        _ => {
            object.insert("additionalProperties".to_owned(), Value::Bool(true));
            None
        }
    }
}

/// The target of a reference, if it is known yet.
fn resolve(mut schema: Value, generator: &SchemaGenerator) -> Value {
    for _ in 0..MAX_CHAIN {
        let is_only = |object: &&Map<String, Value>| {
            object.keys().all(|keyword| matches!(keyword.as_str(), "$ref" | BUFFERED))
        };
        let target = match schema.as_object().filter(is_only).and_then(|object| object.get("$ref")) {
            Some(Value::String(reference)) => {
                reference.strip_prefix("#/$defs/").and_then(|name| generator.definitions().get(name))
            }
            _ => None,
        };
        match target {
            Some(target) if target.is_object() => schema = target.clone(),
            _ => break,
        }
    }
    schema
}

/// Returns whether a value that satisfies the schema may be an object, or nothing at all. An
/// unknown schema may.
fn may_have_keys(schema: &Map<String, Value>, generator: &SchemaGenerator, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return true;
    }
    let is_keyed = |schema: &Value| match resolve(schema.clone(), generator) {
        Value::Object(schema) => may_have_keys(&schema, generator, depth + 1),
        other => other != Value::Bool(false),
    };
    let is_named = |kind: &Value| kind == "object" || kind == "null";
    let has_type = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is_named),
        Some(kind) => is_named(kind),
    };
    let branches = |name: &str| schema.get(name).and_then(Value::as_array);
    has_type
        && branches("allOf").is_none_or(|all| all.iter().all(is_keyed))
        && ["anyOf", "oneOf"].into_iter().filter_map(branches).all(|any| any.iter().any(is_keyed))
}

fn not_an_object(schema: &Map<String, Value>) -> String {
    let kind = schema.get("type").map(|kind| format!(" (`\"type\": {kind}`)")).unwrap_or_default();
    format!(
        "not an object in JSON{kind}; only an object can be flattened or stand beside a tag, \
         so give it a field with a name of its own"
    )
}

/// A unit variant is a string by itself, and `{"name": null}` when it is flattened.
fn unit_variants_as_keys(schema: &mut Map<String, Value>) {
    let as_keys = |names: &[Value]| -> Vec<Value> {
        let names = names.iter().filter_map(Value::as_str);
        names
            .map(|name| {
                json!({ "type": "object", "properties": { name: { "type": "null" } }, "required": [name] })
            })
            .collect()
    };
    let is_text = |schema: &Map<String, Value>| schema.get("type").is_some_and(|kind| kind == "string");
    if is_text(schema) {
        if let Some(Value::Array(names)) = schema.remove("enum") {
            schema.remove("type");
            schema.insert("oneOf".to_owned(), Value::Array(as_keys(&names)));
        }
        return;
    }
    let Some(Value::Array(branches)) = schema.get_mut("oneOf") else { return };
    if let Some(at) = branches.iter().position(|branch| branch.as_object().is_some_and(is_text))
        && let Some(Value::Array(names)) = branches[at].get("enum").cloned()
    {
        branches.splice(at..=at, as_keys(&names));
    }
}

/// The names of all variants, if `schema` is an enum in which the only key is the variant.
fn variant_keys(schema: &Map<String, Value>) -> Option<Vec<String>> {
    let branches = schema.get("oneOf")?.as_array()?;
    let keys = |branch: &Value| {
        let properties = branch.get("properties")?.as_object()?;
        let is_unit = || {
            let is_null = |value: &Value| value.get("type").is_some_and(|kind| kind == "null");
            properties.len() == 1 && properties.values().all(is_null)
        };
        let is_variant = branch.get("additionalProperties") == Some(&Value::Bool(false)) || is_unit();
        is_variant.then(|| properties.keys().cloned().collect::<Vec<_>>())
    };
    Some(branches.iter().map(keys).collect::<Option<Vec<_>>>()?.concat())
}

/// Requires exactly one of `keys`. serde takes the first, whatever its value.
fn one_of_keys(keys: Vec<String>) -> Value {
    json!({ "oneOf": keys.into_iter().map(|key| json!({ "required": [key] })).collect::<Vec<_>>() })
}

/// Leaves unknown keys to the enclosing object.
fn allow_unknown(schema: &mut Map<String, Value>) {
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        schema.remove("additionalProperties");
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get_mut(name) {
            branches.iter_mut().filter_map(Value::as_object_mut).for_each(allow_unknown);
        }
    }
}

/// Lets each field with several names be absent if no key of `flat` is there.
fn require_names_if_present(flat: &mut Map<String, Value>, own: &[&str], generator: &SchemaGenerator) {
    let keys = keys_of(flat, own, generator).into_iter().map(|key| json!({ "required": [key] }));
    let absent = json!({ "not": { "anyOf": keys.collect::<Vec<_>>() } });
    let Some(Value::Array(all)) = flat.get_mut("allOf") else { return };
    for names in all.iter_mut().filter(|part| is_of_names(part)) {
        if let Some(choices) = names.get_mut("oneOf").and_then(Value::as_array_mut)
            && choices.iter().all(|choice| choice.get("required").is_some())
        {
            choices.push(absent.clone());
        }
    }
}

/// Returns whether `schema` only requires one of the names of a field.
fn is_of_names(schema: &Value) -> bool {
    let is_of_keys = |choice: &Value| {
        choice.as_object().is_some_and(|choice| {
            choice.len() == 1 && (choice.contains_key("required") || choice.contains_key("not"))
        })
    };
    let only = schema.as_object().filter(|schema| schema.len() == 1);
    let choices = only.and_then(|schema| schema.get("oneOf")).and_then(Value::as_array);
    choices.is_some_and(|choices| choices.iter().all(is_of_keys))
}

/// The schema of an object without the keys of `flat`. Null says nothing either.
fn nothing_of(flat: &Map<String, Value>, own: &[&str], generator: &SchemaGenerator) -> Value {
    let keys = keys_of(flat, own, generator).into_iter();
    let absent: Map<String, Value> = keys.map(|key| (key, json!({ "type": "null" }))).collect();
    if absent.is_empty() { json!({}) } else { json!({ "type": "object", "properties": absent }) }
}

/// Returns whether `schema` describes an absent flattened field: its keys are null if present.
pub(super) fn is_nothing(schema: &Map<String, Value>) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_null = |property: &Value| *property == json!({ "type": "null" });
    schema.keys().all(|keyword| matches!(keyword.as_str(), "type" | "properties"))
        && properties.is_some_and(|properties| !properties.is_empty() && properties.values().all(is_null))
}

/// The keys that `flat` and its parts know, without those that the object around it has itself.
fn keys_of(flat: &Map<String, Value>, own: &[&str], generator: &SchemaGenerator) -> Vec<String> {
    let mut keys = Vec::new();
    collect_keys(flat, generator, 0, &mut keys);
    let mut seen = HashSet::new();
    keys.retain(|key| !own.contains(&key.as_str()) && seen.insert(key.clone()));
    keys
}

fn collect_keys(
    schema: &Map<String, Value>,
    generator: &SchemaGenerator,
    depth: usize,
    keys: &mut Vec<String>,
) {
    if depth > MAX_DEPTH || keys.len() > MAX_KEYS {
        return;
    }
    keys.extend(schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned());
    for name in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get(name).and_then(Value::as_array).into_iter().flatten() {
            if let Value::Object(part) = resolve(part.clone(), generator) {
                collect_keys(&part, generator, depth + 1, keys);
            }
        }
    }
}

fn require_together(flat: &mut Map<String, Value>) {
    let Some(Value::Array(required)) = flat.remove("required") else { return };
    let Some(Value::Object(properties)) = flat.get("properties") else { return };
    let together = properties
        .keys()
        .map(|name| {
            let others = required.iter().filter(|other| *other != name).cloned().collect();
            (name.clone(), Value::Array(others))
        })
        .collect();
    flat.insert("dependentRequired".to_owned(), Value::Object(together));
}

fn merge(object: &mut Map<String, Value>, flat: Map<String, Value>) {
    for (name, value) in flat {
        match (name.as_str(), value) {
            ("properties" | "dependentRequired", Value::Object(entries)) => {
                if let Value::Object(into) = part(object, &name, || Value::Object(Map::new())) {
                    for (key, value) in entries {
                        into.entry(key).or_insert(value);
                    }
                }
            }
            ("required", Value::Array(list)) => {
                for key in list {
                    let known = object.get("required").and_then(Value::as_array);
                    if known.is_some_and(|known| known.contains(&key)) {
                        let message =
                            format!("two fields have the key {key}, and serde fills only one of them");
                        mistakes::note(object, message);
                    }
                    push(object, &name, key);
                }
            }
            ("allOf", Value::Array(list)) => {
                for value in list {
                    push(object, &name, value);
                }
            }
            ("additionalProperties" | "propertyNames", value) => {
                object.insert(name, value);
            }
            // The object has its own type and description.
            _ => {}
        }
    }
}

/// Returns the part of a schema under `name`. If absent, `new` makes it.
pub(super) fn part<'o>(
    object: &'o mut Map<String, Value>,
    name: &str,
    new: impl FnOnce() -> Value,
) -> &'o mut Value {
    object.entry(name).or_insert_with(new)
}

/// Adds to a list in a schema.
pub(super) fn push(object: &mut Map<String, Value>, name: &str, value: Value) {
    if let Value::Array(list) = part(object, name, || Value::Array(Vec::new())) {
        list.push(value);
    }
}

/// Types that can be flattened or placed beside the tag of an enum. For the parameter, see
/// [`AcceptsRange`](super::accepts::AcceptsRange).
#[diagnostic::on_unimplemented(
    message = "only an object can be flattened or stand beside a tag; `{Self}` is not one",
    label = "has no keys in JSON",
    note = "structs with named fields, enums and maps are objects; give anything else a field with a name of its own"
)]
pub trait HasKeys<D = ()> {
    /// Names this trait in generated code.
    const KEYS: () = ();
}

macro_rules! objects {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* D> HasKeys<D> for $type {}
    )*};
}

// A unit has no keys.
objects!(
    [] (), [T: ?Sized,] PhantomData<T>, [] Value, [] Map<String, Value>, [K, V,] BTreeMap<K, V>, [K, V, S,] HashMap<K, V, S>,
    [] Duration, [] SystemTime,
);

#[cfg(feature = "indexmap2")]
objects!([K, V, S,] indexmap2::IndexMap<K, V, S>);

macro_rules! through {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> HasKeys<D> for $type where T: HasKeys<D> {}
    )*};
}

through!([T] Option<T>, [T: ?Sized] Box<T>, [T: ?Sized] Rc<T>, [T: ?Sized] Arc<T>, [T: ?Sized + ToOwned] Cow<'_, T>);
