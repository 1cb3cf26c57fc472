//! The schema of the narrowed part itself.

use serde_json::{Map, Value};

use super::meanings::{PropertyDescription, joined};
use crate::schema::{
    KEY, MERGE, QUOTE, SENSITIVE, is_marked,
    view::{
        MAX_CHAIN, SchemaView,
        keywords::{listed as listed_by, type_of},
    },
};

/// A schema for exactly `values`, which all satisfy `part`. It keeps the annotations of `part`:
/// descriptions and examples, sensitivity, quotes, and how values are merged.
pub(crate) fn listed(view: &SchemaView<'_>, part: &Value, values: Vec<Value>) -> Value {
    let mut schema = if values.iter().any(|value| value.is_object() || value.is_array()) {
        // Values with parts may contain descriptions and sensitive values.
        let mut schema = part.as_object().cloned().unwrap_or_default();
        schema.shift_remove("const");
        schema
    } else {
        scalars(view, part, &values)
    };
    keep_listed(&mut schema, &values);
    schema.insert("enum".to_owned(), Value::Array(values));
    Value::Object(schema)
}

/// The values are valid, so the list replaces every other constraint.
fn scalars(view: &SchemaView<'_>, part: &Value, values: &[Value]) -> Map<String, Value> {
    let layers = layers(view, part);
    let first = |keyword: &str| layers.iter().find_map(|layer| layer.get(keyword));
    let mut schema = Map::new();
    let own = layers.first().filter(|layer| !layer.contains_key("$defs"));
    for keyword in ["title", "deprecated"] {
        if let Some(value) = own.and_then(|layer| layer.get(keyword)) {
            schema.insert(keyword.to_owned(), value.clone());
        }
    }
    schema.insert("type".to_owned(), types(values));
    if let Some(text) = description(&layers, values) {
        schema.insert("description".to_owned(), Value::from(text));
    }
    for keyword in ["examples", "default", QUOTE, KEY, MERGE] {
        if let Some(value) = first(keyword) {
            schema.insert(keyword.to_owned(), value.clone());
        }
    }
    if is_sensitive(view, part) {
        schema.insert(SENSITIVE.to_owned(), Value::Bool(true));
    }
    schema
}

/// Drops examples and a default that are not listed.
fn keep_listed(schema: &mut Map<String, Value>, values: &[Value]) {
    if let Some(Value::Array(examples)) = schema.get_mut("examples") {
        examples.retain(|example| values.contains(example));
        if examples.is_empty() {
            schema.shift_remove("examples");
        }
    }
    if schema.get("default").is_some_and(|default| !values.contains(default)) {
        schema.shift_remove("default");
    }
}

/// `part` with another description. The meanings of listed values stay below it.
pub(crate) fn described(part: &Value, text: &str) -> Value {
    let mut schema = match part {
        Value::Object(schema) => schema.clone(),
        Value::Bool(true) => Map::new(),
        other => return other.clone(),
    };
    let old = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let values = listed_by(&schema).unwrap_or_default();
    let meanings = PropertyDescription::of(old, values).meanings_of(values);
    match joined(text.trim(), &meanings) {
        Some(text) => drop(schema.insert("description".to_owned(), Value::from(text))),
        None => drop(schema.shift_remove("description")),
    }
    Value::Object(schema)
}

/// `part` and the schemas that it leads to for the same value, while there is only one way to
/// follow: the target of a reference, or the only alternative to null.
fn layers<'s>(view: &SchemaView<'s>, part: &'s Value) -> Vec<&'s Map<String, Value>> {
    let next = |layer: &&'s Map<String, Value>| {
        let only = |keyword: &str| {
            let branches = layer.get(keyword)?.as_array()?.iter();
            let mut others = branches.filter(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
            others.next().filter(|_| others.next().is_none())
        };
        let target = view.targets(layer).next();
        target.or_else(|| only("allOf")).or_else(|| only("anyOf")).or_else(|| only("oneOf"))?.as_object()
    };
    std::iter::successors(part.as_object(), next).take(MAX_CHAIN).collect()
}

fn description(layers: &[&Map<String, Value>], values: &[Value]) -> Option<String> {
    let mut prose = "";
    let mut meanings = String::new();
    for layer in layers {
        let Some(text) = layer.get("description").and_then(Value::as_str) else { continue };
        let text = PropertyDescription::of(text, listed_by(layer).unwrap_or_default());
        if prose.is_empty() {
            prose = text.prose;
        }
        if meanings.is_empty() {
            meanings = text.meanings_of(values);
        }
    }
    joined(prose, &meanings)
}

/// The types of `values`, one or several.
fn types(values: &[Value]) -> Value {
    let is_whole = values.iter().all(|value| !value.is_f64());
    let mut names = Vec::new();
    for value in values {
        let name = match value {
            Value::Number(_) if is_whole => "integer",
            value => type_of(value),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if let [only] = names[..] { Value::from(only) } else { Value::from(names) }
}

/// Returns whether a whole value of `part` is sensitive.
pub(crate) fn is_sensitive(view: &SchemaView<'_>, part: &Value) -> bool {
    is_sensitive_within(view, part, MAX_CHAIN)
}

fn is_sensitive_within<'s>(view: &SchemaView<'s>, part: &'s Value, left: usize) -> bool {
    let Some(object) = part.as_object().filter(|_| left > 0) else { return false };
    let branches =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|keyword| object.get(keyword)?.as_array());
    is_marked(part, SENSITIVE)
        || view.targets(object).any(|target| is_sensitive_within(view, target, left - 1))
        || branches.flatten().any(|branch| is_sensitive_within(view, branch, left - 1))
}
