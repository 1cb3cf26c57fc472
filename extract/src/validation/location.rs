//! Places that the validator names.

use jsonschema::paths::Location;
use serde_json::Value;

use crate::{
    path::{Path, Segment},
    schema::steps,
};

/// `location` as a path. Only `value` knows whether a step that looks like a number is one: `0` may be a key too.
pub(crate) fn path_of(location: &Location, value: &Value) -> Path {
    // Most violations lie at most four steps deep.
    let mut segments: Vec<Segment> = Vec::with_capacity(4);
    let (mut at, mut reached) = (Some(value), 0);
    for step in steps(location.as_str()) {
        // What lies between two steps that look like numbers need not be looked up for itself.
        let index = step.parse().ok().filter(|_| {
            at = segments[reached..].iter().fold(at, |at, segment| segment.within(at?));
            reached = segments.len();
            !at.is_some_and(Value::is_object)
        });
        segments.push(index.map_or_else(|| Segment::Key((&*step).into()), Segment::Index));
    }
    Path::from(segments)
}
