//! Chat Completions: OpenAI's, and all compatible servers.

use extract::agent::{DeltaSink, Part, Role, ToolCall, Turn, provider::ProviderFailure};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{
    answer::{Answer, own_data, provider_data, take_text, text_at},
    calls_in_text::arguments,
    json::{item, key, string, text_member, value},
    plain_chat::plain_delta,
    question::{Question, data_url, is_file_id, is_image},
    thinking,
};
use crate::{
    events::Brackets,
    format::WireFormat,
    profile::{DocumentForm, Prefill, Profile},
};

/// Thoughts that a server wants back with the calls that they led to: `reasoning_content` of DeepSeek
/// and Kimi (<https://api-docs.deepseek.com/guides/thinking_mode>, 2026), `reasoning_details` of
/// OpenRouter (<https://openrouter.ai/docs/use-cases/reasoning-tokens>, 2026).
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning_details"];

/// What Gemini's compatible interface wants back with each call
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>, 2026).
const EXTRA: &str = "extra_content";

pub(super) fn start(out: &mut Vec<u8>, question: &Question<'_>) {
    start_with(out, question, "response_format");
}

/// The start of a request up to its messages, with the schema under `schema_key`.
pub(super) fn start_with(out: &mut Vec<u8>, question: &Question<'_>, schema_key: &str) {
    out.push(b'{');
    text_member(out, "model", question.model);
    if let Some(schema) = question.schema() {
        key(out, schema_key);
        out.extend_from_slice(&schema.format);
    }
    if let Some(tools) = &question.request.tools {
        let tools = tools.iter().map(|tool| {
            let function =
                json!({"name": tool.name, "description": tool.description, "parameters": tool.input_schema});
            json!({"type": "function", "function": function})
        });
        key(out, "tools");
        value(out, &tools.collect());
    }
    key(out, "messages");
    out.push(b'[');
}

/// A message with text only.
pub(super) fn message(out: &mut Vec<u8>, role: Role, text: &str) {
    item(out);
    out.push(b'{');
    text_member(out, "role", name(role));
    text_member(out, "content", text);
    out.push(b'}');
}

fn name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

pub(super) fn turn(out: &mut Vec<u8>, turn: &Turn, profile: &Profile) {
    match turn.role() {
        Role::Tool => {
            for result in turn.results() {
                item(out);
                value(out, &json!({"role": "tool", "tool_call_id": result.id, "content": result.text}));
            }
        }
        Role::Assistant if !turn.calls().is_empty() => {
            item(out);
            let content = Some(turn.said()).filter(|said| !said.is_empty());
            let data = own_data(WireFormat::ChatCompletions, turn).filter(|_| is_of(profile, turn));
            let kept = |name: &str| data.and_then(|data| data.get(name));
            let mut calls: Vec<_> = turn.calls().iter().map(written_call).collect();
            let extra = kept(EXTRA).and_then(Value::as_array).into_iter().flatten();
            for (call, extra) in calls.iter_mut().zip(extra).filter(|(_, extra)| !extra.is_null()) {
                call[EXTRA] = extra.clone();
            }
            let mut message = json!({"role": "assistant", "content": content, "tool_calls": calls});
            for (name, thoughts) in THOUGHTS.into_iter().filter_map(|name| Some((name, kept(name)?))) {
                message[name] = thoughts.clone();
            }
            value(out, &message);
        }
        role => match &*turn.parts() {
            [only] if only.as_text().is_some() => message(out, role, turn.text()),
            parts => {
                item(out);
                out.push(b'{');
                text_member(out, "role", name(role));
                key(out, "content");
                out.push(b'[');
                for part in parts {
                    item(out);
                    write_part(out, part, profile.documents);
                }
                out.extend_from_slice(b"]}");
            }
        },
    }
}

/// Returns whether the data of `turn` is of the same server. Others of this format refuse it.
fn is_of(profile: &Profile, turn: &Turn) -> bool {
    turn.provider_data().and_then(|data| data.get("server")).is_some_and(|server| server == profile.name)
}

fn written_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        arguments => arguments.to_string(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn write_part(out: &mut Vec<u8>, part: &Part, documents: DocumentForm) {
    if let Some(text) = part.as_text() {
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
        string(out, text);
        out.push(b'}');
        return;
    }
    let part = match part.as_url() {
        Some(id) if is_file_id(id) => json!({"type": "file", "file": {"file_id": id}}),
        Some(url) => json!({"type": "image_url", "image_url": {"url": url}}),
        None if is_image(part) => json!({"type": "image_url", "image_url": {"url": data_url(part)}}),
        None => {
            let name = part.name().unwrap_or("document");
            match documents {
                DocumentForm::File => {
                    json!({"type": "file", "file": {"filename": name, "file_data": data_url(part)}})
                }
                DocumentForm::DocumentUrl => json!({"type": "document_url", "document_url": data_url(part)}),
                DocumentForm::FileUrl => {
                    json!({"type": "file_url", "file_url": {"url": part.base64()}, "file_name": name})
                }
            }
        }
    };
    value(out, &part);
}

/// The beginning of the reply, marked as each server wants it.
pub(super) fn prefill(out: &mut Vec<u8>, question: &Question<'_>, text: &str) {
    let mark = match question.profile.prefill {
        Prefill::Prefix => "prefix",
        Prefill::Partial => "partial",
        _ => return message(out, Role::Assistant, text),
    };
    item(out);
    value(out, &json!({"role": "assistant", "content": text, mark: true}));
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let profile = question.profile;
    let mut members = question.sampling("top_p");
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    if question.is_streamed() {
        set("stream", true.into());
        if profile.reports_usage_on_request {
            set("stream_options", json!({"include_usage": true}));
        }
    }
    if let (Some(seed), Some(name)) = (question.settings.seed, profile.seed) {
        set(name, seed.into());
    }
    if question.asks_log_probabilities() {
        set("logprobs", if profile.counts_log_probabilities { 1.into() } else { true.into() });
    }
    if question.schema().is_some()
        && let Some((name, extra)) = profile.with_schema
    {
        set(name, serde_json::from_str(extra).unwrap_or_default());
    }
    if question.prefill().is_some() && profile.prefill == Prefill::ContinueFinalMessage {
        set("add_generation_prompt", false.into());
        set("continue_final_message", true.into());
    }
    let mut notes = Vec::new();
    notes.extend(thinking::add(&mut members, question));
    notes.extend(thinking::turn_off_in_whole(&mut members, question));
    if profile.seed.is_none() {
        notes.extend(question.seed_note());
    }
    (members, notes)
}

/// Reads a chat completion, whole or by its chunks.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    pub(super) answer: Answer,
    calls: Vec<StreamedCall>,
    /// Whether the thoughts came as `reasoning_content`.
    has_reasoning_content: bool,
    reasoning_details: Vec<Value>,
    /// Whether text came under `delta`.
    has_deltas: bool,
    /// The usage that was read last, as it was written, if it was in a plain event.
    known_usage: String,
}

/// An unfinished tool call.
#[derive(Debug, Default)]
struct StreamedCall {
    /// The number from the server, which some omit.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    brackets: Brackets,
    state: ArgumentsState,
    extra: Value,
}

/// What is known of the arguments of a call.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ArgumentsState {
    #[default]
    Growing,
    /// They are an object.
    Whole,
    /// They are no JSON, whatever follows.
    Broken,
}

impl Chat {
    /// Returns whether a call has begun.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    pub(super) fn whole(mut self, mut body: Value) -> Result<Answer, ProviderFailure> {
        self.head(&body);
        let Some(choice) = self.answer.choice(&mut body, "choices") else {
            return Err(ProviderFailure::garbled("the response is JSON but holds no reply"));
        };
        self.answer.stopped_as(choice, "finish_reason");
        self.answer.stopped_natively(choice);
        self.read_tokens(choice);
        let mut nothing = Value::Null;
        let message = match choice.get_mut("message") {
            Some(message) => message,
            // A filter may leave nothing of it.
            None if !self.answer.stops.is_empty() => &mut nothing,
            None => return Err(ProviderFailure::garbled("the response is JSON but holds no reply")),
        };
        self.read(message, &mut |_| {});
        let mut extra = Vec::new();
        for mut call in written_calls(message) {
            let id = take_text(&mut call, "id").unwrap_or_default();
            let Some(function) = call.get_mut("function") else { continue };
            let name = take_text(function, "name").unwrap_or_default();
            let arguments = arguments(function.get_mut("arguments").map(Value::take));
            self.answer.calls.push(ToolCall::new(name, arguments).with_id(id));
            extra.push(call.get_mut(EXTRA).map(Value::take).unwrap_or_default());
        }
        Ok(self.with_data(extra))
    }

    pub(super) fn event(&mut self, mut data: Value, sink: &mut DeltaSink<'_>) {
        self.known_usage.clear();
        self.head(&data);
        let Some(choice) = self.answer.choice(&mut data, "choices") else { return };
        // Kimi reports it there when it streams.
        if let Some(usage) = choice.get("usage").filter(|usage| usage.is_object()) {
            self.answer.read_usage(usage);
        }
        let has_reason = text_at(choice, "finish_reason").is_some();
        self.answer.stopped_as(choice, "finish_reason");
        self.answer.stopped_natively(choice);
        self.read_tokens(choice);
        let known = self.answer.text.len();
        let name = if choice.get("delta").is_some_and(Value::is_object) { "delta" } else { "message" };
        let mut nothing = Value::Null;
        let delta = choice.get_mut(name).unwrap_or(&mut nothing);
        // Some servers end with the whole message again.
        let is_again = name == "message" && has_reason && self.has_deltas;
        if is_again && text_at(delta, "content") == Some(&*self.answer.text) {
            delta["content"].take();
        }
        self.has_deltas |= name == "delta" && known > 0;
        self.read(delta, &mut |text| sink.send(text));
        let calls = written_calls(delta);
        self.answer.settle_end(has_reason, self.answer.text.len() > known || !calls.is_empty());
        for mut call in calls {
            self.call(&mut call, sink);
        }
    }

    /// Takes an event that has only more text, and perhaps usage. Returns whether it is one.
    pub(super) fn plain_event(&mut self, data: &str, sink: &mut DeltaSink<'_>) -> bool {
        // Where calls are written, the other events are parts of them.
        let may_be = self.calls.is_empty() && self.answer.is_first_reply();
        let Some((text, usage)) = may_be.then(|| plain_delta(data)).flatten() else { return false };
        // Some servers repeat it in every event.
        if let Some(usage) = usage.filter(|usage| usage.get() != self.known_usage) {
            self.answer.read_raw_usage(usage);
            usage.get().clone_into(&mut self.known_usage);
        }
        self.has_deltas |= !self.answer.text.is_empty();
        sink.send(&text);
        self.answer.text.push_str(&text);
        self.answer.settle_end(false, !text.is_empty());
        true
    }

    pub(super) fn end(mut self) -> Answer {
        let calls = std::mem::take(&mut self.calls).into_iter().map(StreamedCall::finished);
        let extra;
        (self.answer.calls, extra) = calls.unzip();
        self.with_data(extra)
    }

    /// The answer with what the server wants back with the calls; `extra` has a value for each.
    fn with_data(mut self, extra: Vec<Value>) -> Answer {
        let thoughts = self.has_reasoning_content.then(|| self.answer.thoughts.clone().into());
        let details = Some(self.reasoning_details).filter(|all| !all.is_empty()).map(Value::from);
        let has_extra = extra.iter().any(|extra| !extra.is_null());
        let named =
            THOUGHTS.into_iter().zip([thoughts, details]).chain([(EXTRA, has_extra.then(|| extra.into()))]);
        let data: Map<_, _> = named.filter_map(|(name, data)| Some((name.to_owned(), data?))).collect();
        if !data.is_empty() {
            self.answer.provider_data = Some(provider_data(WireFormat::ChatCompletions, &data.into()));
        }
        self.answer
    }

    /// Model, ids and usage, which are in no choice.
    fn head(&mut self, body: &Value) {
        self.answer.add_origin(body);
        // Groq reports it in a separate member when it streams.
        let groq = || body.get("x_groq")?.get("usage");
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()).or_else(groq) {
            self.answer.read_usage(usage);
        }
    }

    fn read_tokens(&mut self, choice: &Value) {
        let Some(probabilities) = choice.get("logprobs") else { return };
        self.answer.tokens.add(probabilities.get("content"), "logprob");
        let delta = || choice.get("delta")?.get("content")?.as_str();
        self.answer.tokens.add_apart(probabilities, delta());
    }

    /// Text, refusal and thoughts of a message or a delta.
    fn read(&mut self, message: &mut Value, send: &mut dyn FnMut(&str)) {
        let answer = &mut self.answer;
        for name in ["reasoning_content", "reasoning"] {
            if let Some(thoughts) = text_at(message, name) {
                answer.thoughts.push_str(thoughts);
                self.has_reasoning_content |= name == THOUGHTS[0];
                break;
            }
        }
        let details = message.get_mut(THOUGHTS[1]).and_then(Value::as_array_mut);
        for detail in details.into_iter().flatten() {
            add_detail(&mut self.reasoning_details, detail.take());
        }
        let refusal = text_at(message, "refusal").map(str::to_owned);
        match message.get_mut("content").map(Value::take) {
            Some(Value::String(text)) => {
                send(&text);
                if answer.text.is_empty() { answer.text = text } else { answer.text.push_str(&text) }
            }
            Some(Value::Array(parts)) => {
                for part in &parts {
                    read_part(answer, part, send);
                }
            }
            // Some servers parse the JSON of the model.
            Some(object @ Value::Object(_)) => {
                let text = object.to_string();
                send(&text);
                answer.text.push_str(&text);
            }
            _ => {}
        }
        if let Some(words) = refusal {
            answer.refusal.get_or_insert_default().push_str(&words);
        }
    }

    fn call(&mut self, delta: &mut Value, sink: &mut DeltaSink<'_>) {
        let index = delta.get("index").and_then(Value::as_u64);
        let id = take_text(delta, "id").filter(|id| !id.is_empty());
        let extra = delta.get_mut(EXTRA).map(Value::take).filter(|extra| !extra.is_null());
        let mut nothing = Value::Null;
        let function = delta.get_mut("function").unwrap_or(&mut nothing);
        let name = take_text(function, "name").unwrap_or_default();
        let text = match function.get_mut("arguments").map(Value::take) {
            Some(Value::String(text)) => text,
            Some(Value::Null) | None => String::new(),
            Some(object) => object.to_string(),
        };
        let Some((place, is_copy)) = self.place(index, id.as_deref(), &name, &text) else { return };
        let call = &mut self.calls[place];
        call.index = call.index.or(index);
        call.id = id.unwrap_or(std::mem::take(&mut call.id));
        call.extra = extra.unwrap_or(call.extra.take());
        if call.name != name {
            call.name.push_str(&name);
        }
        let more = if is_copy { text.strip_prefix(&*call.arguments).unwrap_or_default() } else { &text };
        sink.send_arguments(place, &call.name, more);
        call.push(more);
    }

    /// Which call a delta belongs to, and whether it repeats that call from the start. Numbers may be
    /// missing or begin with 1, and a call may come whole in one delta. Gemini's compatible interface
    /// gives each call the number 0, LocalAI repeats one under other numbers, and LiteLLM at the end.
    fn place(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        name: &str,
        text: &str,
    ) -> Option<(usize, bool)> {
        const MOST: usize = 128;
        let of_id = id.and_then(|id| self.calls.iter().rposition(|call| call.id == id));
        let known = of_id.or_else(|| match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1).filter(|_| id.is_none()),
        });
        if let Some(known) = known {
            let call = &mut self.calls[known];
            let is_same = id.is_none() || of_id.is_some();
            // Nothing yet, as some servers write it.
            if is_same && name.is_empty() && call.arguments == "{}" && text.starts_with('{') {
                call.clear();
            }
            let is_elsewhere = index.is_some_and(|index| call.index.is_some_and(|known| known != index));
            let begins = match text.trim_start().chars().next() {
                Some('{') => call.is_whole() || is_elsewhere && !call.arguments.is_empty(),
                Some('"') => call.is_whole(),
                Some(_) => false,
                None => call.is_whole() && (!is_same || is_elsewhere && !name.is_empty()),
            };
            if !begins || of_id.is_some() && call.is_repeated(name, text) {
                return Some((known, begins));
            }
        }
        (self.calls.len() < MOST).then(|| {
            self.calls.push(StreamedCall::default());
            (self.calls.len() - 1, false)
        })
    }
}

impl StreamedCall {
    /// Adds `text` to the arguments. They are parsed once, where all brackets are closed.
    fn push(&mut self, text: &str) {
        self.brackets.push(text);
        self.arguments.push_str(text);
        if self.state == ArgumentsState::Whole && !text.trim().is_empty() {
            self.state = ArgumentsState::Broken;
        }
        let is_closed = || self.brackets.are_closed() && self.arguments.trim_end().ends_with('}');
        if self.state == ArgumentsState::Growing && is_closed() {
            let is_json = serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok();
            self.state = if is_json { ArgumentsState::Whole } else { ArgumentsState::Broken };
        }
    }

    fn clear(&mut self) {
        self.arguments.clear();
        self.state = ArgumentsState::Growing;
    }

    fn is_whole(&self) -> bool {
        self.state == ArgumentsState::Whole
    }

    /// Returns whether a delta has the arguments again, or more of them. LiteLLM encodes them twice.
    fn is_repeated(&self, name: &str, text: &str) -> bool {
        let value = |json: &str| serde_json::from_str::<Value>(json).ok();
        let text = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
        (name.is_empty() || name == self.name)
            && (text.starts_with(&self.arguments)
                || self.is_whole() && value(&self.arguments) == value(&text))
    }

    /// The call, and what the server wants back with it.
    fn finished(self) -> (ToolCall, Value) {
        let given = arguments(Some(Value::String(self.arguments)));
        (ToolCall::new(self.name, given).with_id(self.id), self.extra)
    }
}

/// Adds a detail of the thoughts, or the rest of the last one, as a stream sends it.
fn add_detail(details: &mut Vec<Value>, detail: Value) {
    let is_same = |last: &&mut Value| {
        detail.get("index").is_some()
            && ["index", "type"].iter().all(|key| last.get(*key) == detail.get(*key))
    };
    let Some(last) = details.last_mut().filter(is_same) else { return details.push(detail) };
    let Value::Object(members) = detail else { return };
    for (name, more) in members {
        match (&mut last[&name], more) {
            (_, Value::Null) => {}
            (Value::String(text), Value::String(more)) if ["text", "summary", "data"].contains(&&*name) => {
                text.push_str(&more);
            }
            (known, more) => *known = more,
        }
    }
}

/// The calls in a message or a delta. Older servers have one, and call it `function_call`.
fn written_calls(message: &mut Value) -> Vec<Value> {
    if let Some(Value::Array(calls)) = message.get_mut("tool_calls").map(Value::take) {
        return calls;
    }
    let older = message.get_mut("function_call").map(Value::take).filter(Value::is_object);
    older.map(|function| json!({"function": function})).into_iter().collect()
}

/// A part of a content in parts, as Mistral sends them for thoughts. Cohere's thoughts are one text.
fn read_part(answer: &mut Answer, part: &Value, send: &mut dyn FnMut(&str)) {
    match part.get("type").and_then(Value::as_str) {
        Some("refusal") => {
            if let Some(words) = text_at(part, "refusal") {
                answer.refusal.get_or_insert_default().push_str(words);
            }
        }
        Some("thinking") => {
            answer.thoughts.push_str(text_at(part, "thinking").unwrap_or_default());
            for thought in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
                answer.thoughts.push_str(text_at(thought, "text").unwrap_or_default());
            }
        }
        Some("reasoning") => answer.thoughts.push_str(text_at(part, "text").unwrap_or_default()),
        _ => {
            let text = text_at(part, "text").unwrap_or_default();
            send(text);
            answer.text.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_whole_from_their_last_bracket_until_more_than_white_space_follows() {
        let mut call = StreamedCall::default();
        for (text, is_whole) in [
            ("{\"a\": ", false),
            ("\"}\"", false),
            ("}", true),
            (" \n", true),
            ("{", false),
            ("}", false),
            (" ", false),
        ] {
            call.push(text);
            assert_eq!(call.is_whole(), is_whole, "{}", call.arguments);
        }
        call.clear();
        call.push("{}");
        assert!(call.is_whole());
    }
}
