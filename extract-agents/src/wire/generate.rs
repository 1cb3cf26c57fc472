//! `generateContent` of Gemini and Vertex AI.

use extract::agent::{DeltaSink, Part, Role, ToolCall, Turn};
use serde_json::{Map, Value, json};

use super::{
    answer::{Answer, own_data, provider_data, text_at},
    calls_in_text::{arguments, as_object},
    json::{item, key, string, text_part, text_parts, value},
    question::Question,
    thinking,
    usage::count,
};
use crate::format::WireFormat;

pub(super) fn start(out: &mut Vec<u8>, question: &Question<'_>) {
    out.push(b'{');
    let system = question.system_turns();
    if !system.is_empty() {
        key(out, "systemInstruction");
        out.extend_from_slice(b"{\"parts\":[");
        text_parts(out, system);
        out.extend_from_slice(b"]}");
    }
    if let Some(tools) = &question.request.tools {
        let tools = tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description,
                "parametersJsonSchema": tool.input_schema})
        });
        key(out, "tools");
        value(out, &json!([{"functionDeclarations": tools.collect::<Value>()}]));
    }
    key(out, "contents");
    out.push(b'[');
}

pub(super) fn turn(out: &mut Vec<u8>, turn: &Turn) {
    match turn.role() {
        // Those at the start are in `systemInstruction`. Others are rare, and have no role.
        Role::System if out.last() == Some(&b'[') => {}
        Role::Tool => {
            let results = turn.results().iter().map(|result| {
                let said = if result.is_error { "error" } else { "result" };
                json!({"functionResponse": {"name": result.name, "response": {said: result.text}}})
            });
            item(out);
            value(out, &json!({"role": "user", "parts": results.collect::<Value>()}));
        }
        Role::Assistant if !turn.calls().is_empty() => {
            let parts = own_data(WireFormat::GenerateContent, turn).cloned().unwrap_or_else(|| {
                let said = Some(turn.said()).filter(|said| !said.is_empty());
                let said = said.map(|said| json!({"text": said}));
                let calls = turn.calls().iter().map(
                    |call| json!({"functionCall": {"name": call.name, "args": as_object(&call.arguments)}}),
                );
                said.into_iter().chain(calls).collect()
            });
            item(out);
            value(out, &json!({"role": "model", "parts": parts}));
        }
        role => {
            item(out);
            let role = if role == Role::Assistant { "model" } else { "user" };
            out.extend_from_slice(b"{\"role\":");
            string(out, role);
            out.extend_from_slice(b",\"parts\":[");
            for part in &*turn.parts() {
                item(out);
                write_part(out, part);
            }
            out.extend_from_slice(b"]}");
        }
    }
}

fn write_part(out: &mut Vec<u8>, part: &Part) {
    if let Some(text) = part.as_text() {
        return text_part(out, text);
    }
    let kind = part.media_type().unwrap_or_default();
    let data = match part.as_url() {
        Some(url) => json!({"fileData": {"mimeType": kind, "fileUri": url}}),
        None => json!({"inlineData": {"mimeType": kind, "data": part.base64()}}),
    };
    value(out, &data);
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let mut generation = question.sampling("topP");
    let mut set = |name: &str, value: Value| generation.insert(name.to_owned(), value);
    if question.schema().is_some() {
        set("responseMimeType", "application/json".into());
    }
    if let Some(seed) = question.settings.seed {
        set("seed", seed.into());
    }
    if question.asks_log_probabilities() {
        set("responseLogprobs", true.into());
    }
    let mut members = Map::new();
    if !generation.is_empty() {
        members.insert("generationConfig".to_owned(), generation.into());
    }
    let note = thinking::add(&mut members, question);
    (members, note.into_iter().collect())
}

/// Reads a response, whole or by its chunks, which have the same form.
#[derive(Debug, Default)]
pub(crate) struct Generate {
    pub(super) answer: Answer,
    /// The parts, if there are calls: thought signatures must be sent back.
    parts: Vec<Value>,
}

impl Generate {
    pub(super) fn whole(mut self, body: Value) -> Answer {
        // `streamGenerateContent` without `alt=sse` is a list of chunks.
        let mut sink = DeltaSink::new(|_| {});
        match body {
            Value::Array(chunks) => {
                for chunk in chunks {
                    self.event(chunk, &mut sink);
                }
            }
            body => self.event(body, &mut sink),
        }
        drop(sink);
        self.end()
    }

    pub(super) fn event(&mut self, mut data: Value, sink: &mut DeltaSink<'_>) {
        self.answer.add_origin(&data);
        self.usage(&data);
        if let Some(feedback) = data.get("promptFeedback")
            && let Some(reason) = text_at(feedback, "blockReason").filter(|reason| is_block(reason))
        {
            let words = with_message(
                format!("the prompt was blocked: {reason}"),
                text_at(feedback, "blockReasonMessage"),
            );
            self.answer.refusal = Some(words);
            self.answer.stopped("PROHIBITED_CONTENT");
        }
        let Some(candidate) = self.answer.choice(&mut data, "candidates") else { return };
        let reason = text_at(candidate, "finishReason").map(str::to_owned);
        if let Some(reason) = reason.as_deref() {
            self.answer.stopped(reason);
            let message = text_at(candidate, "finishMessage");
            if WireFormat::GenerateContent.is_filter(reason) {
                self.answer.refusal = Some(with_message(reason.to_owned(), message));
            } else {
                self.answer.note = message.map(|message| format!("the server says of the end: {message}"));
            }
        }
        let chosen = candidate.get("logprobsResult").and_then(|result| result.get("chosenCandidates"));
        self.answer.tokens.add(chosen, "logProbability");
        let known = (self.answer.text.len(), self.answer.calls.len());
        let parts = candidate.get_mut("content").and_then(|content| content.get_mut("parts"));
        for part in parts.and_then(Value::as_array_mut).into_iter().flatten() {
            self.part(part, sink);
            self.parts.push(part.take());
        }
        let has_text = (self.answer.text.len(), self.answer.calls.len()) != known;
        self.answer.settle_end(reason.is_some(), has_text);
    }

    pub(super) fn end(mut self) -> Answer {
        self.answer.counts.fill_omitted_zero();
        if !self.answer.calls.is_empty() {
            let data = provider_data(WireFormat::GenerateContent, &self.parts.into());
            self.answer.provider_data = Some(data);
        }
        self.answer
    }

    fn part(&mut self, part: &Value, sink: &mut DeltaSink<'_>) {
        let answer = &mut self.answer;
        if let Some(text) = text_at(part, "text") {
            if part.get("thought").is_some_and(|thought| thought == true) {
                answer.thoughts.push_str(text);
            } else {
                sink.send(text);
                answer.text.push_str(text);
            }
        }
        let Some(call) = part.get("functionCall") else { return };
        let name = text_at(call, "name").unwrap_or_default();
        let given = arguments(call.get("args").cloned());
        sink.send_arguments(answer.calls.len(), name, &given.to_string());
        let id = text_at(call, "id").unwrap_or_default();
        answer.calls.push(ToolCall::new(name, given).with_id(id));
    }

    /// Thoughts are reported separately from the output, and cached tokens within the input.
    fn usage(&mut self, body: &Value) {
        let Some(usage) = body.get("usageMetadata") else { return };
        let counts = &mut self.answer.counts;
        let prompt = count(usage, &["promptTokenCount"]);
        let of_tools = count(usage, &["toolUsePromptTokenCount"]).unwrap_or(0);
        counts.input = prompt.map(|prompt| prompt.saturating_add(of_tools)).or(counts.input);
        counts.cached = count(usage, &["cachedContentTokenCount"]).unwrap_or(counts.cached);
        counts.reasoning = count(usage, &["thoughtsTokenCount"]).unwrap_or(counts.reasoning);
        counts.total = count(usage, &["totalTokenCount"]).or(counts.total);
        let candidates = count(usage, &["candidatesTokenCount"]);
        if candidates.is_some() || counts.reasoning > 0 {
            counts.output = Some(candidates.unwrap_or(0).saturating_add(counts.reasoning));
        }
    }
}

fn with_message(reason: String, message: Option<&str>) -> String {
    match message {
        Some(message) => format!("{reason}: {message}"),
        None => reason,
    }
}

/// The zero value of the enum, in Gemini and in Vertex AI, names no reason.
fn is_block(reason: &str) -> bool {
    !matches!(reason, "BLOCK_REASON_UNSPECIFIED" | "BLOCKED_REASON_UNSPECIFIED")
}
