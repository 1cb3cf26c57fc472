//! Which types and values keywords concern.

use serde_json::{Map, Value};

use crate::schema::marks::{DECIMAL, GROUNDED, KEEP_VALID_ITEMS, KEY, MERGE, OTHER, QUOTE, SENSITIVE};

/// Keywords that constrain nothing.
const ANNOTATIONS: [&str; 25] = [
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    DECIMAL,
    GROUNDED,
    KEEP_VALID_ITEMS,
    KEY,
    MERGE,
    OTHER,
    QUOTE,
    SENSITIVE,
];

/// Keywords about the parts of an object or a list.
const OF_PARTS: [&str; 7] = [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "items",
    "prefixItems",
];

pub(crate) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// Returns whether a keyword applies to values of a type; JSON Schema ignores it on other types.
pub(crate) fn is_for(keyword: &str, kind: &str) -> bool {
    only_for(keyword).is_none_or(|only| only == kind || only == "number" && kind == "integer")
}

/// The type of values that a keyword applies to, if there is only one.
fn only_for(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => "object",
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains"
        | "maxContains" | "unevaluatedItems" => "array",
        "minLength" | "maxLength" | "pattern" | "format" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}

/// Returns the type that the keywords imply without a `type`.
pub(crate) fn implied_type(keywords: &Map<String, Value>) -> Option<&'static str> {
    implied(keywords, |_| true)
}

fn implied(keywords: &Map<String, Value>, counts: fn(&str) -> bool) -> Option<&'static str> {
    let implies =
        |kind: &&str| keywords.keys().any(|keyword| counts(keyword) && only_for(keyword) == Some(*kind));
    ["object", "array", "string", "number"].into_iter().find(implies)
}

/// The same, going by keywords for parts only. Sizes and formats may also occur beside a reference,
/// where the target determines the type.
pub(crate) fn implied_by_parts(keywords: &Map<String, Value>) -> Option<&'static str> {
    implied(keywords, |keyword| OF_PARTS.contains(&keyword))
}

/// Returns the types that the keywords imply without a `type`.
pub(crate) fn implied_types(keywords: &Map<String, Value>) -> Option<Value> {
    let Some(values) = listed(keywords) else { return implied_type(keywords).map(Value::from) };
    let mut kinds: Vec<&str> = values.iter().map(type_of).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Some(if let [only] = kinds[..] { Value::from(only) } else { Value::from(kinds) })
}

/// The allowed values, if they are listed.
pub(crate) fn listed(keywords: &Map<String, Value>) -> Option<&[Value]> {
    let constant = keywords.get("const").map(std::slice::from_ref);
    constant.or_else(|| keywords.get("enum")?.as_array().map(Vec::as_slice))
}

/// The names in a `type`, which is one or a list.
pub(crate) fn types(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
