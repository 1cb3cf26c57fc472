//! Checks a type in the user's test module: its example and mutants of it, and that serde reads each
//! alternative of each union as itself, and writes it again.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    contract::Contract,
    extractable::Extractable,
    schema::{
        self, SchemaAlternative, SchemaView, constraint::CONSTRAINTS, replace_references,
        view::keywords::type_of,
    },
    vocabulary::{
        change::ChangeKind,
        path::{Path, Segment, all_values},
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
    complaints.extend(complaints_about_alternatives::<T>(&contract, write));
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

/// Returns the complaints about alternatives of unions of `T`, one line for each.
fn complaints_about_alternatives<T: Extractable>(
    contract: &Contract,
    write: Option<RoundTrip>,
) -> Vec<String> {
    let all = schema::alternatives(contract.schema());
    all.iter().filter_map(|one| complaint_about_alternative::<T>(contract, one, write)).collect()
}

fn complaint_about_alternative<T: Extractable>(
    contract: &Contract,
    alternative: &SchemaAlternative<'_>,
    write: Option<RoundTrip>,
) -> Option<String> {
    let SchemaAlternative { union, index, whole, .. } = alternative;
    let is_right = |violations: &[Violation]| violations.iter().all(Violation::is_warning);
    // Not every value that the generator makes satisfies the schema.
    if !is_right(&contract.validate_schema(whole)) {
        return None;
    }
    let name = format!("alternative {} of {union}", index + 1);
    if let Err(error) = T::deserialize(whole) {
        return Some(format!("{name} is allowed, and serde refuses it: {error}; the value is {whole}"));
    }
    // A rule may refuse an alternative.
    if !is_right(&contract.validate(whole)) {
        return None;
    }
    let written = write.and_then(|write| write(whole)?.ok());
    if let Some(shadowed) = shadowed(contract, alternative, written.as_ref()) {
        return Some(format!("{name} is read as {shadowed}"));
    }
    if let Some(path) = written.as_ref().and_then(|written| other_kind(whole, written, &Path::root())) {
        return Some(format!("{name} is read as something else: {whole} became {}, see {path}", written?));
    }
    round_trip(contract, write?, whole).map(|complaint| format!("{name}: {complaint}"))
}

/// The alternative before this one that serde reads it as, and what is lost by that.
fn shadowed(
    contract: &Contract,
    alternative: &SchemaAlternative<'_>,
    written: Option<&Value>,
) -> Option<String> {
    let SchemaAlternative { branches, index, whole, part, .. } = alternative;
    let before = branches.get(..*index)?.iter().enumerate();
    let mut readers = before.filter_map(|(earlier, branch)| {
        let reader = Contract::from_schema(alone(branch, contract.schema())).ok()?;
        reader.validate_schema(part).is_empty().then_some((earlier, reader))
    });
    // serde takes the first.
    let (earlier, reader) = readers.next()?;
    let lost: Vec<String> = reader
        .read(&part.to_string())
        .changes
        .iter()
        .filter(|change| matches!(change.kind, ChangeKind::UnknownKey | ChangeKind::Name))
        .map(|change| change.path.to_string())
        .filter(|path| {
            let key = path.parse::<Path>().ok().and_then(|path| last_key(&path));
            written.is_none_or(|written| key.is_none_or(|key| count(&key, written) < count(&key, whole)))
        })
        .collect();
    (!lost.is_empty()).then(|| {
        format!(
            "alternative {}, and loses {} of {part}; put it first, or let the other refuse unknown \
             keys with `#[serde(deny_unknown_fields)]`, or give the enum a `tag`",
            earlier + 1,
            lost.join(", "),
        )
    })
}

fn last_key(path: &Path) -> Option<String> {
    match path.segments().last()? {
        Segment::Key(key) => Some(key.to_string()),
        Segment::Index(_) => None,
    }
}

/// How often `key` is in `value`.
fn count(key: &str, value: &Value) -> usize {
    all_values(value).filter(|value| value.get(key).is_some()).count()
}

/// `branch` as a schema of its own, with the definitions of `root`.
fn alone(branch: &Value, root: &Value) -> Value {
    const ROOT: &str = "the-root";
    let mut definitions = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut whole = root.as_object().cloned().unwrap_or_default();
    whole.shift_remove("$defs");
    definitions.insert(ROOT.to_owned(), Value::Object(whole));
    let mut schema = Map::new();
    schema.insert("allOf".to_owned(), json!([branch]));
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    let mut schema = Value::Object(schema);
    replace_references(&mut schema, &mut |reference| (reference == "#").then(|| format!("#/$defs/{ROOT}")));
    schema
}

/// The path of the first list that was written as an object, or the other way round. serde reads a
/// struct from a list of its fields, too.
fn other_kind(read: &Value, written: &Value, path: &Path) -> Option<Path> {
    match (read, written) {
        (Value::Array(_), Value::Object(_)) | (Value::Object(_), Value::Array(_)) => Some(path.clone()),
        (Value::Array(list), Value::Array(other)) if list.len() != other.len() => None,
        _ => Segment::parts(read)
            .find_map(|(step, read)| other_kind(read, step.within(written)?, &path.clone().step(step))),
    }
}

/// Reads a value and writes it again. `None` if serde does not read it, and why it cannot be
/// written.
type RoundTrip = fn(&Value) -> Option<Result<Value, String>>;

/// Reads a `T` and writes it again.
fn written<T: Extractable + Serialize>(value: &Value) -> Option<Result<Value, String>> {
    let read = T::deserialize(value).ok()?;
    Some(serde_json::to_value(read).map_err(|error| error.to_string()))
}

/// Returns the problem with `value` after it was read and written, if any.
fn round_trip(contract: &Contract, write: RoundTrip, value: &Value) -> Option<String> {
    let json = match write(value)? {
        Ok(json) => json,
        Err(error) => return Some(format!("the example cannot be serialized again: {error}")),
    };
    if let Some(violation) = contract.validate(&json).iter().find(|violation| !violation.is_warning()) {
        return Some(format!("the example is rejected after a round trip: {violation}; it became {json}"));
    }
    let again = write(&json).and_then(Result::ok);
    (again.as_ref() != Some(&json))
        .then(|| format!("the example changes with every round trip; it became {json}"))
}
