//! Tools as they are offered to a model, called by it and answered.

use extract::agent::{Tool, ToolCall, ToolResult, Turn};
use rig_core::completion::{
    AssistantContent, CompletionResponse, Message, ToolDefinition,
    message::{
        AssistantMessage, CallId, Text, ToolCall as RigCall, ToolFunction, ToolName, ToolResult as RigResult,
        ToolResultContent, UserContent,
    },
};
use serde_json::Value;

/// Returns the tool in rig's form; `None` for a tool without a name, which never occurs.
pub(super) fn to_offered(tool: &Tool) -> Option<ToolDefinition> {
    let name = ToolName::new(&*tool.name).ok()?;
    Some(ToolDefinition::new(name, &*tool.description, tool.input_schema.clone()))
}

pub(super) fn to_calls(response: &CompletionResponse) -> Vec<ToolCall> {
    let calls = response.tool_calls().map(|call| {
        let ToolFunction { name, arguments, invalid_arguments, .. } = &call.function;
        let arguments = match invalid_arguments {
            Some(text) => Value::String(text.clone()),
            None => Value::Object(arguments.clone()),
        };
        ToolCall::new(name.as_str(), arguments).with_id(call.id.to_string())
    });
    calls.collect()
}

/// The turn in rig's form, with the data that the provider wants back with the calls.
pub(super) fn to_provider_data(response: &CompletionResponse) -> Option<Value> {
    serde_json::to_value(response.message()?).ok()
}

/// A turn that calls tools. It keeps rig's form, if rig made it.
pub(super) fn to_message(turn: &Turn) -> Message {
    let provider_data =
        turn.provider_data().and_then(|form| serde_json::from_value::<Message>(form.clone()).ok());
    provider_data.unwrap_or_else(|| {
        let said = Some(turn.said()).filter(|said| !said.is_empty());
        let said = said.map(|said| AssistantContent::Text(Text::new(said)));
        let calls = turn.calls().iter().filter_map(|call| {
            let function = ToolFunction::new(ToolName::new(&*call.name).ok()?, call.arguments.clone());
            Some(AssistantContent::ToolCall(RigCall::from_wire(&*call.id, function)))
        });
        Message::Assistant(AssistantMessage::new(said.into_iter().chain(calls).collect()))
    })
}

pub(super) fn to_results(results: &[ToolResult]) -> Message {
    let results = results.iter().filter_map(|result| {
        Some(UserContent::ToolResult(RigResult {
            call: CallId::from_wire(&*result.id),
            name: ToolName::new(&*result.name).ok()?,
            content: vec![ToolResultContent::text(&*result.text)],
            is_error: result.is_error,
        }))
    });
    Message::User { content: results.collect() }
}
