//! Finds the start of the answer while the reply streams in.
//!
//! The answer starts at the first value of the wanted type after any reasoning. In prose, that
//! value must have a key of the contract. The reader, which sees the whole reply, may find a better
//! one.

use crate::reading::{
    envelope,
    locate::reasoning::{self, MARKS},
    parse::is_space,
    prose::{first_bytes, is_disclaimed, is_draft, is_outdated, last_bytes, lead, starts_like},
    scan::{PlaceId, Places},
    shape::kind::{self, JsonKinds},
};

/// Bytes of a value that are examined to decide whether it is the answer; also the most bytes of
/// the line that opens a code fence.
const LOOK: usize = 256;

/// Bytes of prose before a value in which it may be called a draft.
const MAX_SAID: usize = 256;

/// The text before the answer.
#[derive(Debug, Default)]
pub(super) struct Opening {
    /// The part that may still matter.
    text: String,
    /// The end of the prose before it.
    said: String,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, Default)]
enum Stage {
    /// Only space and reasoning so far.
    #[default]
    Start,
    /// Inside reasoning that began with this mark.
    Reasoning(&'static str),
    /// Inside a code fence after nothing but reasoning.
    Fenced,
    Prose,
}

/// Whether the answer has started.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opened {
    NotYet,
    /// It has, with this text.
    With(String),
    /// The value here is not of the wanted type, so its final form is unknown.
    Never,
}

/// The result of a look at the start of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Answer,
    /// JSON of another type.
    OtherType,
    NoAnswer,
    /// Too short to decide.
    Unclear,
}

impl Opening {
    /// Reads the next part of the text.
    pub(super) fn push(&mut self, delta: &str, places: &mut Places) -> Opened {
        self.text.push_str(delta);
        let mut at = 0;
        let opened = self.pass(&mut at, places);
        match opened {
            Some(true) => Opened::With(self.text.split_off(at)),
            Some(false) => Opened::Never,
            None => {
                self.said.extend(self.text.drain(..at));
                let kept = last_bytes(&self.said, MAX_SAID).len();
                self.said.drain(..self.said.len() - kept);
                Opened::NotYet
            }
        }
    }

    /// Skips what precedes the answer. Returns whether an answer starts at byte `at`, once that is
    /// known.
    fn pass(&mut self, at: &mut usize, places: &mut Places) -> Option<bool> {
        loop {
            let rest = &self.text[*at..];
            let text = trimmed(rest);
            let start = *at + (rest.len() - text.len());
            match self.stage {
                Stage::Reasoning(open) => {
                    let (end, is_closed) = end_of_reasoning(rest, open);
                    *at += end;
                    if !is_closed {
                        return None;
                    }
                    self.stage = Stage::Start;
                }
                Stage::Start | Stage::Fenced if text.is_empty() || may_be_mark(text) => {
                    // Do not scan this space again.
                    *at = start;
                    return None;
                }
                Stage::Start if reasoning::opening(text).is_some() => {
                    let open = reasoning::opening(text)?;
                    *at = start + open.len();
                    self.stage = Stage::Reasoning(open);
                }
                Stage::Start if text.starts_with('`') => {
                    let Some(length) = text.find('\n') else {
                        if text.len() < LOOK {
                            return None;
                        }
                        self.stage = Stage::Prose;
                        continue;
                    };
                    let is_fence = is_fence(&text[..length]);
                    self.stage = if is_fence { Stage::Fenced } else { Stage::Prose };
                    *at = if is_fence { start + length + 1 } else { start };
                }
                Stage::Start | Stage::Fenced => {
                    *at = start;
                    match look(text, places, true) {
                        Look::Answer => return Some(true),
                        Look::OtherType => return Some(false),
                        Look::Unclear if text.len() < LOOK => return None,
                        Look::Unclear | Look::NoAnswer => self.stage = Stage::Prose,
                    }
                }
                Stage::Prose => {
                    let Some(offset) = rest.find(['{', '[']) else {
                        *at = self.text.len();
                        return None;
                    };
                    *at += offset;
                    match look(&self.text[*at..], places, false) {
                        // A draft is not shown, and what comes after it is only known in the end.
                        Look::Answer => return Some(!self.calls_it_a_draft(*at)),
                        Look::OtherType => return Some(false),
                        Look::Unclear if self.text.len() - *at < LOOK => return None,
                        Look::Unclear | Look::NoAnswer => *at += 1,
                    }
                }
            }
        }
    }
}

impl Opening {
    /// Returns whether the prose before byte `at` says that the value there is not the answer.
    fn calls_it_a_draft(&self, at: usize) -> bool {
        let before = [self.said.as_str(), last_bytes(&self.text[..at], MAX_SAID)].concat();
        let before = lead(&before);
        is_draft(before) || is_outdated(before) || is_disclaimed(before)
    }
}

/// Returns where reasoning that began with `open` ends in `text`, and whether it does. If it does
/// not, the position leaves enough text to complete a closing mark.
fn end_of_reasoning(text: &str, open: &str) -> (usize, bool) {
    if let Some(end) = reasoning::closed(text, open) {
        return (end, true);
    }
    let longest = reasoning::closings(open).map(str::len).max().unwrap_or_default();
    (first_bytes(text, text.len().saturating_sub(longest)).len(), false)
}

/// Returns whether `text` may become a mark.
fn may_be_mark(text: &str) -> bool {
    let is_start = |open: &str| text.len() < open.len() && starts_like(open, text);
    MARKS.iter().any(|(open, _)| is_start(open))
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("```")
        .is_some_and(|label| label.trim().bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Examines `text`, which starts at the first byte of a value. `is_alone` says that only reasoning
/// precedes it.
fn look(text: &str, places: &mut Places, is_alone: bool) -> Look {
    let root = places.root();
    let Some(first) = text.as_bytes().first() else { return Look::Unclear };
    let inside = trimmed(text.split_at(usize::from(first.is_ascii())).1);
    let call = if *first == b'{' { look_at_call(inside, places) } else { Err(Look::NoAnswer) };
    match (first, inside.as_bytes().first()) {
        _ if call == Err(Look::Unclear) && text.len() < LOOK => Look::Unclear,
        // A call of a tool: the answer is in its arguments.
        _ if call == Ok(Look::Answer) => Look::NoAnswer,
        // Empty brackets are common in prose.
        (b'{', Some(b'}')) | (b'[', Some(b']')) if !is_alone => Look::NoAnswer,
        // If all quotes are doubled, the whole text has to be seen: `{""a"": 1}`.
        (b'{', Some(b'"')) if matches!(inside, "\"" | "\"\"") => Look::Unclear,
        (b'{', Some(b'"')) if has_doubled_quotes(inside) => Look::OtherType,
        (b'{', Some(b'"')) if is_alone && places.allows(root, kind::OBJECT) => Look::Answer,
        (b'{', _) if places.allows(root, kind::OBJECT) => look_at_key(inside, places, root),
        (b'[', _) if places.allows(root, kind::LIST) => look_at_item(inside, places, root),
        (b'{' | b'[', None) => Look::Unclear,
        (b'{', Some(b'"')) | (b'[', Some(b'{' | b'[')) => Look::OtherType,
        (byte, _) if is_alone && places.allows(root, kinds_from(*byte)) => Look::Answer,
        _ => Look::NoAnswer,
    }
}

/// Judges whether an object is a call, by its first keys: `"name": "submit", "arguments":`. `inside` is the
/// text after its bracket. `Err` where its text ends, or does not go on like that of a call.
fn look_at_call(inside: &str, places: &mut Places) -> Result<Look, Look> {
    let root = places.root();
    let mut rest = inside;
    for _ in 0..MAX_BESIDE {
        let text = past(rest, '"')?;
        let Some((key, behind)) = text.split_once('"') else {
            return Err(if envelope::may_call(text) { Look::Unclear } else { Look::NoAnswer });
        };
        if envelope::holds_arguments(key) {
            let is_asked_for = places.member(root, key).place().is_some();
            return Ok(if is_asked_for { Look::NoAnswer } else { Look::Answer });
        }
        let value = past(trimmed(behind), ':')?;
        if !envelope::stands_beside_arguments(key) {
            return Err(Look::NoAnswer);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let behind = past(trimmed(value), '"')?.trim_start_matches(is_name);
        rest = trimmed(past(trimmed(past(behind, '"')?), ',')?);
    }
    Err(Look::NoAnswer)
}

/// Returns whether `text` starts with two quotes and a name.
fn has_doubled_quotes(text: &str) -> bool {
    text.strip_prefix("\"\"").is_some_and(|name| name.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// The text after `sign`, if that comes next.
fn past(text: &str, sign: char) -> Result<&str, Look> {
    text.strip_prefix(sign).ok_or(if text.is_empty() { Look::Unclear } else { Look::NoAnswer })
}

/// Most members of a call before its arguments.
const MAX_BESIDE: usize = 4;

/// Judges the object at `place` by its first key; `inside` is the text after its bracket.
fn look_at_key(inside: &str, places: &mut Places, place: PlaceId) -> Look {
    match inside.as_bytes().first() {
        None => Look::Unclear,
        Some(b'}') => Look::Answer,
        Some(quote @ (b'"' | b'\'')) => match inside[1..].split_once(char::from(*quote)) {
            None => Look::Unclear,
            Some((key, _)) => look_at_name(key, places, place),
        },
        Some(_) => match inside.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')) {
            None => Look::Unclear,
            Some(0) => Look::NoAnswer,
            Some(end) => match trimmed(&inside[end..]).as_bytes().first() {
                None => Look::Unclear,
                Some(b':') => look_at_name(&inside[..end], places, place),
                Some(_) => Look::NoAnswer,
            },
        },
    }
}

fn look_at_name(key: &str, places: &mut Places, place: PlaceId) -> Look {
    if places.member(place, key).place().is_some() { Look::Answer } else { Look::NoAnswer }
}

/// Judges the list at `place` by its first element; `inside` is the text after its bracket.
fn look_at_item(inside: &str, places: &mut Places, place: PlaceId) -> Look {
    let item = places.item(place, 0);
    match inside.as_bytes().first() {
        None => Look::Unclear,
        Some(b']') => Look::Answer,
        Some(b'{') if places.allows(item, kind::OBJECT) => look_at_key(trimmed(&inside[1..]), places, item),
        Some(b'\'') if places.allows(item, kind::TEXT) => Look::Answer,
        Some(byte @ (b'{' | b'[')) if !places.allows(item, kinds_from(*byte)) => Look::OtherType,
        Some(byte) if places.allows(item, kinds_from(*byte)) => Look::Answer,
        Some(_) => Look::NoAnswer,
    }
}

/// The types whose values may start with `byte`.
fn kinds_from(byte: u8) -> JsonKinds {
    match byte {
        b'"' => kind::TEXT,
        b'-' | b'0'..=b'9' => kind::INTEGER | kind::NUMBER,
        b't' | b'f' => kind::BOOL,
        b'n' => kind::NULL,
        b'[' => kind::LIST,
        b'{' => kind::OBJECT,
        _ => kind::NONE,
    }
}
