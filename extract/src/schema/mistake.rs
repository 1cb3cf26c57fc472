//! Mistakes in a type that only its schema reveals, and values that it lists and serde refuses.

use schemars::Schema;
use serde_json::{Map, Value};

use super::view::keywords::{is_annotation, listed};
use crate::vocabulary::path::Path;

/// The keyword that holds the message. A schema with it does not become a contract.
const MISTAKE: &str = "x-mistake";

/// Records a mistake in the type that `schema` describes.
pub(super) fn note(schema: &mut Map<String, Value>, message: String) {
    schema.insert(MISTAKE.to_owned(), Value::String(message));
}

/// The same for the schema of a type of another crate.
pub(crate) fn note_mistake(schema: &mut Schema, message: String) {
    note(schema.ensure_object(), message);
}

/// The first mistake in a schema, and its path.
pub(crate) fn mistake(schema: &Value) -> Option<(Path, String)> {
    find(schema, &Path::root())
}

fn find(schema: &Value, path: &Path) -> Option<(Path, String)> {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(message)) = object.get(MISTAKE) {
                return Some((path.clone(), message.clone()));
            }
            let schemas = object.iter().filter(|(key, _)| !is_data(key));
            schemas.into_iter().find_map(|(key, inside)| find(inside, &path.clone().key(key.as_str())))
        }
        Value::Array(list) => {
            list.iter().enumerate().find_map(|(index, inside)| find(inside, &path.clone().index(index)))
        }
        _ => None,
    }
}

/// Returns whether the value of this keyword is data that may look like a schema.
fn is_data(keyword: &str) -> bool {
    matches!(keyword, "const" | "enum" | "examples" | "default")
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
        schema.keys().all(|keyword| is_annotation(keyword) || others.contains(&keyword.as_str()))
    };
    let is_list = move |schema: &&Map<String, Value>| is_about(schema, &["type", "enum", "const"]);
    let branches = ["anyOf", "oneOf"].into_iter().filter(move |name| is_about(schema, &[name]));
    let branches = branches.filter_map(|name| schema.get(name)?.as_array()).flatten();
    let lists = std::iter::once(schema).chain(branches.filter_map(Value::as_object)).filter(is_list);
    lists.flat_map(|list| listed(list).unwrap_or_default())
}
