//! Maps whose keys cannot be written in JSON, where every key is a string.
//!
//! serde does not read a list or an object from a key, so such a map would only ever be empty. The
//! schema of a key may be a reference to a definition that is not complete yet, so the schemas are
//! marked while they are made, and no contract has the marks.

use std::{collections::HashMap, fmt::Write as _};

use schemars::Schema;
use serde_json::{Map, Value, json};

use super::{
    SchemaView,
    buffered::{is_data, remove_marks},
    mistake,
    view::keywords::{listed, types},
};

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
    let mut found = Vec::new();
    find(schema, &mut String::new(), &mut StringSchemas { view: &view, known: HashMap::new() }, &mut found);
    for (pointer, type_) in found {
        if let Some(Value::Object(keys)) = schema.pointer_mut(&pointer) {
            let message = format!(
                "a map with keys of the type `{type_}` has no JSON form: keys are strings there, and \
                 `{type_}` is never one; use keys of the type `String`, or a list of structs with \
                 the key and the value"
            );
            mistake::note(keys, message);
        }
    }
    remove_marks(schema, &[KEY_TYPE]);
}

/// Finds the marked schemas that allow no string: JSON Pointers, and the names of the types.
fn find<'s>(
    schema: &'s Value,
    pointer: &mut String,
    strings: &mut StringSchemas<'s, '_>,
    found: &mut Vec<(String, String)>,
) {
    let length = pointer.len();
    match schema {
        Value::Object(object) => {
            let mark = object.get(KEY_TYPE).and_then(|mark| mark.as_array()?.first()?.as_str());
            if let Some(type_) = mark.filter(|_| !strings.are_allowed(schema)) {
                found.push((pointer.clone(), type_.to_owned()));
            }
            for (key, part) in object.iter().filter(|(key, _)| !is_data(key) || *key == "$defs") {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                find(part, pointer, strings, found);
                pointer.truncate(length);
            }
        }
        Value::Array(list) => {
            for (index, part) in list.iter().enumerate() {
                let _ = write!(pointer, "/{index}");
                find(part, pointer, strings, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
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
