//! Merges the keys of one object into another: `flatten`, and newtype variants beside their tag.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{
    additions::{part, push},
    mistake,
    view::MAX_CHAIN,
};

/// The keywords that can be merged one by one. A schema with others is kept whole.
const PLAIN: [&str; 10] = [
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
];

/// Maximum depth of nested unions; a union may contain itself.
const MAX_DEPTH: usize = 8;

/// Merges the schema of a flattened field, which serde reads from the same object.
///
/// serde treats an `optional` field as absent if anything is wrong with it. That would lose data
/// that the agent sent, so the schema is stricter: none of the keys, or all required ones.
pub(super) fn into_object(
    object: &mut Map<String, Value>,
    name: &str,
    flat: Schema,
    optional: bool,
    generator: &SchemaGenerator,
) {
    // `true` allows any object.
    let Value::Object(mut flat) = resolve(flat.to_value(), generator) else { return };
    unit_variants_as_keys(&mut flat);
    if !may_have_keys(&flat, generator, 0) {
        return mistake::note(object, format!("the flattened field `{name}` is {}", not_an_object(&flat)));
    }
    allow_unknown(&mut flat);
    if !flat.keys().all(|key| PLAIN.contains(&key.as_str())) {
        let whole = Value::Object(flat);
        let branch = if optional { json!({ "anyOf": [whole, {}] }) } else { whole };
        return push(object, "allOf", branch);
    }
    if optional {
        require_together(&mut flat);
    }
    merge(object, flat);
}

/// Merges the content of a newtype variant into the object that holds its tag.
pub(super) fn beside_tag(
    object: &mut Map<String, Value>,
    name: &str,
    content: Schema,
    generator: &SchemaGenerator,
) {
    let Value::Object(mut content) = resolve(content.to_value(), generator) else { return };
    if content.get("type").is_some_and(|kind| kind == "null") {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
        return;
    }
    unit_variants_as_keys(&mut content);
    if !may_have_keys(&content, generator, 0) {
        let what = not_an_object(&content);
        return mistake::note(
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

/// The target of a reference, if it is known yet.
fn resolve(mut schema: Value, generator: &SchemaGenerator) -> Value {
    for _ in 0..MAX_CHAIN {
        let target = match schema.as_object().filter(|object| object.len() == 1).and_then(|o| o.get("$ref")) {
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

/// Whether a value that satisfies the schema may be an object, or nothing at all. An unknown schema
/// may.
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

/// The object around it decides about unknown keys.
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
            ("required" | "allOf", Value::Array(list)) => {
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
