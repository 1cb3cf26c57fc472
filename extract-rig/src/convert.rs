//! Converts our conversations to rig's messages, and its responses to our replies.

use extract::{
    TokenUsage,
    agent::{
        Conversation, FinishReason, Reply, Request, Role, ToolCall, Turn,
        provider::{ProviderFailure, add_origin, checked_name, has_lost_bytes, is_filter, refusal_in},
    },
    metrics::ReplyOrigin,
};
use rig_agent::run::{CompletionCall, PromptResponse};
use rig_core::{
    completion::{CompletionRequest, CompletionResponse, FinishReason as Reason, Message, Usage as Reported},
    schemars::Schema,
};
use serde_json::Value;

use crate::{
    calls,
    structured::{self, OfferedSchema},
    thinking,
};

pub(super) fn to_messages(conversation: &Conversation) -> Vec<Message> {
    conversation.turns().iter().map(to_message).collect()
}

fn to_message(turn: &Turn) -> Message {
    match turn.role() {
        Role::System => Message::system(turn.text()),
        Role::User => Message::user(turn.text()),
        Role::Assistant if turn.calls().is_empty() => Message::assistant(turn.text()),
        Role::Assistant => calls::to_message(turn),
        Role::Tool => calls::to_results(turn.results()),
    }
}

/// A request in rig's form.
pub(super) struct RigRequest {
    pub(super) asked: CompletionRequest,
    /// How the schema is offered.
    pub(super) note: Option<String>,
    /// Whether the reply is an object around the answer.
    pub(super) is_enveloped: bool,
}

/// The request, with the schema in the form of `provider`, if the schema is to be offered.
pub(super) fn to_request(request: &Request, provider: Option<&str>) -> RigRequest {
    let mut asked = CompletionRequest::from(to_messages(&request.conversation));
    asked.temperature = request.temperature;
    asked.max_tokens = request.max_output_tokens.map(u64::from);
    asked.options.reasoning = request.thinking.and_then(thinking::to_reasoning);
    let tools = request.tools.iter().flat_map(|tools| tools.iter());
    asked.tools = tools.filter_map(calls::to_offered).collect();
    let OfferedSchema { schema, note, is_enveloped, .. } =
        provider.map(|provider| structured::offer(provider, request)).unwrap_or_default();
    asked.output_schema = schema.and_then(|schema| Schema::try_from(schema).ok());
    RigRequest { asked, note, is_enveloped }
}

/// The reply of a completion model; `seen` was observed of its response.
pub(super) fn of_model(
    response: &CompletionResponse,
    request: &Request,
    seen: ReplyOrigin,
) -> Result<Reply, ProviderFailure> {
    if let Some(failure) = ProviderFailure::find(&response.raw) {
        return Err(failure);
    }
    let finish = response.finish_reason().map(to_finish_reason);
    // rig also treats a reply without a finish reason as a failure; here its text decides. A reply
    // that was cut or withheld is a reply, and the loop handles it.
    let (error, is_filtered) = (response.error.as_ref(), finish == Some(FinishReason::ContentFilter));
    if let Some(error) = error.filter(|_| !is_filtered)
        && finish.as_ref().is_some_and(|finish| *finish != FinishReason::Length)
    {
        return Err(ProviderFailure::refused(format!("the provider failed the turn: {error}")));
    }
    let refusal = refusal_in(&response.raw).or_else(|| error.filter(|_| is_filtered).cloned());
    let calls = calls::to_calls(response);
    let provider_data = if calls.is_empty() { None } else { calls::to_provider_data(response) };
    let reply = to_reply(response.text(), calls, finish, &response.usage, request)?;
    let reply = refusal.into_iter().fold(reply, Reply::with_refusal).with_origin(of_response(response, seen));
    Ok(provider_data.into_iter().fold(reply, Reply::with_provider_data))
}

/// The reply of an agent: the text of its last turn, and the tokens of all its turns.
pub(super) fn of_agent(response: &PromptResponse, request: &Request) -> Result<Reply, ProviderFailure> {
    let last = response.completion_calls().last();
    if let Some(failure) = last.and_then(|call| ProviderFailure::find(&call.raw)) {
        return Err(failure);
    }
    let finish = last.and_then(|call| call.finish_reason.clone()).map(to_finish_reason);
    let refusal = last.and_then(|call| refusal_in(&call.raw));
    let reply = to_reply(response.output(), Vec::new(), finish, &response.usage(), request)?;
    let reply = last.map(of_call).into_iter().fold(reply, Reply::with_origin);
    Ok(refusal.into_iter().fold(reply, Reply::with_refusal))
}

fn of_response(response: &CompletionResponse, seen: ReplyOrigin) -> ReplyOrigin {
    let names =
        [&response.origin.response_model, &response.origin.response_id, &response.provider_request_id];
    origin_of(names.map(Option::as_deref), seen, &response.raw)
}

fn of_call(call: &CompletionCall) -> ReplyOrigin {
    let names = [None, call.response_id.as_deref(), call.provider_request_id.as_deref()];
    origin_of(names, ReplyOrigin::default(), &call.raw)
}

/// Model, response and request id as rig names them, otherwise as observed, otherwise as in the
/// body. The observed request id takes precedence, because rig has removed keys from it.
fn origin_of(names: [Option<&str>; 3], seen: ReplyOrigin, raw: &Value) -> ReplyOrigin {
    let [model, response_id, request_id] = names.map(|text| text.and_then(checked_name));
    let mut origin = seen;
    origin.model = model.or(origin.model);
    origin.response_id = response_id.or(origin.response_id);
    origin.request_id = origin.request_id.or(request_id);
    add_origin(&mut origin, raw);
    origin
}

fn to_reply(
    text: String,
    calls: Vec<ToolCall>,
    finish: Option<FinishReason>,
    reported: &Reported,
    request: &Request,
) -> Result<Reply, ProviderFailure> {
    let usage = to_usage(reported);
    if text.is_empty() && calls.is_empty() && usage.is_none() && finish.is_none() {
        return Err(ProviderFailure::garbled("the response holds no reply"));
    }
    let reply = Reply::new(text).finished(finish.unwrap_or_default()).with_calls(calls);
    if has_lost_bytes(&reply, &request.conversation) {
        return Err(ProviderFailure::garbled("the reply is not UTF-8"));
    }
    Ok(match usage {
        Some(usage) => reply.with_usage(usage),
        None => reply,
    })
}

fn to_finish_reason(reason: Reason) -> FinishReason {
    match reason {
        Reason::Stop | Reason::ToolCalls => FinishReason::Stop,
        Reason::Length => FinishReason::Length,
        Reason::ContentFilter => FinishReason::ContentFilter,
        Reason::Other(reason) if is_filter(&reason) => FinishReason::ContentFilter,
        Reason::Other(reason) if reason == "repetition" => FinishReason::Repetition,
        Reason::Other(reason) => FinishReason::Other(reason),
        other => FinishReason::Other(format!("{other:?}")),
    }
}

/// Returns the reported usage, or `None`. A missing side is computed from the total.
fn to_usage(reported: &Reported) -> Option<TokenUsage> {
    let rest = |other: u64| reported.total_tokens.map_or(0, |total| total.saturating_sub(other));
    let usage = match (reported.input_tokens, reported.output_tokens) {
        (None, None) => return None,
        (Some(input), Some(output)) => TokenUsage::new(input, output),
        (Some(input), None) => TokenUsage::new(input, rest(input)),
        (None, Some(output)) => TokenUsage::new(rest(output), output),
    };
    let usage = usage
        .cached(reported.cached_input_tokens.unwrap_or(0))
        .cache_written(reported.cache_creation_input_tokens.unwrap_or(0))
        .reasoning(reported.reasoning_tokens.unwrap_or(0));
    Some(usage.with_parts_in_sides())
}
