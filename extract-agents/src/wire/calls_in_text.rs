//! Tool calls that a server left in the text, in the form of the model's chat template.

use std::borrow::Cow;

use extract::{
    agent::{Request, ToolCall},
    reading::without_reasoning,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::events::outside_strings;

/// Calls, and the text around them.
type FoundCall = (Vec<ToolCall>, String);

/// Returns the calls in `text` and the text around them: `<tool_call>` of Qwen and Hermes,
/// `[TOOL_CALLS]` of Mistral, and the channels of harmony (gpt-oss). One in the thoughts before the answer is
/// only considered. Returns nothing if any is not a call of an offered tool: then the text is something else.
pub(super) fn find(text: &str, request: &Request) -> Option<FoundCall> {
    let answer = after_thoughts(text);
    let thoughts = &text[..text.len() - answer.len()];
    let marked = tagged(answer).or_else(|| listed(answer));
    let marked = marked.map(|(calls, around)| (calls, [thoughts, &around].concat()));
    let (calls, around) = marked.or_else(|| harmony(text))?;
    let tools = request.tools.as_deref().unwrap_or_default();
    let is_offered = |call: &ToolCall| tools.iter().any(|tool| tool.name == call.name);
    calls.iter().all(is_offered).then(|| (calls, around.trim().to_owned()))
}

/// Returns `text` without the thoughts at its start. Their first mark may have been a part of the prompt. A
/// mark in the arguments of a call ends none: before it, the call is not whole.
fn after_thoughts(text: &str) -> &str {
    let answer = without_reasoning(text);
    let Some((before, after)) = answer.split_once("</think>") else { return answer };
    let is_in_call = ["<tool_call>", "[TOOL_CALLS]"].iter().any(|mark| before.contains(mark))
        && tagged(before).is_none()
        && listed(before).is_none();
    if is_in_call { answer } else { after }
}

/// The arguments of a call, which may come as an object or as a string that holds one. A string of which
/// a value would lose a member or a digit stays a string.
pub(super) fn arguments(value: Option<Value>) -> Value {
    match value {
        Some(Value::String(text)) if !matches!(text.trim(), "" | "null") => {
            let parsed = serde_json::from_str::<Value>(&text).ok().filter(Value::is_object);
            parsed.filter(|value| is_exact(&text, value)).unwrap_or(Value::String(text))
        }
        None | Some(Value::Null | Value::String(_)) => Value::Object(serde_json::Map::new()),
        Some(value) => value,
    }
}

/// The arguments for a server that takes only objects.
pub(super) fn as_object(arguments: &Value) -> Value {
    let parsed = match arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        given => given.clone(),
    };
    if parsed.is_object() { parsed } else { Value::Object(serde_json::Map::new()) }
}

/// Returns whether `value` is written as `json` is, but for its strings and spaces. It is not if a key is
/// there twice, or if a number has more digits than it takes.
fn is_exact(json: &str, value: &Value) -> bool {
    let outside = |json: &str| outside_strings(json).split_whitespace().collect::<String>();
    outside(json) == outside(&value.to_string())
}

/// A call that is written as JSON.
#[derive(Deserialize)]
struct WrittenCall<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
    #[serde(borrow, default, alias = "parameters")]
    arguments: Option<&'t RawValue>,
}

impl WrittenCall<'_> {
    fn read(self) -> ToolCall {
        ToolCall::new(self.name, self.arguments.map_or_else(|| arguments(None), written_arguments))
    }
}

/// The arguments in the text of a call, where an object keeps its spelling.
fn written_arguments(written: &RawValue) -> Value {
    let text = serde_json::from_str(written.get()).unwrap_or_else(|_| written.get().to_owned());
    arguments(Some(Value::String(text)))
}

/// `<tool_call>{"name": …, "arguments": …}</tool_call>`, once or more often.
fn tagged(text: &str) -> Option<FoundCall> {
    let (before, mut rest) = text.split_once("<tool_call>")?;
    let (mut calls, mut around) = (Vec::new(), before.to_owned());
    loop {
        let (inside, after) = rest.split_once("</tool_call>").unwrap_or((rest, ""));
        calls.push(serde_json::from_str::<WrittenCall<'_>>(inside.trim()).ok()?.read());
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
            let (given, after) = leading_json(given)?;
            calls.push(ToolCall::new(name.trim(), written_arguments(given)).with_id(id.trim()));
            after
        } else {
            let (listed, after) = leading_json::<Vec<WrittenCall<'_>>>(part)?;
            calls.extend(listed.into_iter().map(WrittenCall::read));
            after
        };
        around.push_str(after);
    }
    Some((calls, around))
}

/// The JSON at the start of `text`, and what follows it.
fn leading_json<'t, T: Deserialize<'t>>(text: &'t str) -> Option<(T, &'t str)> {
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
            let (given, after) = leading_json(message)?;
            calls.push(ToolCall::new(name, written_arguments(given)));
            (head, message) = after.split_once("<|message|>").unwrap_or(("", after));
        }
        around.push_str(message);
    }
    for mark in ["<|call|>", "<|end|>", "<|return|>"] {
        around = around.replace(mark, "\n");
    }
    (!calls.is_empty()).then_some((calls, around))
}
