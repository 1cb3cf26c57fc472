//! The content of a response, in any format.

use extract::{
    agent::{FinishReason, Reply, Request, ToolCall, provider::checked_name},
    metrics::ReplyOrigin,
};
use serde_json::{Value, value::RawValue};

use super::{calls_in_text, tokens::Tokens, usage::TokenCounts};
use crate::{format::WireFormat, profile::Profile};

/// The content of a response.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Thoughts that came separately from the text.
    pub(crate) thoughts: String,
    /// The stop reasons in the server's words, each once. A stream may have several, and none of them
    /// is taken back.
    pub(crate) stops: Vec<String>,
    /// The words of a refusal.
    pub(crate) refusal: Option<String>,
    pub(crate) counts: TokenCounts,
    pub(crate) calls: Vec<ToolCall>,
    /// Data that the server wants back with the calls.
    pub(crate) provider_data: Option<Value>,
    pub(crate) origin: ReplyOrigin,
    /// The cost of the reply in US dollars, if the server reports it.
    pub(crate) cost: Option<f64>,
    pub(crate) tokens: Tokens,
    /// The number of the choice that counts, if the server numbers them.
    choice: ReplyNumber,
    other_choices: usize,
    /// How many halves of characters are U+FFFD.
    pub(crate) halves: usize,
    pub(crate) end: StreamEnd,
    /// Whether a chunk had text and no stop reason, so that a reason means something.
    has_text_without_reason: bool,
    /// Whether text came with the last stop reason, and so may come after it.
    has_text_with_reason: bool,
    /// How many chunks had both.
    texts_with_reason: usize,
    /// The server's words about the end, if it is not a refusal.
    pub(crate) note: Option<String>,
    /// Whether we ended the reply, because it only repeated itself.
    pub(crate) is_repeating: bool,
}

/// How far a stream is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StreamEnd {
    #[default]
    Open,
    /// It has a stop reason, after which only its usage and an end marker can come.
    Stopped,
    /// Nothing follows any more, however long the connection stays open.
    Done,
}

/// What says that a stream without its end marker is all there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamClosing {
    /// Nothing: the connection was closed, as also by a server that breaks off.
    Unmarked,
    /// The length or the last chunk of the body, in a format without an end marker.
    Http,
    /// The same, in a format with one.
    HttpWithoutMarker,
}

/// The number of the reply that counts, among several of a server. Google omits 0.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ReplyNumber {
    #[default]
    Unknown,
    Known(u64),
    /// A reply with a lower number came after it.
    OutOfTurn,
}

const HALF: &str = "half of a character";

/// Most stop reasons of one stream before the last one.
const MOST_STOPS: usize = 8;

impl Answer {
    /// An answer with `text` alone, of the response `id` of `model`.
    pub(super) fn of_text(text: String, model: &str, id: &str) -> Self {
        let mut answer = Self { text, ..Self::default() };
        (answer.origin.model, answer.origin.response_id) = (checked_name(model), checked_name(id));
        answer
    }

    /// Returns whether the response contains nothing that a reply would.
    pub(crate) fn is_nothing(&self) -> bool {
        self.text.is_empty()
            && self.thoughts.is_empty()
            && self.calls.is_empty()
            && self.refusal.is_none()
            && self.stops.is_empty()
            && self.counts.is_nothing()
    }

    /// Reads usage in the forms of OpenAI, and the cost that OpenRouter, Perplexity, xAI and DeepInfra
    /// add.
    pub(super) fn read_usage(&mut self, usage: &Value) {
        self.counts.read_openai(usage);
        let of_perplexity = || usage.get("cost")?.get("total_cost")?.as_f64();
        let of_xai = || Some(usage.get("cost_in_usd_ticks")?.as_f64()? / 1e10);
        let named = |name: &str| usage.get(name).and_then(Value::as_f64);
        // What the caller pays the provider is not in OpenRouter's charge. Otherwise both are the same.
        let own_key = usage.get("is_byok").filter(|own| **own == true);
        let upstream =
            own_key.and_then(|_| usage.get("cost_details")?.get("upstream_inference_cost")?.as_f64());
        let of_openrouter = named("cost").map(|cost| cost + upstream.unwrap_or(0.0));
        let cost = of_openrouter.or_else(of_perplexity).or_else(of_xai).or_else(|| named("estimated_cost"));
        self.cost = cost.filter(|cost| *cost >= 0.0).or(self.cost);
    }

    /// Reads usage that is JSON as it was written.
    pub(super) fn read_raw_usage(&mut self, usage: &RawValue) {
        if let Ok(usage) = serde_json::from_str(usage.get()) {
            self.read_usage(&usage);
        }
    }

    /// Records a stop reason.
    pub(super) fn stopped(&mut self, reason: &str) {
        self.end = self.end.max(StreamEnd::Stopped);
        if !self.stops.iter().any(|known| known == reason) {
            // The last one counts, however many there are.
            self.stops.truncate(MOST_STOPS);
            self.stops.push(reason.to_owned());
        }
    }

    /// Records the stop reason under `key`, if `body` has one.
    pub(super) fn stopped_as(&mut self, body: &Value, key: &str) {
        if let Some(reason) = text_at(body, key) {
            self.stopped(reason);
        }
    }

    /// Records the stop reason of the provider behind a gateway, if any format has it: the gateway may
    /// say `stop` of a reply that was cut.
    pub(super) fn stopped_natively(&mut self, choice: &Value) {
        let native = text_at(choice, "native_finish_reason").filter(|_| !self.stops.is_empty());
        if let Some(reason) = native.filter(|reason| WireFormat::has_reason(reason)) {
            self.stopped(reason);
        }
    }

    /// Decides whether the reason of a chunk ends the stream. Some servers give one in every chunk, or in
    /// an empty one before the text, so it counts only after text without one.
    pub(super) fn settle_end(&mut self, has_reason: bool, has_text: bool) {
        let is_open = if has_reason { !self.has_text_without_reason } else { has_text };
        if is_open {
            self.end = StreamEnd::Open;
        }
        self.has_text_without_reason |= has_text && !has_reason;
        self.has_text_with_reason = has_text && has_reason;
        self.texts_with_reason += usize::from(self.has_text_with_reason);
    }

    /// Returns whether half an event at the end of a stream can have no text: its stop reason came alone, as the end of
    /// the text.
    pub(crate) fn ends_before_half_an_event(&self) -> bool {
        self.end == StreamEnd::Stopped && !self.has_text_with_reason
    }

    /// Returns whether a stream that was closed has all of the reply, also one in which a reason does not end
    /// the text. That it is all there says only its end in HTTP, if it has one. A format with an end marker may
    /// lack that in a reply of one chunk, as of gateways that only pretend to stream.
    pub(crate) fn is_whole(&self, closing: StreamClosing) -> bool {
        let is_ended = match closing {
            StreamClosing::Unmarked => false,
            StreamClosing::Http => true,
            StreamClosing::HttpWithoutMarker => self.texts_with_reason < 2,
        };
        self.end > StreamEnd::Open || is_ended && !self.stops.is_empty() && !self.has_text_without_reason
    }

    /// Returns the choice that counts among those that `body` has under `name`: the first one by
    /// number, and in a stream the first one that came. Nobody asked for others.
    pub(super) fn choice<'b>(&mut self, body: &'b mut Value, name: &str) -> Option<&'b mut Value> {
        let choices = body.get_mut(name)?.as_array_mut()?;
        let number = |choice: &Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        let first = choices.iter().map(number).min();
        self.choice = match (self.choice, first) {
            (ReplyNumber::Unknown, Some(first)) => ReplyNumber::Known(first),
            (ReplyNumber::Known(known), Some(first)) if first < known => ReplyNumber::OutOfTurn,
            (number, _) => number,
        };
        let at = choices.iter().position(|choice| self.choice == ReplyNumber::Known(number(choice)));
        self.other_choices += choices.len() - usize::from(at.is_some());
        choices.get_mut(at?)
    }

    /// Returns whether the reply with the number 0 is read, and its origin is known.
    pub(super) fn is_first_reply(&self) -> bool {
        let ReplyOrigin { model, response_id, .. } = &self.origin;
        self.choice == ReplyNumber::Known(0) && model.is_some() && response_id.is_some()
    }

    /// Returns whether the text is of a reply that came before one with a lower number.
    pub(crate) fn is_out_of_turn(&self) -> bool {
        self.choice == ReplyNumber::OutOfTurn
    }

    /// Fills in the unknown parts of the origin. Some events nest the response.
    pub(super) fn add_origin(&mut self, body: &Value) {
        let find = |keys: &[&str]| keys.iter().find_map(|key| checked_name(body.get(*key)?.as_str()?));
        let origin = &mut self.origin;
        if origin.model.is_none() {
            origin.model = find(&["model", "modelVersion"]);
        }
        if origin.response_id.is_none() {
            origin.response_id = find(&["id", "responseId", "response_id"]);
        }
        if origin.request_id.is_none() {
            let groq = || checked_name(body.get("x_groq")?.get("id")?.as_str()?);
            origin.request_id = find(&["request_id"]).or_else(groq);
        }
    }

    /// Returns whether the reply has as many tokens as its `limit` allows. Some servers do not count
    /// thoughts, so a reply with thoughts may have more.
    pub(crate) fn fills(&self, limit: u64) -> bool {
        self.thoughts.is_empty() && self.counts.output.is_some_and(|output| output >= limit)
    }

    /// Returns the reply, with notes about it.
    pub(crate) fn into_reply(mut self, profile: &Profile, request: &Request) -> Reply {
        let mut notes: Vec<_> = self.note.iter().cloned().collect();
        if self.other_choices > 0 {
            notes.push("the server sent several replies; only the first counts".to_owned());
        }
        if self.halves > 0 {
            notes.push(format!("the server sent {HALF} alone, which is U+FFFD in the reply"));
        }
        if request.tools.is_some()
            && self.calls.is_empty()
            && let Some((calls, around)) = calls_in_text::find(&self.text, request)
        {
            (self.calls, self.text) = (calls, around);
            notes.push("the server left the tool calls in the text".to_owned());
        }
        complete_ids(&mut self.calls, request);
        let is_in_thoughts =
            self.text.trim().is_empty() && self.calls.is_empty() && self.thoughts.contains(['{', '[']);
        if is_in_thoughts {
            notes.push("the reply is empty, and its JSON is in the thoughts".to_owned());
        }
        // Each format has a reason in every reply. Without one, nothing says that it is whole.
        let missing = || FinishReason::Interrupted("no stop reason".to_owned());
        let stops = self.stops.iter().map(|stop| profile.finish_reason(stop));
        let mut finish = stops.max_by_key(gravity).unwrap_or_else(missing);
        if let (FinishReason::Interrupted(reason), Some(note)) = (&mut finish, &self.note) {
            *reason = format!("{reason} ({note})");
        }
        // OpenAI's own words of a refusal come with `stop`.
        if self.refusal.is_some() && matches!(finish, FinishReason::Interrupted(_)) {
            finish = FinishReason::ContentFilter;
        }
        // Nobody wrote what is there now.
        if self.halves > 0 && finish == FinishReason::Stop {
            finish = FinishReason::Interrupted(HALF.to_owned());
        }
        let mut reply =
            Reply::new(self.text).finished(finish).with_calls(self.calls).with_origin(self.origin);
        if let Some(mut data) = self.provider_data.filter(|_| !reply.calls().is_empty()) {
            data["server"] = profile.name.into();
            reply = reply.with_provider_data(data);
        }
        if is_in_thoughts {
            reply = reply.with_answer_in_thoughts();
        }
        reply = self.refusal.into_iter().fold(reply, Reply::with_refusal);
        reply = self.counts.usage().into_iter().fold(reply, Reply::with_usage);
        notes.into_iter().fold(reply, Reply::with_note)
    }
}

/// Gives each call without an id one, by its position in the conversation. Servers refuse results without
/// ids, and Mistral takes only ids of nine letters and digits.
fn complete_ids(calls: &mut [ToolCall], request: &Request) {
    let earlier: usize = request.conversation.turns().iter().map(|turn| turn.calls().len()).sum();
    for (index, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
        call.id = format!("call{:05}", (earlier + index) % 100_000);
    }
}

/// How much a stop reason says against a reply.
fn gravity(finish: &FinishReason) -> u8 {
    match finish {
        FinishReason::ContentFilter => 3,
        FinishReason::Interrupted(_) => 2,
        FinishReason::Length => 1,
        _ => 0,
    }
}

/// Data for the server itself, marked with the format that it is in: another agent may get the
/// conversation later.
pub(super) fn provider_data(format: WireFormat, data: &Value) -> Value {
    serde_json::json!({"format": format.to_string(), "data": data})
}

/// The data of a turn that `format` wrote.
pub(super) fn own_data(format: WireFormat, turn: &extract::agent::Turn) -> Option<&Value> {
    let data = turn.provider_data()?;
    let is_own = data.get("format")?.as_str()? == format.to_string();
    data.get("data").filter(|_| is_own)
}

/// The text under `key`, if it is a text that is not empty.
pub(super) fn text_at<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// Moves the text under `key` out of `value`, without a copy.
pub(super) fn take_text(value: &mut Value, key: &str) -> Option<String> {
    match value.get_mut(key)?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}
