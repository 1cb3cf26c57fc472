//! Checks that serde reads each alternative of each union as itself, and writes it again.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    contract::Contract,
    extractable::Extractable,
    schema::{self, SchemaAlternative, replace_references},
    vocabulary::{
        change::ChangeKind,
        path::{Path, Segment, all_values},
        violation::Violation,
    },
};

/// Returns the complaints about alternatives of unions of `T`, one line for each.
pub(super) fn complaints<T: Extractable>(contract: &Contract, write: Option<RoundTrip>) -> Vec<String> {
    let all = schema::alternatives(contract.schema());
    all.iter().filter_map(|one| complaint::<T>(contract, one, write)).collect()
}

fn complaint<T: Extractable>(
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
pub(super) type RoundTrip = fn(&Value) -> Option<Result<Value, String>>;

/// Reads a `T` and writes it again.
pub(super) fn written<T: Extractable + Serialize>(value: &Value) -> Option<Result<Value, String>> {
    let read = T::deserialize(value).ok()?;
    Some(serde_json::to_value(read).map_err(|error| error.to_string()))
}

/// Returns the problem with `value` after it was read and written, if any.
pub(super) fn round_trip(contract: &Contract, write: RoundTrip, value: &Value) -> Option<String> {
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
