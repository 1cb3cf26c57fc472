//! Responses of OpenAI.

use std::collections::HashSet;

use extract::agent::{DeltaSink, Part, Role, ToolCall, Turn, provider::ProviderFailure};
use serde_json::{Map, Value, json};

use super::{
    answer::{Answer, StreamEnd, own_data, provider_data, text_at},
    calls_in_text::arguments,
    json::{item, key, string, text_member, value},
    question::{ENCRYPTED_REASONING, Question, data_url, is_file_id, is_image},
    thinking,
};
use crate::format::WireFormat;

pub(super) fn start(out: &mut Vec<u8>, question: &Question<'_>) {
    out.push(b'{');
    text_member(out, "model", question.model);
    if let Some(schema) = question.schema() {
        key(out, "text");
        out.extend_from_slice(b"{\"format\":");
        out.extend_from_slice(&schema.format);
        out.push(b'}');
    }
    if let Some(tools) = &question.request.tools {
        // Without `strict`, a tool is strict where its schema allows that.
        let tools = tools.iter().map(|tool| {
            json!({"type": "function", "name": tool.name, "description": tool.description,
                "parameters": tool.input_schema, "strict": false})
        });
        key(out, "tools");
        value(out, &tools.collect());
    }
    key(out, "input");
    out.push(b'[');
}

pub(super) fn turn(out: &mut Vec<u8>, turn: &Turn) {
    match turn.role() {
        Role::Tool => {
            for result in turn.results() {
                let output =
                    json!({"type": "function_call_output", "call_id": result.id, "output": result.text});
                item(out);
                value(out, &output);
            }
        }
        Role::Assistant if !turn.calls().is_empty() => {
            let items = own_data(WireFormat::Responses, turn).cloned().unwrap_or_else(|| {
                let said = Some(turn.said()).filter(|said| !said.is_empty());
                let said = said.map(|said| json!({"role": "assistant", "content": said}));
                let calls = turn.calls().iter().map(|call| {
                    let given = match &call.arguments {
                        Value::String(text) => text.clone(),
                        given => given.to_string(),
                    };
                    json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": given})
                });
                said.into_iter().chain(calls).collect()
            });
            for written in items.as_array().into_iter().flatten() {
                item(out);
                value(out, written);
            }
        }
        role => {
            item(out);
            out.push(b'{');
            text_member(
                out,
                "role",
                match role {
                    Role::System => "developer",
                    Role::Assistant => "assistant",
                    _ => "user",
                },
            );
            match &*turn.parts() {
                [only] if only.as_text().is_some() => text_member(out, "content", turn.text()),
                parts => {
                    key(out, "content");
                    out.push(b'[');
                    for part in parts {
                        item(out);
                        write_part(out, part);
                    }
                    out.push(b']');
                }
            }
            out.push(b'}');
        }
    }
}

fn write_part(out: &mut Vec<u8>, part: &Part) {
    if let Some(text) = part.as_text() {
        out.extend_from_slice(b"{\"type\":\"input_text\",\"text\":");
        string(out, text);
        out.push(b'}');
        return;
    }
    let kind = if is_image(part) { "input_image" } else { "input_file" };
    let mut written = json!({"type": kind});
    if kind == "input_image" {
        written["detail"] = "auto".into();
    }
    let (name, data) = match part.as_url() {
        Some(id) if is_file_id(id) => ("file_id", id.to_owned()),
        Some(url) if is_image(part) => ("image_url", url.to_owned()),
        Some(url) => ("file_url", url.to_owned()),
        None if is_image(part) => ("image_url", data_url(part)),
        None => {
            written["filename"] = part.name().unwrap_or("document").into();
            ("file_data", data_url(part))
        }
    };
    written[name] = data.into();
    value(out, &written);
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let mut members = question.sampling("top_p");
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    // Nothing here is requested again by its id.
    set("store", false.into());
    let mut include = Vec::new();
    if question.asks_encrypted_reasoning() {
        include.push(ENCRYPTED_REASONING);
    }
    if question.asks_log_probabilities() {
        include.push("message.output_text.logprobs");
    }
    if !include.is_empty() {
        set("include", include.into());
    }
    if question.is_streamed() {
        set("stream", true.into());
    }
    let mut notes = Vec::new();
    notes.extend(thinking::add(&mut members, question));
    notes.extend(question.seed_note());
    (members, notes)
}

/// Between the texts of two messages, of which neither is a part of the other's.
const BETWEEN_MESSAGES: &str = "\n";

/// The phase of a message that a model sends before it answers.
const COMMENTARY: &str = "commentary";

/// Reads a response, whole or by its events.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    pub(super) answer: Answer,
    /// The calls of a stream: the id of the item, and the name.
    calls: Vec<(String, String)>,
    /// The finished items of a stream.
    items: Vec<Value>,
    /// The ids of messages that a model sends before it answers.
    commentary: HashSet<String>,
    /// The words of a refusal in a stream.
    refusal: String,
    /// The message that the last delta of a stream belongs to: its id, or its number.
    text_item: Option<Value>,
}

impl Responses {
    pub(super) fn whole(mut self, body: Value) -> Result<Answer, ProviderFailure> {
        if body.get("output").is_none() && body.get("status").is_none() {
            return Err(ProviderFailure::garbled("the response is JSON but holds no reply"));
        }
        self.read(body);
        Ok(self.answer)
    }

    /// The last event repeats the whole response, so the others are only sent on. Some servers repeat
    /// nothing in it: then the finished items count, or the text.
    pub(super) fn event(&mut self, mut data: Value, sink: &mut DeltaSink<'_>) -> Result<(), ProviderFailure> {
        let delta = |data: &Value| text_at(data, "delta").unwrap_or_default().to_owned();
        match text_at(&data, "type").unwrap_or_default() {
            "error" => return Err(ProviderFailure::of_error(&data)),
            "response.output_text.delta" if !self.is_commentary(&data) => {
                let delta = delta(&data);
                let item = ["item_id", "output_index"].iter().find_map(|key| data.get(*key)).cloned();
                let is_next = item != self.text_item && !self.answer.text.is_empty();
                self.text_item = item;
                if is_next {
                    sink.send(BETWEEN_MESSAGES);
                    self.answer.text.push_str(BETWEEN_MESSAGES);
                }
                sink.send(&delta);
                self.answer.text.push_str(&delta);
            }
            "response.refusal.delta" => self.refusal.push_str(&delta(&data)),
            "response.output_item.added" => {
                let item = data.get("item").unwrap_or(&Value::Null);
                let text = |key: &str| text_at(item, key).unwrap_or_default().to_owned();
                if text_at(item, "type") == Some("function_call") {
                    self.calls.push((text("id"), text("name")));
                } else if text_at(item, "phase") == Some(COMMENTARY) {
                    self.commentary.insert(text("id"));
                }
            }
            "response.output_item.done" => {
                self.items.extend(data.get_mut("item").map(Value::take));
            }
            "response.function_call_arguments.delta" => {
                let id = text_at(&data, "item_id").unwrap_or_default();
                if let Some(index) = self.calls.iter().position(|(known, _)| known == id) {
                    sink.send_arguments(index, &self.calls[index].1, &delta(&data));
                }
            }
            "response.created" => {
                if let Some(response) = data.get("response") {
                    self.answer.add_origin(response);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let mut response = data.get_mut("response").map(Value::take).unwrap_or_default();
                self.answer.read_usage(response.get("usage").unwrap_or(&Value::Null));
                if let Some(failure) = ProviderFailure::find(&response) {
                    return Err(failure);
                }
                self.answer.end = StreamEnd::Done;
                let streamed = std::mem::take(&mut self.answer.text);
                let repeats =
                    response.get("output").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
                if let (false, Some(response)) = (repeats, response.as_object_mut()) {
                    response.insert("output".to_owned(), std::mem::take(&mut self.items).into());
                }
                self.read(response);
                if self.answer.text.is_empty() {
                    self.answer.text = streamed;
                }
                let refusal = std::mem::take(&mut self.refusal);
                self.answer.refusal =
                    self.answer.refusal.take().or(Some(refusal).filter(|words| !words.is_empty()));
            }
            _ => {}
        }
        Ok(())
    }

    fn is_commentary(&self, delta: &Value) -> bool {
        text_at(delta, "item_id").is_some_and(|id| self.commentary.contains(id))
    }

    fn read(&mut self, mut body: Value) {
        let answer = &mut self.answer;
        answer.add_origin(&body);
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
            answer.read_usage(usage);
        }
        let reason = body.get("incomplete_details").and_then(|details| text_at(details, "reason"));
        // The status of a message says less.
        let has_reason = reason.is_some();
        if let Some(reason) = reason.or_else(|| text_at(&body, "status")) {
            answer.stopped(reason);
        }
        let Some(Value::Array(items)) = body.get_mut("output").map(Value::take) else { return };
        for item in &items {
            match text_at(item, "type").unwrap_or_default() {
                "message" if text_at(item, "phase") == Some(COMMENTARY) => {}
                "message" => {
                    self.message(item.get("content"));
                    if !has_reason && text_at(item, "status") == Some("incomplete") {
                        self.answer.stopped("incomplete");
                    }
                }
                "reasoning" => {
                    let parts = ["summary", "content"].iter().filter_map(|key| item.get(*key)?.as_array());
                    let thoughts = parts.flatten().filter_map(|part| text_at(part, "text"));
                    self.answer.thoughts.extend(thoughts);
                }
                "function_call" => {
                    let text = |key: &str| text_at(item, key).unwrap_or_default();
                    let given = arguments(item.get("arguments").cloned());
                    let call = ToolCall::new(text("name"), given).with_id(text("call_id"));
                    self.answer.calls.push(call);
                }
                _ => {}
            }
        }
        if !self.answer.calls.is_empty() {
            // Reasoning must be sent back with the calls.
            self.answer.provider_data = Some(provider_data(WireFormat::Responses, &items.into()));
        }
    }

    fn message(&mut self, content: Option<&Value>) {
        let mut between = Some(BETWEEN_MESSAGES).filter(|_| !self.answer.text.is_empty());
        for part in content.and_then(Value::as_array).into_iter().flatten() {
            match text_at(part, "type").unwrap_or_default() {
                "output_text" => {
                    let text = text_at(part, "text").unwrap_or_default();
                    if !text.is_empty() {
                        self.answer.text.push_str(between.take().unwrap_or_default());
                    }
                    self.answer.text.push_str(text);
                    self.answer.tokens.add(part.get("logprobs"), "logprob");
                }
                "refusal" => {
                    if let Some(words) = text_at(part, "refusal") {
                        self.answer.refusal.get_or_insert_default().push_str(words);
                    }
                }
                _ => {}
            }
        }
    }
}
