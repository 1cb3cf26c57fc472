//! The types of values that keywords speak of.

use serde_json::{Map, Value, json};

use super::conjunction::{is_annotation, types};

/// Keywords as they are about one of several types.
pub(super) fn of_type(keywords: &Map<String, Value>, kind: &str) -> Value {
    let mut of_type = keywords.clone();
    of_type.retain(|keyword, _| !is_annotation(keyword) && is_for(keyword, kind));
    of_type.insert("type".to_owned(), Value::from(kind));
    Value::Object(of_type)
}

/// Whether a keyword says something about values of a type; JSON Schema ignores it on others.
fn is_for(keyword: &str, kind: &str) -> bool {
    match keyword {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => kind == "object",
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains"
        | "maxContains" | "unevaluatedItems" => kind == "array",
        "minLength" | "maxLength" | "pattern" | "format" => kind == "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "number" | "integer")
        }
        _ => true,
    }
}

/// The types that a schema without `type` speaks of, as the value of that keyword: those of its `const` or `enum`, else the
/// one that its keywords are about. `None` if it speaks of no type.
///
/// ```
/// use extract::schema::dialect::implied_types;
/// use serde_json::json;
///
/// let implied = |schema: serde_json::Value| implied_types(schema.as_object().unwrap());
/// assert_eq!(implied(json!({"enum": [1, "a"]})), Some(json!(["number", "string"])));
/// assert_eq!(implied(json!({"maxLength": 3})), Some(json!("string")));
/// assert_eq!(implied(json!({"title": "Anything"})), None);
/// ```
pub fn implied_types(keywords: &Map<String, Value>) -> Option<Value> {
    let named = keywords.get("const").map(std::slice::from_ref);
    let named = named.or_else(|| keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice));
    if let Some(values) = named {
        let mut kinds: Vec<&str> = values.iter().map(type_of).collect();
        kinds.sort_unstable();
        kinds.dedup();
        return Some(if let [only] = kinds[..] { Value::from(only) } else { Value::from(kinds) });
    }
    ["object", "array", "string", "number"]
        .into_iter()
        .find(|kind| keywords.keys().any(|keyword| !is_annotation(keyword) && is_only_for(keyword, kind)))
        .map(Value::from)
}

fn is_only_for(keyword: &str, kind: &str) -> bool {
    is_for(keyword, kind) && !is_for(keyword, "null")
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The same, or `null`.
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
