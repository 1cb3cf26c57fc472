//! The form of a tool's arguments, which are an object, and the value in the arguments of a call:
//! without a wrapper, which may be a call inside the call, or an argument that the tool does not have.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    contract::Contract,
    reading::ReadingOptions,
    schema::{PartialSchema, decoded, replace_references, shown},
    vocabulary::{
        change::{Change, ChangeKind, Loss},
        path::Path,
        text::excerpt,
    },
};

/// The argument for a value that cannot itself be the arguments.
pub(super) const KEY: &str = "value";

/// Keywords that Anthropic, OpenAI and Gemini refuse beside the `type` of a tool's arguments.
const NOT_AT_THE_ROOT: [&str; 8] = ["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"];

/// How a value is passed in the arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArgumentForm {
    /// As the arguments: each field is one argument.
    Plain,
    /// As the argument [`KEY`].
    Wrapped,
}

impl ArgumentForm {
    pub(super) fn of(schema: &Value) -> Self {
        if is_plain(schema) { Self::Plain } else { Self::Wrapped }
    }

    /// The argument that contains the value; `None` if the value is all of the arguments.
    pub(super) fn argument(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Wrapped => Some(KEY),
        }
    }

    /// The schema of the arguments for a value of `schema`.
    pub(super) fn schema(self, schema: &Value) -> Value {
        match self {
            Self::Plain => without_noise(schema),
            Self::Wrapped => {
                let mut wrapped = with_part(json!({"type": "object", "properties": {}}), KEY, schema);
                wrapped["required"] = json!([KEY]);
                wrapped
            }
        }
    }
}

/// Returns whether every provider accepts `schema` for the arguments of a tool.
fn is_plain(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let is_object = object.get("type").is_some_and(|name| name == "object");
    let has_properties = object.get("properties").and_then(Value::as_object).is_some_and(|properties| {
        !properties.is_empty() && properties.keys().all(|name| is_plain_name(name))
    });
    is_object && has_properties && !NOT_AT_THE_ROOT.iter().any(|keyword| object.contains_key(*keyword))
}

/// Anthropic accepts `^[a-zA-Z0-9_.-]{1,64}$` as the name of an argument.
fn is_plain_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

fn without_noise(schema: &Value) -> Value {
    serde_json::from_str(&shown(schema)).unwrap_or_else(|_| schema.clone())
}

/// `object`, the schema of an object, with `schema` for its property `key`. Definitions move to the
/// root, where references to them point.
pub(super) fn with_part(mut object: Value, key: &str, schema: &Value) -> Value {
    let mut part = without_noise(schema);
    // A schema with an identifier is the root of its own references, wherever it is.
    if part.get("$id").is_none() {
        rebase(&mut part, &format!("#/properties/{key}"));
        if let Some(definitions) = part.as_object_mut().and_then(|part| part.shift_remove("$defs")) {
            object["$defs"] = definitions;
        }
    }
    object["properties"][key] = part;
    object
}

/// Redirects references from the root to `root`, except those to definitions.
fn rebase(schema: &mut Value, root: &str) {
    replace_references(schema, &mut |reference| {
        let pointer = reference.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let moved = pointer.filter(|pointer| !decoded(pointer).starts_with("/$defs/"));
        moved.map(|pointer| format!("{root}{pointer}"))
    });
}

/// Arguments in a string. The value keeps its spelling, with all digits of its numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrappedArguments<'a> {
    /// [`KEY`]
    #[serde(borrow)]
    value: &'a RawValue,
}

/// The submitted value as text.
pub(super) fn submitted(arguments: &Value, input: ArgumentForm) -> String {
    match (input, arguments) {
        (ArgumentForm::Plain, Value::String(text)) => text.clone(),
        (ArgumentForm::Plain, arguments) => arguments.to_string(),
        (ArgumentForm::Wrapped, Value::String(text)) => {
            match serde_json::from_str::<WrappedArguments<'_>>(text) {
                Ok(wrapped) => wrapped.value.get().to_owned(),
                Err(_) => text.clone(),
            }
        }
        (ArgumentForm::Wrapped, arguments) => unwrapped(arguments).unwrap_or(arguments).to_string(),
    }
}

/// The wrapped value; `None` if the agent omitted the wrapper or added another argument.
fn unwrapped(arguments: &Value) -> Option<&Value> {
    let arguments = arguments.as_object()?;
    arguments.get(KEY).filter(|_| arguments.len() == 1)
}

/// The keys of the arguments in a call that is written as text, as in the protocols of the providers.
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "input", "args"];

/// The other keys of such a call.
const BESIDE: [&str; 5] = ["name", "type", "id", "call_id", "tool_call_id"];

/// How deep wrappers are followed.
const MAX_DEPTH: usize = 3;

/// The value inside `text`, the arguments of a call of one of the tools, and what was taken away.
/// `is_tool` knows their names. `None` if nothing is wrapped around it: the members of `text` are
/// all named by the contract, or what is inside does not satisfy it.
pub(super) fn unnested(
    text: &str,
    is_tool: &dyn Fn(&str) -> bool,
    contract: &Contract,
    options: &ReadingOptions,
) -> Option<(String, Change)> {
    let mut outer = text.to_owned();
    for _ in 0..MAX_DEPTH {
        outer = inside(&outer, is_tool, contract)?;
        let reading = contract.read_with(&outer, options);
        let is_all = reading.changes.iter().all(|change| change.kind != ChangeKind::UnknownKey);
        let is_complete = reading.violations.is_empty() && !reading.completeness.is_truncated();
        if is_all && is_complete && reading.value.is_some_and(|value| contract.allows(&value)) {
            let change = taken_out(text, outer.len());
            return Some((outer, change));
        }
    }
    None
}

/// The text of what the object `outer` wraps, with all digits of its numbers.
fn inside(outer: &str, is_tool: &dyn Fn(&str) -> bool, contract: &Contract) -> Option<String> {
    let members: Map<String, Value> = serde_json::from_str(outer).ok()?;
    let is_wrapper = |key: &str| ARGUMENTS.contains(&key);
    let (key, inner) = match members.iter().find(|(key, _)| is_wrapper(key)) {
        Some(found) if members.len() == 1 || is_call(&members, is_tool) => found,
        _ if members.len() == 1 => members.iter().find(|(key, _)| *key == KEY)?,
        _ => return None,
    };
    if is_named(key, &members, contract) {
        return None;
    }
    match inner {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) | Value::Array(_) => {
            let spelled: HashMap<String, &RawValue> = serde_json::from_str(outer).ok()?;
            spelled.get(key).map(|inner| inner.get().to_owned())
        }
        _ => None,
    }
}

/// Returns whether `members` are a call of one of the tools: its name and its arguments.
fn is_call(members: &Map<String, Value>, is_tool: &dyn Fn(&str) -> bool) -> bool {
    let count = members.keys().filter(|key| ARGUMENTS.contains(&key.as_str())).count();
    let are_known =
        members.keys().all(|key| ARGUMENTS.contains(&key.as_str()) || BESIDE.contains(&key.as_str()));
    count == 1 && are_known && members.get("name").and_then(Value::as_str).is_some_and(is_tool)
}

/// Returns whether the contract has a field for the member `key`, so that it is not a wrapper.
fn is_named(key: &str, members: &Map<String, Value>, contract: &Contract) -> bool {
    let written = PartialSchema::of(contract.schema());
    let value = Value::Object(members.clone());
    match written.part(&Path::root(), &value).and_then(|part| written.members(part, &value)) {
        Some(found) => found.others.is_some() || found.named.iter().any(|(name, _)| *name == key),
        None => true,
    }
}

fn taken_out(text: &str, bytes: usize) -> Change {
    let change = Change::lossless(Path::root(), 0..bytes, ChangeKind::Wrapper, excerpt(text));
    Change { after: "what it wraps".to_owned(), loss: Loss::Ignored, ..change }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn takes_the_value_out_of_its_wrapper_and_nothing_else() {
        for (arguments, expected) in [
            (json!({"value": [1]}), "[1]"),
            (json!("{\"value\": [1]}"), "[1]"),
            (json!("{\"value\": [1.10, 12345678901234567890123]}"), "[1.10, 12345678901234567890123]"),
            (json!("{\"value\": [1], \"note\": 2}"), "{\"value\": [1], \"note\": 2}"),
            (json!({"value": "[1]"}), "\"[1]\""),
            (json!([1]), "[1]"),
            (json!({"value": 1, "note": 2}), "{\"value\":1,\"note\":2}"),
            (json!("```json\n[1]\n```"), "```json\n[1]\n```"),
        ] {
            assert_eq!(submitted(&arguments, ArgumentForm::Wrapped), expected);
        }
    }

    #[test]
    fn an_object_of_the_type_is_taken_as_it_is() {
        assert_eq!(submitted(&json!({"value": 1}), ArgumentForm::Plain), "{\"value\":1}");
        assert_eq!(submitted(&json!("{\"value\": 1,}"), ArgumentForm::Plain), "{\"value\": 1,}");
    }

    fn input(schema: &Value) -> Value {
        ArgumentForm::of(schema).schema(schema)
    }

    #[test]
    fn an_object_is_the_arguments_itself() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"total": {"type": "number"}},
        });
        assert_eq!(input(&schema), json!({"type": "object", "properties": {"total": {"type": "number"}}}));
    }

    #[test]
    fn what_providers_refuse_as_arguments_is_wrapped() {
        for schema in [
            json!(true),
            json!({"type": "integer"}),
            json!({"type": ["object", "null"], "properties": {"a": {}}}),
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "properties": {"größe": {}}}),
            json!({"type": "object", "properties": {"a": {}}, "oneOf": [{}, {}]}),
            json!({"type": "object", "properties": {"a": {}}, "$ref": "#/$defs/a", "$defs": {"a": {}}}),
        ] {
            let wrapped = input(&schema);
            assert_eq!(wrapped["type"], "object", "{schema}");
            assert_eq!(wrapped["required"], json!(["value"]), "{schema}");
            assert!(wrapped.get("oneOf").is_none() && wrapped.get("$ref").is_none(), "{wrapped}");
        }
    }

    #[test]
    fn references_still_point_to_what_they_did() {
        let schema = json!({
            "anyOf": [
                {"$ref": "#/$defs/leaf"},
                {
                    "type": "object",
                    "properties": {"left": {"$ref": "#"}, "default": {"$ref": "#"}, "named": {"$ref": "#leaf"}},
                    "default": {"$ref": "#"},
                },
            ],
            "$defs": {"leaf": {"$anchor": "leaf", "type": "integer"}, "root": {"$ref": "#"}},
        });
        let branch = json!({
            "type": "object",
            "properties": {
                "left": {"$ref": "#/properties/value"},
                "default": {"$ref": "#/properties/value"},
                "named": {"$ref": "#leaf"},
            },
            "default": {"$ref": "#"},
        });
        let wrapped = input(&schema);
        assert_eq!(wrapped["properties"]["value"], json!({"anyOf": [{"$ref": "#/$defs/leaf"}, branch]}));
        let leaf = json!({"$anchor": "leaf", "type": "integer"});
        assert_eq!(wrapped["$defs"], json!({"leaf": leaf, "root": {"$ref": "#/properties/value"}}));

        let validator = jsonschema::draft202012::new(&wrapped).unwrap();
        assert!(validator.is_valid(&json!({"value": {"left": {"left": 3}}})));
        assert!(!validator.is_valid(&json!({"value": {"left": {"left": "3"}}})));
    }

    #[test]
    fn a_schema_with_an_identifier_keeps_its_references() {
        let schema = json!({
            "$id": "https://example.com/tree",
            "type": "array",
            "items": {"$ref": "#/$defs/tree"},
            "$defs": {"tree": {"type": "array", "items": {"$ref": "#"}}},
        });
        let wrapped = input(&schema);
        assert_eq!(wrapped["properties"]["value"], schema);
        let validator = jsonschema::draft202012::new(&wrapped).unwrap();
        assert!(validator.is_valid(&json!({"value": [[[]]]})));
        assert!(!validator.is_valid(&json!({"value": [3]})));
    }
}
