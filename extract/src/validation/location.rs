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

    /// The failing keyword.
    pub(super) fn keyword(self, error: &ValidationError<'_>) -> Option<&'r Value> {
        resolve(error.schema_path().as_str(), self.schema)
    }
}

/// `location` as a path. Only `value` knows whether a step that looks like a number is one: `0` may be a key too.
pub(crate) fn path_of(location: &Location, value: &Value) -> Path {
    // Most violations lie at most four steps deep.
    let mut segments = Vec::with_capacity(4);
    let mut at = Some(value);
    for step in steps(location.as_str()) {
        let index = || step.parse().ok().filter(|_| !at.is_some_and(Value::is_object));
        let segment = index().map_or_else(|| Segment::Key(step.into_owned()), Segment::Index);
        at = at.and_then(|at| inside(at, &segment));
        segments.push(segment);
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
pub(super) fn resolve<'v>(pointer: &str, root: &'v Value) -> Option<&'v Value> {
    steps(pointer).try_fold(root, |value, step| match value {
        Value::Object(object) => object.get(&*step),
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => None,
    })
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
