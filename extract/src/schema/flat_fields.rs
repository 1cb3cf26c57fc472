//! The flattened fields of one object, and the keys that serde shows to each of them.
//!
//! serde reads flattened fields in order, from the keys that no other field of the object has. A
//! struct and an enum that is tagged externally or adjacently take their keys, so the fields after
//! them do not see these. Every other type looks at all keys that are left and takes none: a map, an
//! internally tagged or untagged enum, and a struct with flattened fields of its own. So a map also
//! gets the keys of an internally tagged enum, and an enum that refuses unknown keys refuses those
//! of the other fields.

use std::collections::HashSet;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{
    mistakes::LOOKS,
    view::{
        MAX_CHAIN,
        keywords::{COMPOSING, composed, is_annotation, list, listed, named, required, type_of, types},
    },
};

/// Maximum depth of nested unions; a union may contain itself.
pub(super) const MAX_DEPTH: usize = 8;

/// Number of keys from which no more unions are searched for others.
const MAX_KEYS: usize = 1 << 12;

/// The schema of a key that a type does not see, where it has to be named because it is not one of the
/// others. What it holds is described beside it.
pub(super) fn elsewhere() -> Value {
    json!({})
}

/// The flattened fields of an object.
pub(super) struct FlatFields<'a> {
    /// The keys of the other fields.
    pub(super) own: &'a [&'a str],
    pub(super) all: Vec<FlatField<'a>>,
}

/// A flattened field.
pub(super) struct FlatField<'a> {
    pub(super) name: &'a str,
    /// `None` if its keys have no end.
    pub(super) schema: Option<Value>,
    pub(super) optional: bool,
    /// Whether it leaves its keys to the fields after it.
    pub(super) looks: bool,
    keys: Vec<String>,
}

impl<'a> FlatFields<'a> {
    /// From the name of each field, its schema, and whether serde does without it.
    pub(super) fn of(
        fields: impl IntoIterator<Item = (&'a str, Option<Schema>, bool)>,
        own: &'a [&'a str],
        generator: &SchemaGenerator,
    ) -> Self {
        let all = fields.into_iter().map(|field| FlatField::of(field, own, generator)).collect();
        Self { own, all }
    }

    /// The keys that the field at `index` does not see.
    pub(super) fn hidden_from(&self, index: usize) -> Vec<String> {
        let own = self.own.iter().map(|key| (*key).to_owned());
        let before = self.all[..index].iter().filter(|field| !field.looks);
        own.chain(before.flat_map(|field| field.keys.iter().cloned())).collect()
    }

    /// The properties of other flattened fields that the field at `index` sees.
    pub(super) fn properties_seen_by(&self, index: usize) -> impl Iterator<Item = &str> {
        let seen = self
            .all
            .iter()
            .enumerate()
            .filter(move |(other, field)| *other > index || *other < index && field.looks);
        let properties = seen.filter_map(|(_, field)| field.schema.as_ref()?.get("properties")?.as_object());
        properties.flat_map(Map::keys).map(String::as_str)
    }

    /// Says why serde can never fill the field at `index` and the others at once, whose schema is `flat`.
    pub(super) fn conflict(
        &self,
        index: usize,
        flat: &Map<String, Value>,
        generator: &SchemaGenerator,
    ) -> Option<String> {
        let name = self.all[index].name;
        let hidden = self.hidden_from(index);
        let others = self.all.iter().enumerate().filter(|(other, field)| *other != index && !field.optional);
        let required = others.flat_map(|(other, field)| {
            let schema = field.schema.as_ref().and_then(Value::as_object);
            let keys = schema.map(|schema| required_of(schema, generator, 0)).unwrap_or_default();
            let is_order = other > index && !field.looks;
            keys.into_iter().map(move |(key, schema)| ((field.name, is_order), key, schema))
        });
        let mut required = required.filter(|(_, key, _)| !hidden.contains(key));
        let cure = |(other, is_order): (&str, bool), else_: &str| {
            if is_order {
                format!("put `{name}` after `{other}`")
            } else {
                format!("{else_}, or give one of the two a name of its own")
            }
        };
        if is_closed(flat, generator, 0) {
            let (other, key, _) = required.next()?;
            return Some(format!(
                "the flattened field `{name}` refuses unknown keys, and serde shows it the key `{key}` of the \
                 flattened field `{}`; {}",
                other.0,
                cure(other, "remove `deny_unknown_fields`")
            ));
        }
        let entry = flat.get("additionalProperties")?;
        let names = flat.get("propertyNames").map(|names| resolve(names.clone(), generator));
        let names = names.as_ref().and_then(Value::as_object).and_then(listed);
        let is_no_entry = |key: &str, schema: &Value| {
            let is_listed = |names: &[Value]| names.iter().any(|name| name == key);
            !names.is_none_or(is_listed) || are_disjoint(entry, schema, generator)
        };
        let (other, key, _) = required.find(|(_, key, schema)| is_no_entry(key, schema))?;
        Some(format!(
            "serde also reads the key `{key}` of the flattened field `{}` as an entry of the map `{name}`, \
             which it does not fit; {}",
            other.0,
            cure(other, "use the type `serde_json::Map<String, serde_json::Value>`")
        ))
    }
}

impl<'a> FlatField<'a> {
    fn of(
        (name, flat, optional): (&'a str, Option<Schema>, bool),
        own: &[&str],
        generator: &SchemaGenerator,
    ) -> Self {
        let schema = flat.map(|flat| {
            let mut schema = resolve(flat.to_value(), generator);
            schema.as_object_mut().into_iter().for_each(unit_variants_as_keys);
            schema
        });
        let object = schema.as_ref().and_then(Value::as_object);
        let looks = |object: &Map<String, Value>| {
            object.contains_key(LOOKS)
                || object.get("additionalProperties").is_some_and(|entry| *entry != false)
        };
        Self {
            name,
            optional,
            looks: object.is_some_and(looks),
            keys: object.map(|object| keys_of(object, own, generator)).unwrap_or_default(),
            schema,
        }
    }
}

/// A key among `taken` that a value of `schema`, or of one of its alternatives, cannot do without.
pub(super) fn required_among(
    schema: &Map<String, Value>,
    taken: &[&str],
    generator: &SchemaGenerator,
    depth: usize,
) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let is_taken = |key: &&str| taken.contains(key);
    let names = |choice: &Value| choice.get("required")?.get(0)?.as_str().map(str::to_owned);
    if is_of_names(&json!({ "oneOf": schema.get("oneOf") })) {
        let names: Option<Vec<String>> = list(schema, "oneOf").map(names).collect();
        let first = names.filter(|names| names.iter().all(|name| is_taken(&name.as_str())));
        return first.and_then(|names| names.into_iter().next());
    }
    let own = required(schema).find(is_taken).map(str::to_owned);
    own.or_else(|| {
        composed(schema).find_map(|part| {
            let part = resolve(part.clone(), generator);
            required_among(part.as_object()?, taken, generator, depth + 1)
        })
    })
}

/// The required keys of `schema` and of its alternatives, with their schemas.
fn required_of(
    schema: &Map<String, Value>,
    generator: &SchemaGenerator,
    depth: usize,
) -> Vec<(String, Value)> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let property = |key: &str| schema.get("properties").and_then(|all| all.get(key)).cloned();
    let with_schema = |key: &str| (key.to_owned(), property(key).unwrap_or(Value::Bool(true)));
    let mut keys: Vec<_> = required(schema).map(with_schema).collect();
    for part in composed(schema) {
        if let Value::Object(part) = resolve(part.clone(), generator) {
            keys.extend(required_of(&part, generator, depth + 1));
        }
    }
    keys
}

/// Returns whether `schema` or one of its alternatives refuses unknown keys.
fn is_closed(schema: &Map<String, Value>, generator: &SchemaGenerator, depth: usize) -> bool {
    let is_closed_part = |part: &Value| match resolve(part.clone(), generator) {
        Value::Object(part) => is_closed(&part, generator, depth + 1),
        _ => false,
    };
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        || depth <= MAX_DEPTH && composed(schema).any(is_closed_part)
}

/// Makes `schema` and its alternatives ignore the keys `hidden`, which their type does not see:
/// where it refuses unknown keys, and where it is a map.
pub(super) fn ignore_hidden(
    schema: &mut Map<String, Value>,
    hidden: &[String],
    generator: &SchemaGenerator,
    depth: usize,
) {
    if hidden.is_empty() || depth > MAX_DEPTH {
        return;
    }
    if schema.get("additionalProperties").is_some_and(|entry| *entry != true) {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        for key in hidden {
            if let Value::Object(properties) = properties {
                properties.entry(key.clone()).or_insert_with(elsewhere);
            }
        }
    }
    allow_names(schema, hidden);
    for name in COMPOSING {
        for part in schema.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
            let Value::Object(target) = resolve(part.clone(), generator) else { continue };
            let mut changed = target.clone();
            ignore_hidden(&mut changed, hidden, generator, depth + 1);
            if changed != target {
                // What is beside the reference counts too.
                let beside = part.as_object().into_iter().flatten();
                let beside = beside.filter(|(key, _)| is_beside_reference(key));
                changed.extend(beside.map(|(key, value)| (key.clone(), value.clone())));
                *part = Value::Object(changed);
            }
        }
    }
}

/// Allows the keys `hidden` beside those of a map.
pub(super) fn allow_names(schema: &mut Map<String, Value>, hidden: &[String]) {
    if let Some(names) = schema.get_mut("propertyNames").filter(|_| !hidden.is_empty()) {
        let own = names.take();
        *names = json!({ "anyOf": [{ "enum": hidden }, own] });
    }
}

/// Returns whether no value satisfies both schemas, because of its type. An unknown schema may be
/// satisfied by any.
fn are_disjoint(one: &Value, other: &Value, generator: &SchemaGenerator) -> bool {
    let (Some(one), Some(other)) = (kinds(one, generator, 0), kinds(other, generator, 0)) else {
        return false;
    };
    let fits = |one: &String, other: &String| one == other || one == "number" && other == "integer";
    !one.iter().any(|one| other.iter().any(|other| fits(one, other) || fits(other, one)))
}

/// The types of the values of `schema`; `None` if it does not say.
fn kinds(schema: &Value, generator: &SchemaGenerator, depth: usize) -> Option<Vec<String>> {
    let schema = resolve(schema.clone(), generator);
    let schema = schema.as_object().filter(|_| depth <= MAX_DEPTH)?;
    if let Some(types) = schema.get("type").map(types) {
        return Some(types.into_iter().map(str::to_owned).collect());
    }
    if let Some(values) = listed(schema) {
        return Some(values.iter().map(|value| type_of(value).to_owned()).collect());
    }
    let union = ["anyOf", "oneOf"].into_iter().find(|name| schema.contains_key(*name))?;
    let branches = list(schema, union).map(|branch| kinds(branch, generator, depth + 1));
    Some(branches.collect::<Option<Vec<_>>>()?.concat())
}

/// The target of a reference, if it is known yet.
pub(super) fn resolve(mut schema: Value, generator: &SchemaGenerator) -> Value {
    for _ in 0..MAX_CHAIN {
        let is_only = |object: &&Map<String, Value>| {
            object.keys().all(|keyword| keyword == "$ref" || is_beside_reference(keyword))
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

/// A unit variant is a string by itself, and `{"name": null}` when it is flattened.
pub(super) fn unit_variants_as_keys(schema: &mut Map<String, Value>) {
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

/// Returns whether `keyword` beside a reference only describes its target, or is a mark of this library.
fn is_beside_reference(keyword: &str) -> bool {
    is_annotation(keyword) || keyword.starts_with("x-")
}

/// Returns whether `schema` only requires one of the names of a field.
pub(super) fn is_of_names(schema: &Value) -> bool {
    let is_of_keys = |choice: &Value| {
        choice.as_object().is_some_and(|choice| {
            choice.len() == 1 && (choice.contains_key("required") || choice.contains_key("not"))
        })
    };
    let only = schema.as_object().filter(|schema| schema.len() == 1);
    let choices = only.and_then(|schema| schema.get("oneOf")).and_then(Value::as_array);
    choices.is_some_and(|choices| choices.iter().all(is_of_keys))
}

/// The keys that `flat` and its parts know, without those that the object around it has itself.
pub(super) fn keys_of(flat: &Map<String, Value>, own: &[&str], generator: &SchemaGenerator) -> Vec<String> {
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
    keys.extend(named(schema, "properties").map(|(key, _)| key.clone()));
    for part in composed(schema) {
        if let Value::Object(part) = resolve(part.clone(), generator) {
            collect_keys(&part, generator, depth + 1, keys);
        }
    }
}
