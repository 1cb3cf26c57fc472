//! Reads a response in any format.

use extract::agent::{DeltaSink, provider::ProviderFailure};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{answer::Answer, chat, converse, generate, messages, ollama, responses};
use crate::{events::Event, format::WireFormat};

/// Reads a response, whole or by its events.
pub(crate) enum Collector {
    Chat(chat::Chat),
    Responses(responses::Responses),
    Messages(messages::Messages),
    Generate(generate::Generate),
    Ollama(ollama::Ollama),
    Converse(converse::Converse),
}

impl Collector {
    pub(crate) fn new(format: WireFormat) -> Self {
        match format {
            WireFormat::ChatCompletions => Self::Chat(chat::Chat::default()),
            WireFormat::Responses => Self::Responses(responses::Responses::default()),
            WireFormat::Messages => Self::Messages(messages::Messages::default()),
            WireFormat::GenerateContent => Self::Generate(generate::Generate::default()),
            WireFormat::OllamaChat => Self::Ollama(ollama::Ollama::default()),
            WireFormat::Converse => Self::Converse(converse::Converse::default()),
        }
    }

    /// The answer in a whole body.
    pub(crate) fn whole(self, body: &[u8]) -> Result<Answer, ProviderFailure> {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let value: Value = serde_json::from_slice(body).map_err(|error| not_json(body, &error))?;
        if let Some(failure) = find_failure(&value) {
            return Err(failure);
        }
        let answer = match self {
            Self::Chat(chat) => chat.whole(value),
            Self::Responses(responses) => responses.whole(value),
            Self::Messages(messages) => messages.whole(value),
            Self::Generate(generate) => Ok(generate.whole(value)),
            Self::Ollama(ollama) => ollama.whole(value),
            Self::Converse(converse) => converse.whole(value),
        }?;
        if answer.is_nothing() {
            return Err(ProviderFailure::garbled("the response is JSON but holds no reply"));
        }
        Ok(answer)
    }

    /// Takes one event of a stream, and sends its text to `sink`.
    pub(crate) fn event(&mut self, event: &Event, sink: &mut DeltaSink<'_>) -> Result<(), ProviderFailure> {
        match event.data.trim() {
            "" => return Ok(()),
            "[DONE]" => {
                self.done();
                return Ok(());
            }
            _ => {}
        }
        let is_error = event.name.as_deref() == Some("error");
        if is_error && serde_json::from_str::<IgnoredAny>(&event.data).is_err() {
            return Err(ProviderFailure::in_success(&event.data));
        }
        let data: Value = serde_json::from_str(&event.data).map_err(|error| {
            ProviderFailure::garbled(format!("an event of the stream is not a reply: {error}"))
        })?;
        if let Some(failure) = find_failure(&data) {
            return Err(failure);
        }
        if is_error {
            return Err(ProviderFailure::of_error(&data));
        }
        match self {
            Self::Chat(chat) => chat.event(data, sink),
            Self::Responses(responses) => return responses.event(data, sink),
            Self::Messages(messages) => messages.event(data, sink),
            Self::Generate(generate) => generate.event(data, sink),
            Self::Ollama(ollama) => ollama.event(data, sink),
            Self::Converse(converse) => {
                converse.event(event.name.as_deref().unwrap_or_default(), data, sink);
            }
        }
        Ok(())
    }

    fn done(&mut self) {
        let answer = self.answer_mut();
        (answer.is_ended, answer.is_done) = (true, true);
    }

    /// Returns whether nothing follows any more, however long the connection stays open.
    pub(crate) fn is_done(&mut self) -> bool {
        self.answer_mut().is_done
    }

    /// Returns whether a stream reached its end marker or its stop reason.
    pub(crate) fn is_ended(&mut self) -> bool {
        self.answer_mut().is_ended
    }

    fn answer_mut(&mut self) -> &mut Answer {
        match self {
            Self::Chat(chat) => &mut chat.answer,
            Self::Responses(responses) => &mut responses.answer,
            Self::Messages(messages) => &mut messages.answer,
            Self::Generate(generate) => &mut generate.answer,
            Self::Ollama(ollama) => &mut ollama.answer,
            Self::Converse(converse) => &mut converse.answer,
        }
    }

    /// Returns the collected answer.
    pub(crate) fn end(self) -> Answer {
        match self {
            Self::Chat(chat) => chat.end(),
            Self::Responses(responses) => responses.answer,
            Self::Messages(messages) => messages.end(),
            Self::Generate(generate) => generate.end(),
            Self::Ollama(ollama) => ollama.end(),
            Self::Converse(converse) => converse.end(),
        }
    }
}

/// The error in a body or an event, or in one of a list of them, as Gemini sends it.
fn find_failure(value: &Value) -> Option<ProviderFailure> {
    let listed = value.as_array().into_iter().flatten();
    std::iter::once(value).chain(listed).find_map(ProviderFailure::find)
}

fn not_json(body: &[u8], error: &serde_json::Error) -> ProviderFailure {
    match std::str::from_utf8(body) {
        Err(_) => ProviderFailure::garbled("the reply is not UTF-8"),
        Ok(_) => ProviderFailure::garbled(format!("the response is not JSON: {error}")),
    }
}
