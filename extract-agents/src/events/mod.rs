//! Streams of events: server-sent events and lines of JSON, from bytes as they arrive.

mod brackets;
mod event;
mod frames;
mod lines;
mod loose;

use extract::agent::provider::ProviderFailure;

pub(crate) use self::{
    brackets::{Brackets, outside_strings},
    event::Event,
    lines::Lines,
    loose::LooseJson,
};
use self::{
    frames::Frames,
    lines::{LONGEST, too_long},
};

/// Reads the events of a response, in text or in binary frames.
pub(crate) enum Decoder {
    Text(Events),
    Frames(Frames),
}

impl Decoder {
    /// A decoder for a stream of the media type `kind`.
    pub(crate) fn of(kind: &str) -> Self {
        if kind == FRAMES { Self::Frames(Frames::default()) } else { Self::Text(Events::default()) }
    }

    /// Returns the next event that is complete, and removes what was read from `bytes`. `None` if more
    /// bytes are needed.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Event>, ProviderFailure> {
        match self {
            Self::Text(events) => events.next(bytes),
            Self::Frames(frames) => frames.next(bytes),
        }
    }

    /// Returns the event at the end of a stream that lacks the end of that event.
    pub(crate) fn end(self) -> Result<Option<Event>, ProviderFailure> {
        match self {
            Self::Text(events) => events.end(),
            Self::Frames(frames) => frames.end(),
        }
    }
}

/// The media type of binary frames.
pub(crate) const FRAMES: &str = "application/vnd.amazon.eventstream";

/// Reads events from bytes as they arrive, which may be cut anywhere, also within a character.
///
/// Both forms are read by one reader, as some servers send one under the name of the other. A line
/// that begins with `data`, `event`, `error`, `id` or `retry` and a colon, or with the colon of a comment, is
/// one of server-sent events (WHATWG HTML, section 9.2.6). Any other line that begins with a bracket
/// is JSON on its own, with the lines up to the last bracket: so Gemini reports an error.
#[derive(Debug, Default)]
pub(crate) struct Events {
    lines: Lines,
    /// The data of the event so far.
    data: String,
    has_data: bool,
    name: Option<String>,
    /// The lines of JSON on its own so far, and their brackets.
    json: String,
    brackets: Brackets,
}

impl Events {
    /// Returns the next event that is complete, and removes what was read from `bytes`. `None` if more
    /// bytes are needed.
    fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Event>, ProviderFailure> {
        while let Some(line) = self.lines.next(bytes)? {
            if let Some(event) = self.line(&line)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Returns the event at the end of a stream that lacks the final blank line. Such an event may
    /// be cut, so it counts only if its data is whole JSON, or the end marker.
    fn end(mut self) -> Result<Option<Event>, ProviderFailure> {
        let rest = self.lines.rest();
        let event = if rest.is_empty() { None } else { self.line(&rest)? };
        let event = event.or_else(|| self.finished());
        let is_whole = |event: &Event| event.data.trim() == "[DONE]" || is_json(&event.data);
        if self.json.is_empty() && event.as_ref().is_none_or(is_whole) {
            return Ok(event);
        }
        Err(ProviderFailure::garbled("the last event of the stream broke off: it is not a reply"))
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Event>, ProviderFailure> {
        let line =
            std::str::from_utf8(line).map_err(|_| ProviderFailure::garbled("the reply is not UTF-8"))?;
        if !self.json.is_empty() || line.starts_with(['{', '[']) {
            return self.json_line(line);
        }
        if line.is_empty() {
            return Ok(self.finished());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                if self.data.len() + value.len() > LONGEST {
                    return Err(too_long("an event"));
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => self.name = Some(value.to_owned()),
            // Of older versions of llama.cpp.
            "error" if value.starts_with('{') => {
                return Ok(Some(Event { name: Some(field.to_owned()), data: value.to_owned() }));
            }
            _ => {}
        }
        Ok(None)
    }

    fn json_line(&mut self, line: &str) -> Result<Option<Event>, ProviderFailure> {
        if self.json.len() + line.len() > LONGEST {
            return Err(too_long("an event"));
        }
        if !self.json.is_empty() {
            self.json.push('\n');
        }
        self.json.push_str(line);
        self.brackets.push(line);
        Ok(self.brackets.are_closed().then(|| Event { name: None, data: std::mem::take(&mut self.json) }))
    }

    fn finished(&mut self) -> Option<Event> {
        let (name, data) = (self.name.take(), std::mem::take(&mut self.data));
        std::mem::take(&mut self.has_data).then_some(Event { name, data })
    }
}

fn is_json(data: &str) -> bool {
    serde_json::from_str::<&serde_json::value::RawValue>(data).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events, and whether the end was whole.
    fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Result<Vec<(Option<String>, String)>, String> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for piece in pieces {
            let mut piece = piece;
            let mut next = || events.next(&mut piece).map_err(|failure| failure.message().to_owned());
            while let Some(event) = next()? {
                found.push((event.name, event.data));
            }
        }
        let last = events.end().map_err(|failure| failure.message().to_owned())?;
        found.extend(last.map(|event| (event.name, event.data)));
        Ok(found)
    }

    fn event(name: Option<&str>, data: &str) -> (Option<String>, String) {
        (name.map(str::to_owned), data.to_owned())
    }

    const STREAM: &str = "\u{feff}: hello\r\nevent: start\r\ndata: {\"a\":\r\ndata:\"ü\"}\r\n\r\n\
        id: 7\nretry: 10\n\n:\n\ndata\n\nevent: alone\n\ndata: {\"b\": 1}\n\n{\"line\": true}\n\rdata: [DONE]\r\r";

    fn expected() -> Vec<(Option<String>, String)> {
        vec![
            event(Some("start"), "{\"a\":\n\"ü\"}"),
            event(None, ""),
            event(None, "{\"b\": 1}"),
            event(None, "{\"line\": true}"),
            event(None, "[DONE]"),
        ]
    }

    #[test]
    fn a_stream_may_be_cut_at_any_byte() {
        let bytes = STREAM.as_bytes();
        assert_eq!(read([bytes]).unwrap(), expected());
        for at in 0..=bytes.len() {
            assert_eq!(read([&bytes[..at], &bytes[at..]]).unwrap(), expected(), "{at}");
        }
        assert_eq!(read(bytes.chunks(1)).unwrap(), expected());
    }

    #[test]
    fn an_event_without_the_blank_line_behind_it_counts_if_it_is_whole() {
        for whole in ["data: {\"a\": 1}", "data: {\"a\": 1}\n", "{\"a\": 1}"] {
            assert_eq!(read([whole.as_bytes()]).unwrap(), [event(None, "{\"a\": 1}")], "{whole}");
        }
        assert_eq!(read([b"data: [DONE]".as_slice()]).unwrap(), [event(None, "[DONE]")]);
        for half in ["data: {\"a\": 1", "{\"a\": 1", "data: {\"a\": {\n", "data: [DO"] {
            let error = read([half.as_bytes()]).unwrap_err();
            assert!(error.contains("broke off"), "{half}: {error}");
        }
        assert_eq!(read([b"dat".as_slice()]).unwrap(), []);
    }

    #[test]
    fn json_on_its_own_may_have_several_lines() {
        let error = "{\n  \"error\": {\n\n    \"message\": \"no } here\"\n  }\n}";
        let stream = format!("data: 1\n\n{error}\n[\n{error}\n]\ndata: 2\n\n");
        let expected =
            [event(None, "1"), event(None, error), event(None, &format!("[\n{error}\n]")), event(None, "2")];
        assert_eq!(read([stream.as_bytes()]).unwrap(), expected);
        assert_eq!(read(stream.as_bytes().chunks(1)).unwrap(), expected);
        assert_eq!(read([error.as_bytes()]).unwrap(), [event(None, error)]);
        assert!(read([&error.as_bytes()[..20]]).unwrap_err().contains("broke off"));
    }

    #[test]
    fn an_error_that_is_a_field_is_an_event() {
        let stream = b"error: {\"code\": 400}\n\nerror: no\n\ndata: [DONE]\n\n".as_slice();
        assert_eq!(read([stream]).unwrap(), [event(Some("error"), "{\"code\": 400}"), event(None, "[DONE]")]);
    }

    #[test]
    fn bytes_that_are_not_text_are_an_error() {
        assert!(read([b"data: \xE9\n\n".as_slice()]).unwrap_err().contains("UTF-8"));
    }

    #[test]
    fn neither_a_line_nor_an_event_grows_without_end() {
        let (mut events, piece) = (Events::default(), vec![b'x'; 1 << 20]);
        let error = (0..40).find_map(|_| events.next(&mut &*piece).err()).unwrap();
        assert!(error.message().contains("longer than"), "{}", error.message());
        let line = format!("data: {}\n", "x".repeat(1 << 20));
        for line in [line, format!("[{}\n", " ".repeat(1 << 20))] {
            let mut events = Events::default();
            let error = (0..40).find_map(|_| events.next(&mut line.as_bytes()).err()).unwrap();
            assert!(error.message().contains("longer than"), "{}", error.message());
        }
    }
}
