//! From the arguments of a call to the text to read: without a wrapper, which may be a call inside
//! the call, or an argument that the tool does not have.

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::{
    argument_form::{ArgumentForm, KEY},
    names::ToolNames,
};
use crate::{
    contract::Contract,
    reading::ReadingOptions,
    schema::PartialSchema,
    vocabulary::{
        change::{Change, ChangeKind, Loss},
        path::Path,
        text::excerpt,
    },
};

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

/// The value inside `text`, the arguments of a call of one of the tools with these `names`, and what
/// was taken away. `None` if nothing is wrapped around it: the members of `text` are all named by the
/// contract, or what is inside does not satisfy it.
pub(super) fn unnested(
    text: &str,
    names: &ToolNames,
    contract: &Contract,
    options: &ReadingOptions,
) -> Option<(String, Change)> {
    let mut outer = text.to_owned();
    for _ in 0..MAX_DEPTH {
        let Value::Object(members) = serde_json::from_str(&outer).ok()? else { return None };
        outer = inside(&members, names, contract)?;
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

/// The text of what `members` wrap.
fn inside(members: &Map<String, Value>, names: &ToolNames, contract: &Contract) -> Option<String> {
    let (key, inner) = match members.iter().find(|(key, _)| ARGUMENTS.contains(&key.as_str())) {
        Some(found) if is_call(members, names) => found,
        _ if members.len() == 1 => members.iter().find(|(key, _)| *key == KEY)?,
        _ => return None,
    };
    if is_named(key, members, contract) {
        return None;
    }
    match inner {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) | Value::Array(_) => Some(inner.to_string()),
        _ => None,
    }
}

/// Returns whether `members` are a call of one of the tools: its name and its arguments.
fn is_call(members: &Map<String, Value>, names: &ToolNames) -> bool {
    let is_name = |value: &Value| value.as_str().is_some_and(|name| names.kind(name).is_some());
    let count = members.keys().filter(|key| ARGUMENTS.contains(&key.as_str())).count();
    let are_known =
        members.keys().all(|key| ARGUMENTS.contains(&key.as_str()) || BESIDE.contains(&key.as_str()));
    count == 1 && are_known && members.get("name").is_some_and(is_name)
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
    Change {
        path: Path::root(),
        span: 0..bytes,
        kind: ChangeKind::Wrapper,
        before: excerpt(text),
        after: "what it wraps".to_owned(),
        loss: Loss::Ignored,
        chunk: None,
    }
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
}
