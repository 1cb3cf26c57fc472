//! The schemas that describe one value together, such as that of a newtype and the constraints of the
//! field that holds it. Those of a field whose value has a quote are about the value.

use std::{collections::HashSet, convert::Infallible};

use serde_json::{Map, Value, json};

use super::{
    marks::{GROUNDED, is_marked},
    mistakes, validator_options,
    view::{
        REFERENCES, SchemaView, each,
        keywords::{is_annotation, list, listed, types, whole},
        pointer::{decoded, each_located},
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
fn is_about_value(keyword: &str) -> bool {
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

/// Records constraints that no value satisfies as mistakes. The derive finds those that are literals;
/// constants and the constraints of a newtype are known here.
pub(crate) fn check_constraints(schema: &mut Value) {
    let view = SchemaView::of(schema);
    let mut found = Vec::new();
    let Ok(()) = each_located(schema, &mut |part, pointer| {
        let parts = part.as_object().and_then(|object| joint_parts(object, &view));
        let contradiction = parts.and_then(|parts| contradiction(&parts));
        found.extend(contradiction.map(|message| (pointer.to_owned(), message)));
        Ok::<_, Infallible>(())
    });
    for (pointer, message) in found {
        mistakes::note_at(schema, &pointer, message);
    }
}

/// The keywords that bound the same quantity from below and above.
const RANGES: [(&str, &str); 7] = [
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

/// Says why no value but null satisfies all of `parts`; `None` if one may.
fn contradiction(parts: &[&Map<String, Value>]) -> Option<String> {
    let numbers = |keyword: &'static str| parts.iter().filter_map(move |part| part.get(keyword));
    let ranges = RANGES.iter().flat_map(|(least, most)| {
        numbers(least).flat_map(move |low| numbers(most).map(move |high| ((*least, low), (*most, high))))
    });
    for ((least, low), (most, high)) in ranges {
        let is_open = [least, most].iter().any(|keyword| keyword.starts_with("exclusive"));
        let is_empty = match (integer(low), integer(high)) {
            (Some(low), Some(high)) => low > high || is_open && low == high,
            _ => low.as_f64() > high.as_f64() || is_open && low.as_f64() == high.as_f64(),
        };
        if is_empty {
            return Some(format!("no value satisfies both `{least}` {low} and `{most}` {high}"));
        }
    }
    if let Some(message) = between_multiples(parts) {
        return Some(message);
    }
    let values = parts.iter().find_map(|part| listed(part))?;
    let is_only_null = parts.iter().any(|part| part.get("type").is_some_and(|kind| kind == "null"));
    let is_alone = parts.iter().all(|part| {
        part.keys()
            .filter(|keyword| is_about_value(keyword))
            .all(|keyword| matches!(keyword.as_str(), "type" | "enum" | "const"))
    });
    if is_only_null || !values.is_empty() && is_alone && parts.len() == 1 {
        return None;
    }
    let validator = validator_options().build(&joint_schema(parts)).ok()?;
    let fits = |value: &&Value| !value.is_null() && validator.is_valid(value);
    values.iter().find(fits).is_none().then(|| {
        let values = Value::Array(values.to_vec());
        format!("none of the listed values {values} satisfies the type and the other constraints")
    })
}

/// How far a quotient of two doubles may be from the true one, in relation to it: a few times the precision of a
/// double.
const ROUNDING: f64 = 1e-15;

/// Says that no integer, or no multiple of `multipleOf`, lies within the bounds.
fn between_multiples(parts: &[&Map<String, Value>]) -> Option<String> {
    let numbers =
        |keyword: &str| parts.iter().filter_map(|part| part.get(keyword)?.as_f64()).collect::<Vec<_>>();
    let is_integer =
        parts.iter().any(|part| part.get("type").is_some_and(|kind| types(kind).contains(&"integer")));
    let steps = numbers("multipleOf");
    let step = match steps[..] {
        [] if is_integer => 1.0,
        [step] if step > 0.0 && (!is_integer || step.fract() == 0.0) => step,
        _ => return None,
    };
    // 0.3 is a multiple of 0.1, but divided by it 2.9999999999999996. In doubt there is one.
    let rounding = if step.fract() == 0.0 { 0.0 } else { ROUNDING };
    let at_least = |low: f64| low / step - rounding * (low / step).abs();
    let at_most = |high: f64| high / step + rounding * (high / step).abs();
    let from = numbers("minimum").into_iter().map(|low| (low, at_least(low).ceil()));
    let above = numbers("exclusiveMinimum").into_iter().map(|low| (low, at_least(low).floor() + 1.0));
    let to = numbers("maximum").into_iter().map(|high| (high, at_most(high).floor()));
    let below = numbers("exclusiveMaximum").into_iter().map(|high| (high, at_most(high).ceil() - 1.0));
    let (low, first) = from.chain(above).max_by(|one, other| one.1.total_cmp(&other.1))?;
    let (high, last) = to.chain(below).min_by(|one, other| one.1.total_cmp(&other.1))?;
    let what = if steps.is_empty() { "integer".to_owned() } else { format!("multiple of {step}") };
    (first > last).then(|| format!("no {what} lies between {low} and {high}"))
}

fn integer(number: &Value) -> Option<i128> {
    number.as_number().and_then(whole)
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
