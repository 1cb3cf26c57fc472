//! Streamed replies of `genai`.
//!
//! `genai` reads the streams of the providers, and hands every event to a [`ChatFrameSink`]. Data
//! that it does not report is taken from these events:
//!
//! - errors in the stream of Ollama, in a choice, and of the Responses API
//! - whether a stream reached its end marker, which `genai` ignores for Gemini, Ollama and the
//!   Responses API
//! - why the Responses API calls a response incomplete
//! - the text of a response of the Responses API, because `genai` leaves out events that it cannot
//!   read

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;
use genai::{
    Client, ModelIden, ModelSpec,
    adapter::AdapterKind,
    chat::{
        ChatFrameSink, ChatOptions, ChatRequest, ChatResponse, ChatStreamEvent, FrameCtx, MessageContent,
        RawFrameRef, StopReason, StreamEnd, ToolCall, Usage,
    },
};
use serde_json::Value;

use super::{
    convert::{REPETITION, Told},
    error::{Failure, error_in_event},
};
use crate::agent::{
    DeltaSink,
    provider::{add_origin, refusal_in},
};

/// As [`Client::exec_chat`], but streams the text and the arguments of calls to `sink`. Also
/// returns what only the events contain.
pub(super) async fn exec_chat(
    client: &Client,
    model: ModelSpec,
    chat: ChatRequest,
    options: ChatOptions,
    mut sink: DeltaSink<'_>,
) -> Result<(ChatResponse, Told), Failure> {
    let events = Arc::<Events>::default();
    let options = options
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_usage(true)
        .with_raw_frame_sink_arc(Arc::<Events>::clone(&events));
    let response = client.exec_chat_stream(model, chat, Some(&options)).await?;
    let (mut stream, mut text, mut calls) = (response.stream, String::new(), StreamedCalls::default());
    while let Some(event) = stream.next().await {
        let mut seen = events.seen();
        // The provider's own error takes precedence over `genai`'s.
        if let Some(failure) = seen.failure.take() {
            let Some(words) = failure.words() else { return Err(failure) };
            let reason = StopReason::ContentFilter(String::new());
            let refusal = Some(words.to_owned());
            let told = Told { refusal, ..std::mem::take(&mut seen.told) };
            return Ok((ended(response.model_iden, text, reason), told));
        }
        match event? {
            ChatStreamEvent::Chunk(chunk) => {
                drop(seen);
                text.push_str(&chunk.content);
                sink.send(&chunk.content);
                if sink.is_repeating() {
                    let reason = StopReason::Other(REPETITION.to_owned());
                    let told = Told { refusal: None, ..std::mem::take(&mut events.seen().told) };
                    return Ok((ended(response.model_iden, text, reason), told));
                }
            }
            ChatStreamEvent::ToolCallChunk(chunk) => {
                drop(seen);
                calls.send(&chunk.tool_call, &mut sink);
            }
            ChatStreamEvent::End(end) if seen.is_whole(&end) => {
                let (body, told) = (seen.response.take(), std::mem::take(&mut seen.told));
                return Ok((whole(end, response.model_iden, body, &mut sink), told));
            }
            ChatStreamEvent::End(_) => break,
            _ => {}
        }
    }
    let mut seen = events.seen();
    Err(seen.failure.take().unwrap_or_else(|| cut(seen.count)))
}

/// The calls of a stream, in the order in which they began. Each has its identifier and the number
/// of bytes of its arguments that were sent.
#[derive(Default)]
struct StreamedCalls(Vec<(String, usize)>);

impl StreamedCalls {
    /// Sends the new arguments of `call`; `genai` repeats all of them so far. They are a string
    /// until they are complete; a provider that does not stream them has them as a value.
    fn send(&mut self, call: &ToolCall, sink: &mut DeltaSink<'_>) {
        let Value::String(so_far) = &call.fn_arguments else {
            let arguments = call.fn_arguments.to_string();
            sink.send_arguments(self.0.len(), &call.fn_name, &arguments);
            return self.0.push((call.call_id.clone(), arguments.len()));
        };
        let known = self.0.iter().position(|(id, _)| *id == call.call_id);
        let index = known.unwrap_or(self.0.len());
        let sent = known.map_or(0, |index| self.0[index].1);
        sink.send_arguments(index, &call.fn_name, so_far.get(sent..).unwrap_or_default());
        match self.0.get_mut(index) {
            Some((_, sent)) => *sent = so_far.len(),
            None => self.0.push((call.call_id.clone(), so_far.len())),
        }
    }
}

/// The response of a stream that was ended before its end, with the text so far.
fn ended(model: ModelIden, text: String, reason: StopReason) -> ChatResponse {
    ChatResponse {
        content: MessageContent::from_text(text),
        reasoning_content: None,
        provider_model_iden: model.clone(),
        model_iden: model,
        stop_reason: Some(reason),
        usage: Usage::default(),
        captured_raw_body: None,
        response_id: None,
    }
}

fn cut(events: u64) -> Failure {
    match events {
        0 => Failure::garbled(
            "the response holds no events; where the server does not stream, ask without `stream`",
        ),
        _ => Failure::transport("the stream ended without its end marker, so the reply may be cut"),
    }
}

/// Returns the same response as without streaming. `body` is the response that some providers
/// repeat at the end; its text takes precedence over the events' text.
fn whole(end: StreamEnd, model: ModelIden, body: Option<Value>, sink: &mut DeltaSink<'_>) -> ChatResponse {
    let mut content = end.captured_content.unwrap_or_default();
    if let Some(text) = body.as_ref().and_then(output_text).filter(|text| *text != content.texts().concat()) {
        sink.restart().send(&text);
        let others = content.into_parts().into_iter().filter(|part| part.as_text().is_none());
        content = MessageContent::from_text(text).extended(others.collect::<Vec<_>>());
    }
    ChatResponse {
        content,
        reasoning_content: end.captured_reasoning_content,
        provider_model_iden: model.clone(),
        model_iden: model,
        stop_reason: end.captured_stop_reason,
        usage: end.captured_usage.unwrap_or_default(),
        captured_raw_body: body,
        response_id: end.captured_response_id,
    }
}

/// The text of a response of the Responses API; `None` if it is not repeated at the end.
fn output_text(response: &Value) -> Option<String> {
    let contents =
        response.get("output")?.as_array()?.iter().filter_map(|item| item.get("content")?.as_array());
    let texts = contents.flatten().filter(|part| part.get("type").is_some_and(|kind| kind == "output_text"));
    let texts: Vec<&str> = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// The content of one stream's events.
#[derive(Default)]
struct Events(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    count: u64,
    failure: Option<Failure>,
    /// Whether there was an end marker. `genai` does not tell it apart from an end without one.
    is_done: bool,
    told: Told,
    /// The response as the Responses API repeats it at the end.
    response: Option<Value>,
}

impl Events {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn is_whole(&self, end: &StreamEnd) -> bool {
        self.is_done || end.captured_stop_reason.is_some()
    }

    fn look_at(&mut self, event: Value) {
        self.failure = self.failure.take().or_else(|| error_in_event(&event));
        self.is_done |= event.get("done").is_some_and(|done| done == true);
        if let Some(words) = refusal_in(&event) {
            self.told.refusal.get_or_insert_default().push_str(&words);
        }
        add_origin(&mut self.told.origin, &event);
        // Anthropic; `genai` reads it only without streaming.
        if let Some(tokens) = event.pointer("/usage/output_tokens_details/thinking_tokens") {
            self.told.reasoning_tokens = tokens.as_u64().unwrap_or(self.told.reasoning_tokens);
        }
        let Value::Object(mut event) = event else { return };
        let is_end = |kind: &Value| kind == "response.completed" || kind == "response.incomplete";
        if event.get("type").is_some_and(is_end) {
            self.response = event.remove("response");
        }
    }
}

impl ChatFrameSink for Events {
    fn on_frame(&self, stream: &FrameCtx, frame: RawFrameRef<'_>) {
        if frame.data.is_empty() {
            return;
        }
        let mut seen = self.seen();
        seen.count += 1;
        // Where lines end with CR LF and a packet ends between the two, `genai` loses the name of
        // the event, and with it the text.
        if frame.event.is_none() && stream.model_iden.adapter_kind == AdapterKind::Anthropic {
            let lost = || Failure::garbled("an event of the stream came without its name");
            seen.failure.get_or_insert_with(lost);
        }
        seen.is_done |= frame.data == "[DONE]" || frame.event == Some("message_stop");
        if let Some(event) = frame.json() {
            seen.look_at(event);
        }
    }
}
