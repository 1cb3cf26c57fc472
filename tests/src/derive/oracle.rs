//! Does the schema accept what serde accepts?

use extract::Extractable;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::generated;

/// The validator of `T`'s schema.
pub(super) fn validator<T: Extractable>() -> Validator {
    let schema = T::schema();
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap_or_else(|error| panic!("{error}\n{schema:#}"))
}

/// How many values are generated for a type.
const GENERATED: usize = 400;

/// Panics unless the schema accepts exactly those values that serde accepts: of `values`, of values made from them,
/// and of values made from the schema.
///
/// Made from each value: every part of it replaced by a value of another type, removed, or joined by a key that
/// nobody knows. Made from the schema: see [`generated`]. Returns how many of those from `values` were accepted, so that
/// a test can say that some were.
pub(super) fn check<T: Extractable>(values: impl IntoIterator<Item = Value>) -> usize {
    let validator = validator::<T>();
    let given = values.into_iter().flat_map(|value| with_mutants(&value)).collect::<Vec<_>>();
    let generated = generated::values(&T::schema(), GENERATED);
    let hits = agreed::<T>(&validator, &generated);
    assert!(hits > 0, "none of the generated values is accepted\n{:#}", T::schema());
    agreed::<T>(&validator, &given)
}

/// How many of `values` are accepted, by the schema and by serde.
fn agreed<T: Extractable>(validator: &Validator, values: &[Value]) -> usize {
    let mut accepted = 0;
    for value in values {
        let by_schema = validator.is_valid(value);
        let by_serde = T::deserialize(value);
        assert!(
            by_schema == by_serde.is_ok() || is_another_form(validator, value, by_schema),
            "{value}\nschema accepts: {by_schema}\nserde: {:?}\n{:#}",
            by_serde.map(|_| ()),
            T::schema()
        );
        accepted += usize::from(by_schema);
    }
    accepted
}

/// serde takes the fields of a struct as an array too, a unit variant as `{"Unit": null}`, and beside a tag `{}` for
/// `null`; and what is written as a text, such as a moment, has several spellings for many crates. The schema asks for one
/// form only, so that the agent has nothing to choose. It is never the other way round, and the schema objects to
/// nothing else.
fn is_another_form(validator: &Validator, value: &Value, by_schema: bool) -> bool {
    fn has_another_form(value: &Value) -> bool {
        match value {
            Value::Array(_) | Value::Null => true,
            Value::Object(map) => map.is_empty() || map.values().any(has_another_form),
            _ => false,
        }
    }
    let is_about_a_form = |error: jsonschema::ValidationError<'_>| {
        let keyword = error.schema_path().as_str();
        // A `Duration` takes the seconds out of its nanoseconds.
        let spellings = ["/pattern", "/format", "/nanos/maximum", "/nanos_since_epoch/maximum"];
        let is_about_a_spelling = spellings.iter().any(|end| keyword.ends_with(end));
        is_about_a_spelling || value.pointer(error.instance_path().as_str()).is_some_and(has_another_form)
    };
    !by_schema && validator.iter_errors(value).all(is_about_a_form)
}

fn with_mutants(value: &Value) -> Vec<Value> {
    let mut all = vec![value.clone()];
    all.extend(mutants(value));
    all
}

fn mutants(value: &Value) -> Vec<Value> {
    let others = [json!(null), json!(true), json!(-1), json!(0.5), json!("x"), json!([]), json!({})];
    let mut mutants: Vec<Value> = others.into_iter().filter(|other| other != value).collect();
    match value {
        Value::Object(map) => {
            let mut open = map.clone();
            open.insert("nobody knows".to_owned(), json!(1));
            mutants.push(Value::Object(open));
            for key in map.keys() {
                let mut without = map.clone();
                without.shift_remove(key);
                mutants.push(Value::Object(without));
                mutants.extend(self::mutants(&map[key]).into_iter().map(|mutant| {
                    let mut changed = map.clone();
                    changed[key] = mutant;
                    Value::Object(changed)
                }));
            }
        }
        Value::Array(list) => {
            for index in 0..list.len() {
                let mut without = list.clone();
                without.remove(index);
                mutants.push(Value::Array(without));
                mutants.extend(self::mutants(&list[index]).into_iter().map(|mutant| {
                    let mut changed = list.clone();
                    changed[index] = mutant;
                    Value::Array(changed)
                }));
            }
            let mut longer = list.clone();
            longer.push(json!("one more"));
            mutants.push(Value::Array(longer));
        }
        _ => {}
    }
    mutants
}
