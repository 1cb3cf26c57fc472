//! Keywords by the type that they apply to.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::projection::{Inexpressible, ProjectionFailure, ProjectionResult};
use crate::{
    schema::view::keywords::{ComparedValue, is_for, is_inert, type_of, types},
    vocabulary::path::Path,
};

const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// Writes each type and each listed value once, and drops values that another keyword rules out.
pub(super) fn narrowed(keywords: &mut Map<String, Value>, path: &Path) -> ProjectionResult<()> {
    let never = |reason: &str| ProjectionFailure::Never(Inexpressible::new(path, reason));
    let mut kinds: Vec<&str> = Vec::new();
    for kind in keywords.get("type").map(types).unwrap_or_default() {
        if !TYPES.contains(&kind) {
            return Err(Inexpressible::new(path, format!("`{kind}` is not a type")).into());
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let has_type = |value: &Value| {
        let is_whole = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
        kinds.iter().any(|kind| *kind == type_of(value) || *kind == "integer" && is_whole())
    };
    let constant = keywords.get("const");
    let listed = keywords.get("enum").and_then(Value::as_array);
    let is_listed = |value: &Value| {
        listed.is_none_or(|all| all.iter().any(|one| ComparedValue::of(one) == ComparedValue::of(value)))
    };
    if constant.is_some_and(|value| !has_type(value) || !is_listed(value)) {
        return Err(never("no value satisfies all of its keywords"));
    }
    let mut seen = HashSet::new();
    let listed: Option<Vec<Value>> = listed.filter(|_| constant.is_none()).map(|all| {
        all.iter().filter(|value| has_type(value) && seen.insert(ComparedValue::of(value))).cloned().collect()
    });
    if kinds.is_empty() {
        return Err(never("no type is allowed here"));
    }
    if listed.as_ref().is_some_and(Vec::is_empty) {
        return Err(never("no value is allowed here"));
    }
    let kinds = if let [only] = kinds[..] { Value::from(only) } else { Value::from(kinds) };
    keywords.insert("type".to_owned(), kinds);
    keywords.shift_remove("enum");
    keywords.extend(listed.map(|listed| ("enum".to_owned(), Value::Array(listed))));
    Ok(())
}

/// The keywords that apply to one of several types.
pub(super) fn of_type(keywords: &Map<String, Value>, kind: &str) -> Value {
    let mut of_type = keywords.clone();
    of_type.retain(|keyword, _| !is_inert(keyword) && is_for(keyword, kind));
    of_type.insert("type".to_owned(), Value::from(kind));
    Value::Object(of_type)
}

/// `schema`, extended to accept `null`.
pub(super) fn nullable(schema: Value) -> Value {
    let Value::Object(mut object) = schema else { return schema };
    if accepts_null(&object) {
        return Value::Object(object);
    }
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        branches.push(json!({ "type": "null" }));
        return Value::Object(object);
    }
    // A value of any type.
    if object.is_empty() {
        return Value::Object(object);
    }
    let is_scalar = object.get("type").map(types).is_some_and(|kinds| {
        !kinds.is_empty() && !kinds.iter().any(|kind| matches!(*kind, "object" | "array"))
    });
    if !is_scalar || object.contains_key("const") {
        return json!({ "anyOf": [object, { "type": "null" }] });
    }
    let mut kinds: Vec<Value> =
        object.get("type").map(types).unwrap_or_default().into_iter().map(Value::from).collect();
    if !kinds.contains(&Value::from("null")) {
        kinds.push(Value::from("null"));
    }
    object.insert("type".to_owned(), Value::Array(kinds));
    if let Some(Value::Array(values)) = object.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(object)
}

fn accepts_null(schema: &Map<String, Value>) -> bool {
    let by_type = schema.get("type").map(types).is_some_and(|kinds| kinds.contains(&"null"));
    let by_value =
        schema.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(&Value::Null));
    let by_branch = schema.get("anyOf").and_then(Value::as_array);
    by_type && by_value && schema.get("const").is_none_or(Value::is_null)
        || by_branch.is_some_and(|all| all.iter().filter_map(Value::as_object).any(accepts_null))
}
