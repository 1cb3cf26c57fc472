//! Tool calls that a server left in the text, in the form of the model's chat template.

use extract::agent::{Request, ToolCall};
use serde_json::Value;

/// Returns the calls in `text`: `<tool_call>` of Qwen and Hermes, `[TOOL_CALLS]` of Mistral, and
/// the channels of harmony (gpt-oss). Returns nothing if any is not a call of an offered tool: then
/// the text is something else.
pub(super) fn find(text: &str, request: &Request) -> Vec<ToolCall> {
    let calls = tagged(text).or_else(|| listed(text)).or_else(|| harmony(text)).unwrap_or_default();
    let tools = request.tools.as_deref().unwrap_or_default();
    let is_offered = |call: &ToolCall| tools.iter().any(|tool| tool.name == call.name);
    if calls.iter().all(is_offered) { calls } else { Vec::new() }
}

/// The arguments of a call, which may come as an object or as a string that holds one.
pub(super) fn arguments(value: Option<Value>) -> Value {
    match value {
        None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
        Some(Value::String(text)) => {
            serde_json::from_str::<Value>(&text).ok().filter(Value::is_object).unwrap_or(Value::String(text))
        }
        Some(value) => value,
    }
}

fn call_of(mut value: Value) -> Option<ToolCall> {
    let name = value.get("name")?.as_str()?.to_owned();
    let given = ["arguments", "parameters"].iter().find_map(|key| Some(value.get_mut(*key)?.take()));
    Some(ToolCall::new(name, arguments(given)))
}

/// `<tool_call>{"name": …, "arguments": …}</tool_call>`, once or more often.
fn tagged(text: &str) -> Option<Vec<ToolCall>> {
    let mut rest = text.split_once("<tool_call>")?.1;
    let mut calls = Vec::new();
    loop {
        let (inside, after) = rest.split_once("</tool_call>").unwrap_or((rest, ""));
        calls.push(call_of(serde_json::from_str(inside.trim()).ok()?)?);
        match after.split_once("<tool_call>") {
            Some((_, next)) => rest = next,
            None => return Some(calls),
        }
    }
}

/// `[TOOL_CALLS][{"name": …, "arguments": …}]`, or `[TOOL_CALLS]name[ARGS]{…}`, once or more often.
fn listed(text: &str) -> Option<Vec<ToolCall>> {
    let mut calls = Vec::new();
    for part in text.split_once("[TOOL_CALLS]")?.1.split("[TOOL_CALLS]") {
        match part.split_once("[ARGS]") {
            Some((head, given)) => {
                let (name, id) = head.split_once("[CALL_ID]").unwrap_or((head, ""));
                let given = serde_json::from_str(given.trim()).ok()?;
                calls.push(ToolCall::new(name.trim(), arguments(Some(given))).with_id(id.trim()));
            }
            None => {
                for call in serde_json::from_str::<Vec<Value>>(part.trim()).ok()? {
                    calls.push(call_of(call)?);
                }
            }
        }
    }
    Some(calls)
}

/// `<|channel|>commentary to=functions.submit <|constrain|>json<|message|>{…}<|call|>`, once or more
/// often.
fn harmony(text: &str) -> Option<Vec<ToolCall>> {
    let call = |rest: &str| {
        let (head, message) = rest.split_once("<|message|>")?;
        let name = head.split(|char: char| char.is_whitespace() || char == '<').next()?;
        let given = message.split("<|").next().unwrap_or(message).trim();
        Some(ToolCall::new(name, arguments(Some(serde_json::from_str(given).ok()?))))
    };
    text.split_once("to=functions.")?.1.split("to=functions.").map(call).collect()
}
