//! Random values of a projection are judged by the contract, and random values of the contract by
//! the projection; `jsonschema` is an independent judge of both.

use extract::{
    Contract,
    schema::dialect::{Dialect, Projection, UnenforcedConstraint},
};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::sampler::{Dice, sample};

pub(super) fn validator(schema: &Value) -> Validator {
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(schema);
    validator.unwrap_or_else(|error| panic!("{error}\n{schema}"))
}

/// Counts of findings, so that a test that finds nothing is noticed.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Found {
    pub(super) expressed: usize,
    pub(super) conforming: usize,
    pub(super) projected: usize,
}

/// Judges `contract` in every dialect by `count` random values each way. Returns counterexamples.
pub(super) fn judged(name: &str, contract: &Contract, count: usize, found: &mut [Found; 4]) -> Vec<String> {
    let mut wrong = Vec::new();
    let conforming = sampled(contract.schema(), count, |value| contract.validate(value).is_empty());
    for (dialect, found) in Dialect::ALL.into_iter().zip(found) {
        let Ok(projection) = dialect.offer(contract.schema()) else { continue };
        found.expressed += 1;
        wrong.extend(
            ill_formed(&projection.schema)
                .map(|reason| format!("{name}, {dialect}: {reason}\n  projection {}", projection.schema)),
        );
        let against = |found: &mut usize, outcome: Option<String>| {
            *found += 1;
            outcome.map(|outcome| {
                let (schema, theirs) = (contract.schema(), &projection.schema);
                format!("{name}, {dialect}: {outcome}\n  schema {schema}\n  projection {theirs}")
            })
        };
        let theirs = validator(&with_absent(projection.schema.clone()));
        let refused = conforming.iter().filter_map(|value| {
            let value = if projection.is_enveloped { json!({"answer": value}) } else { value.clone() };
            let outcome = (!theirs.is_valid(&value)).then(|| format!("refuses the conforming {value}"));
            against(&mut found.conforming, outcome)
        });
        wrong.extend(refused.take(1));
        let allowed = sampled(&projection.schema, count, |_| true).into_iter().filter_map(|value| {
            let value = if projection.is_enveloped { value["answer"].clone() } else { value };
            against(&mut found.projected, unexplained(contract, &projection, &value))
        });
        wrong.extend(allowed.take(1));
    }
    wrong
}

/// Random values of `schema`, drawn from up to four times as many samples.
fn sampled(schema: &Value, count: usize, is_good: impl Fn(&Value) -> bool) -> Vec<Value> {
    let judge = validator(schema);
    let mut values = Vec::new();
    for seed in (1..).take(4 * count) {
        let value = sample(schema, schema, &mut Dice::new(seed));
        values.extend(value.filter(|value| judge.is_valid(value) && is_good(value)));
        if values.len() == count {
            break;
        }
    }
    values
}

/// The projection, where a property that takes null may also be absent: the dialects that require
/// every property write null for an absent one.
fn with_absent(mut schema: Value) -> Value {
    let root = schema.clone();
    relax(&mut schema, &root);
    schema
}

fn relax(schema: &mut Value, root: &Value) {
    match schema {
        Value::Object(object) => {
            let takes_null = |name: &Value| {
                let property = object.get("properties").and_then(|all| all.get(name.as_str()?));
                property.is_some_and(|property| accepts_null(property, root))
            };
            if let Some(Value::Array(required)) = object.get("required") {
                let kept: Vec<_> = required.iter().filter(|name| !takes_null(name)).cloned().collect();
                object.insert("required".to_owned(), Value::Array(kept));
            }
            object.values_mut().for_each(|part| relax(part, root));
        }
        Value::Array(list) => list.iter_mut().for_each(|part| relax(part, root)),
        _ => {}
    }
}

/// Returns whether a part of a projection, which uses few keywords, accepts null.
fn accepts_null(part: &Value, root: &Value) -> bool {
    if let Some(reference) = part.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        return target.is_some_and(|target| accepts_null(target, root));
    }
    if let Some(branches) = part.get("anyOf").and_then(Value::as_array) {
        return branches.iter().any(|branch| accepts_null(branch, root));
    }
    let lists_null = |keyword: &str| {
        part.get(keyword).is_none_or(|listed| match listed {
            Value::Array(listed) => listed.iter().any(|one| one.is_null() || one == "null"),
            listed => listed.is_null() || listed == "null",
        })
    };
    ["type", "enum", "const"].into_iter().all(lists_null)
}

/// Why the contract refuses a value that the projection allows, unless a constraint is listed as
/// unenforced that explains it.
fn unexplained(contract: &Contract, projection: &Projection, value: &Value) -> Option<String> {
    let reading = contract.read(&value.to_string());
    let Some(read) = reading.value else { return Some(format!("{value} is not readable")) };
    let violations: Vec<_> =
        contract.validate(&read).into_iter().chain(reading.violations).map(|v| v.to_string()).collect();
    if violations.is_empty() {
        return None;
    }
    let weakened = validator(&weakened(contract.schema(), &projection.unenforced));
    // Where every property is required, null means an absent one.
    let is_explained = variants(&read).iter().chain([value]).any(|value| weakened.is_valid(value));
    (!is_explained).then(|| {
        let listed: Vec<_> = projection.unenforced.iter().map(ToString::to_string).collect();
        format!("allows {value}, read as {read}: {violations:?}, listed are {listed:?}")
    })
}

/// `schema` without the constraints that are listed as unenforced.
fn weakened(schema: &Value, unenforced: &[UnenforcedConstraint]) -> Value {
    let is_listed = |keyword: &str| unenforced.iter().any(|one| one.keyword == keyword);
    let has_open_names = is_listed("patternProperties");
    let is_dropped = |(keyword, value): (&String, &Value)| match keyword.as_str() {
        "additionalProperties" | "unevaluatedProperties" if has_open_names => true,
        "items" | "unevaluatedItems" if is_listed("prefixItems") => true,
        // A name.
        _ if value.get("deprecated") == Some(&json!(true)) => is_listed("deprecated"),
        "oneOf" => false,
        keyword => is_listed(keyword),
    };
    match schema {
        Value::Object(object) => {
            let kept = object.iter().filter(|entry| !is_dropped(*entry)).map(|(keyword, value)| {
                // Without the constraints, several alternatives may be true.
                let renamed = if keyword == "oneOf" { "anyOf" } else { keyword };
                (renamed.to_owned(), weakened(value, unenforced))
            });
            Value::Object(kept.collect())
        }
        Value::Array(list) => list.iter().map(|part| weakened(part, unenforced)).collect(),
        Value::Bool(false) if is_listed("false") => json!(true),
        other => other.clone(),
    }
}

/// The value with and without each of its first members that are null.
fn variants(value: &Value) -> Vec<Value> {
    const MAX_NULLS: usize = 8;
    let mut nulls = Vec::new();
    find_nulls(value, &mut String::new(), &mut nulls);
    nulls.truncate(MAX_NULLS);
    let without = |chosen: usize| {
        let mut value = value.clone();
        for (_, (object, name)) in nulls.iter().enumerate().filter(|(index, _)| chosen >> index & 1 == 1) {
            let object = value.pointer_mut(object).and_then(Value::as_object_mut);
            object.unwrap().shift_remove(name);
        }
        value
    };
    (0..1 << nulls.len()).map(without).collect()
}

fn find_nulls(value: &Value, pointer: &mut String, found: &mut Vec<(String, String)>) {
    let mut below = |step: &str, value: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(step);
        find_nulls(value, pointer, found);
        pointer.truncate(length);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| below(&index.to_string(), value));
        }
        _ => {}
    }
    if let Value::Object(object) = value {
        let nulls = object.iter().filter(|(_, value)| value.is_null());
        found.extend(nulls.map(|(name, _)| (pointer.clone(), name.clone())));
    }
}

/// Returns a construct in a schema that no provider accepts.
pub(super) fn ill_formed(schema: &Value) -> Option<String> {
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return Some(error.to_string());
    }
    if let Err(error) = jsonschema::draft202012::new(schema) {
        return Some(error.to_string());
    }
    repetition(schema)
}

/// A list in a schema that is empty or repeats a value.
fn repetition(part: &Value) -> Option<String> {
    match part {
        Value::Object(object) => {
            for keyword in ["type", "enum", "anyOf"] {
                if let Some(Value::Array(list)) = object.get(keyword) {
                    let is_repeated = list.iter().enumerate().any(|(index, one)| list[..index].contains(one));
                    if list.is_empty() || is_repeated {
                        return Some(format!("`{keyword}` is {}", Value::from(list.clone())));
                    }
                }
            }
            object.values().find_map(repetition)
        }
        Value::Array(list) => list.iter().find_map(repetition),
        _ => None,
    }
}
