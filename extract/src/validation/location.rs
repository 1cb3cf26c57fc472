//! Places that the validator names, in the value and in the schema.

use std::borrow::Cow;

use jsonschema::{ValidationError, paths::Location};
use serde_json::Value;

use crate::{Path, path::Segment};

/// What errors speak of.
#[derive(Clone, Copy)]
pub(super) struct Root<'r> {
    pub(super) schema: &'r Value,
    pub(super) value: &'r Value,
}

impl<'r> Root<'r> {
    /// Where in the value.
    pub(super) fn path(self, error: &ValidationError<'_>) -> Path {
        path_of(error.instance_path(), self.value)
    }

    /// The schema in which the failing keyword stands.
    pub(super) fn parent_of_keyword(self, error: &ValidationError<'_>) -> Option<&'r Value> {
        let location = error.schema_path().as_str();
        resolve(location.rsplit_once('/').map_or("", |(parent, _)| parent), self.schema)
    }

    /// The outermost schema that speaks of the very value that the failing keyword speaks of: unlike its parent, it also
    /// knows what stands beside references and alternatives.
    pub(super) fn whole(self, error: &ValidationError<'_>) -> &'r Value {
        let steps: Vec<_> = steps(error.evaluation_path().as_str()).collect();
        let (mut at, mut whole) = (self.schema, self.schema);
        // The last step is the failing keyword itself.
        let mut left = &steps[..steps.len().saturating_sub(1)];
        while let [keyword, rest @ ..] = left {
            let (found, taken) = match (&**keyword, rest) {
                ("$ref", _) => (target(at, self.schema), 0),
                (name, [inside, ..]) if HAVE_PARTS.contains(&name) => {
                    (at.get(name).and_then(|parts| entry(parts, inside)), 1)
                }
                (name, _) => (at.get(name), 0),
            };
            let Some(found) = found else { return whole };
            at = found;
            if !SAME_PLACE.contains(&&**keyword) {
                whole = at;
            }
            left = &rest[taken..];
        }
        whole
    }

    /// The failing keyword.
    pub(super) fn keyword(self, error: &ValidationError<'_>) -> Option<&'r Value> {
        resolve(error.schema_path().as_str(), self.schema)
    }
}

/// Keywords that hold several schemas.
const HAVE_PARTS: [&str; 7] =
    ["allOf", "anyOf", "oneOf", "dependentSchemas", "properties", "patternProperties", "prefixItems"];

/// Keywords whose schemas speak of the value itself.
const SAME_PLACE: [&str; 8] = ["$ref", "allOf", "anyOf", "oneOf", "dependentSchemas", "if", "then", "else"];

/// What the `$ref` of `schema` stands for.
pub(super) fn target<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    resolve(schema.get("$ref")?.as_str()?.strip_prefix('#')?, root)
}

/// `location` as a path. Only `value` knows whether a step that looks like a number is one: `0` may be a key too.
pub(crate) fn path_of(location: &Location, value: &Value) -> Path {
    // Most violations lie at most four steps deep.
    let mut segments = Vec::with_capacity(4);
    let (mut at, mut reached) = (Some(value), 0);
    for step in steps(location.as_str()) {
        // What lies between two steps that look like numbers need not be looked up for itself.
        let index = step.parse().ok().filter(|_| {
            at = segments[reached..].iter().fold(at, |at, segment| inside(at?, segment));
            reached = segments.len();
            !at.is_some_and(Value::is_object)
        });
        segments.push(index.map_or_else(|| Segment::Key(step.into_owned()), Segment::Index));
    }
    Path::from(segments)
}

fn inside<'v>(value: &'v Value, segment: &Segment) -> Option<&'v Value> {
    match segment {
        Segment::Key(key) => value.get(key),
        Segment::Index(index) => value.get(index),
    }
}

/// What a JSON Pointer leads to; `Value::pointer` without an allocation for each step.
fn resolve<'v>(pointer: &str, root: &'v Value) -> Option<&'v Value> {
    steps(pointer).try_fold(root, |value, step| entry(value, &step))
}

fn entry<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Object(object) => object.get(step),
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The unescaped steps of a JSON Pointer.
fn steps(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(|step| {
        if step.contains('~') {
            Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(step)
        }
    })
}
