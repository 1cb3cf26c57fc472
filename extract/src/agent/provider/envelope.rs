//! Takes an answer out of the object that a provider required around it.

use crate::{
    agent::{Delta, DeltaSink, Reply},
    schema::TOKENS_BEFORE,
    vocabulary::tokens::{Event, Nowhere, Tokenizer},
};

/// Maximum bytes before an answer, most of them spaces. After more, the text is something else.
const MAX_BEFORE: usize = 1_024;

/// Returns the reply reduced to the answer, if it is the object that
/// [`Dialect::offer`](crate::schema::dialect::Dialect::offer) puts around answers that are not
/// objects ([`is_enveloped`](crate::schema::dialect::Projection::is_enveloped)). Any other reply
/// stays.
///
/// ```
/// use extract::agent::{Reply, provider::open_envelope};
///
/// assert_eq!(open_envelope(Reply::new(r#"{"answer": [8]}"#)).text(), "[8]");
/// assert_eq!(open_envelope(Reply::new("[8]")).text(), "[8]");
/// ```
pub fn open_envelope(reply: Reply) -> Reply {
    let (text, answer) = (reply.text(), opened(reply.text()));
    if answer.len() == text.len() {
        return reply;
    }
    let answer = answer.to_owned();
    reply.with_text(answer)
}

/// The answer in `text`, even if the text was cut inside the answer. Any other text is left as it
/// is. So is a cut number: without the object around it, it would look complete.
fn opened(text: &str) -> &str {
    let EnvelopeStart::EnvelopePosition(start) = beginning(text) else { return text };
    let inside = &text[start..];
    match EnvelopePosition::default().end(inside) {
        None if has_end_of_its_own(inside) => inside,
        Some(end) if inside[end..].trim_end() == "}" => inside[..end].trim_end(),
        _ => text,
    }
}

/// Returns whether the value at the start of `text` shows where it ends.
fn has_end_of_its_own(text: &str) -> bool {
    text.starts_with(['[', '{', '"'])
}

/// How much of a text comes before the answer.
enum EnvelopeStart {
    /// The whole text may come before the answer.
    NotYet,
    /// The answer starts at this byte.
    EnvelopePosition(usize),
    Other,
}

fn beginning(text: &str) -> EnvelopeStart {
    let mut rest = text.trim_start();
    for token in TOKENS_BEFORE {
        match rest.strip_prefix(token) {
            Some(after) => rest = after.trim_start(),
            None if token.starts_with(rest) && text.len() <= MAX_BEFORE => return EnvelopeStart::NotYet,
            None => return EnvelopeStart::Other,
        }
    }
    match rest {
        "" if text.len() <= MAX_BEFORE => EnvelopeStart::NotYet,
        "" => EnvelopeStart::Other,
        _ => EnvelopeStart::EnvelopePosition(text.len() - rest.len()),
    }
}

/// A position inside the answer.
#[derive(Debug, Default)]
struct EnvelopePosition {
    tokens: Tokenizer,
    /// Open brackets.
    depth: usize,
}

impl EnvelopePosition {
    /// Reads `text`. Returns the byte at which the answer ended, if it did.
    fn end(&mut self, text: &str) -> Option<usize> {
        let mut at = 0;
        while let Some(event) = self.tokens.next(text, &mut at, &mut Nowhere) {
            match event {
                Event::Sign(b'{' | b'[') => self.depth += 1,
                Event::Sign(b'}' | b']' | b',') if self.depth == 0 => return Some(at - 1),
                Event::Sign(b'}' | b']') => self.depth -= 1,
                _ => {}
            }
        }
        None
    }
}

/// Takes out the answer while the text is written.
#[derive(Debug)]
enum EnvelopeOpener {
    Before(String),
    EnvelopePosition(EnvelopePosition),
    /// In a number or a word, which is sent when it is complete.
    InWord(String),
    Behind,
    /// The text is not such an object, or has more in it.
    Other,
}

impl EnvelopeOpener {
    fn new() -> Self {
        Self::Before(String::new())
    }

    /// Passes the part of the answer in `text` to `send`.
    fn push(&mut self, text: &str, send: &mut dyn FnMut(&str)) {
        match self {
            Self::Before(before) => {
                before.push_str(text);
                let before = match beginning(before) {
                    EnvelopeStart::NotYet => return,
                    EnvelopeStart::EnvelopePosition(start) => {
                        let inside = before[start..].to_owned();
                        *self = if has_end_of_its_own(&inside) {
                            Self::EnvelopePosition(EnvelopePosition::default())
                        } else {
                            Self::InWord(String::new())
                        };
                        return self.push(&inside, send);
                    }
                    EnvelopeStart::Other => std::mem::take(before),
                };
                *self = Self::Other;
                send(&before);
            }
            Self::EnvelopePosition(inside) => match inside.end(text) {
                None => send(text),
                Some(end) if text.as_bytes()[end] == b'}' => {
                    *self = Self::Behind;
                    send(&text[..end]);
                    self.push(&text[end + 1..], send);
                }
                Some(_) => {
                    *self = Self::Other;
                    send(text);
                }
            },
            Self::InWord(word) => {
                let end = EnvelopePosition::default().end(text);
                word.push_str(&text[..end.unwrap_or(text.len())]);
                if end.is_none() && word.len() <= MAX_BEFORE {
                    return;
                }
                send(&std::mem::take(word));
                let rest = end.map_or("", |end| &text[end..]);
                let is_closed = rest.starts_with('}');
                *self = if is_closed { Self::Behind } else { Self::Other };
                self.push(&rest[usize::from(is_closed)..], send);
            }
            Self::Behind if text.trim().is_empty() => {}
            Self::Behind | Self::Other => {
                *self = Self::Other;
                send(text);
            }
        }
    }
}

/// Returns a sink that sends to `sink` the answer in the text that it gets; see [`open_envelope`].
///
/// ```
/// use extract::agent::{DeltaSink, provider::opening_envelope};
///
/// let mut text = String::new();
/// let mut sink = opening_envelope(DeltaSink::new(|delta| text.push_str(delta.text)));
/// sink.send(r#"{"answer""#);
/// sink.send(": [8]}");
/// drop(sink);
/// assert_eq!(text, "[8]");
/// ```
pub fn opening_envelope(sink: DeltaSink<'_>) -> DeltaSink<'_> {
    let (mut opener, mut is_first) = (EnvelopeOpener::new(), false);
    sink.mapped(move |delta, receive| {
        if delta.is_first {
            (opener, is_first) = (EnvelopeOpener::new(), true);
        }
        match delta.call {
            Some(_) => receive(Delta { is_first: std::mem::take(&mut is_first), ..delta }),
            None => opener.push(delta.text, &mut |text| {
                if !text.is_empty() {
                    receive(Delta { text, is_first: std::mem::take(&mut is_first), ..delta });
                }
            }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = " {\n \"answer\" : [{\"a\": \"}]\\\"\\\\\", \"é\": [1, {}]}, {}] } \n";
    const INSIDE: &str = "[{\"a\": \"}]\\\"\\\\\", \"é\": [1, {}]}, {}]";

    fn streamed<'t>(deltas: impl IntoIterator<Item = &'t str>) -> (String, Vec<bool>) {
        let (mut text, mut firsts) = (String::new(), Vec::new());
        let mut sink = opening_envelope(DeltaSink::new(|delta| {
            text.push_str(delta.text);
            firsts.push(delta.is_first);
        }));
        deltas.into_iter().for_each(|delta| sink.send(delta));
        drop(sink);
        (text, firsts)
    }

    #[test]
    fn the_answer_is_taken_out() {
        for (text, expected) in [
            (WHOLE, INSIDE),
            ("{\"answer\":1}", "1"),
            ("{\"answer\": \"one\"}", "\"one\""),
            ("{\"answer\": null }", "null"),
            ("{\"answer\": {\"answer\": 2}}", "{\"answer\": 2}"),
        ] {
            assert_eq!(opened(text), expected);
        }
    }

    #[test]
    fn an_answer_that_was_cut_is_taken_out_as_far_as_it_goes() {
        for (text, expected) in [
            ("{\"answer\": [{\"a\": 1}", "[{\"a\": 1}"),
            ("{\"answer\": [1, 2]", "[1, 2]"),
            ("{\"answer\": \"on", "\"on"),
            ("{\"answer\":", "{\"answer\":"),
            // It may have been 1200.
            ("{\"answer\": 12", "{\"answer\": 12"),
            ("{\"answer\": tru", "{\"answer\": tru"),
            ("{\"ans", "{\"ans"),
        ] {
            assert_eq!(opened(text), expected);
        }
    }

    #[test]
    fn anything_else_stays_as_it_is() {
        for text in [
            "[1, 2]",
            "",
            "Here it is: {\"answer\": 1}",
            "{\"answer\": 1, \"more\": 2}",
            "{\"answer\": 1} Is that right?",
            "{\"answer\": 1]",
            "{\"answers\": 1}",
            "{}",
        ] {
            assert_eq!(opened(text), text);
            assert_eq!(streamed([text]).0.trim().is_empty(), text.is_empty());
        }
    }

    #[test]
    fn a_streamed_answer_is_the_same_however_it_is_cut_into_deltas() {
        let chars = || WHOLE.split("").filter(|char| !char.is_empty());
        let (text, firsts) = streamed(chars());
        assert_eq!(text.trim(), INSIDE);
        assert!(firsts[0] && !firsts[1..].contains(&true));
        for at in (0..=WHOLE.len()).filter(|at| WHOLE.is_char_boundary(*at)) {
            let (before, behind) = WHOLE.split_at(at);
            assert_eq!(streamed([before, behind]).0.trim(), INSIDE, "{at}");
            if let EnvelopeStart::EnvelopePosition(_) = beginning(before) {
                assert_eq!(streamed([before]).0.trim(), opened(before).trim(), "{at}");
            }
        }
        assert_eq!(streamed("[1, 2]".split("")).0, "[1, 2]");
    }

    #[test]
    fn a_number_is_sent_when_it_is_whole() {
        assert_eq!(streamed(["{\"answer\": 1", "20"]).0, "");
        assert_eq!(streamed(["{\"answer\": 1", "20", " }\n"]).0.trim(), "120");
        assert_eq!(streamed(["{\"answer\":", "null}"]).0, "null");
    }

    #[test]
    fn endless_space_is_not_kept() {
        let (text, _) =
            streamed(std::iter::repeat_n("{      ", 1).chain(std::iter::repeat_n("        ", 1_000)));
        assert_eq!(text.len(), 8_007);
    }
}
