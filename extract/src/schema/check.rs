//! Checks a schema for what its author cannot have meant: a keyword that does not exist, a mark of a form that means
//! nothing, constraints that no value satisfies. JSON Schema allows all three, and validators ignore the first two.

use serde_json::{Map, Value};

use super::{
    SchemaError,
    bounds::Subschemas,
    joint::{is_about_value, joint_parts, joint_schema},
    marks::{self, MERGE},
    validator_options,
    view::keywords::{self, is_inert, list, listed, types, whole},
};
use crate::vocabulary::{
    suggest,
    text::{first_of, quoted, ticked},
};

/// # Errors
///
/// The first mistake of this kind, with the path of the subschema.
pub(crate) fn check(subschemas: &Subschemas<'_>) -> Result<(), SchemaError> {
    for id in 0..subschemas.len() {
        let Some(object) = subschemas.object(id) else { continue };
        let is_asserted = || !subschemas.is_tested(id);
        let unsatisfied = || {
            let parts = joint_parts(object, subschemas.view()).filter(|_| is_asserted())?;
            contradiction(&parts)
        };
        if let Some(message) = unknown(object).or_else(|| wrong_mark(object)).or_else(unsatisfied) {
            return Err(SchemaError::new(subschemas.path(id), message));
        }
    }
    Ok(())
}

/// Most unknown keywords that a message lists.
const LISTED: usize = 5;

/// Shortest keyword that another one may be a slip for: `note` is a remark, and not `not`.
const SHORTEST: usize = 4;

/// Starts the names of marks, and of keywords that validators and editors are to ignore.
const OWN: &str = "x-";

/// Says which keyword does not exist, if it looks like one that does, or if there are no others.
fn unknown(schema: &Map<String, Value>) -> Option<String> {
    let names = || schema.keys().map(String::as_str).filter(|name| !keywords::is_known(name));
    let misspelt = names().take(suggest::MAX_COMPARED).find_map(|name| {
        let (meant, other) = if let Some(own) = name.strip_prefix(OWN) {
            let marks = marks::ALL.iter().filter_map(|mark| mark.strip_prefix(OWN));
            (format!("{OWN}{}", suggest::nearest(own, marks)?), "give it another name")
        } else {
            let known = keywords::known().filter(|known| known.len() >= SHORTEST);
            (suggest::nearest(name, known)?.to_owned(), "begin its name with `x-`")
        };
        let meant = suggest::did_you_mean(&ticked(&meant));
        Some(format!("no keyword is called {}; {meant} If it is meant to be ignored, {other}", ticked(name)))
    });
    if misspelt.is_some() {
        return misspelt;
    }
    let others: Vec<&str> = names().filter(|name| !name.starts_with(OWN)).collect();
    let is_other = !others.is_empty() && schema.keys().all(|name| is_inert(name));
    is_other.then(|| {
        format!(
            "{} {} of JSON Schema; a value is described by `type`, and the members of an object by `properties`. If \
             any value is allowed, write `{{}}`",
            first_of(&others, LISTED, ticked),
            if others.len() == 1 { "is not a keyword" } else { "are not keywords" },
        )
    })
}

/// Says which mark has a value that means nothing.
fn wrong_mark(schema: &Map<String, Value>) -> Option<String> {
    marks::ALL.iter().find_map(|mark| {
        let value = schema.get(*mark)?;
        let (is_right, right) = if *mark == MERGE {
            // A number is the order of a type.
            let is_policy = |name| marks::MERGE_POLICIES.contains(&name);
            (
                value.is_u64() || value.as_str().is_some_and(is_policy),
                "one of `first`, `last`, `all` and `most`",
            )
        } else {
            (value.is_boolean(), "true or false")
        };
        (!is_right).then(|| format!("{} has to be {right}, and is {}", ticked(mark), quoted(value)))
    })
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
    if let Some(message) = between_multiples(parts).or_else(|| forbidden(parts)) {
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

/// Says which key of an object is required and not allowed.
fn forbidden(parts: &[&Map<String, Value>]) -> Option<String> {
    let is_object = parts.iter().any(|part| part.get("type").is_some_and(|kind| kind == "object"));
    let mut required = parts.iter().flat_map(|part| list(part, "required")).filter_map(Value::as_str);
    let is_forbidden = |name: &&str| {
        parts.iter().any(|part| {
            let is_listed = part.get("properties").is_some_and(|properties| properties.get(name).is_some());
            let is_closed = part.get("additionalProperties").is_some_and(|others| *others == false);
            is_closed && !is_listed && !part.contains_key("patternProperties")
        })
    };
    let name = required.find(is_forbidden).filter(|_| is_object)?;
    Some(format!("the key {} is required, and `additionalProperties` does not allow it", ticked(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(schema: &Value) -> Option<String> {
        check(&Subschemas::of(schema)).err().map(|error| error.to_string())
    }

    #[test]
    fn refuses_what_the_author_cannot_have_meant() {
        for (schema, expected) in [
            (json!({"number": "INV-1", "total": 5}), "$: `number`, `total` are not keywords of JSON Schema"),
            (json!({"title": "Dune", "pages": 412}), "$: `pages` is not a keyword of JSON Schema"),
            (
                json!({"name": {"type": "string"}, "age": {"type": "integer"}}),
                "the members of an object by `properties`",
            ),
            (
                json!({"properties": {"at": {"street": "string"}}}),
                "$.properties.at: `street` is not a keyword of JSON Schema",
            ),
            (
                json!({"type": "object", "requred": ["a"]}),
                "$: no keyword is called `requred`; did you mean `required`? If it is meant to be ignored, begin its \
                 name with `x-`",
            ),
            (json!({"items": {"type": "string", "Pattern": "a"}}), "$.items: no keyword is called `Pattern`"),
            (
                json!({"x-mrege": "last"}),
                "did you mean `x-merge`? If it is meant to be ignored, give it another",
            ),
            (
                json!({"x-merge": "newest"}),
                "has to be one of `first`, `last`, `all` and `most`, and is \"newest\"",
            ),
            (json!({"type": "string", "x-sensitive": "true"}), "`x-sensitive` has to be true or false"),
            (
                json!({"minLength": 5, "maxLength": 2}),
                "no value satisfies both `minLength` 5 and `maxLength` 2",
            ),
            (
                json!({"type": "object", "properties": {"a": {}}, "required": ["a", "b"],
                    "additionalProperties": false}),
                "$: the key `b` is required, and `additionalProperties` does not allow it",
            ),
        ] {
            let message = checked(&schema).unwrap_or_default();
            assert!(message.contains(expected), "{schema}: {message}");
        }
    }

    #[test]
    fn leaves_alone_what_may_be_meant() {
        for schema in [
            json!({}),
            json!({"description": "Anything.", "example": 1, "nullable": true}),
            json!({"type": "string", "note": "A remark.", "unit": "mm", "x-order": 3, "kind": "text"}),
            json!({"x-widget": "map"}),
            json!({"x-merge": "last", "x-key": false, "type": "string"}),
            json!({"properties": {"requred": {"type": "string"}}, "default": {"requred": "a"}}),
            json!({"not": {"minLength": 5, "maxLength": 2}}),
            json!({"if": {"required": ["a"]}, "then": {"minimum": 5, "maximum": 2}}),
            json!({"required": ["a"], "additionalProperties": false}),
            json!({"type": "object", "required": ["a"], "additionalProperties": false,
                "patternProperties": {"^a$": {}}}),
        ] {
            assert_eq!(checked(&schema), None, "{schema}");
        }
    }
}
