//! How a schema lets an answer say that something is not known.

use serde_json::{Map, Value};

/// References that are followed one after the other; a longer chain is a circle.
const MAX_REFERENCES: usize = 16;

/// Schemas inside each other that are looked through.
const MAX_DEPTH: usize = 32;

/// Whether somewhere a value may be null, and whether somewhere a key may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Absence {
    pub(crate) as_null: bool,
    pub(crate) as_missing_key: bool,
}

/// How `schema` lets parts of an answer be absent.
pub(crate) fn absence(schema: &Value) -> Absence {
    let mut found = Absence::default();
    look(schema, MAX_DEPTH, &mut found);
    found
}

fn look(schema: &Value, depth: usize, found: &mut Absence) {
    let Some(object) = schema.as_object().filter(|_| depth > 0) else { return };
    found.as_null |= states_null(object);
    let properties = object.get("properties").and_then(Value::as_object);
    found.as_missing_key |= properties.into_iter().flat_map(Map::keys).any(|key| !is_required(object, key));
    for (keyword, part) in object {
        match (keyword.as_str(), part) {
            // No value here is that of a key.
            ("const" | "enum" | "default" | "examples" | "not" | "if" | "propertyNames", _) => {}
            ("properties" | "$defs" | "patternProperties", Value::Object(named)) => {
                named.values().for_each(|part| look(part, depth - 1, found));
            }
            (_, Value::Array(parts)) => parts.iter().for_each(|part| look(part, depth - 1, found)),
            (_, part) => look(part, depth - 1, found),
        }
    }
}

fn is_required(object: &Map<String, Value>, key: &str) -> bool {
    let required = object.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == key))
}

fn states_null(object: &Map<String, Value>) -> bool {
    let is_null = |value: &Value| value.is_null() || value == "null";
    match (object.get("enum"), object.get("type")) {
        (Some(values), _) => values.as_array().is_some_and(|values| values.iter().any(Value::is_null)),
        (None, Some(Value::Array(names))) => names.iter().any(is_null),
        (None, Some(name)) => is_null(name),
        (None, None) => object.get("const").is_some_and(Value::is_null),
    }
}

/// `example` with null wherever `schema` allows it, and without the keys that may be missing.
pub(crate) fn sparse(schema: &Value, example: &Value) -> Value {
    children(schema, schema, example, MAX_DEPTH)
}

fn children(root: &Value, schema: &Value, example: &Value, depth: usize) -> Value {
    let Some(object) = branch(root, schema, example).filter(|_| depth > 0) else { return example.clone() };
    match example {
        Value::Object(entries) => {
            let properties = object.get("properties").and_then(Value::as_object);
            let mut kept = Map::new();
            for (key, value) in entries {
                let Some(property) = properties.and_then(|all| all.get(key)) else {
                    kept.insert(key.clone(), value.clone());
                    continue;
                };
                if is_nullable(root, property, MAX_REFERENCES) {
                    kept.insert(key.clone(), Value::Null);
                } else if is_required(object, key) {
                    kept.insert(key.clone(), children(root, property, value, depth - 1));
                }
            }
            Value::Object(kept)
        }
        Value::Array(items) => match object.get("items") {
            Some(schema) => items.iter().map(|item| children(root, schema, item, depth - 1)).collect(),
            None => example.clone(),
        },
        other => other.clone(),
    }
}

fn resolved<'s>(root: &'s Value, mut schema: &'s Value) -> Option<&'s Map<String, Value>> {
    for _ in 0..MAX_REFERENCES {
        let object = schema.as_object()?;
        match object.get("$ref").and_then(Value::as_str) {
            Some(reference) if object.len() == 1 => schema = root.pointer(reference.strip_prefix('#')?)?,
            _ => return Some(object),
        }
    }
    None
}

/// The schema itself, or the branch of its union that `example` was made by.
fn branch<'s>(root: &'s Value, schema: &'s Value, example: &Value) -> Option<&'s Map<String, Value>> {
    let object = resolved(root, schema)?;
    let branches = object.get("oneOf").or_else(|| object.get("anyOf")).and_then(Value::as_array);
    match branches {
        Some(branches) if !object.contains_key("properties") => {
            branches.iter().filter_map(|branch| resolved(root, branch)).find(|branch| is_of(branch, example))
        }
        _ => Some(object),
    }
}

fn is_of(branch: &Map<String, Value>, example: &Value) -> bool {
    let properties = branch.get("properties").and_then(Value::as_object);
    let (Some(properties), Some(entries)) = (properties, example.as_object()) else { return false };
    entries.iter().all(|(key, value)| {
        properties.get(key).is_some_and(|property| property.get("const").is_none_or(|only| only == value))
    })
}

fn is_nullable(root: &Value, schema: &Value, depth: usize) -> bool {
    let Some(object) = resolved(root, schema).filter(|_| depth > 0) else { return false };
    let branches = object.get("oneOf").or_else(|| object.get("anyOf")).and_then(Value::as_array);
    states_null(object)
        || branches.is_some_and(|branches| branches.iter().any(|branch| is_nullable(root, branch, depth - 1)))
}
