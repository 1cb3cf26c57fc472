//! Converse of Amazon Bedrock.

use extract::agent::{DeltaSink, Part, Role, ToolCall, Turn, provider::ProviderFailure};
use serde_json::{Map, Value, json};

use super::{
    answer::{Answer, StreamEnd, own_data, provider_data, text_at},
    calls_in_text::{arguments, as_object},
    json::{item, key, text_part, text_parts, value},
    media::converse_format,
    question::{CacheBreakpoint, Question, is_image},
    thinking,
    usage::count,
};
use crate::format::WireFormat;

/// After what is cached, among the blocks.
const BREAKPOINT: &str = r#",{"cachePoint":{"type":"default"}}"#;

pub(super) fn start(out: &mut Vec<u8>, question: &Question<'_>) {
    out.push(b'{');
    let system = question.system_turns();
    if !system.is_empty() {
        key(out, "system");
        out.push(b'[');
        text_parts(out, system);
        if question.has_breakpoints() {
            out.extend_from_slice(BREAKPOINT.as_bytes());
        }
        out.push(b']');
    }
    if let Some(tools) = &question.request.tools {
        let tools = tools.iter().map(|tool| {
            let schema = json!({"json": tool.input_schema});
            json!({"toolSpec": {"name": tool.name, "description": tool.description, "inputSchema": schema}})
        });
        key(out, "toolConfig");
        value(out, &json!({"tools": tools.collect::<Value>()}));
    }
    key(out, "messages");
    out.push(b'[');
}

/// A turn, after which there may be a breakpoint.
pub(super) fn turn(out: &mut Vec<u8>, turn: &Turn, breakpoint: CacheBreakpoint) {
    write_message(out, turn);
    // Nothing is written for a turn that is in `system`.
    let end = out
        .iter()
        .rposition(|byte| *byte == b']')
        .filter(|_| breakpoint == CacheBreakpoint::End && out.last() != Some(&b'['));
    if let Some(end) = end.filter(|end| !out[..*end].ends_with(b"[")) {
        out.splice(end..end, BREAKPOINT.bytes());
    }
}

fn write_message(out: &mut Vec<u8>, turn: &Turn) {
    match turn.role() {
        // Those at the start are in `system`. Others are rare, and have no role.
        Role::System if out.last() == Some(&b'[') => {}
        Role::Tool => {
            let results = turn.results().iter().map(|result| {
                let status = if result.is_error { "error" } else { "success" };
                let content = json!([{"text": result.text}]);
                json!({"toolResult": {"toolUseId": result.id, "content": content, "status": status}})
            });
            message(out, "user", results, |out, result| value(out, &result));
        }
        Role::Assistant if !turn.calls().is_empty() => {
            let blocks = own_data(WireFormat::Converse, turn).cloned().unwrap_or_else(|| {
                let said = Some(turn.said()).filter(|said| !said.trim().is_empty());
                let said = said.map(|said| json!({"text": said}));
                let calls = turn.calls().iter().map(|call| {
                    json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": as_object(&call.arguments)}})
                });
                said.into_iter().chain(calls).collect()
            });
            let blocks = blocks.as_array().into_iter().flatten();
            message(out, "assistant", blocks, value);
        }
        role => {
            let role = if role == Role::Assistant { "assistant" } else { "user" };
            let parts = turn.parts();
            // A document has to have a text beside it.
            let has_text =
                parts.iter().any(|part| part.as_text().is_some_and(|text| !text.trim().is_empty()));
            let lacks_text =
                !has_text && parts.iter().any(|part| part.media_type().is_some() && !is_image(part));
            let text = lacks_text.then(|| Part::text("This is the document."));
            message(out, role, parts.iter().chain(&text), write_part);
        }
    }
}

/// Writes a message. Roles have to alternate, so a message of the same role as the last one is added
/// to that. The role comes last, so that the end of the last message shows it.
fn message<T>(
    out: &mut Vec<u8>,
    role: &str,
    blocks: impl IntoIterator<Item = T>,
    write: impl Fn(&mut Vec<u8>, T),
) {
    let end = format!("],\"role\":\"{role}\"}}");
    if out.ends_with(end.as_bytes()) {
        out.truncate(out.len() - end.len());
    } else {
        item(out);
        out.extend_from_slice(b"{\"content\":[");
    }
    for block in blocks {
        item(out);
        write(out, block);
    }
    out.extend_from_slice(end.as_bytes());
}

fn write_part(out: &mut Vec<u8>, part: &Part) {
    if let Some(text) = part.as_text() {
        return text_part(out, text);
    }
    let source = match part.as_url() {
        Some(uri) => json!({"s3Location": {"uri": uri}}),
        None => json!({"bytes": part.base64()}),
    };
    let mut block = json!({"format": converse_format(part), "source": source});
    if is_image(part) {
        return value(out, &json!({"image": block}));
    }
    block["name"] = document_name(part.name().unwrap_or("document")).into();
    value(out, &json!({"document": block}));
}

/// A name of letters, digits, hyphens, brackets and single blanks, which are the allowed ones.
fn document_name(name: &str) -> String {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || "()[]".contains(char);
    let words = name
        .split_whitespace()
        .map(|word| word.chars().map(|char| if is_allowed(char) { char } else { '-' }).collect::<String>());
    words.collect::<Vec<_>>().join(" ")
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let request = question.request;
    let mut inference = question.sampling("topP");
    let (mut members, mut notes) = (Map::new(), Vec::new());
    notes.extend(thinking::add(&mut members, question));
    let fields = members.get("additionalModelRequestFields");
    if let Some(budget) = thinking::budget_of_messages(fields.and_then(|fields| fields.get("thinking"))) {
        // Thoughts count, and the limit has to be above their budget.
        if let Some(limit) = request.max_output_tokens {
            inference.insert(question.token_limit.to_owned(), (u64::from(limit) + budget).into());
        }
        notes.extend(thinking::remove_temperature(&mut inference));
    }
    if !inference.is_empty() {
        members.insert("inferenceConfig".to_owned(), inference.into());
    }
    notes.extend(question.seed_note());
    (members, notes)
}

/// Reads a reply, whole or by its events.
#[derive(Debug, Default)]
pub(crate) struct Converse {
    pub(super) answer: Answer,
    /// The content blocks of a stream so far.
    blocks: Vec<ConverseBlock>,
}

/// A content block of a stream.
#[derive(Debug, Default)]
struct ConverseBlock {
    index: Option<u64>,
    /// The id and the name of a call, and its number among the calls.
    call: Option<(String, String, usize)>,
    /// Text, or the arguments of a call.
    text: String,
    thoughts: String,
    signature: String,
    redacted: Option<Value>,
}

impl Converse {
    /// Returns whether a block of content has begun.
    pub(super) fn has_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub(super) fn whole(mut self, mut body: Value) -> Result<Answer, ProviderFailure> {
        self.answer.add_origin(&body);
        self.answer.stopped_as(&body, "stopReason");
        self.usage(&body);
        let content = body.get_mut("output").and_then(|output| output.get_mut("message")?.get_mut("content"));
        let blocks = match content.map(Value::take) {
            Some(Value::Array(blocks)) => blocks,
            _ if !self.answer.stops.is_empty() => Vec::new(),
            _ => return Err(ProviderFailure::garbled("the response is JSON but holds no reply")),
        };
        self.finish(blocks);
        Ok(self.answer)
    }

    pub(super) fn event(&mut self, name: &str, mut data: Value, sink: &mut DeltaSink<'_>) {
        match name {
            "contentBlockStart" => {
                let number = self.blocks.iter().filter(|block| block.call.is_some()).count();
                if let Some(call) = data.get("start").and_then(|start| start.get("toolUse")) {
                    let text = |key: &str| text_at(call, key).unwrap_or_default().to_owned();
                    self.block_of(&data).call = Some((text("toolUseId"), text("name"), number));
                }
            }
            "contentBlockDelta" => {
                let delta = data.get_mut("delta").map(Value::take).unwrap_or_default();
                self.block_of(&data).add(delta, sink);
                self.answer.settle_end(false, true);
            }
            "messageStop" => {
                self.answer.end = StreamEnd::Stopped;
                self.answer.stopped_as(&data, "stopReason");
            }
            "metadata" => {
                self.usage(&data);
                if self.answer.end == StreamEnd::Stopped {
                    self.answer.end = StreamEnd::Done;
                }
            }
            _ => {}
        }
    }

    fn block_of(&mut self, data: &Value) -> &mut ConverseBlock {
        let index = data.get("contentBlockIndex").and_then(Value::as_u64);
        let known = self.blocks.iter().position(|block| block.index == index);
        let at = known.unwrap_or_else(|| {
            self.blocks.push(ConverseBlock { index, ..ConverseBlock::default() });
            self.blocks.len() - 1
        });
        &mut self.blocks[at]
    }

    pub(super) fn end(mut self) -> Answer {
        let blocks = std::mem::take(&mut self.blocks).into_iter().map(ConverseBlock::finished).collect();
        self.finish(blocks);
        self.answer
    }

    /// Cached tokens are reported separately from the input.
    fn usage(&mut self, body: &Value) {
        let Some(usage) = body.get("usage") else { return };
        let counts = &mut self.answer.counts;
        let of = |name: &str| count(usage, &[name]);
        counts.cached = of("cacheReadInputTokens").unwrap_or(0);
        counts.cache_written = of("cacheWriteInputTokens").unwrap_or(0);
        let cache = counts.cached.saturating_add(counts.cache_written);
        counts.input = of("inputTokens").map(|input| input.saturating_add(cache));
        counts.output = of("outputTokens");
    }

    fn finish(&mut self, mut blocks: Vec<Value>) {
        let answer = &mut self.answer;
        for block in &mut blocks {
            answer.text.push_str(text_at(block, "text").unwrap_or_default());
            let thoughts = block.get("reasoningContent").and_then(|content| content.get("reasoningText"));
            answer.thoughts.push_str(thoughts.and_then(|text| text_at(text, "text")).unwrap_or_default());
            let Some(call) = block.get_mut("toolUse") else { continue };
            let given = arguments(call.get("input").cloned());
            call.get_mut("input").into_iter().for_each(|input| *input = as_object(&given));
            let text = |key: &str| text_at(call, key).unwrap_or_default();
            answer.calls.push(ToolCall::new(text("name"), given).with_id(text("toolUseId")));
        }
        if !answer.calls.is_empty() {
            // Reasoning must be sent back with the calls.
            answer.provider_data = Some(provider_data(WireFormat::Converse, &blocks.into()));
        }
        // The text is the guardrail's own.
        if answer.stops.iter().any(|stop| stop == "guardrail_intervened") {
            answer.refusal = Some(std::mem::take(&mut answer.text));
        }
    }
}

impl ConverseBlock {
    fn add(&mut self, mut delta: Value, sink: &mut DeltaSink<'_>) {
        if let Some(text) = text_at(&delta, "text") {
            sink.send(text);
            self.text.push_str(text);
        }
        let input = delta.get("toolUse").and_then(|call| text_at(call, "input"));
        if let (Some(input), Some((_, name, number))) = (input, &self.call) {
            sink.send_arguments(*number, name, input);
            self.text.push_str(input);
        }
        if let Some(thought) = delta.get_mut("reasoningContent") {
            self.thoughts.push_str(text_at(thought, "text").unwrap_or_default());
            self.signature.push_str(text_at(thought, "signature").unwrap_or_default());
            self.redacted = thought.get_mut("redactedContent").map(Value::take).or(self.redacted.take());
        }
    }

    /// The block as a whole reply has it.
    fn finished(self) -> Value {
        let Self { call, text, thoughts, signature, redacted, .. } = self;
        if let Some((id, name, _)) = call {
            return json!({"toolUse": {"toolUseId": id, "name": name, "input": text}});
        }
        if let Some(redacted) = redacted {
            return json!({"reasoningContent": {"redactedContent": redacted}});
        }
        if thoughts.is_empty() && signature.is_empty() {
            return json!({"text": text});
        }
        let mut written = json!({"text": thoughts});
        if !signature.is_empty() {
            written["signature"] = signature.into();
        }
        json!({"reasoningContent": {"reasoningText": written}})
    }
}
