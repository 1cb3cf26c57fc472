//! Which types and values keywords concern.

use serde_json::{Map, Number, Value};

use crate::schema::{
    constraint::{CONSTRAINTS, constraint},
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

/// Keywords of older drafts, of OpenAPI and of editors, which constrain nothing here.
const OF_OTHERS: [&str; 22] = [
    "$recursiveAnchor",
    "additionalItems",
    "comment",
    "contentSchema",
    "discriminator",
    "disallow",
    "divisibleBy",
    "doNotSuggest",
    "enumDescriptions",
    "enumNames",
    "errorMessage",
    "example",
    "extends",
    "externalDocs",
    "id",
    "markdownDescription",
    "nullable",
    "order",
    "propertyOrder",
    "propertyOrdering",
    "units",
    "xml",
];

/// Keywords that apply to objects only, and to lists only, beside those of [`CONSTRAINTS`].
const OF_OBJECTS: [&str; 9] = [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
];
const OF_LISTS: [&str; 6] =
    ["items", "prefixItems", "contains", "minContains", "maxContains", "unevaluatedItems"];

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

/// The keywords that constrain values, and annotations.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    let constraints = CONSTRAINTS.iter().map(|row| row.keyword);
    constraints.chain(OF_ALL).chain(OF_OBJECTS).chain(OF_LISTS).chain(ANNOTATIONS)
}

/// Returns whether a keyword means something to anybody.
pub(crate) fn is_known(keyword: &str) -> bool {
    is_annotation(keyword) || !is_inert(keyword) || OF_OTHERS.contains(&keyword)
}

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
    match keyword {
        _ if OF_OBJECTS.contains(&keyword) => Some("object"),
        _ if OF_LISTS.contains(&keyword) => Some("array"),
        _ => constraint(keyword)?.applies_to,
    }
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

/// Returns whether the type of `schema` and the values that it lists allow the type `name`.
pub(crate) fn allows_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(names) => types(names).contains(&name),
        None => listed(schema).is_none_or(|values| values.iter().any(|value| type_of(value) == name)),
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

/// Returns whether `object` itself, without its parts, allows null; `None` if it does not say.
pub(crate) fn says_of_null(object: &Map<String, Value>) -> Option<bool> {
    let takes = |keyword: &str, value: &Value| match (keyword, value) {
        ("enum", Value::Array(values)) => values.iter().any(Value::is_null),
        ("type", Value::Array(names)) => names.iter().any(|name| name == "null"),
        ("type", name) => name == "null",
        (_, value) => value.is_null(),
    };
    let said = ["type", "enum", "const"].into_iter();
    said.filter_map(|keyword| Some(takes(keyword, object.get(keyword)?))).reduce(|one, other| one && other)
}

/// The elements of the list under `keyword`; none without one.
pub(crate) fn list<'s>(
    schema: &'s Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = &'s Value> + use<'s> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

/// The names that `schema` requires.
pub(crate) fn required(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    list(schema, "required").filter_map(Value::as_str)
}

/// The entries of the object under `keyword`, such as `properties`; none without one.
pub(crate) fn named<'s>(
    schema: &'s Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

/// Keywords whose schemas are for the same value.
pub(crate) const COMPOSING: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The schemas of which `schema` is composed, for the same value.
pub(crate) fn composed(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    COMPOSING.into_iter().flat_map(|keyword| list(schema, keyword))
}

/// A value as JSON Schema compares it: 1 and 1.0 are one number (2020-12 core, section 4.2.2).
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum ComparedValue<'v> {
    Whole(i128),
    Fraction(u64),
    Other(&'v Value),
}

impl<'v> ComparedValue<'v> {
    pub(crate) fn of(value: &'v Value) -> Self {
        match value {
            Value::Number(number) => match (whole(number), number.as_f64()) {
                (Some(whole), _) => Self::Whole(whole),
                (None, Some(float)) => Self::Fraction(float.to_bits()),
                (None, None) => Self::Other(value),
            },
            value => Self::Other(value),
        }
    }
}

/// The integer that `number` is, if it is one, however it is written.
pub(crate) fn whole(number: &Number) -> Option<i128> {
    number.as_i128().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30)?;
        #[allow(clippy::cast_possible_truncation, reason = "it has no fraction and is in range")]
        let whole = float as i128;
        Some(whole)
    })
}

#[test]
fn whole_numbers_are_equal_however_they_are_written_and_large_ones_are_not_rounded() {
    use serde_json::json;

    let same = |one: &Value, other: &Value| ComparedValue::of(one) == ComparedValue::of(other);
    assert!(same(&json!(1), &json!(1.0)) && same(&json!(0), &json!(-0.0)));
    assert!(same(&json!("a"), &json!("a")) && same(&json!(0.5), &json!(0.5)));
    assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
    assert!(!same(&json!(u64::MAX), &json!(u64::MAX - 1)));
    assert!(!same(&json!(1), &json!("1")) && !same(&json!(null), &json!(false)));
    assert!(!same(&json!(0.5), &json!(0.25)) && !same(&json!(1e300), &json!(1)));
}

#[test]
fn null_may_stand_where_every_keyword_takes_it() {
    use serde_json::json;

    for (schema, expected) in [
        (json!({"type": ["string", "null"], "enum": ["a", null]}), Some(true)),
        (json!({"type": "null", "const": null}), Some(true)),
        (json!({"type": "string", "enum": ["a", null]}), Some(false)),
        (json!({"type": ["string", "null"], "enum": ["a"]}), Some(false)),
        (json!({"type": ["string", "null"], "const": "a"}), Some(false)),
        (json!({"minLength": 1}), None),
    ] {
        assert_eq!(says_of_null(schema.as_object().unwrap()), expected, "{schema}");
    }
}
