//! Reads a response in any format.

use extract::{
    TokenUsage,
    agent::{DeltaSink, provider::ProviderFailure},
};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    answer::{Answer, StreamEnd},
    chat, converse, generate, messages, ollama,
    plain_chat::plain_answer,
    responses,
    usage::TokenCounts,
};
use crate::{
    events::{Event, LooseJson},
    format::WireFormat,
};

/// Reads a response, whole or by its events.
pub(crate) struct Collector {
    reader: FormatReader,
    /// An event that ends with half of a character, and its name. The next may have the other half.
    held: Option<(Option<String>, LooseJson)>,
}

enum FormatReader {
    Chat(chat::Chat),
    Responses(responses::Responses),
    Messages(messages::Messages),
    Generate(generate::Generate),
    Ollama(ollama::Ollama),
    Converse(converse::Converse),
}

impl Collector {
    pub(crate) fn new(format: WireFormat) -> Self {
        let reader = match format {
            WireFormat::ChatCompletions => FormatReader::Chat(chat::Chat::default()),
            WireFormat::Responses => FormatReader::Responses(responses::Responses::default()),
            WireFormat::Messages => FormatReader::Messages(messages::Messages::default()),
            WireFormat::GenerateContent => FormatReader::Generate(generate::Generate::default()),
            WireFormat::OllamaChat => FormatReader::Ollama(ollama::Ollama::default()),
            WireFormat::Converse => FormatReader::Converse(converse::Converse::default()),
        };
        Self { reader, held: None }
    }

    /// The answer in a whole body.
    pub(crate) fn whole(self, body: &[u8]) -> Result<Answer, ProviderFailure> {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        if matches!(self.reader, FormatReader::Chat(_))
            && let Some(answer) = plain_answer(body)
        {
            return Ok(answer);
        }
        let (value, halves) = match serde_json::from_slice(body) {
            Ok(value) => (value, 0),
            Err(error) => {
                let loose = LooseJson::new(std::str::from_utf8(body).unwrap_or_default());
                let value = serde_json::from_str(&loose.json).map_err(|_| not_json(body, &error))?;
                (value, loose.halves)
            }
        };
        if let Some(failure) = find_failure(&value) {
            let mut counts = TokenCounts::default();
            counts.read_openai(value.get("usage").unwrap_or(&Value::Null));
            return Err(failure.with_usage(counts.usage()));
        }
        let mut answer = match self.reader {
            FormatReader::Chat(chat) => chat.whole(value),
            FormatReader::Responses(responses) => responses.whole(value),
            FormatReader::Messages(messages) => messages.whole(value),
            FormatReader::Generate(generate) => Ok(generate.whole(value)),
            FormatReader::Ollama(ollama) => ollama.whole(value),
            FormatReader::Converse(converse) => converse.whole(value),
        }?;
        answer.halves += halves;
        if answer.is_nothing() {
            return Err(ProviderFailure::garbled("the response is JSON but holds no reply"));
        }
        Ok(answer)
    }

    /// Takes one event of a stream, and sends its text to `sink`.
    pub(crate) fn event(&mut self, event: &Event, sink: &mut DeltaSink<'_>) -> Result<(), ProviderFailure> {
        match event.data.trim() {
            _ if self.stream_end() == StreamEnd::Done => return Ok(()),
            "" => return Ok(()),
            "[DONE]" => {
                self.flush(sink)?;
                self.answer_mut().end = StreamEnd::Done;
                return Ok(());
            }
            _ => {}
        }
        let name = event.name.as_deref();
        // It has nothing, and may come between the halves of a character.
        if name == Some("ping") {
            return Ok(());
        }
        if name == Some("error") && serde_json::from_str::<IgnoredAny>(&event.data).is_err() {
            return Err(ProviderFailure::in_success(&event.data));
        }
        if let (None, None, FormatReader::Chat(chat)) = (name, &self.held, &mut self.reader)
            && chat.plain_event(&event.data, sink)
        {
            return Ok(());
        }
        if let Ok(data) = serde_json::from_str(&event.data) {
            self.flush(sink)?;
            return self.read(name, data, sink);
        }
        let mut loose = LooseJson::new(&event.data);
        if let Some((_, held)) = &mut self.held {
            held.join(&mut loose);
            self.flush(sink)?;
        }
        let may_be_joined = loose.ends_with_half();
        self.held = Some((event.name.clone(), loose));
        if may_be_joined { Ok(()) } else { self.flush(sink) }
    }

    /// Reads the event that waited for the rest of its last character.
    pub(crate) fn flush(&mut self, sink: &mut DeltaSink<'_>) -> Result<(), ProviderFailure> {
        let Some((name, LooseJson { json, halves, .. })) = self.held.take() else { return Ok(()) };
        let data = serde_json::from_str(&json).map_err(|error| {
            ProviderFailure::garbled(format!("an event of the stream is not a reply: {error}"))
        })?;
        self.answer_mut().halves += halves;
        self.read(name.as_deref(), data, sink)
    }

    fn read(
        &mut self,
        name: Option<&str>,
        data: Value,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), ProviderFailure> {
        let named = || (name == Some("error")).then(|| ProviderFailure::of_error(&data));
        if let Some(failure) = find_failure(&data).or_else(named) {
            let answer = self.answer_mut();
            answer.counts.read_openai(data.get("usage").unwrap_or(&Value::Null));
            let has_text = !(answer.text.is_empty() && answer.thoughts.is_empty());
            let has_parts = match &self.reader {
                FormatReader::Chat(chat) => chat.has_calls(),
                FormatReader::Messages(messages) => messages.has_blocks(),
                FormatReader::Converse(converse) => converse.has_blocks(),
                FormatReader::Responses(_) | FormatReader::Generate(_) | FormatReader::Ollama(_) => false,
            };
            return Err(if has_text || has_parts { failure.after_text() } else { failure });
        }
        match &mut self.reader {
            FormatReader::Chat(chat) => chat.event(data, sink),
            FormatReader::Responses(responses) => return responses.event(data, sink),
            FormatReader::Messages(messages) => messages.event(data, sink),
            FormatReader::Generate(generate) => generate.event(data, sink),
            FormatReader::Ollama(ollama) => ollama.event(data, sink),
            FormatReader::Converse(converse) => converse.event(name.unwrap_or_default(), data, sink),
        }
        Ok(())
    }

    /// The tokens that were reported so far.
    pub(crate) fn usage(&mut self) -> Option<TokenUsage> {
        self.answer_mut().counts.usage()
    }

    /// See [`Answer::ends_before_half_an_event`].
    pub(crate) fn ends_before_half_an_event(&mut self) -> bool {
        self.answer_mut().ends_before_half_an_event()
    }

    /// How far a stream is.
    pub(crate) fn stream_end(&mut self) -> StreamEnd {
        self.answer_mut().end
    }

    fn answer_mut(&mut self) -> &mut Answer {
        match &mut self.reader {
            FormatReader::Chat(chat) => &mut chat.answer,
            FormatReader::Responses(responses) => &mut responses.answer,
            FormatReader::Messages(messages) => &mut messages.answer,
            FormatReader::Generate(generate) => &mut generate.answer,
            FormatReader::Ollama(ollama) => &mut ollama.answer,
            FormatReader::Converse(converse) => &mut converse.answer,
        }
    }

    /// Returns the collected answer.
    pub(crate) fn end(self) -> Answer {
        match self.reader {
            FormatReader::Chat(chat) => chat.end(),
            FormatReader::Responses(responses) => responses.answer,
            FormatReader::Messages(messages) => messages.end(),
            FormatReader::Generate(generate) => generate.end(),
            FormatReader::Ollama(ollama) => ollama.end(),
            FormatReader::Converse(converse) => converse.end(),
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
