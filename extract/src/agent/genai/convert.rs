//! Converts our conversations to `genai`'s, and its responses to our replies.

use genai::{
    adapter::AdapterKind,
    chat::{
        ChatMessage, ChatOptions, ChatRequest, ChatResponse, MessageContent, StopReason, Usage as Reported,
    },
};
use serde_json::Value;

use super::{
    calls,
    error::{Failure, error_in_body},
    model::Model,
    parts, thinking,
};
use crate::{
    agent::{
        FinishReason, Reply, Request, Role, Turn,
        provider::{add_origin, has_lost_bytes, refusal_in},
    },
    metrics::ReplyOrigin,
    usage::TokenUsage,
};

/// The system turns at the start become the system text, because every provider has a field for
/// that.
pub(super) fn to_chat(request: &Request, model: &Model) -> Result<ChatRequest, Failure> {
    let turns = request.conversation.turns();
    for turn in turns {
        parts::check(turn, model.kind(), model.name())?;
    }
    let start = turns.iter().position(|turn| turn.role() != Role::System).unwrap_or(turns.len());
    let (system, rest) = turns.split_at(start);
    let mut chat = ChatRequest::new(rest.iter().map(to_message).collect());
    chat.tools = request.tools.as_ref().map(|tools| tools.iter().map(calls::to_offered).collect());
    if system.is_empty() {
        return Ok(chat);
    }
    Ok(chat.with_system(system.iter().map(Turn::text).collect::<Vec<_>>().join("\n\n")))
}

fn to_message(turn: &Turn) -> ChatMessage {
    match turn.role() {
        Role::System => ChatMessage::system(turn.text()),
        Role::User => match &*turn.parts() {
            [only] if only.as_text().is_some() => ChatMessage::user(turn.text()),
            parts => ChatMessage::user(MessageContent::from_parts(
                parts.iter().map(parts::to_content).collect::<Vec<_>>(),
            )),
        },
        Role::Assistant if turn.calls().is_empty() => ChatMessage::assistant(turn.text()),
        Role::Assistant => calls::to_message(turn),
        Role::Tool => calls::to_results(turn.results()),
    }
}

/// The options, and a note if they differ from the request. The raw body is kept because `genai`
/// does not look for errors in it.
pub(super) fn to_options(request: &Request, model: &Model) -> (ChatOptions, Option<String>) {
    let mut options = ChatOptions::default().with_capture_raw_body(true);
    options.temperature = request.temperature;
    options.max_tokens = request.max_output_tokens;
    let (effort, note) = request.thinking.map(|level| thinking::effort(model, level)).unwrap_or_default();
    options.reasoning_effort = effort;
    (options, note)
}

/// Content of a stream's events that is not in the response of `genai`.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The words of a refusal.
    pub(super) refusal: Option<String>,
    pub(super) origin: ReplyOrigin,
    pub(super) reasoning_tokens: u64,
}

pub(super) fn to_reply(response: ChatResponse, told: Told, request: &Request) -> Result<Reply, Failure> {
    let body = response.captured_raw_body.unwrap_or_default();
    if let Some(failure) = error_in_body(&body) {
        return Err(failure);
    }
    let Told { refusal, mut origin, reasoning_tokens } = told;
    add_origin(&mut origin, &body);
    let refusal = refusal.or_else(|| refusal_in(&body));
    let text = response.content.texts().concat();
    let calls = calls::to_calls(&response.content);
    let usage = to_usage(&response.usage, response.model_iden.adapter_kind, reasoning_tokens);
    let is_empty = text.is_empty() && calls.is_empty() && refusal.is_none();
    if is_empty && usage.is_none() && response.stop_reason.is_none() {
        return Err(Failure::garbled("the response is JSON but holds no reply"));
    }
    let reason = to_finish_reason(response.stop_reason, &body);
    let mut reply = Reply::new(text).finished(reason).with_calls(calls).with_origin(origin);
    if has_lost_bytes(&reply, &request.conversation) {
        return Err(Failure::garbled("the reply is not UTF-8"));
    }
    reply = refusal.into_iter().fold(reply, Reply::with_refusal);
    if !reply.calls().is_empty()
        && let Ok(form) = serde_json::to_value(&response.content)
    {
        reply = reply.with_provider_data(form);
    }
    Ok(match usage {
        Some(usage) => reply.with_usage(usage),
        None => reply,
    })
}

/// The finish reason of a reply that was ended because it repeated itself, by us or by a server
/// such as vLLM.
pub(super) const REPETITION: &str = "repetition";

fn to_finish_reason(reason: Option<StopReason>, body: &Value) -> FinishReason {
    match reason {
        None => FinishReason::Unknown,
        // The Responses API of OpenAI says `incomplete` for both reasons.
        Some(StopReason::MaxTokens(_))
            if body.pointer("/incomplete_details/reason").is_some_and(|why| why == "content_filter") =>
        {
            FinishReason::ContentFilter
        }
        Some(StopReason::Completed(_) | StopReason::StopSequence(_) | StopReason::ToolCall(_)) => {
            FinishReason::Stop
        }
        Some(StopReason::MaxTokens(_)) => FinishReason::Length,
        Some(StopReason::ContentFilter(_)) => FinishReason::ContentFilter,
        Some(StopReason::Other(reason)) if reason == REPETITION => FinishReason::Repetition,
        Some(StopReason::Other(reason)) => FinishReason::Other(reason),
    }
}

/// Returns the usage, if reported. A missing side is computed from the total.
/// `genai` counts the parts among the sides, except for Bedrock, where tokens read from a cache or
/// written to one are not part of the input. `reasoning_tokens` come from events.
fn to_usage(reported: &Reported, kind: AdapterKind, reasoning_tokens: u64) -> Option<TokenUsage> {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    let total = count(reported.total_tokens);
    let rest = |other: u64| total.map_or(0, |total| total.saturating_sub(other));
    let usage = match (count(reported.prompt_tokens), count(reported.completion_tokens)) {
        (None, None) => return None,
        // `genai` adds the reasoning tokens of xAI to the output, even if that already includes
        // them.
        (Some(input), Some(output)) if kind == AdapterKind::Xai && total.is_some() => {
            TokenUsage::new(input, output.min(rest(input)))
        }
        (Some(input), Some(output)) => TokenUsage::new(input, output),
        (Some(input), None) => TokenUsage::new(input, rest(input)),
        (None, Some(output)) => TokenUsage::new(rest(output), output),
    };
    let input = reported.prompt_tokens_details.as_ref();
    let output = reported.completion_tokens_details.as_ref();
    let read = input.and_then(|details| count(details.cached_tokens)).unwrap_or(0);
    let written = input.and_then(|details| count(details.cache_creation_tokens)).unwrap_or(0);
    let reasoning = output.and_then(|details| count(details.reasoning_tokens)).unwrap_or(reasoning_tokens);
    let mut usage = usage.cached(read).cache_written(written).reasoning(reasoning);
    if kind == AdapterKind::BedrockApi {
        usage.input_tokens = usage.input_tokens.saturating_add(read).saturating_add(written);
    }
    Some(usage.with_parts_in_sides())
}
