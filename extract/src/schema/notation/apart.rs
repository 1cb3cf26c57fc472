//! Whether branches exclude each other by themselves.

use serde_json::Value;

/// Branches beyond which they are not compared pair by pair.
const MAX_BRANCHES: usize = 128;

/// Whether no value can satisfy two of `branches`, as far as types, literals and tags tell.
pub(super) fn all(branches: &[Value], root: &Value) -> bool {
    let branches: Vec<_> =
        branches.iter().take(MAX_BRANCHES + 1).map(|branch| resolved(branch, root)).collect();
    let is_apart_from_later =
        |index: usize, one: &Value| branches[index + 1..].iter().all(|other| two(one, other));
    branches.len() <= MAX_BRANCHES
        && branches.iter().enumerate().all(|(index, one)| is_apart_from_later(index, one))
}

fn two(one: &Value, other: &Value) -> bool {
    differ(literals(one), literals(other), |one, other| one == other)
        || differ(types(one), types(other), is_same_type)
        || required(one).any(|key| tags_differ(one, other, key))
        || lacks_a_key(one, other)
        || lacks_a_key(other, one)
}

/// A reference is followed one step, which is enough for what is generated.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let only_reference =
        schema.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("$ref"));
    let pointer = only_reference.and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

fn differ<T>(one: Option<Vec<T>>, other: Option<Vec<T>>, is_same: impl Fn(&T, &T) -> bool) -> bool {
    one.zip(other)
        .is_some_and(|(one, other)| !one.iter().any(|one| other.iter().any(|other| is_same(one, other))))
}

fn literals(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(only) = schema.get("const") {
        return Some(vec![only]);
    }
    schema.get("enum")?.as_array().map(|values| values.iter().collect())
}

fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type") {
        Some(Value::String(name)) => Some(vec![name]),
        Some(Value::Array(names)) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => literals(schema).map(|values| values.into_iter().map(type_of).collect()),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_same_type(one: &&str, other: &&str) -> bool {
    let plain = |name: &str| if name == "integer" { "number".to_owned() } else { name.to_owned() };
    plain(one) == plain(other)
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn property<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    schema.get("properties")?.get(key)
}

fn tags_differ(one: &Value, other: &Value, key: &str) -> bool {
    let tags = property(one, key).and_then(literals);
    required(other).any(|name| name == key)
        && differ(tags, property(other, key).and_then(literals), |one, other| one == other)
}

/// Whether `one` takes no keys but its own and `other` requires another one.
fn lacks_a_key(one: &Value, other: &Value) -> bool {
    let is_closed = one.get("additionalProperties") == Some(&Value::Bool(false))
        && one.get("patternProperties").is_none();
    let is_object = |schema| types(schema).is_some_and(|names| names == ["object"]);
    is_closed && is_object(one) && is_object(other) && required(other).any(|key| property(one, key).is_none())
}
