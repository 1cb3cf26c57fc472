//! Mistakes in a type that only its schema reveals: listed values that serde refuses, types that it
//! cannot read where it buffers, and maps whose keys cannot be written in JSON.
//!
//! The content of an untagged enum, of an enum with its tag beside its fields, and of a flattened
//! field is first read into a buffer of serde. The buffer has no integers of 128 bits, and the keys
//! of its maps are strings that are not parsed. The schema of such a type says nothing of that.
//!
//! Every key is a string in JSON, and serde does not read a list or an object from one, so a map with
//! such keys would only ever be empty. The schema of a key may be a reference to a definition that is
//! not complete yet.
//!
//! So these types, the buffered parts and the keys are marked while a schema is made, and no contract
//! has the marks.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
};

use schemars::Schema;
use serde_json::{Map, Value, json};

use super::{
    each,
    view::{
        SchemaView, is_named,
        keywords::{is_annotation, list, listed, types},
        pointer::{VALUES, each_located},
    },
};
use crate::vocabulary::path::Path;

/// The keyword that holds the message. A schema with it does not become a contract.
const MISTAKE: &str = "x-mistake";

/// Records a mistake in the type that `schema` describes.
pub(super) fn note(schema: &mut Map<String, Value>, message: String) {
    schema.insert(MISTAKE.to_owned(), Value::String(message));
}

/// The same for the part of `schema` at a JSON Pointer.
pub(super) fn note_at(schema: &mut Value, pointer: &str, message: String) {
    if let Some(Value::Object(part)) = schema.pointer_mut(pointer) {
        note(part, message);
    }
}

/// The same for the schema of a type of another crate.
pub(crate) fn note_mistake(schema: &mut Schema, message: String) {
    note(schema.ensure_object(), message);
}

/// The first mistake in a schema, and its path.
pub(crate) fn mistake(schema: &Value) -> Option<(Path, String)> {
    let found = each_located(schema, &mut |part, pointer| match part.get(MISTAKE) {
        Some(Value::String(message)) => Err((pointer.to_owned(), message.clone())),
        _ => Ok(()),
    });
    let (pointer, message) = found.err()?;
    Some((Path::from_pointer_in(&pointer, schema).unwrap_or_default(), message))
}

/// Why serde refuses a value; `None` if it reads it.
pub type SerdeRefusal = fn(&Value) -> Option<String>;

/// Records a value that `schema` lists for a type, and that serde refuses, as a mistake.
///
/// Such a type has a `Deserialize` that the schema does not describe: with `serde_repr`, for
/// example, serde reads numbers where the schema has the names of the variants.
pub(crate) fn note_refused(schema: &mut Schema, type_: &str, refusal: SerdeRefusal) {
    let Some(object) = schema.as_object_mut() else { return };
    let refused = allowed(object).find_map(|value| Some((value, refusal(value)?)));
    if let Some((value, reason)) = refused {
        let message = format!(
            "the schema of `{type_}` allows {value}, and serde refuses it: {reason}; derive \
             `serde::Deserialize` for `{type_}`, or give each field of this type the schema of what \
             its `Deserialize` reads, with `#[extract(schema_with = ...)]` or as \
             `BySchemars<{type_}>` (for `serde_repr`, with `schemars::JsonSchema_repr`)"
        );
        note(object, message);
    }
}

/// The values that `schema` lists, itself or in an alternative, where nothing else decides.
fn allowed(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let is_about = |schema: &Map<String, Value>, others: &[&str]| {
        schema
            .keys()
            .all(|keyword| is_annotation(keyword) || keyword == LOOKS || others.contains(&keyword.as_str()))
    };
    let is_list = move |schema: &&Map<String, Value>| is_about(schema, &["type", "enum", "const"]);
    let branches = ["anyOf", "oneOf"].into_iter().filter(move |name| is_about(schema, &[name]));
    let branches = branches.flat_map(|name| list(schema, name));
    let lists = std::iter::once(schema).chain(branches.filter_map(Value::as_object)).filter(is_list);
    lists.flat_map(|list| listed(list).unwrap_or_default())
}

/// Marks a type that cannot be read from the buffer: its name, and what to use instead.
const UNBUFFERED: &str = "x-unbuffered";

/// Marks a part that is read from the buffer, and says where.
pub(super) const BUFFERED: &str = "x-buffered";

/// Marks the schema of a type that looks at the keys of a flattened field and takes none.
pub(super) const LOOKS: &str = "x-looks";

/// Adds this mark.
pub(super) fn mark_as_looking(schema: &mut Map<String, Value>) {
    schema.insert(LOOKS.to_owned(), json!([]));
}

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
    remove_marks(schema, &[UNBUFFERED, BUFFERED, LOOKS]);
    if let (Some(message), Value::Object(root)) = (message, schema) {
        note(root, message);
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
                // Definitions are reached by references only.
                let parts =
                    object.iter().filter(|(key, _)| !VALUES.contains(&key.as_str()) && *key != "$defs");
                let parts = parts.flat_map(|(key, part)| match part {
                    Value::Object(named) if is_named(key) => named.values().collect(),
                    part => vec![part],
                });
                targets.into_iter().chain(parts).find_map(|part| self.find(part, place))
            }
            Value::Array(list) => list.iter().find_map(|part| self.find(part, place)),
            _ => None,
        }
    }
}

fn mark<'s>(schema: &'s Value, mark: &str) -> Option<&'s [Value]> {
    schema.get(mark)?.as_array().map(Vec::as_slice)
}

/// Removes the keywords `marks`.
fn remove_marks(schema: &mut Value, marks: &[&str]) {
    each(schema, &mut |object| marks.iter().for_each(|mark| drop(object.shift_remove(*mark))));
}

/// Marks the schema of the keys of a map with the name of their type.
const KEY_TYPE: &str = "x-key-type";

/// Marks `schema` as describing the keys of a map, which have the type `type_`.
pub(crate) fn keys_of_type(mut schema: Schema, type_: &str) -> Schema {
    schema.insert(KEY_TYPE.to_owned(), json!([short(type_)]));
    schema
}

/// Records each map whose keys can never be strings as a mistake, and removes the marks.
pub(crate) fn check_keys(schema: &mut Value) {
    let view = SchemaView::of(schema);
    let mut strings = StringSchemas { view: &view, known: HashMap::new() };
    let mut found = Vec::new();
    let Ok(()) = each_located(schema, &mut |keys, pointer| {
        let type_ = mark(keys, KEY_TYPE).and_then(|mark| mark.first()?.as_str());
        let wrong = type_.filter(|_| !strings.are_allowed(keys));
        found.extend(wrong.map(|type_| (pointer.to_owned(), type_.to_owned())));
        Ok::<_, Infallible>(())
    });
    for (pointer, type_) in found {
        let message = format!(
            "a map with keys of the type `{type_}` has no JSON form: keys are strings there, and \
             `{type_}` is never one; use keys of the type `String`, or a list of structs with \
             the key and the value"
        );
        note_at(schema, &pointer, message);
    }
    remove_marks(schema, &[KEY_TYPE]);
}

/// Which schemas may allow a string. In doubt, they do.
struct StringSchemas<'s, 'v> {
    view: &'v SchemaView<'s>,
    known: HashMap<*const Value, bool>,
}

impl<'s> StringSchemas<'s, '_> {
    fn are_allowed(&mut self, schema: &'s Value) -> bool {
        let Value::Object(object) = schema else { return *schema != Value::Bool(false) };
        let id = std::ptr::from_ref(schema);
        // A schema that leads back to itself allows what its other parts do.
        if let Some(known) = self.known.insert(id, true) {
            self.known.insert(id, known);
            return known;
        }
        let are_allowed = self.by_keywords(object);
        self.known.insert(id, are_allowed);
        are_allowed
    }

    fn by_keywords(&mut self, object: &'s Map<String, Value>) -> bool {
        let branches = |name: &str| object.get(name).and_then(Value::as_array);
        let targets: Vec<&'s Value> = self.view.targets(object).collect();
        object.get("type").is_none_or(|names| types(names).contains(&"string"))
            && listed(object).is_none_or(|values| values.iter().any(Value::is_string))
            && targets.into_iter().all(|target| self.are_allowed(target))
            && branches("allOf").is_none_or(|all| all.iter().all(|part| self.are_allowed(part)))
            && ["anyOf", "oneOf"]
                .into_iter()
                .filter_map(branches)
                .all(|any| any.iter().any(|branch| self.are_allowed(branch)))
    }
}

/// A type without the paths of its parts.
pub(super) fn short(type_: &str) -> String {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '{' | '}' | '#');
    let (mut short, mut rest) = (String::new(), type_);
    while let Some(first) = rest.chars().next() {
        if is_of_path(first) {
            let (path, after) = rest.split_at(rest.find(|c| !is_of_path(c)).unwrap_or(rest.len()));
            short.push_str(path.rsplit("::").next().unwrap_or(path));
            rest = after;
        } else {
            short.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn the_names_of_types_are_short() {
        for (type_, expected) in [
            ("u8", "u8"),
            ("(u8, alloc::string::String)", "(u8, String)"),
            ("alloc::vec::Vec<a::b::{{closure}}::Key>", "Vec<Key>"),
            ("[core::option::Option<a::K>; 3]", "[Option<K>; 3]"),
            ("()", "()"),
        ] {
            assert_eq!(short(type_), expected);
        }
    }
}
