//! Messages of Anthropic.

use extract::agent::{DeltaSink, Part, Role, ToolCall, Turn, provider::ProviderFailure};
use serde_json::{Map, Value, json};

use super::{
    answer::{Answer, StreamEnd, own_data, provider_data, take_text, text_at},
    calls_in_text::{arguments, as_object},
    json::{item, key, string, text_member, value},
    question::{CacheBreakpoint, Question, is_file_id, is_image},
    thinking,
    usage::count,
};
use crate::format::{WireFormat, claude};

const BREAKPOINT: &str = r#""cache_control":{"type":"ephemeral"}"#;

/// Returns the token limit to send where the request has none, because one is required: a limit
/// that every model of the version allows.
fn default_limit(model: &str) -> u32 {
    match claude::version(model) {
        Some((0..=2, _) | (3, 0..=4)) => 4_096,
        Some((3, 5)) => 8_192,
        Some((4, 0..=4)) => 32_000,
        _ => 64_000,
    }
}

pub(super) fn start(out: &mut Vec<u8>, question: &Question<'_>) {
    out.push(b'{');
    text_member(out, "model", question.model);
    if let Some(tools) = &question.request.tools {
        let tools = tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
        });
        key(out, "tools");
        value(out, &tools.collect());
    }
    let system = question.system_turns();
    if !system.is_empty() {
        key(out, "system");
        out.push(b'[');
        for (index, turn) in system.iter().enumerate() {
            item(out);
            write_text(out, turn.text(), question.breakpoint(index, system.len().checked_sub(1)));
        }
        out.push(b']');
    }
    key(out, "messages");
    out.push(b'[');
}

fn write_text(out: &mut Vec<u8>, text: &str, end: CacheBreakpoint) {
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    string(out, text);
    end_block(out, end);
}

fn end_block(out: &mut Vec<u8>, end: CacheBreakpoint) {
    if end == CacheBreakpoint::End {
        out.push(b',');
        out.extend_from_slice(BREAKPOINT.as_bytes());
    }
    out.push(b'}');
}

/// A turn, after which there may be a breakpoint.
pub(super) fn turn(out: &mut Vec<u8>, turn: &Turn, end: CacheBreakpoint) {
    match turn.role() {
        // Those at the start are in `system`. Others are rare, and have no separate role.
        Role::System if out.last() == Some(&b'[') => {}
        Role::Tool => {
            let results = turn.results().iter().map(|result| {
                json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text,
                    "is_error": result.is_error})
            });
            blocks(out, "user", &results.collect());
        }
        Role::Assistant if !turn.calls().is_empty() => {
            let content = own_data(WireFormat::Messages, turn).cloned().unwrap_or_else(|| {
                let said = Some(turn.said()).filter(|said| !said.trim().is_empty());
                let said = said.map(|said| json!({"type": "text", "text": said}));
                let calls = turn.calls().iter().map(|call| {
                    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": as_object(&call.arguments)})
                });
                said.into_iter().chain(calls).collect()
            });
            blocks(out, "assistant", &content);
        }
        role => {
            item(out);
            out.push(b'{');
            text_member(out, "role", if role == Role::Assistant { "assistant" } else { "user" });
            key(out, "content");
            out.push(b'[');
            let parts = turn.parts();
            for (index, part) in parts.iter().enumerate() {
                item(out);
                let is_last = index + 1 == parts.len();
                write_part(out, part, if is_last { end } else { CacheBreakpoint::None });
            }
            out.extend_from_slice(b"]}");
        }
    }
}

fn blocks(out: &mut Vec<u8>, role: &str, content: &Value) {
    item(out);
    value(out, &json!({"role": role, "content": content}));
}

fn write_part(out: &mut Vec<u8>, part: &Part, end: CacheBreakpoint) {
    if let Some(text) = part.as_text() {
        return write_text(out, text, end);
    }
    let kind = part.media_type().unwrap_or_default();
    let source = match part.as_url() {
        Some(id) if is_file_id(id) => json!({"type": "file", "file_id": id}),
        Some(url) => json!({"type": "url", "url": url}),
        None => json!({"type": "base64", "media_type": kind, "data": part.base64()}),
    };
    let block = if is_image(part) { "image" } else { "document" };
    out.push(b'{');
    text_member(out, "type", block);
    key(out, "source");
    value(out, &source);
    if let Some(name) = part.name().filter(|_| block == "document") {
        text_member(out, "title", name);
    }
    end_block(out, end);
}

/// The beginning of the reply. White space at its end is refused, so the reply is expected to begin
/// with it.
pub(super) fn prefill(out: &mut Vec<u8>, text: &str) {
    item(out);
    out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
    string(out, text.trim_end());
    out.push(b'}');
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let request = question.request;
    let mut members = question.sampling("top_p");
    let mut notes = Vec::new();
    // A continued reply cannot think first.
    if question.prefill().is_none() {
        notes.extend(thinking::add(&mut members, question));
    }
    let thinking = thinking::budget_of_messages(members.get("thinking"));
    let budget = thinking.unwrap_or(0);
    let limit = u64::from(request.max_output_tokens.unwrap_or_else(|| default_limit(question.model)));
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    // Thoughts count, and the limit has to be above their budget.
    let is_raised = request.max_output_tokens.is_some() || limit <= budget;
    set(question.token_limit, (if is_raised { limit + budget } else { limit }).into());
    if question.is_streamed() {
        set("stream", true.into());
    }
    notes.extend(question.seed_note());
    if thinking.is_some() {
        notes.extend(thinking::remove_temperature(&mut members));
    }
    (members, notes)
}

/// Reads a message, whole or by its events.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub(super) answer: Answer,
    /// The content blocks of a stream so far.
    blocks: Vec<MessageBlock>,
    input: u64,
}

/// A content block of a stream.
#[derive(Debug, Default)]
struct MessageBlock {
    /// The number from the server, which some omit.
    index: Option<u64>,
    /// The block as it began, into which the rest is put at the end.
    begun: Value,
    /// Text, thoughts or the arguments of a call.
    written: String,
    signature: String,
    /// The number of the call among the calls.
    call: usize,
}

impl Messages {
    /// Returns whether a block of content has begun.
    pub(super) fn has_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub(super) fn whole(mut self, mut body: Value) -> Result<Answer, ProviderFailure> {
        self.head(&body);
        let content = match body.get_mut("content").map(Value::take) {
            Some(Value::Array(content)) => content,
            Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
            // So some gateways pass on a refusal.
            None | Some(Value::Null) if !self.answer.stops.is_empty() => Vec::new(),
            _ => return Err(ProviderFailure::garbled("the response is JSON but holds no reply")),
        };
        self.finish(content);
        Ok(self.answer)
    }

    pub(super) fn event(&mut self, mut data: Value, sink: &mut DeltaSink<'_>) {
        match text_at(&data, "type").unwrap_or_default() {
            "message_start" => {
                if let Some(message) = data.get("message") {
                    self.head(message);
                    // Some gateways have its stop reason before the text.
                    self.answer.settle_end(true, false);
                }
            }
            "content_block_start" => {
                let call = self.blocks.iter().filter(|block| block.is_call()).count();
                let begun = data.get_mut("content_block").map(Value::take).unwrap_or_default();
                if let Some(text) = text_at(&begun, "text") {
                    sink.send(text);
                }
                self.blocks.push(MessageBlock {
                    index: index_of(&data),
                    begun,
                    call,
                    ..MessageBlock::default()
                });
                self.answer.settle_end(false, true);
            }
            "content_block_delta" => {
                if let Some(delta) = data.get("delta") {
                    self.block_of(index_of(&data), delta).add(delta, sink);
                    self.answer.settle_end(false, true);
                }
            }
            "message_delta" => {
                let delta = data.get_mut("delta").map(Value::take).unwrap_or_default();
                self.stop(&delta);
                self.answer.settle_end(text_at(&delta, "stop_reason").is_some(), false);
                self.usage(&data);
            }
            "message_stop" => self.answer.end = StreamEnd::Done,
            _ => {}
        }
    }

    /// The block that a delta belongs to. Some servers omit the numbers, and some the event that
    /// begins a block of text.
    fn block_of(&mut self, index: Option<u64>, delta: &Value) -> &mut MessageBlock {
        let numbered = index.and_then(|_| self.blocks.iter().rposition(|block| block.index == index));
        let last = self.blocks.len().checked_sub(1).filter(|last| {
            let block = &self.blocks[*last];
            (index.is_none() || block.index.is_none()) && (block.is_text() || !is_text(delta))
        });
        let at = numbered.or(last).unwrap_or_else(|| {
            self.blocks.push(MessageBlock {
                index,
                begun: json!({"type": "text"}),
                ..MessageBlock::default()
            });
            self.blocks.len() - 1
        });
        &mut self.blocks[at]
    }

    pub(super) fn end(mut self) -> Answer {
        let content = std::mem::take(&mut self.blocks).into_iter().map(MessageBlock::finished).collect();
        self.finish(content);
        self.answer
    }

    /// Everything but the content.
    fn head(&mut self, message: &Value) {
        self.answer.add_origin(message);
        self.stop(message);
        self.usage(message);
    }

    fn stop(&mut self, message: &Value) {
        if let Some(reason) = text_at(message, "stop_reason") {
            self.answer.stopped(reason);
            if reason == "refusal" {
                let details = message.get("stop_details");
                let words = details.and_then(|details| {
                    text_at(details, "explanation").or_else(|| text_at(details, "category"))
                });
                self.answer.refusal = Some(words.unwrap_or_default().to_owned());
            }
        }
    }

    /// Tokens read from the cache or written to it are reported separately from the input. Counts
    /// only grow: some gateways know the input at the start of a stream only, and end it with zeros.
    fn usage(&mut self, message: &Value) {
        let Some(usage) = message.get("usage").filter(|usage| usage.is_object()) else { return };
        let counts = &mut self.answer.counts;
        let most = |name: &str, known: u64| count(usage, &[name]).map_or(known, |count| count.max(known));
        self.input = most("input_tokens", self.input);
        counts.cached = most("cache_read_input_tokens", counts.cached);
        counts.cache_written = most("cache_creation_input_tokens", counts.cache_written);
        counts.output = count(usage, &["output_tokens"]).or(counts.output);
        let thoughts = count(usage, &["output_tokens_details", "thinking_tokens"]);
        counts.reasoning = thoughts.unwrap_or(counts.reasoning);
        let input = self.input.saturating_add(counts.cached).saturating_add(counts.cache_written);
        counts.input = (input > 0).then_some(input);
    }

    /// Reads the content. Thoughts must be sent back with the calls, with their signatures.
    fn finish(&mut self, content: Vec<Value>) {
        let has_calls = content.iter().any(|block| text_at(block, "type") == Some("tool_use"));
        let mut data = has_calls.then(|| content.clone());
        for input in data.iter_mut().flatten().filter_map(|block| block.get_mut("input")) {
            *input = as_object(input);
        }
        self.answer.provider_data = data.map(|data| provider_data(WireFormat::Messages, &data.into()));
        for mut block in content {
            self.block(&mut block);
        }
    }

    fn block(&mut self, block: &mut Value) {
        let answer = &mut self.answer;
        match text_at(block, "type").unwrap_or_default() {
            "text" => {
                let text = take_text(block, "text").unwrap_or_default();
                if answer.text.is_empty() { answer.text = text } else { answer.text.push_str(&text) }
            }
            "thinking" => answer.thoughts.push_str(text_at(block, "thinking").unwrap_or_default()),
            "tool_use" => {
                let id = take_text(block, "id").unwrap_or_default();
                let name = take_text(block, "name").unwrap_or_default();
                let given = arguments(block.get_mut("input").map(Value::take));
                answer.calls.push(ToolCall::new(name, given).with_id(id));
            }
            _ => {}
        }
    }
}

fn is_text(delta: &Value) -> bool {
    text_at(delta, "type") == Some("text_delta")
}

fn index_of(data: &Value) -> Option<u64> {
    data.get("index").and_then(Value::as_u64)
}

impl MessageBlock {
    fn is_call(&self) -> bool {
        text_at(&self.begun, "type") == Some("tool_use")
    }

    fn is_text(&self) -> bool {
        text_at(&self.begun, "type") == Some("text")
    }

    fn add(&mut self, delta: &Value, sink: &mut DeltaSink<'_>) {
        match text_at(delta, "type").unwrap_or_default() {
            "text_delta" => {
                let text = text_at(delta, "text").unwrap_or_default();
                sink.send(text);
                self.written.push_str(text);
            }
            "input_json_delta" => {
                let text = text_at(delta, "partial_json").unwrap_or_default();
                sink.send_arguments(self.call, text_at(&self.begun, "name").unwrap_or_default(), text);
                self.written.push_str(text);
            }
            "thinking_delta" => self.written.push_str(text_at(delta, "thinking").unwrap_or_default()),
            "signature_delta" => self.signature.push_str(text_at(delta, "signature").unwrap_or_default()),
            _ => {}
        }
    }

    fn finished(self) -> Value {
        let Self { mut begun, written, signature, .. } = self;
        let kind = text_at(&begun, "type").unwrap_or_default().to_owned();
        let mut add = |name: &str, more: &str| {
            let all = [text_at(&begun, name).unwrap_or_default(), more].concat();
            begun[name] = all.into();
        };
        match kind.as_str() {
            "text" => add("text", &written),
            "thinking" => {
                add("thinking", &written);
                add("signature", &signature);
            }
            "tool_use" if !written.trim().is_empty() => begun["input"] = arguments(Some(written.into())),
            _ => {}
        }
        begun
    }
}
