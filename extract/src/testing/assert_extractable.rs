//! Checks a type in the user's test module.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    alternatives,
    alternatives::{RoundTrip, round_trip, written},
};
use crate::{
    contract::Contract,
    extractable::Extractable,
    schema::{SchemaView, constraint::CONSTRAINTS, view::keywords::type_of},
    vocabulary::{
        path::{Path, Segment},
        violation::Violation,
    },
};

/// Panics unless the schema, serde and the rules of `T` agree.
///
/// The schema must compile. Its example must satisfy the schema, serde and the rules, and survive a
/// round trip through `T`. Mutants of the example must be rejected at the right path: each required
/// key removed, each constraint violated, each type changed. serde must read an example of each
/// alternative of each union as that alternative: not as an earlier variant of an untagged enum,
/// which would lose its other keys. Checks and rules that need a context or are async do not run.
///
/// ```
/// use extract::{Extractable, testing::assert_extractable};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Extractable)]
/// struct Person {
///     #[extract(length(min = 1))]
///     name: String,
///     #[extract(range(max = 150))]
///     age: Option<u8>,
/// }
///
/// assert_extractable::<Person>();
/// ```
///
/// A type without `Serialize` cannot make the round trip; [`assert_extractable_one_way`] checks the
/// rest.
///
/// # Panics
///
/// If they do not agree; the message lists everything that is wrong.
#[track_caller]
pub fn assert_extractable<T: Extractable + Serialize>() {
    report::<T>(&complaints::<T>(Some(written::<T>)));
}

/// Like [`assert_extractable`], without the round trip, for types without `Serialize`.
///
/// ```
/// use extract::{Extractable, testing::assert_extractable_one_way};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Extractable)]
/// struct Person {
///     #[extract(length(min = 1))]
///     name: String,
/// }
///
/// assert_extractable_one_way::<Person>();
/// # let _ = |person: Person| person.name;
/// ```
///
/// # Panics
///
/// If schema, serde and rules do not agree; the message lists everything that is wrong.
#[track_caller]
pub fn assert_extractable_one_way<T: Extractable>() {
    report::<T>(&complaints::<T>(None));
}

#[track_caller]
fn report<T>(complaints: &[String]) {
    let name = std::any::type_name::<T>();
    assert!(complaints.is_empty(), "{name} is not sound:\n- {}", complaints.join("\n- "));
}

fn complaints<T: Extractable>(write: Option<RoundTrip>) -> Vec<String> {
    let contract = match Contract::of::<T>() {
        Ok(contract) => contract,
        Err(error) => return vec![error.to_string()],
    };
    let example = T::example();
    if example.is_null() && !contract.allows(&example) {
        return vec!["there is no small example; give one with `#[extract(example = ...)]`".to_owned()];
    }
    let mut broken = contract.validate(&example);
    broken.retain(|violation| !violation.is_warning());
    if !broken.is_empty() {
        let is_wrong = |violation: &Violation| format!("the example is rejected: {violation}");
        return broken.iter().map(is_wrong).chain([format!("the example is {example}")]).collect();
    }
    let trip = write.and_then(|write| round_trip(&contract, write, &example));
    let mut complaints: Vec<String> = trip.into_iter().collect();
    let mut mutants = ExampleMutants { view: SchemaView::of(contract.schema()), all: Vec::new() };
    mutants.of(contract.schema(), &example, &Path::root());
    complaints.extend(mutants.all.iter().filter_map(|mutant| mutant.survives(&contract, &example)));
    complaints.extend(alternatives::complaints::<T>(&contract, write));
    complaints
}

/// The example with one value changed or removed.
struct ExampleMutant {
    path: Path,
    /// The change that was made.
    change: &'static str,
    value: Option<Value>,
}

impl ExampleMutant {
    fn survives(&self, contract: &Contract, example: &Value) -> Option<String> {
        let mut mutant = example.clone();
        set(&mut mutant, &self.path, self.value.clone());
        let violations = contract.validate(&mutant);
        if violations.iter().any(|violation| violation.path.is_within(&self.path)) {
            return None;
        }
        let (path, change) = (&self.path, self.change);
        Some(match violations.first() {
            None => format!("{path}: {change}, and it is accepted: {mutant}"),
            Some(violation) => format!("{path}: {change}, and it is rejected elsewhere: {violation}"),
        })
    }
}

fn set(value: &mut Value, path: &Path, new: Option<Value>) {
    let Some(new) = new else {
        let around = path.parent().and_then(|around| around.resolve_mut(value));
        if let (Some(Value::Object(map)), Some(Segment::Key(key))) = (around, path.segments().last()) {
            map.shift_remove(key.as_str());
        }
        return;
    };
    if let Some(place) = path.resolve_mut(value) {
        *place = new;
    }
}

struct ExampleMutants<'s> {
    view: SchemaView<'s>,
    all: Vec<ExampleMutant>,
}

impl ExampleMutants<'_> {
    fn add(&mut self, path: &Path, change: &'static str, value: impl Into<Option<Value>>) {
        self.all.push(ExampleMutant { path: path.clone(), change, value: value.into() });
    }

    /// Adds the mutants of `value`, which satisfies `schema` and is at `path`.
    fn of(&mut self, schema: &Value, value: &Value, path: &Path) {
        let Some(schema) = schema.as_object() else { return };
        for target in self.view.targets(schema).collect::<Vec<_>>() {
            self.of(target, value, path);
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.of(part, value, path);
        }
        if let Some(inside) = nullable(schema).filter(|_| !value.is_null()) {
            // Violations inside an optional value are reported there; allowing `null` is not a
            // mistake.
            return self.inside(inside, value, path);
        }
        self.types(schema, path);
        self.inside(&Value::Object(schema.clone()), value, path);
    }

    fn types(&mut self, schema: &Map<String, Value>, path: &Path) {
        let Some(types) = schema.get("type") else { return };
        let allowed =
            |name: &str| types == name || types.as_array().is_some_and(|all| all.contains(&json!(name)));
        let others = [
            ("null", json!(null)),
            ("boolean", json!(true)),
            ("string", json!("☃")),
            ("array", json!([])),
            ("object", json!({})),
        ];
        for (name, other) in others {
            if !allowed(name) {
                self.add(path, "the type was changed", other);
            }
        }
        if !allowed("number") {
            self.add(path, "a fraction was put there", json!(0.5));
        }
    }

    fn inside(&mut self, schema: &Value, value: &Value, path: &Path) {
        self.constraints(schema, value, path);
        match value {
            Value::Array(list) => self.list(schema, list, path),
            Value::Object(map) => self.object(schema, map, path),
            _ => {}
        }
    }

    /// Breaks each constraint on `value` itself.
    fn constraints(&mut self, schema: &Value, value: &Value, path: &Path) {
        for row in CONSTRAINTS.iter().filter(|row| row.applies_to == Some(type_of(value))) {
            if let (Some(mutant), Some(argument)) = (&row.mutant, schema.get(row.keyword))
                && let Some(value) = (mutant.make)(argument, value)
            {
                self.add(path, mutant.change, value);
            }
        }
        if value.is_string()
            && (schema["enum"].is_array() || schema["const"].is_string() || schema["format"].is_string())
        {
            self.add(path, "a string that is not allowed was put there", json!("☃"));
        }
    }

    fn list(&mut self, schema: &Value, list: &[Value], path: &Path) {
        let fixed = schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
        for (index, element) in list.iter().enumerate() {
            self.of(fixed.get(index).unwrap_or(&schema["items"]), element, &path.clone().index(index));
        }
    }

    fn object(&mut self, schema: &Value, map: &Map<String, Value>, path: &Path) {
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.add(&path.clone().key(key), "a required key was removed", None);
        }
        if schema["additionalProperties"] == json!(false) && !map.contains_key("☃") {
            let mut open = map.clone();
            open.insert("☃".to_owned(), json!(1));
            self.add(path, "an unknown key was added", Value::Object(open));
        }
        for (key, value) in map {
            let inside = schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
            self.of(inside, value, &path.clone().key(key));
        }
    }
}

/// The schema inside an `Option`, whose schema is a union with `null`.
fn nullable(schema: &Map<String, Value>) -> Option<&Value> {
    match schema.get("anyOf")?.as_array()?.as_slice() {
        [inside, null] if null == &json!({ "type": "null" }) => Some(inside),
        _ => None,
    }
}
