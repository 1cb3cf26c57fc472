//! Merges the keys of one object into another: `flatten`, and newtype variants beside their tag.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    marker::PhantomData,
    rc::Rc,
    sync::Arc,
    time::{Duration, SystemTime},
};

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{
    flat_fields::{self, FlatFields, MAX_DEPTH, is_of_names, keys_of, resolve, unit_variants_as_keys},
    mistakes::{self, BUFFERED, LOOKS, buffer, buffer_parts},
    view::keywords::{COMPOSING, is_annotation, types},
};

/// The keywords that can be merged one by one. A schema with others is kept whole.
const PLAIN: [&str; 12] = [
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
    LOOKS,
];

/// Where the type of a flattened field is read.
const FLATTENED: &str = "in a flattened field";

/// Merges the schema of the flattened field at `index`, which serde reads from the same object.
///
/// serde treats an optional field as absent if anything is wrong with it. That would lose data
/// that the agent sent, so the schema is stricter: none of the keys, or all required ones. serde takes
/// the first variant that it finds, whatever its value, so the schema allows one variant only.
pub(super) fn into_object(
    object: &mut Map<String, Value>,
    fields: &FlatFields<'_>,
    index: usize,
    generator: &SchemaGenerator,
) {
    let field = &fields.all[index];
    let Some(schema) = field.schema.clone() else { return note_endless(object, field.name) };
    let Some(mut flat) = keys_or_any(object, schema) else { return };
    if !may_have_keys(&flat, generator, 0) {
        return mistakes::note(
            object,
            format!("the flattened field `{}` is {}", field.name, not_an_object(&flat)),
        );
    }
    note_taken(object, &flat, fields.own, generator);
    drop_taken_names(&mut flat, fields.own);
    let variants = variant_keys(&flat);
    if field.looks {
        if let Some(conflict) = fields.conflict(index, &flat, generator) {
            return mistakes::note(object, conflict);
        }
    } else {
        allow_unknown(&mut flat);
    }
    if let Some(keys) = variants {
        push(&mut flat, "allOf", one_of_keys(keys));
    }
    let hidden = fields.hidden_from(index);
    let parts = flat.get("allOf").and_then(Value::as_array);
    let has_union = parts.into_iter().flatten().any(|part| !is_of_names(part));
    let optional = field.optional;
    if !flat.keys().all(|key| PLAIN.contains(&key.as_str())) || optional && has_union {
        // Keys that it is not shown do not make it something.
        let nothing = optional.then(|| nothing_of(&flat, fields.own, generator));
        flat_fields::ignore_hidden(&mut flat, &hidden, generator, 0);
        buffer(&mut flat, FLATTENED);
        flat.shift_remove(LOOKS);
        let whole = Value::Object(flat);
        let branch = nothing.map_or_else(|| whole.clone(), |nothing| json!({ "anyOf": [whole, nothing] }));
        return push(object, "allOf", branch);
    }
    if optional {
        require_names_if_present(&mut flat, fields.own, generator);
        require_together(&mut flat);
    }
    buffer_parts(&mut flat, FLATTENED);
    entries_among(object, &mut flat, fields, index, hidden);
    merge(object, flat);
}

/// Says which keys of `object` are entries of a flattened map: those that serde shows it.
fn entries_among(
    object: &mut Map<String, Value>,
    flat: &mut Map<String, Value>,
    fields: &FlatFields<'_>,
    index: usize,
    hidden: Vec<String>,
) {
    flat_fields::allow_names(flat, &hidden);
    let Some(entry) = flat.get("additionalProperties").filter(|entry| !entry.is_boolean()) else { return };
    // Properties are not additional, also those that other fields only look at.
    let seen: Map<_, _> =
        fields.properties_seen_by(index).map(|key| (key.to_owned(), entry.clone())).collect();
    if !seen.is_empty() {
        push(object, "allOf", json!({ "properties": seen }));
    }
    let taken = hidden.into_iter().filter(|key| !fields.own.contains(&key.as_str()));
    if let Value::Object(properties) = part(object, "properties", || Value::Object(Map::new())) {
        taken.for_each(|key| {
            properties.entry(key).or_insert_with(flat_fields::elsewhere);
        });
    }
}

/// Merges the content of a newtype variant into the object that holds its tag.
pub(super) fn beside_tag(
    object: &mut Map<String, Value>,
    (tag, name): (&str, &str),
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
    note_taken(object, &content, &[tag], generator);
    if variant_keys(&content).is_some() {
        refuse_unknown(&mut content);
    }
    flat_fields::ignore_hidden(&mut content, &[tag.to_owned()], generator, 0);
    if content.keys().all(|key| PLAIN.contains(&key.as_str())) {
        return merge(object, content);
    }
    content.shift_remove(LOOKS);
    push(object, "allOf", Value::Object(content));
}

/// Beside a tag, serde reads an externally tagged enum from an object with one key.
fn refuse_unknown(content: &mut Map<String, Value>) {
    let branches = content.get_mut("oneOf").and_then(Value::as_array_mut);
    for branch in branches.into_iter().flatten().filter_map(Value::as_object_mut) {
        branch.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// Records that the keys of `name`, a flattened field or a variant beside its tag, have no end.
pub(super) fn note_endless(object: &mut Map<String, Value>, name: &str) {
    let message =
        format!("the content of `{name}`, whose keys are beside others, leads to its own type again");
    mistakes::note(object, message);
}

/// Records a key of `flat` that serde never shows it, because it is one of `taken`. A type that leads to
/// itself again has another mistake.
fn note_taken(
    object: &mut Map<String, Value>,
    flat: &Map<String, Value>,
    taken: &[&str],
    generator: &SchemaGenerator,
) {
    if let Some(key) = flat_fields::required_among(flat, taken, generator, 0)
        && mistakes::mistake(&Value::Object(flat.clone())).is_none()
    {
        note_twice(object, &key);
    }
}

/// Records that `key` belongs to two fields.
fn note_twice(object: &mut Map<String, Value>, key: &str) {
    let message = format!("two fields have the key {key:?}, and serde fills only one of them");
    mistakes::note(object, message);
}

/// The schema of the keys that are merged into `object`; `None` if they may be any, which `object`
/// says then.
fn keys_or_any(object: &mut Map<String, Value>, flat: Value) -> Option<Map<String, Value>> {
    match flat {
        Value::Object(flat) if !flat.keys().all(|keyword| is_annotation(keyword)) => Some(flat),
        Value::Bool(false) => None,
        _ => {
            object.entry("additionalProperties").or_insert(Value::Bool(true));
            None
        }
    }
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
    let has_type =
        schema.get("type").is_none_or(|of| types(of).iter().any(|kind| matches!(*kind, "object" | "null")));
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

/// The names of all variants, if `schema` is an enum in which the only key is the variant.
fn variant_keys(schema: &Map<String, Value>) -> Option<Vec<String>> {
    let branches = schema.get("oneOf").filter(|_| !schema.contains_key(LOOKS))?.as_array()?;
    let keys = |branch: &Value| {
        let properties = branch.get("properties")?.as_object()?;
        let is_one_key = match (branch.get("required"), branch.get("oneOf")) {
            (Some(Value::Array(required)), None) => (required.len(), properties.len()) == (1, 1),
            (None, Some(Value::Array(names))) => names.len() == properties.len(),
            _ => false,
        };
        is_one_key.then(|| properties.keys().cloned().collect::<Vec<_>>())
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
    for name in COMPOSING {
        if let Some(Value::Array(branches)) = schema.get_mut(name) {
            branches.iter_mut().filter_map(Value::as_object_mut).for_each(allow_unknown);
        }
    }
}

/// Drops the names of a field that the object itself has, so that its other names are asked for.
fn drop_taken_names(flat: &mut Map<String, Value>, own: &[&str]) {
    let is_taken = |choice: &Value| {
        let key = choice.get("required").and_then(|required| required.get(0)).and_then(Value::as_str);
        key.is_some_and(|key| own.contains(&key))
    };
    for names in flat.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten() {
        if !is_of_names(names) {
            continue;
        }
        if let Some(choices) = names.get_mut("oneOf").and_then(Value::as_array_mut) {
            choices.retain(|choice| !is_taken(choice));
            let absent =
                choices.iter_mut().find_map(|choice| choice.pointer_mut("/not/anyOf")?.as_array_mut());
            if let Some(absent) = absent {
                absent.retain(|choice| !is_taken(choice));
            }
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

fn require_together(flat: &mut Map<String, Value>) {
    let Some(Value::Array(required)) = flat.remove("required") else { return };
    let Some(Value::Object(properties)) = flat.get("properties") else { return };
    let together: Map<_, _> = properties
        .keys()
        .map(|name| {
            let others = required.iter().filter(|other| *other != name).cloned().collect();
            (name.clone(), Value::Array(others))
        })
        .filter(|(_, others)| *others != json!([]))
        .collect();
    if together.is_empty() {
        return;
    }
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
                        note_twice(object, key.as_str().unwrap_or_default());
                    }
                    push(object, &name, key);
                }
            }
            ("allOf", Value::Array(list)) => {
                for value in list {
                    push(object, &name, value);
                }
            }
            ("additionalProperties" | "propertyNames", value) => match object.get_mut(&name) {
                None | Some(Value::Bool(_)) => {
                    object.insert(name, value);
                }
                // An entry belongs to every map.
                Some(all) if !value.is_boolean() => *all = json!({ "allOf": [all.take(), value] }),
                Some(_) => {}
            },
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
