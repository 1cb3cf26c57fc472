//! Schemas and values in words that a model understands.

use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::text::{quoted, quoted_list};

pub(super) const OBJECT: &str = "an object";

/// `a string`, `an integer or null`; null comes last.
pub(super) fn types(types: &[JsonType]) -> String {
    let mut types = types.to_vec();
    types.sort_by_key(|json_type| *json_type == JsonType::Null);
    let names: Vec<_> = types.iter().map(|json_type| article(&json_type.to_string())).collect();
    match names.split_last() {
        None => "a value".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        other => format!("a {other}"),
    }
}

/// `the string "12"`: with a wrong type, the type matters as much as the value.
pub(super) fn typed(value: &Value) -> String {
    let name = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("the {name} {}", quoted(value))
}

/// A format of JSON Schema (2020-12 validation, section 7.3) with an example of it.
pub(super) fn format(name: &str) -> String {
    match crate::schema::format_example(name) {
        Some(example) => format!("text in the format {name}, such as {example}"),
        None => format!("text in the format {name}"),
    }
}

/// What `schema` allows, in a few words. References are followed one step at a time from `root`.
pub(super) fn resolved(found: &Value, root: &Value) -> String {
    let mut found = found;
    // A chain of references longer than this is a circle.
    for _ in 0..16 {
        let Some(target) = found.get("$ref").and_then(Value::as_str).and_then(|pointer| local(root, pointer))
        else {
            break;
        };
        found = target;
    }
    schema(found)
}

fn local<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// What `schema` allows, in a few words.
pub(super) fn schema(schema: &Value) -> String {
    let Some(object) = schema.as_object() else {
        return "a value".to_owned();
    };
    if let Some(value) = object.get("const") {
        return quoted(value);
    }
    if let Some(options) = object.get("enum").and_then(Value::as_array) {
        return format!("one of {}", quoted_list(options.iter()));
    }
    let alternatives = object.get("oneOf").or_else(|| object.get("anyOf")).and_then(Value::as_array);
    if let Some(alternatives) = alternatives {
        let constants: Vec<_> = alternatives.iter().filter_map(|branch| branch.get("const")).collect();
        if constants.len() == alternatives.len() && !constants.is_empty() {
            return format!("one of {}", quoted_list(constants.into_iter()));
        }
    }
    let name = match object.get("type") {
        Some(Value::String(name)) => article(name),
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).map(article).collect();
            names.join(" or ")
        }
        _ => "a value".to_owned(),
    };
    match object.get("pattern").and_then(Value::as_str) {
        Some(pattern) => format!("{name} that matches the pattern {pattern}"),
        None => name,
    }
}

/// What `contains` asks for.
pub(super) fn contained(error: &ValidationError<'_>, root: &Value) -> String {
    let wanted = parent_of_keyword(error, root).and_then(|parent| parent.get("contains"));
    match wanted {
        Some(wanted) => format!("an element that is {}", resolved(wanted, root)),
        None => "a certain element".to_owned(),
    }
}

/// The schema in which the failing keyword stands.
pub(super) fn parent_of_keyword<'s>(error: &ValidationError<'_>, root: &'s Value) -> Option<&'s Value> {
    let location = error.schema_path().as_str();
    let parent = location.rsplit_once('/').map_or("", |(parent, _)| parent);
    root.pointer(parent)
}
