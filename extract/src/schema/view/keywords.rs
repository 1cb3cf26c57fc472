//! Which types and values keywords concern.

use serde_json::{Map, Value};

use crate::schema::{
    constraint::constraint,
    marks::{DECIMAL, GROUNDED, KEEP_VALID_ITEMS, KEY, MERGE, OTHER, QUOTE, SENSITIVE},
};

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

/// Keywords that apply to values of every type. `additionalItems` and the like are rewritten before.
const OF_ALL: [&str; 13] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "type",
    "enum",
    "const",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];

/// Returns whether a keyword constrains no value: an annotation, or a name that JSON Schema does
/// not know, such as those of editors.
pub(crate) fn is_inert(keyword: &str) -> bool {
    is_annotation(keyword) || only_for(keyword).is_none() && !OF_ALL.contains(&keyword)
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
        | "dependentRequired"
        | "dependentSchemas"
        | "dependencies"
        | "unevaluatedProperties" => "object",
        "items" | "prefixItems" | "contains" | "minContains" | "maxContains" | "unevaluatedItems" => "array",
        _ => return constraint(keyword)?.applies_to,
    })
}

/// Returns the type that the keywords imply without a `type`.
pub(crate) fn implied_type(keywords: &Map<String, Value>) -> Option<&'static str> {
    implied(keywords, |_| true)
}

fn implied(keywords: &Map<String, Value>, counts: fn(&str) -> bool) -> Option<&'static str> {
    let says = |keyword: &str, value: &Value, kind: &str| {
        counts(keyword) && only_for(keyword) == Some(kind) && !allows_all(keyword, value)
    };
    let implies = |kind: &&str| keywords.iter().any(|(keyword, value)| says(keyword, value, kind));
    ["object", "array", "string", "number"].into_iter().find(implies)
}

/// Returns whether a keyword with this value allows everything, as `properties` without names do.
pub(crate) fn allows_all(keyword: &str, value: &Value) -> bool {
    match keyword {
        "properties" | "patternProperties" | "dependentRequired" | "dependentSchemas" | "dependencies" => {
            value.as_object().is_some_and(Map::is_empty)
        }
        "additionalProperties" | "unevaluatedProperties" | "propertyNames" | "items" | "unevaluatedItems" => {
            *value == true || value.as_object().is_some_and(Map::is_empty)
        }
        "required" | "prefixItems" => value.as_array().is_some_and(Vec::is_empty),
        "minProperties" | "minItems" | "minLength" => value.as_f64() == Some(0.0),
        "uniqueItems" => *value == false,
        _ => false,
    }
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
