//! Strings that mean null, where the contract allows a string or null.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Id, Shapes, kind};
use crate::{reading::spelling, schema};

/// The strings that small models write for null where a string or null is allowed.
///
/// In 1,028 submissions of models of 0.5 and 1.5 billion parameters, for 360 documents whose values
/// are known (`docs/decisions.md`), they occurred in 184 such positions and were never right. Other
/// strings, such as `unknown` and `not specified`, came up in one document each and may be values.
const STRINGS: [&str; 3] = ["null", "None", "none"];

/// Maximum shapes of one position that are examined. A position with more keeps its strings.
const MAX_PARTS: usize = 256;

/// What a string that means null is read as, where the contract allows both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NullReading {
    Null,
    Text,
}

/// Length of the longest of [`STRINGS`] in bytes.
pub(crate) const NULL_STRING_BYTES: usize = 4;

fn takes_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| schema::says_of_null(schema) == Some(true))
}

/// The strings that `schema` itself names, without its parts: these are values.
fn named_by(schema: &Value) -> Vec<&'static str> {
    let Some(schema) = schema.as_object() else { return Vec::new() };
    let form = form(schema).and_then(|form| schema::validator_options().build(&form).ok());
    let has_form = |text: &str| form.as_ref().is_some_and(|form| form.is_valid(&Value::from(text)));
    let is_listed = |text: &str| named(schema).any(|value| is_spelled_like(value, text));
    STRINGS.into_iter().filter(|text| is_listed(text) || has_form(text)).collect()
}

/// The allowed values, if they are listed.
fn listed(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let listed = schema.get("enum").and_then(Value::as_array);
    schema.get("const").into_iter().chain(listed.into_iter().flatten())
}

/// All values that the schema names: allowed ones, examples and the default.
fn named(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    let single = ["example", "default"].into_iter().filter_map(|keyword| schema.get(keyword));
    listed(schema).chain(examples).chain(single)
}

/// Returns whether `text` is a spelling of `value`: `none` means a listed `NONE`.
fn is_spelled_like(value: &Value, text: &str) -> bool {
    value.as_str().is_some_and(|value| spelling::bare(value) == spelling::bare(text))
}

/// The part of `schema` that restricts how a string is written, if any.
fn form(schema: &Map<String, Value>) -> Option<Value> {
    let keywords = ["pattern", "format"].into_iter();
    let form: Map<_, _> =
        keywords.filter_map(|keyword| Some((keyword.to_owned(), schema.get(keyword)?.clone()))).collect();
    (!form.is_empty()).then_some(Value::Object(form))
}

impl Shapes {
    /// Determines for each position which strings mean null there. `schemas` has the schema of each
    /// shape.
    pub(super) fn collect_null_strings(&mut self, schemas: &[&Value]) {
        let mut known = HashMap::new();
        for id in 0..self.all.len() {
            let found = self.null_strings(id, schemas, &mut known);
            self.all[id].null_strings = found;
        }
    }

    /// Returns the strings that mean null in a position that `id` describes as a whole. Patterns
    /// are compiled only for such positions, and once.
    fn null_strings(
        &self,
        id: Id,
        schemas: &[&Value],
        known: &mut HashMap<Id, Vec<&'static str>>,
    ) -> Vec<&'static str> {
        let may_be = |kinds| self.all[id].allows(kinds);
        let is_either = may_be(kind::NULL) && may_be(kind::TEXT);
        let parts = if is_either { self.parts(&[id], MAX_PARTS) } else { Vec::new() };
        if parts.len() > MAX_PARTS || !parts.iter().any(|part| takes_null(schemas[*part])) {
            return Vec::new();
        }
        let mut left = STRINGS.to_vec();
        for part in parts {
            let named = known.entry(part).or_insert_with(|| named_by(schemas[part]));
            left.retain(|text| !named.contains(text));
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The strings that mean null at the root of `schema`.
    fn meant(schema: &Value) -> Vec<&'static str> {
        let shapes = Shapes::compile(schema, 256);
        shapes.get(super::super::ROOT).null_strings.clone()
    }

    #[test]
    fn all_three_mean_null_where_a_string_or_null_may_stand() {
        for schema in [
            json!({"type": ["string", "null"]}),
            json!({"type": ["string", "null", "integer"], "minLength": 1, "maxLength": 3}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"oneOf": [{"$ref": "#/$defs/s"}, {"const": null}], "$defs": {"s": {"type": "string"}}}),
            json!({"allOf": [{"type": ["string", "null"]}, {"minLength": 2}]}),
            json!({"enum": ["a", "b", null]}),
            json!({"anyOf": [true, {"type": "null"}]}),
            json!({"type": ["string", "null"], "format": "date"}),
            json!({"type": ["string", "null"], "pattern": "^INV-[0-9]+$", "examples": ["INV-1"]}),
        ] {
            assert_eq!(meant(&schema), STRINGS, "{schema}");
        }
    }

    #[test]
    fn none_does_where_null_or_a_string_may_not_stand() {
        for schema in [
            json!(true),
            json!({}),
            json!({"type": "string"}),
            json!({"type": "null"}),
            json!({"type": ["integer", "null"]}),
            json!({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}),
            json!({"minLength": 3}),
        ] {
            assert_eq!(meant(&schema), [""; 0], "{schema}");
        }
    }

    #[test]
    fn a_string_that_the_schema_names_is_a_value() {
        for (schema, left) in [
            (json!({"enum": ["some", "NONE", null]}), &["null"][..]),
            (json!({"anyOf": [{"enum": ["null"]}, {"type": ["string", "null"]}]}), &["None", "none"]),
            (json!({"type": ["string", "null"], "examples": ["Ann", "None"]}), &["null"]),
            (json!({"type": ["string", "null"], "default": "null"}), &["None", "none"]),
            (json!({"type": ["string", "null"], "pattern": "^[a-z]+$"}), &["None"]),
            (json!({"type": ["string", "null"], "format": "hostname"}), &[]),
            (json!({"type": ["string", "null"], "format": "of-our-own"}), &[]),
        ] {
            assert_eq!(meant(&schema), left, "{schema}");
        }
    }
}
