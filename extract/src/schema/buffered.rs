//! Types that serde cannot read where it buffers.
//!
//! The content of an untagged enum, of an enum with its tag beside its fields, and of a flattened
//! field is first read into a buffer of serde. The buffer has no integers of 128 bits, and the keys
//! of its maps are strings that are not parsed. The schema of such a type says nothing of that, so
//! the types and the buffered parts are marked while it is made, and no contract has the marks.

use std::collections::HashSet;

use schemars::Schema;
use serde_json::{Map, Value, json};

use super::{SchemaView, mistake};

/// Marks a type that cannot be read from the buffer: its name, and what to use instead.
const UNBUFFERED: &str = "x-unbuffered";

/// Marks a part that is read from the buffer, and says where.
pub(super) const BUFFERED: &str = "x-buffered";

/// Marks the schema of the type `what`. The cure is to use something `else_`.
pub(crate) fn unbuffered(mut schema: Schema, what: &str, else_: &str) -> Schema {
    schema.insert(UNBUFFERED.to_owned(), json!([what, else_]));
    schema
}

/// The cure for integers of 128 bits.
pub(crate) const NARROWER: &str = "an integer of at most 64 bits, or a `String`";

/// The cure for keys that are not strings in Rust.
pub(crate) const STRING_KEYS: &str = "keys of the type `String`";

/// Marks `schema` as buffered in `place`.
pub(super) fn buffer(schema: &mut Map<String, Value>, place: &str) {
    schema.insert(BUFFERED.to_owned(), json!([place]));
}

/// Marks the values of the keywords that are merged from a flattened schema into another.
pub(super) fn buffer_parts(flat: &mut Map<String, Value>, place: &str) {
    for keyword in ["additionalProperties", "propertyNames"] {
        if let Some(Value::Object(part)) = flat.get_mut(keyword) {
            buffer(part, place);
        }
    }
    let properties = flat.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut).for_each(|part| {
        buffer(part, place);
    });
    let all = flat.get_mut("allOf").and_then(Value::as_array_mut);
    all.into_iter().flatten().filter_map(Value::as_object_mut).for_each(|part| buffer(part, place));
}

/// Records the first unbuffered type in a buffered part as a mistake, and removes all marks.
pub(crate) fn check_buffered(schema: &mut Value) {
    let view = SchemaView::of(schema);
    let mut search = BufferedSearch { view: &view, seen: [HashSet::new(), HashSet::new()] };
    let message = search.find(schema, None);
    remove_marks(schema, &[UNBUFFERED, BUFFERED]);
    if let (Some(message), Value::Object(root)) = (message, schema) {
        mistake::note(root, message);
    }
}

struct BufferedSearch<'s, 'v> {
    view: &'v SchemaView<'s>,
    /// The schemas seen outside and inside of the buffer.
    seen: [HashSet<*const Value>; 2],
}

impl<'s> BufferedSearch<'s, '_> {
    /// The message about the first unbuffered type in `schema`, which is buffered in `place`.
    fn find(&mut self, schema: &'s Value, place: Option<&'s str>) -> Option<String> {
        let place = mark(schema, BUFFERED).and_then(|mark| mark.first()?.as_str()).or(place);
        if !self.seen[usize::from(place.is_some())].insert(std::ptr::from_ref(schema)) {
            return None;
        }
        if let (Some(place), Some([Value::String(what), Value::String(cure)])) =
            (place, mark(schema, UNBUFFERED))
        {
            return Some(format!("{what} cannot be read {place}, where serde buffers the value; use {cure}"));
        }
        match schema {
            Value::Object(object) => {
                let targets: Vec<&'s Value> = self.view.targets(object).collect();
                let parts = object.iter().filter(|(key, _)| !is_data(key)).map(|(_, part)| part);
                targets.into_iter().chain(parts).find_map(|part| self.find(part, place))
            }
            Value::Array(list) => list.iter().find_map(|part| self.find(part, place)),
            _ => None,
        }
    }
}

/// Definitions are reached by references only; the rest is data.
pub(super) fn is_data(keyword: &str) -> bool {
    matches!(keyword, "const" | "enum" | "examples" | "default" | "$defs" | UNBUFFERED | BUFFERED)
}

fn mark<'s>(schema: &'s Value, mark: &str) -> Option<&'s [Value]> {
    schema.get(mark)?.as_array().map(Vec::as_slice)
}

/// Removes the keywords `marks`, whose values are lists.
pub(super) fn remove_marks(schema: &mut Value, marks: &[&str]) {
    match schema {
        Value::Object(object) => {
            // A property of this name has a schema.
            object.retain(|key, value| !marks.contains(&key.as_str()) || !value.is_array());
            object
                .iter_mut()
                .filter(|(key, _)| !matches!(key.as_str(), "const" | "enum" | "examples" | "default"))
                .for_each(|(_, part)| remove_marks(part, marks));
        }
        Value::Array(list) => list.iter_mut().for_each(|part| remove_marks(part, marks)),
        _ => {}
    }
}
