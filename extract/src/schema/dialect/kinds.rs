//! Keywords by the type that they apply to.

use serde_json::{Map, Value, json};

use crate::schema::view::keywords::{is_annotation, is_for, types};

/// The keywords that apply to one of several types.
pub(super) fn of_type(keywords: &Map<String, Value>, kind: &str) -> Value {
    let mut of_type = keywords.clone();
    of_type.retain(|keyword, _| !is_annotation(keyword) && is_for(keyword, kind));
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
    let is_scalar = object.get("type").map(types).is_some_and(|kinds| {
        !kinds.is_empty() && !kinds.iter().any(|kind| matches!(*kind, "object" | "array"))
    });
    if !is_scalar || object.contains_key("const") {
        return json!({ "anyOf": [object, { "type": "null" }] });
    }
    let mut kinds: Vec<Value> =
        object.get("type").map(types).unwrap_or_default().into_iter().map(Value::from).collect();
    kinds.push(Value::from("null"));
    object.insert("type".to_owned(), Value::Array(kinds));
    if let Some(Value::Array(values)) = object.get_mut("enum") {
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
