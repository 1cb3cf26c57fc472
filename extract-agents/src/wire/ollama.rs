//! `/api/chat` of Ollama, which supports two things that its `/v1` lacks: the length of the
//! context, and an error where a prompt would be cut.

use extract::agent::{DeltaSink, Part, Role, ToolCall, Turn, provider::ProviderFailure};
use serde_json::{Map, Value, json};

use super::{
    answer::{Answer, StreamEnd, take_text, text_at},
    calls_in_text::{arguments, as_object},
    chat,
    json::{item, value},
    question::Question,
    thinking,
    usage::count,
};

/// The context is rounded up to a power of two of at least this many tokens, because another length
/// makes Ollama load the model again.
const SHORTEST_CONTEXT: u64 = 4_096;

/// Tokens of room for a reply without a limit.
const ROOM: u64 = 4_096;

/// Tokens that an image is counted as; models differ, from 256 to some 2,000.
const IMAGE: u64 = 2_048;

pub(super) fn start(out: &mut Vec<u8>, question: &Question<'_>) {
    chat::start_with(out, question, "format");
}

pub(super) fn turn(out: &mut Vec<u8>, turn: &Turn) {
    match turn.role() {
        Role::Tool => {
            for result in turn.results() {
                item(out);
                value(out, &json!({"role": "tool", "tool_name": result.name, "content": result.text}));
            }
        }
        Role::Assistant if !turn.calls().is_empty() => {
            let calls = turn.calls().iter();
            let calls: Value = calls
                .map(|call| json!({"function": {"name": call.name, "arguments": as_object(&call.arguments)}}))
                .collect();
            item(out);
            value(out, &json!({"role": "assistant", "content": turn.said(), "tool_calls": calls}));
        }
        role => match &*turn.parts() {
            [only] if only.as_text().is_some() => chat::message(out, role, turn.text()),
            parts => {
                let texts: Vec<_> = parts.iter().filter_map(|part| part.as_text()).collect();
                let images: Value = parts.iter().filter_map(Part::base64).collect();
                item(out);
                let role = if role == Role::System { "system" } else { "user" };
                value(out, &json!({"role": role, "content": texts.join("\n\n"), "images": images}));
            }
        },
    }
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let settings = question.settings;
    let mut options = question.sampling("top_p");
    let mut set = |name: &str, value: Value| options.insert(name.to_owned(), value);
    set("num_ctx", settings.context_length.map_or_else(|| context(question), u64::from).into());
    if let Some(seed) = settings.seed {
        set("seed", seed.into());
    }
    let mut members = Map::new();
    if question.asks_log_probabilities() {
        members.insert("logprobs".to_owned(), true.into());
    }
    // Without this, it streams.
    members.insert("stream".to_owned(), question.is_streamed().into());
    // Without this, a prompt that is too long is cut in the middle, with HTTP 200.
    members.insert("truncate".to_owned(), false.into());
    // Without this, a reply that reaches the end of the context goes on without the beginning of the
    // prompt.
    members.insert("shift".to_owned(), false.into());
    members.insert("options".to_owned(), options.into());
    let note = thinking::add(&mut members, question);
    (members, note.into_iter().collect())
}

/// The length of the context that the question needs with its reply, in tokens. A token has at least
/// two and a half bytes in nearly all texts, and three in a script with three bytes a character.
fn context(question: &Question<'_>) -> u64 {
    let request = question.request;
    let (mut bytes, mut images) = (0, 0);
    for turn in request.conversation.turns() {
        bytes += turn.text().len() as u64 + 16;
        images += turn.parts().iter().filter(|part| part.as_text().is_none()).count() as u64;
    }
    for tool in request.tools.iter().flat_map(|tools| tools.iter()) {
        bytes += (tool.description.len() + tool.input_schema.to_string().len()) as u64;
    }
    let prefill = request.prefill.as_ref().map_or(0, |prefill| prefill.len() as u64);
    let room = request.max_output_tokens.map_or(ROOM, u64::from);
    let tokens = (bytes + prefill).saturating_mul(2) / 5 + images * IMAGE + room;
    tokens.max(SHORTEST_CONTEXT).checked_next_power_of_two().unwrap_or(tokens)
}

/// Reads a reply, whole or line by line.
#[derive(Debug, Default)]
pub(crate) struct Ollama {
    pub(super) answer: Answer,
}

impl Ollama {
    pub(super) fn whole(mut self, mut body: Value) -> Result<Answer, ProviderFailure> {
        if body.get("message").is_none() && body.get("done").is_none() {
            return Err(ProviderFailure::garbled("the response is JSON but holds no reply"));
        }
        self.read(&mut body, &mut |_| {});
        if self.answer.end == StreamEnd::Open {
            return Err(ProviderFailure::garbled("the response is a reply that is not done"));
        }
        Ok(self.answer)
    }

    pub(super) fn event(&mut self, mut data: Value, sink: &mut DeltaSink<'_>) {
        let known = self.answer.calls.len();
        self.read(&mut data, &mut |text| sink.send(text));
        for (index, call) in self.answer.calls.iter().enumerate().skip(known) {
            sink.send_arguments(index, &call.name, &call.arguments.to_string());
        }
    }

    pub(super) fn end(self) -> Answer {
        self.answer
    }

    fn read(&mut self, body: &mut Value, send: &mut dyn FnMut(&str)) {
        let answer = &mut self.answer;
        answer.add_origin(body);
        answer.counts.input = count(body, &["prompt_eval_count"]).or(answer.counts.input);
        answer.counts.output = count(body, &["eval_count"]).or(answer.counts.output);
        if body.get("done").is_some_and(|done| done == true) {
            answer.end = StreamEnd::Done;
            answer.counts.fill_omitted_zero();
            // Versions before 0.1.45 give no reason, and constrain nothing to a schema.
            answer.stopped_as(body, "done_reason");
        }
        answer.tokens.add(body.get("logprobs"), "logprob");
        let Some(message) = body.get_mut("message") else { return };
        answer.thoughts.push_str(text_at(message, "thinking").unwrap_or_default());
        if let Some(text) = take_text(message, "content") {
            send(&text);
            if answer.text.is_empty() { answer.text = text } else { answer.text.push_str(&text) }
        }
        for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
            let id = take_text(call, "id").unwrap_or_default();
            let Some(function) = call.get_mut("function") else { continue };
            let name = take_text(function, "name").unwrap_or_default();
            let given = arguments(function.get_mut("arguments").map(Value::take));
            answer.calls.push(ToolCall::new(name, given).with_id(id));
        }
    }
}
