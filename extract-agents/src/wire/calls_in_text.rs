//! Tool calls that a server left in the text, in the form of the model's chat template.

use extract::agent::{Request, ToolCall};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Calls, and the text around them.
type FoundCall = (Vec<ToolCall>, String);

/// Returns the calls in `text` and the text around them: `<tool_call>` of Qwen and Hermes,
/// `[TOOL_CALLS]` of Mistral, and the channels of harmony (gpt-oss). Returns nothing if any is not a
/// call of an offered tool: then the text is something else.
pub(super) fn find(text: &str, request: &Request) -> Option<FoundCall> {
    let (calls, around) = tagged(text).or_else(|| listed(text)).or_else(|| harmony(text))?;
    let tools = request.tools.as_deref().unwrap_or_default();
    let is_offered = |call: &ToolCall| tools.iter().any(|tool| tool.name == call.name);
    calls.iter().all(is_offered).then(|| (calls, around.trim().to_owned()))
}

/// The arguments of a call, which may come as an object or as a string that holds one.
pub(super) fn arguments(value: Option<Value>) -> Value {
    match value {
        None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
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
fn tagged(text: &str) -> Option<FoundCall> {
    let (before, mut rest) = text.split_once("<tool_call>")?;
    let (mut calls, mut around) = (Vec::new(), before.to_owned());
    loop {
        let (inside, after) = rest.split_once("</tool_call>").unwrap_or((rest, ""));
        calls.push(call_of(serde_json::from_str(inside.trim()).ok()?)?);
        let next = after.split_once("<tool_call>");
        around.push_str(next.map_or(after, |(between, _)| between));
        let Some((_, next)) = next else { return Some((calls, around)) };
        rest = next;
    }
}

/// `[TOOL_CALLS][{"name": …, "arguments": …}]`, or `[TOOL_CALLS]name[ARGS]{…}`, once or more often.
fn listed(text: &str) -> Option<FoundCall> {
    let (before, rest) = text.split_once("[TOOL_CALLS]")?;
    let (mut calls, mut around) = (Vec::new(), before.to_owned());
    for part in rest.split("[TOOL_CALLS]") {
        let after = if let Some((head, given)) = part.split_once("[ARGS]") {
            let (name, id) = head.split_once("[CALL_ID]").unwrap_or((head, ""));
            let (given, after) = leading_json::<Value>(given)?;
            calls.push(ToolCall::new(name.trim(), arguments(Some(given))).with_id(id.trim()));
            after
        } else {
            let (listed, after) = leading_json::<Vec<Value>>(part)?;
            for call in listed {
                calls.push(call_of(call)?);
            }
            after
        };
        around.push_str(after);
    }
    Some((calls, around))
}

/// The JSON at the start of `text`, and what follows it.
fn leading_json<T: DeserializeOwned>(text: &str) -> Option<(T, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

/// `<|channel|>commentary to=functions.submit <|constrain|>json<|message|>{…}<|call|>`, once or more
/// often. The other channels have texts.
fn harmony(text: &str) -> Option<FoundCall> {
    let (mut calls, mut around) = (Vec::new(), String::new());
    for part in text.split("<|start|>") {
        let (mut head, mut message) = part.split_once("<|message|>").unwrap_or(("", part));
        // Some servers drop the marks between two messages.
        while let Some((_, to)) = head.split_once("to=functions.") {
            let name = to.split(|char: char| char.is_whitespace() || char == '<').next()?;
            let (given, after) = leading_json::<Value>(message)?;
            calls.push(ToolCall::new(name, arguments(Some(given))));
            (head, message) = after.split_once("<|message|>").unwrap_or(("", after));
        }
        around.push_str(message);
    }
    for mark in ["<|call|>", "<|end|>", "<|return|>"] {
        around = around.replace(mark, "\n");
    }
    (!calls.is_empty()).then_some((calls, around))
}
