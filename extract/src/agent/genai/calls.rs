//! Tools as they are offered to a provider, called by it and answered.

use genai::chat::{
    ChatMessage, ContentPart, MessageContent, Tool as Offered, ToolCall as GenaiCall, ToolResponse,
};

use crate::agent::{Tool, ToolCall, ToolResult, Turn};

pub(super) fn to_offered(tool: &Tool) -> Offered {
    Offered::new(&*tool.name).with_description(&*tool.description).with_schema(tool.input_schema.clone())
}

/// The calls of the provider, and its whole answer in the form of `genai`: some providers want the
/// signatures of their thoughts back with the calls.
pub(super) fn to_calls(content: &MessageContent) -> Vec<ToolCall> {
    let calls = content.tool_calls().into_iter();
    calls
        .map(|call| ToolCall::new(&*call.fn_name, call.fn_arguments.clone()).with_id(&*call.call_id))
        .collect()
}

/// A turn that calls tools. It keeps the form of `genai`, if `genai` made it.
pub(super) fn to_message(turn: &Turn) -> ChatMessage {
    let provider_data =
        turn.provider_data().and_then(|form| serde_json::from_value::<MessageContent>(form.clone()).ok());
    ChatMessage::assistant(provider_data.unwrap_or_else(|| {
        let said = Some(turn.said()).filter(|said| !said.is_empty());
        let said = said.map(|said| ContentPart::Text(said.to_owned()));
        let calls = turn.calls().iter().map(|call| {
            ContentPart::ToolCall(GenaiCall {
                call_id: call.id.clone(),
                fn_name: call.name.clone(),
                fn_arguments: call.arguments.clone(),
                thought_signatures: None,
            })
        });
        MessageContent::from_parts(said.into_iter().chain(calls).collect::<Vec<_>>())
    }))
}

/// `genai` has no flag for a failed call; the text says that it failed.
pub(super) fn to_results(results: &[ToolResult]) -> ChatMessage {
    let responses = results
        .iter()
        .map(|result| ToolResponse::new(&*result.id, &*result.text).with_fn_name(&*result.name));
    ChatMessage::from(responses.collect::<Vec<_>>())
}
