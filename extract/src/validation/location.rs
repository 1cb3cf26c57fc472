//! The locations that the validator reports.

use jsonschema::paths::Location;
use serde_json::Value;

use crate::{
    schema::steps,
    vocabulary::path::{Path, Segment},
};

/// `location` as a path. A step such as `0` may be an index or a key; `value` decides.
pub(crate) fn path_of(location: &Location, value: &Value) -> Path {
    // Most violations are at most four steps deep.
    let mut segments: Vec<Segment> = Vec::with_capacity(4);
    let (mut at, mut reached) = (Some(value), 0);
    for step in steps(location.as_str()) {
        // The value is looked up only at steps that look like numbers.
        let index = step.parse().ok().filter(|_| {
            at = segments[reached..].iter().fold(at, |at, segment| segment.within(at?));
            reached = segments.len();
            !at.is_some_and(Value::is_object)
        });
        segments.push(index.map_or_else(|| Segment::Key((&*step).into()), Segment::Index));
    }
    Path::from(segments)
}
