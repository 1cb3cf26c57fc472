//! The schemas that describe one value together, such as that of a newtype and the constraints of the
//! field that holds it. Those of a field whose value has a quote are about the value.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    marks::{GROUNDED, is_marked},
    view::{
        REFERENCES, SchemaView, each,
        keywords::{is_annotation, list},
        pointer::decoded,
    },
};

/// Maximum schemas that describe one value; a longer chain may be a circle.
const MAX_PARTS: usize = 16;

/// The schemas that constrain a value of `object`, looking through references, `allOf` and a union
/// with null; `None` if there is a choice between several.
pub(super) fn joint_parts<'s>(
    object: &'s Map<String, Value>,
    view: &SchemaView<'s>,
) -> Option<Vec<&'s Map<String, Value>>> {
    let mut parts = Vec::new();
    collect(object, view, &mut parts)?;
    parts.retain(|part| part.keys().any(|keyword| is_about_value(keyword)));
    Some(parts)
}

fn collect<'s>(
    object: &'s Map<String, Value>,
    view: &SchemaView<'s>,
    parts: &mut Vec<&'s Map<String, Value>>,
) -> Option<()> {
    if parts.len() == MAX_PARTS {
        return None;
    }
    parts.push(object);
    for reference in REFERENCES.into_iter().filter_map(|keyword| object.get(keyword)?.as_str()) {
        collect(view.target(reference)?.as_object()?, view, parts)?;
    }
    for part in list(object, "allOf") {
        collect(part.as_object()?, view, parts)?;
    }
    for union in ["anyOf", "oneOf"].into_iter().filter(|union| object.contains_key(*union)) {
        let mut others = list(object, union).filter(|branch| !is_null(branch));
        let (only, None) = (others.next()?, others.next()) else { return None };
        collect(only.as_object()?, view, parts)?;
    }
    Some(())
}

/// Returns whether `branch` allows null only.
pub(super) fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null")
}

/// A schema of what `parts` say of the value itself, without other schemas.
pub(super) fn joint_schema(parts: &[&Map<String, Value>]) -> Value {
    json!({ "allOf": parts.iter().map(|part| about_value(part)).collect::<Vec<_>>() })
}

/// The keywords of `part` about the value itself.
pub(super) fn about_value(part: &Map<String, Value>) -> Map<String, Value> {
    let about = part.iter().filter(|(keyword, _)| is_about_value(keyword) && !is_about_parts(keyword));
    about.map(|(keyword, value)| (keyword.clone(), value.clone())).collect()
}

/// Returns whether `keyword` neither only describes nor leads to other schemas for the same value.
pub(super) fn is_about_value(keyword: &str) -> bool {
    let leads = REFERENCES.contains(&keyword)
        || matches!(keyword, "allOf" | "anyOf" | "oneOf" | "$defs" | "definitions" | "$schema");
    !leads && !is_annotation(keyword) && !keyword.starts_with("x-")
}

fn is_about_parts(keyword: &str) -> bool {
    matches!(
        keyword,
        "items"
            | "prefixItems"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
    )
}

const DEFINITIONS: &str = "#/$defs/";

/// Moves constraints beside a reference to a grounded object to its `value`. That is where
/// `#[extract(range(min = 0))]` on a `Grounded<f64>` belongs.
pub(crate) fn constrain_values(schema: &mut Value) {
    let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    let grounded: HashSet<String> =
        definitions.filter(|(_, part)| is_marked(part, GROUNDED)).map(|(name, _)| name.clone()).collect();
    if !grounded.is_empty() {
        each(schema, &mut |object| constrain_value(object, &grounded));
    }
}

fn constrain_value(object: &mut Map<String, Value>, grounded: &HashSet<String>) {
    let has_reference = object.get("$ref").is_some_and(|target| is_one_of(target, grounded));
    let branches = object.get("anyOf").and_then(Value::as_array);
    let has_branch = branches.into_iter().flatten().any(|branch| {
        branch.get("$ref").is_some_and(|target| is_one_of(target, grounded))
            && branch.as_object().is_some_and(|branch| branch.len() == 1)
    });
    if !has_reference && !has_branch {
        return;
    }
    let is_of_value = |keyword: &str| match keyword {
        "$ref" | "anyOf" => false,
        "examples" => true,
        _ => !is_annotation(keyword),
    };
    let (of_value, rest) = std::mem::take(object).into_iter().partition(|(keyword, _)| is_of_value(keyword));
    *object = rest;
    let mut of_value: Map<String, Value> = of_value;
    // `null` is allowed beside the object, not in it.
    if has_branch && let Some(Value::Array(listed)) = of_value.get_mut("enum") {
        listed.retain(|value| !value.is_null());
    }
    if !of_value.is_empty() {
        object.insert(
            "properties".to_owned(),
            Map::from_iter([("value".to_owned(), Value::Object(of_value))]).into(),
        );
    }
}

/// Returns whether `target` is a reference to one of these definitions.
fn is_one_of(target: &Value, definitions: &HashSet<String>) -> bool {
    let name = target.as_str().and_then(|target| target.strip_prefix(DEFINITIONS));
    name.is_some_and(|name| definitions.contains(&*decoded(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_beside_a_grounded_value_are_about_the_value() {
        let grounded =
            json!({"type": "object", "properties": {"value": {"type": "number"}}, "x-grounded": true});
        let definitions = json!({"Grounded_f64": grounded, "Other": {"type": "number"}});
        let mut schema = json!({
            "properties": {
                "dose": {"$ref": "#/$defs/Grounded_f64", "minimum": 0, "description": "In milligrams."},
                "unit": {"anyOf": [{"$ref": "#/$defs/Grounded_f64"}, {"type": "null"}], "enum": [1, null]},
                "doses": {"type": "array", "items": {"$ref": "#/$defs/Grounded_f64", "maximum": 9}, "minItems": 1},
                "other": {"$ref": "#/$defs/Other", "minimum": 0},
            },
            "$defs": definitions,
        });
        constrain_values(&mut schema);
        let expected = json!({
            "dose": {
                "$ref": "#/$defs/Grounded_f64",
                "description": "In milligrams.",
                "properties": {"value": {"minimum": 0}},
            },
            "unit": {
                "anyOf": [{"$ref": "#/$defs/Grounded_f64"}, {"type": "null"}],
                "properties": {"value": {"enum": [1]}},
            },
            "doses": {
                "type": "array",
                "items": {"$ref": "#/$defs/Grounded_f64", "properties": {"value": {"maximum": 9}}},
                "minItems": 1,
            },
            "other": {"$ref": "#/$defs/Other", "minimum": 0},
        });
        assert_eq!((&schema["properties"], &schema["$defs"]), (&expected, &definitions));
    }
}
