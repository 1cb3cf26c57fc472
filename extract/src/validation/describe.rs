//! Describes schemas and values for a model.

use jsonschema::JsonType;
use serde_json::{Map, Value};

use super::{
    alternatives::{self, OBJECT},
    nodes::MAX_NAMED,
};
use crate::{
    schema::{SchemaView, types as types_of, view::keywords},
    vocabulary::text::{cut, first_of, named, quoted, quoted_list},
};

/// Maximum characters of a pattern in a message.
pub(super) const PATTERN_CHARS: usize = 1_000;

/// `a string`, `an integer or null`; null comes last.
pub(super) fn types(types: &[JsonType]) -> String {
    let name = |json_type: &JsonType| match json_type {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => OBJECT,
        JsonType::String => "a string",
    };
    if let [only] = types {
        return name(only).to_owned();
    }
    let mut types = types.to_vec();
    types.sort_by_key(|json_type| *json_type == JsonType::Null);
    let names: Vec<_> = types.iter().map(name).collect();
    match names.split_last() {
        None => "a value".to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        other => format!("a {other}"),
    }
}

/// Describes a value with its type, as in `the string "12"`: after a wrong type, the type matters
/// as much as the value.
pub(super) fn typed(value: &Value) -> String {
    match keywords::type_of(value) {
        "null" => "null".to_owned(),
        name => ["the ", name, " ", &quoted(value)].concat(),
    }
}

/// A format of JSON Schema (2020-12 validation, section 7.3) with an example: `in the format date,
/// such as 2024-05-17`.
pub(super) fn format(name: &str) -> String {
    match crate::schema::format_example(name) {
        Some(example) => format!("in the format {name}, such as {example}"),
        None => format!("in the format {name}"),
    }
}

/// Maximum depth of nested alternatives that are described.
const MAX_NESTED: usize = 4;

/// Describes briefly what `schema` allows.
pub(super) fn schema<'s>(schema: &'s Value, view: &SchemaView<'s>) -> String {
    in_words(schema, view, MAX_NESTED)
}

fn in_words<'s>(schema: &'s Value, view: &SchemaView<'s>, nested: usize) -> String {
    let Some(object) = view.followed(schema).as_object() else {
        return "a value".to_owned();
    };
    if let Some(value) = object.get("const") {
        return quoted(value);
    }
    if let Some(options) = object.get("enum").and_then(Value::as_array) {
        return format!("one of {}", quoted_list(options.iter()));
    }
    let alternatives = object.get("oneOf").or_else(|| object.get("anyOf")).and_then(Value::as_array);
    if let Some(alternatives) = alternatives.filter(|_| nested > 0) {
        let alternatives: Vec<_> = alternatives.iter().map(|branch| view.followed(branch)).collect();
        return alternatives::in_words(&alternatives, view, &|branch| in_words(branch, view, nested - 1));
    }
    if let Some(text) = in_terms_of_keys(object) {
        return text;
    }
    let name = object.get("type").map_or_else(
        || "a value".to_owned(),
        |names| keywords::types(names).into_iter().map(article).collect::<Vec<_>>().join(" or "),
    );
    match object.get("pattern").and_then(Value::as_str) {
        Some(pattern) => format!("{name} that matches the pattern {}", cut(pattern, PATTERN_CHARS)),
        None => name,
    }
}

/// Describes a schema that only requires keys.
fn in_terms_of_keys(object: &Map<String, Value>) -> Option<String> {
    let keys = required_keys(object)?;
    let noun = if keys.len() == 1 { "key" } else { "keys" };
    Some(format!("an object with the {noun} {}", first_of(&keys, MAX_NAMED, named)))
}

/// The keys that a schema requires, if it has no other constraint.
pub(super) fn required_keys(object: &Map<String, Value>) -> Option<Vec<&str>> {
    let is_plain = object
        .keys()
        .all(|keyword| matches!(keyword.as_str(), "required" | "type" | "description" | "title"));
    let keys: Vec<_> = object.get("required")?.as_array()?.iter().filter_map(Value::as_str).collect();
    (is_plain && !keys.is_empty()).then_some(keys)
}

/// Maximum characters of a schema in the notation of types.
const DETAIL_CHARS: usize = 200;

/// Maximum values in such a schema after its references are inlined. A larger one would not fit
/// into so few characters.
const DETAIL_VALUES: usize = 1_000;

/// Like [`schema`], but falls back to the notation of types if the words do not distinguish objects
/// or values.
pub(super) fn in_detail<'s>(found: &'s Value, view: &SchemaView<'s>) -> String {
    let words = schema(found, view);
    if !matches!(&*words, "a value" | OBJECT) {
        return words;
    }
    let Some(found) = view.inlined(view.followed(found), DETAIL_VALUES) else { return words };
    let types = types_of(&found);
    let text = types.text.strip_prefix(&format!("type {} = ", types.root)).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.strip_prefix("unknown // ") {
        _ if text.is_empty() || text == "unknown" || text.chars().count() > DETAIL_CHARS => words,
        Some(notes) => format!("{words} ({notes})"),
        None => format!("{words} of the form {text}"),
    }
}
