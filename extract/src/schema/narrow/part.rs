//! The narrowed part itself: how much of its path a schema describes, its schema and description, and
//! which of the listed values fit it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::schema::{
    KEY, MERGE, QUOTE, SENSITIVE, is_deprecated, is_marked,
    view::{
        MAX_CHAIN, SchemaView,
        keywords::{composed, listed as listed_by, named, type_of},
    },
};

/// A schema for exactly `values`, which all satisfy `part`. It keeps the annotations of `part`:
/// descriptions and examples, sensitivity, quotes, and how values are merged.
pub(crate) fn listed(view: &SchemaView<'_>, part: &Value, values: Vec<Value>) -> Value {
    let mut schema = if values.iter().any(|value| value.is_object() || value.is_array()) {
        // Values with parts may contain descriptions and sensitive values.
        let mut schema = part.as_object().cloned().unwrap_or_default();
        schema.shift_remove("const");
        schema
    } else {
        scalars(view, part, &values)
    };
    keep_listed(&mut schema, &values);
    schema.insert("enum".to_owned(), Value::Array(values));
    Value::Object(schema)
}

/// The values are valid, so the list replaces every other constraint.
fn scalars(view: &SchemaView<'_>, part: &Value, values: &[Value]) -> Map<String, Value> {
    let layers = layers(view, part);
    let first = |keyword: &str| layers.iter().find_map(|layer| layer.get(keyword));
    let mut schema = Map::new();
    let own = layers.first().filter(|layer| !layer.contains_key("$defs"));
    for keyword in ["title", "deprecated"] {
        if let Some(value) = own.and_then(|layer| layer.get(keyword)) {
            schema.insert(keyword.to_owned(), value.clone());
        }
    }
    schema.insert("type".to_owned(), types(values));
    if let Some(text) = description(&layers, values) {
        schema.insert("description".to_owned(), Value::from(text));
    }
    for keyword in ["examples", "default", QUOTE, KEY, MERGE] {
        if let Some(value) = first(keyword) {
            schema.insert(keyword.to_owned(), value.clone());
        }
    }
    if is_sensitive(view, part) {
        schema.insert(SENSITIVE.to_owned(), Value::Bool(true));
    }
    schema
}

/// Drops examples and a default that are not listed.
fn keep_listed(schema: &mut Map<String, Value>, values: &[Value]) {
    if let Some(Value::Array(examples)) = schema.get_mut("examples") {
        examples.retain(|example| values.contains(example));
        if examples.is_empty() {
            schema.shift_remove("examples");
        }
    }
    if schema.get("default").is_some_and(|default| !values.contains(default)) {
        schema.shift_remove("default");
    }
}

/// `part` with another description. The meanings of listed values stay below it.
pub(crate) fn described(part: &Value, text: &str) -> Value {
    let mut schema = match part {
        Value::Object(schema) => schema.clone(),
        Value::Bool(true) => Map::new(),
        other => return other.clone(),
    };
    let old = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let values = listed_by(&schema).unwrap_or_default();
    let meanings = PropertyDescription::of(old, values).meanings_of(values);
    match joined(text.trim(), &meanings) {
        Some(text) => drop(schema.insert("description".to_owned(), Value::from(text))),
        None => drop(schema.shift_remove("description")),
    }
    Value::Object(schema)
}

/// `part` and the schemas that it leads to for the same value, while there is only one way to
/// follow: the target of a reference, or the only alternative to null.
fn layers<'s>(view: &SchemaView<'s>, part: &'s Value) -> Vec<&'s Map<String, Value>> {
    let next = |layer: &&'s Map<String, Value>| {
        let only = |keyword: &str| {
            let branches = layer.get(keyword)?.as_array()?.iter();
            let mut others = branches.filter(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
            others.next().filter(|_| others.next().is_none())
        };
        let target = view.targets(layer).next();
        target.or_else(|| only("allOf")).or_else(|| only("anyOf")).or_else(|| only("oneOf"))?.as_object()
    };
    std::iter::successors(part.as_object(), next).take(MAX_CHAIN).collect()
}

fn description(layers: &[&Map<String, Value>], values: &[Value]) -> Option<String> {
    let mut prose = "";
    let mut meanings = String::new();
    for layer in layers {
        let Some(text) = layer.get("description").and_then(Value::as_str) else { continue };
        let text = PropertyDescription::of(text, listed_by(layer).unwrap_or_default());
        if prose.is_empty() {
            prose = text.prose;
        }
        if meanings.is_empty() {
            meanings = text.meanings_of(values);
        }
    }
    joined(prose, &meanings)
}

/// The types of `values`, one or several.
fn types(values: &[Value]) -> Value {
    let is_whole = values.iter().all(|value| !value.is_f64());
    let mut names = Vec::new();
    for value in values {
        let name = match value {
            Value::Number(_) if is_whole => "integer",
            value => type_of(value),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if let [only] = names[..] { Value::from(only) } else { Value::from(names) }
}

/// Returns whether a whole value of `part` is sensitive.
pub(crate) fn is_sensitive(view: &SchemaView<'_>, part: &Value) -> bool {
    is_sensitive_within(view, part, MAX_CHAIN)
}

fn is_sensitive_within<'s>(view: &SchemaView<'s>, part: &'s Value, left: usize) -> bool {
    let Some(object) = part.as_object().filter(|_| left > 0) else { return false };
    is_marked(part, SENSITIVE)
        || view.targets(object).chain(composed(object)).any(|part| is_sensitive_within(view, part, left - 1))
}

/// A description in its two parts.
pub(super) struct PropertyDescription<'d> {
    pub(super) prose: &'d str,
    /// The meaning of each value, with its name.
    meanings: Vec<(&'d str, &'d str)>,
}

impl<'d> PropertyDescription<'d> {
    /// Splits `text`, the description of `values`. A line that looks like a meaning but names no
    /// listed value is prose.
    pub(super) fn of(text: &'d str, values: &[Value]) -> Self {
        let names: HashSet<&str> = values.iter().filter_map(Value::as_str).collect();
        let mut starts = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let name = line.strip_prefix("- `").and_then(|line| line.split_once("`: "));
            if let Some((name, _)) = name.filter(|(name, _)| names.contains(name)) {
                starts.push((at, name));
            }
            at += line.len();
        }
        let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
        let meanings =
            starts.iter().zip(ends).map(|((start, name), end)| (*name, text[*start..end].trim_end()));
        let prose = &text[..starts.first().map_or(text.len(), |(start, _)| *start)];
        Self { prose: prose.trim_end(), meanings: meanings.collect() }
    }

    /// The meanings of `values`, one or more lines each.
    fn meanings_of(&self, values: &[Value]) -> String {
        let kept: HashSet<&str> = values.iter().filter_map(Value::as_str).collect();
        let meanings = self.meanings.iter().filter(|(name, _)| kept.contains(name));
        meanings.map(|(_, meaning)| *meaning).collect::<Vec<_>>().join("\n")
    }
}

/// Prose, and meanings below it.
pub(super) fn joined(prose: &str, meanings: &str) -> Option<String> {
    match (prose.is_empty(), meanings.is_empty()) {
        (true, true) => None,
        (false, true) => Some(prose.to_owned()),
        (true, false) => Some(meanings.to_owned()),
        (false, false) => Some(format!("{prose}\n\n{meanings}")),
    }
}

/// The replacement of a part, and which of the listed values fit it.
pub(crate) type NarrowedPart = (Value, FittingValues);

/// One bit per listed value; no bits without a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FittingValues(Vec<bool>);

impl FittingValues {
    pub(crate) fn new(fits: Vec<bool>) -> Self {
        Self(fits)
    }

    /// The values that fit both of two schemas that apply at once.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(here, there)| *here &= there);
        self
    }

    /// The values that fit at least one of two alternatives.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(here, there)| *here |= there);
        self
    }

    /// Returns whether no values were listed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The index of the first value that does not fit.
    pub(crate) fn first_misfit(&self) -> Option<usize> {
        self.0.iter().position(|fits| !fits)
    }
}

/// Maximum keys that are kept for a message.
const MAX_KEYS: usize = 200;

/// Why a schema cannot be changed at a path.
#[derive(Debug)]
pub(crate) enum NarrowingFailure {
    /// The schema does not describe the path.
    Missing(ReachedSchemas),
    /// Definitions would have to be copied too often.
    TooLarge,
}

/// The schemas at the end of the longest part of a path that can be followed.
#[derive(Debug, Default)]
pub(crate) struct ReachedSchemas {
    /// The number of steps to it.
    pub(crate) steps: usize,
    /// The keys there.
    pub(crate) keys: Vec<String>,
    /// Whether entries under any key are allowed.
    pub(crate) is_map: bool,
    /// Whether the number of elements is open.
    pub(crate) is_list: bool,
    /// The number of elements of a tuple.
    pub(crate) positions: usize,
}

impl ReachedSchemas {
    /// Records the schema `object`, reached after `steps` steps.
    pub(super) fn look(&mut self, steps: usize, object: &Map<String, Value>) {
        if steps < self.steps {
            return;
        }
        if steps > self.steps {
            *self = Self { steps, ..Self::default() };
        }
        let is_schema = |keyword: &str| object.get(keyword).is_some_and(|part| *part != Value::Bool(false));
        self.is_map |= is_schema("additionalProperties") || object.contains_key("patternProperties");
        self.is_list |= is_schema("items");
        let positions = object.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        self.positions = self.positions.max(positions);
        for (key, part) in named(object, "properties") {
            if self.keys.len() < MAX_KEYS && !is_deprecated(part) && !self.keys.contains(key) {
                self.keys.push(key.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_meanings_of_the_values_that_are_left_stay() {
        let values = [json!("a"), json!("b"), json!("c d")];
        let text =
            "What it is.\n- `x`: not a value\n\n- `a`: the first\n  letter\n- `b`: the second\n- `c d`: two";
        let description = PropertyDescription::of(text, &values);
        assert_eq!(description.prose, "What it is.\n- `x`: not a value");
        assert_eq!(description.meanings_of(&values[..1]), "- `a`: the first\n  letter");
        assert_eq!(description.meanings_of(&[json!("c d"), json!(null)]), "- `c d`: two");
        assert_eq!(PropertyDescription::of("- `a`: the first", &values).prose, "");
        assert_eq!(PropertyDescription::of("Only prose.", &values).meanings_of(&values), "");
    }
}
