//! The scanner, the grammar by which it reads tokens, whole or in parts, and how it puts the values
//! that are shown on the tape.

use std::{io, sync::Arc};

use serde::Serialize;
use serde_json::{
    Serializer, Value,
    ser::{CharEscape, CompactFormatter, Formatter},
};

use super::{
    places::{Member, PlaceId, Places},
    snapshot::{Sight, Snapshot},
    tape::{Data, Mark, Members, NodeId, SharedTape, Tape},
};
use crate::{
    reading::{
        parse::number,
        shape::{kind, kinds_of},
    },
    vocabulary::{
        digits,
        tokens::{Bracket, Event, Role, Token, Tokenizer, Walk, is_plain},
    },
};

/// Scans one value.
#[derive(Debug)]
pub(crate) struct Scanner {
    state: ScanState,
    tape: Arc<SharedTape>,
    mark: Mark,
    /// Bytes of all earlier deltas.
    bytes: usize,
    /// Where the scanner stopped; `None` if it waits for more.
    pub(crate) end: Option<ScanEnd>,
}

/// Where a scanner stopped, in bytes from the start of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanEnd {
    /// After the value; for a scalar, after the text.
    Complete(usize),
    /// At a byte that is not strict JSON.
    NotStrict(usize),
}

impl Scanner {
    /// A scanner of a value with at most `max_depth` levels of brackets.
    pub(crate) fn new(places: Places, max_depth: usize) -> Self {
        let state = ScanState::new(places, max_depth);
        Self { state, tape: Arc::default(), mark: Mark::default(), bytes: 0, end: None }
    }

    /// A scanner of another value of the same schema.
    pub(crate) fn of_another(&self, max_depth: usize) -> Self {
        Self::new(self.state.places.restarted(), max_depth)
    }

    /// Reads the next part of the text. Anything after the end of the value is ignored.
    pub(crate) fn push(&mut self, delta: &str) {
        self.push_item(delta, usize::MAX);
    }

    /// Like [`push`](Self::push), but stops after the comma that follows an element of a list at
    /// `levels` open brackets, the list's own included. Returns how many bytes were read.
    pub(crate) fn push_item(&mut self, delta: &str, levels: usize) -> usize {
        if self.end.is_some() {
            return delta.len();
        }
        let mut tape = self.tape.write();
        let mut at = 0;
        // Most deltas are from the middle of a string.
        if let Some(node) = self.state.plain_string().filter(|_| is_plain(delta)) {
            tape.append(node, delta);
            at = delta.len();
        }
        while at < delta.len() {
            if self.state.step(delta, &mut at, &mut tape) == Err(NotStrict) {
                self.end = Some(ScanEnd::NotStrict(self.bytes + at));
                break;
            }
            if self.state.is_complete() {
                self.end = Some(ScanEnd::Complete(self.bytes + at));
                break;
            }
            if self.state.is_between_items(levels) {
                break;
            }
        }
        let read = if self.end.is_some() { delta.len() } else { at };
        self.bytes += read;
        self.mark = tape.mark();
        read
    }

    /// Forgets the elements before the last comma read, if that comma separates elements of a list
    /// at `levels` open brackets. Earlier snapshots must not be used again.
    pub(crate) fn forget_items(&mut self, levels: usize) {
        if self.state.is_between_items(levels)
            && let Some(list) = self.state.walk.innermost().and_then(|open| open.node)
        {
            let mut tape = self.tape.write();
            tape.forget_items(list);
            self.mark = tape.mark();
        }
    }

    /// Marks the end of the text. It completes only a scalar that is the whole value.
    pub(crate) fn finish(&mut self) {
        if self.end.is_some() {
            return;
        }
        let mut tape = self.tape.write();
        self.end = match self.state.finish(&mut tape) {
            Ok(()) if self.state.is_complete() => Some(ScanEnd::Complete(self.bytes)),
            Ok(()) => None,
            Err(NotStrict) => Some(ScanEnd::NotStrict(self.bytes)),
        };
        self.mark = tape.mark();
    }

    /// Returns whether it met something that is not strict JSON.
    pub(crate) fn is_stuck(&self) -> bool {
        matches!(self.end, Some(ScanEnd::NotStrict(_)))
    }

    /// The value so far; `None` before it starts.
    pub(crate) fn sight(&self) -> Option<Sight<'_>> {
        (self.mark != Mark::default()).then(|| Snapshot::new(&self.tape, self.mark))
    }

    /// The same, as an owned snapshot.
    #[cfg(test)]
    pub(super) fn snapshot(&self) -> Option<Snapshot> {
        self.sight().map(Sight::kept)
    }
}

/// Not strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NotStrict;

/// How far the scanner has come.
#[derive(Debug)]
struct ScanState {
    pub(super) places: Places,
    pub(super) max_depth: usize,
    pub(super) tokens: Tokenizer,
    /// The open lists and objects.
    pub(super) walk: Walk<Open>,
    /// Where the next value belongs.
    pub(super) slot: Slot,
    /// How the current token is collected.
    pub(super) stage: Stage,
    /// A key, a word, or a string that is not shown yet.
    pub(super) token: String,
    /// A scalar that has ended but is not final until strict JSON follows: `2024` may become a
    /// date, and its closing quote may be part of a string.
    pub(super) ended: Option<NodeId>,
}

#[derive(Debug)]
struct Open {
    /// `None` inside a part that is not shown.
    pub(super) node: Option<NodeId>,
    pub(super) place: Option<PlaceId>,
    pub(super) count: usize,
    /// Whether some part may still change.
    pub(super) is_unsure: bool,
}

/// Where a value belongs.
#[derive(Debug)]
struct Slot {
    /// `None` if the value is not shown.
    pub(super) place: Option<PlaceId>,
    /// The value, once it has started.
    pub(super) node: Option<NodeId>,
}

/// How a token is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Off the tape, until it has more than this many bytes.
    Short(usize),
    /// Off the tape, until it is complete.
    Held,
    /// On the tape.
    Shown,
}

impl ScanState {
    pub(super) fn new(places: Places, max_depth: usize) -> Self {
        let slot = Slot { place: Some(places.root()), node: None };
        let (tokens, walk, token) = (Tokenizer::default(), Walk::default(), String::new());
        Self { places, max_depth, tokens, walk, slot, stage: Stage::Held, token, ended: None }
    }

    /// Returns whether the value is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.walk.is_complete() && self.ended.is_none()
    }

    /// Returns whether the last token was a comma of a list at `levels` open brackets.
    pub(super) fn is_between_items(&self, levels: usize) -> bool {
        self.walk.is_between_items(levels) && !self.tokens.is_in_token()
    }

    /// Handles the end of the text. It completes only a scalar that is the whole value.
    pub(super) fn finish(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        if self.walk.open().is_empty() {
            if self.tokens.is_in_token() && !self.tokens.is_in_string() {
                self.end_word(tape)?;
            }
            if self.walk.is_complete() {
                self.settle(tape);
            }
        }
        Ok(())
    }

    /// Marks the last scalar as final, because strict JSON follows it.
    fn settle(&mut self, tape: &mut Tape) {
        if let Some(node) = self.ended.take() {
            tape.is_done(node);
        }
    }

    /// The string on the tape to which plain text is appended as it is, if the scanner is inside
    /// one.
    fn plain_string(&self) -> Option<NodeId> {
        self.slot.node.filter(|_| self.stage == Stage::Shown && self.tokens.is_in_plain_string())
    }

    /// Reads one token, or its part in `delta`.
    #[inline]
    pub(super) fn step(&mut self, delta: &str, at: &mut usize, tape: &mut Tape) -> Result<(), NotStrict> {
        let shown = self.slot.node.filter(|_| self.stage == Stage::Shown && self.tokens.is_in_string());
        let event = match shown {
            Some(node) => tape.write(node, |text| self.tokens.next(delta, at, text)),
            None => self.tokens.next(delta, at, &mut self.token),
        };
        if let (Stage::Short(bytes), Some(node)) = (self.stage, self.slot.node)
            && self.token.len() > bytes
        {
            self.stage = Stage::Shown;
            tape.begin_string(node, true);
            tape.append(node, &self.token);
        }
        let Some(event) = event else { return Ok(()) };
        // Any other word is not shown as a value that has started: `[...]` has none.
        let may_be_value = |byte| matches!(byte, b'-' | b'0'..=b'9' | b't' | b'f' | b'n');
        if event == Event::Start(Token::Word) && !may_be_value(delta.as_bytes()[*at]) {
            return Err(NotStrict);
        }
        // A sign or a quote belongs to the part that is not strict.
        let is_sign =
            matches!(event, Event::Sign(_) | Event::Start(Token::String) | Event::End(Token::String));
        self.read(event, tape).inspect_err(|_| *at -= usize::from(is_sign))
    }

    fn read(&mut self, event: Event, tape: &mut Tape) -> Result<(), NotStrict> {
        match event {
            Event::Sign(sign) => self.sign(sign, tape),
            Event::Start(token) => match self.walk.role(token) {
                Some(Role::Scalar) => {
                    self.begin(token, tape);
                    Ok(())
                }
                Some(Role::Key) if token == Token::String => {
                    self.token.clear();
                    self.stage = Stage::Held;
                    Ok(())
                }
                _ => Err(NotStrict),
            },
            Event::End(token) => match (self.walk.role(token), token) {
                (Some(Role::Key), _) => self.end_key(tape),
                (_, Token::String) => {
                    self.end_string(tape);
                    Ok(())
                }
                _ => self.end_word(tape),
            },
            Event::Flaw(_) | Event::Other => Err(NotStrict),
        }
    }

    fn sign(&mut self, sign: u8, tape: &mut Tape) -> Result<(), NotStrict> {
        match self.walk.role(Token::Sign(sign)).ok_or(NotStrict)? {
            Role::Open(bracket) => return self.open(bracket, tape),
            Role::Close { is_after_comma: true } => return Err(NotStrict),
            Role::Close { .. } => {
                self.settle(tape);
                self.close(tape);
            }
            Role::Comma => {
                self.settle(tape);
                self.walk.pass(Role::Comma);
                if matches!(self.walk.open().last(), Some((Bracket::List, _))) {
                    self.next_item();
                }
            }
            role => self.walk.pass(role),
        }
        Ok(())
    }

    /// Starts the scalar that `token` is.
    pub(super) fn begin(&mut self, token: Token, tape: &mut Tape) {
        self.put(Data::Unknown, tape);
        let shown_from = || self.slot.place.and_then(|place| self.places.shown_from(place));
        let shown_from = (token == Token::String).then(shown_from).flatten();
        self.stage = shown_from.map_or(Stage::Held, Stage::Short);
    }

    /// Puts a value into its slot. The token, which may be its key, is free afterwards.
    fn put(&mut self, data: Data, tape: &mut Tape) {
        let around = self.walk.open().last().map(|(bracket, open)| (*bracket, open.node));
        self.slot.node = match (self.slot.place, around) {
            (None, _) | (_, Some((_, None))) => None,
            (Some(_), None) => Some(tape.begin(data)),
            (Some(_), Some((bracket, Some(parent)))) => {
                let node = tape.begin(data);
                match bracket {
                    Bracket::List => tape.push_item(parent, node),
                    Bracket::Object => tape.push_member(parent, &self.token, node),
                }
                Some(node)
            }
        };
        self.token.clear();
    }

    pub(super) fn open(&mut self, bracket: Bracket, tape: &mut Tape) -> Result<(), NotStrict> {
        if self.walk.open().len() >= self.max_depth {
            return Err(NotStrict);
        }
        let place = self.slot.place.filter(|place| self.places.admits(*place, bracket));
        let data = match (place, bracket) {
            (None, _) => Data::Unknown,
            (_, Bracket::List) => Data::List(Box::default()),
            (_, Bracket::Object) => Data::Object(Members::default()),
        };
        self.put(data, tape);
        let is_unsure = self.slot.place.is_some() && place.is_none();
        let node = self.slot.node.filter(|_| place.is_some());
        self.walk.enter(bracket, Open { node, place, count: 0, is_unsure });
        if bracket == Bracket::List {
            self.next_item();
        }
        Ok(())
    }

    pub(super) fn close(&mut self, tape: &mut Tape) {
        let Some(closed) = self.walk.leave() else { return };
        // An object in which nothing is known may turn out to be something else.
        let is_strange = |node| closed.count > 0 && tape.is_empty_object(node);
        let is_unsure = closed.is_unsure || closed.node.is_some_and(is_strange);
        if let Some(node) = closed.node.filter(|_| !is_unsure) {
            tape.is_done(node);
        }
        if is_unsure {
            self.leave_unsure();
        }
        self.token.clear();
    }

    /// Marks the surrounding value as unsure, because the value that ends here may still change.
    fn leave_unsure(&mut self) {
        if let Some(around) = self.walk.innermost() {
            around.is_unsure = true;
        }
    }

    /// Prepares for the next element of the innermost list.
    pub(super) fn next_item(&mut self) {
        if let Some(list) = self.walk.innermost() {
            let place = list.place.map(|place| self.places.item(place, list.count));
            list.count += 1;
            self.slot = Slot { place, node: None };
        }
    }

    fn end_scalar(&mut self) {
        self.token.clear();
        self.walk.pass(Role::Scalar);
    }

    pub(super) fn end_key(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        let object = self.walk.innermost().ok_or(NotStrict)?;
        if object.node.is_some_and(|node| tape.has_member(node, &self.token)) {
            return Err(NotStrict);
        }
        object.count += 1;
        let member = object.place.map(|place| self.places.member(place, &self.token));
        object.is_unsure |= member == Some(Member::Unsure);
        if let (Some(Member::Ignored), Some(node)) = (member, object.node) {
            tape.hide_member(node);
        }
        self.slot = Slot { place: member.and_then(Member::place), node: None };
        self.walk.pass(Role::Key);
        Ok(())
    }

    pub(super) fn end_string(&mut self, tape: &mut Tape) {
        if let (Some(node), Some(place)) = (self.slot.node, self.slot.place) {
            if self.stage != Stage::Shown {
                tape.begin_string(node, false);
                tape.append(node, &self.token);
            }
            let is_final = self.places.is_final(place, kind::TEXT, || Value::from(tape.string(node)));
            self.end_value(is_final.then_some(node));
        }
        self.end_scalar();
    }

    /// Ends a number or a constant.
    pub(super) fn end_word(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        let data = match &*self.token {
            "true" => Data::Bool(true),
            "false" => Data::Bool(false),
            "null" => Data::Null,
            word => Data::Number(number::strict(word).ok_or(NotStrict)?),
        };
        if let (Some(node), Some(place)) = (self.slot.node, self.slot.place) {
            let is_fraction = matches!(&data, Data::Number(number) if number.is_f64());
            if is_fraction && self.places.keeps_digits(place) {
                if let Some(digits) = digits::written_out(&self.token) {
                    self.token = digits.into_owned();
                }
                self.end_string(tape);
                return Ok(());
            }
            let value = match &data {
                Data::Bool(value) => Value::Bool(*value),
                Data::Number(number) => Value::Number(number.clone()),
                _ => Value::Null,
            };
            let is_final = self.places.is_final(place, kinds_of(&value), || value);
            tape.set(node, data);
            self.end_value(is_final.then_some(node));
        }
        self.end_scalar();
        Ok(())
    }

    /// Ends a value, which is its final `node` or may still change.
    fn end_value(&mut self, node: Option<NodeId>) {
        self.ended = node;
        if node.is_none() {
            self.leave_unsure();
        }
    }
}

/// `value` as strict JSON, without the escapes that are never meant when a model writes them.
pub(crate) fn written(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    // Every value can be written as JSON, and writing to memory does not fail.
    let is_written = value.serialize(&mut Serializer::with_formatter(&mut bytes, CodePoints)).is_ok();
    if is_written { String::from_utf8(bytes).unwrap_or_default() } else { String::new() }
}

/// Writes a backspace and a form feed as code points.
struct CodePoints;

impl Formatter for CodePoints {
    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::Backspace => writer.write_all(b"\\u0008"),
            CharEscape::FormFeed => writer.write_all(b"\\u000c"),
            escape => CompactFormatter.write_char_escape(writer, escape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backspace_and_a_form_feed_are_code_points() {
        assert_eq!(written(&"a\u{8}\u{c}\n\\b\u{1}"), r#""a\u0008\u000c\n\\b\u0001""#);
    }
}
