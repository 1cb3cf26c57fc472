//! Values that the schema of a type lists and serde refuses.

use schemars::Schema;
use serde_json::{Map, Value};

use super::{
    mistake,
    view::keywords::{is_annotation, listed},
};

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
        mistake::note(object, message);
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
