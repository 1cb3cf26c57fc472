//! The grammar of JSON, read one token, or part of a token, at a time.

use super::{
    guide::{Bracket, Guide},
    tape::{Data, NodeId, Tape},
    token::{NotStrict, NumberToken, StringToken, Word},
};
use crate::digits;

/// Where in the grammar the scanner is.
#[derive(Debug)]
pub(super) struct ScanState<G: Guide> {
    pub(super) guide: G,
    pub(super) max_depth: usize,
    /// The open lists and objects.
    pub(super) open: Vec<Open<G::Place>>,
    pub(super) expected: Expected,
    /// Where the next value belongs.
    pub(super) slot: Slot<G::Place>,
    /// A key, a number, or a string that is not shown yet.
    pub(super) token: String,
    /// A scalar that has ended but is not final until strict JSON follows: `2024` may become a
    /// date, and its closing quote may be part of a string.
    pub(super) ended: Option<NodeId>,
}

#[derive(Debug)]
pub(super) struct Open<P> {
    pub(super) bracket: Bracket,
    /// `None` inside a part that is not shown.
    pub(super) node: Option<NodeId>,
    pub(super) place: Option<P>,
    pub(super) count: usize,
    /// Whether some part may still change.
    pub(super) is_unsure: bool,
}

/// Where a value belongs.
#[derive(Debug)]
pub(super) struct Slot<P> {
    /// `None` if the value is not shown.
    pub(super) place: Option<P>,
    /// The value, once it has started.
    pub(super) node: Option<NodeId>,
}

#[derive(Debug)]
pub(super) enum Expected {
    Value,
    /// An element, or the end of an empty list.
    FirstItem,
    /// A key, or the end of an empty object.
    FirstKey,
    Key,
    InKey(StringToken),
    Colon,
    InString(StringToken, StringStage),
    InNumber(NumberToken),
    InWord(Word),
    /// A comma or the closing bracket.
    Next,
    /// The value is complete.
    Nothing,
}

/// How a string is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringStage {
    /// Off the tape, until it has more than this many bytes.
    Short(usize),
    /// Off the tape, until it is complete.
    Held,
    /// On the tape.
    Shown,
}

impl<G: Guide> ScanState<G> {
    pub(super) fn new(guide: G, max_depth: usize) -> Self {
        let slot = Slot { place: Some(guide.root()), node: None };
        let (open, expected, token) = (Vec::new(), Expected::Value, String::new());
        Self { guide, max_depth, open, expected, slot, token, ended: None }
    }

    /// Returns whether the value is complete.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.expected, Expected::Nothing) && self.ended.is_none()
    }

    /// Returns whether the last token was a comma of a list at `levels` open brackets.
    pub(super) fn is_between_items(&self, levels: usize) -> bool {
        let is_in_list = || self.open.last().is_some_and(|open| open.bracket == Bracket::List);
        matches!(self.expected, Expected::Value) && self.open.len() == levels && is_in_list()
    }

    /// Handles the end of the text. It completes only a scalar that is the whole value.
    pub(super) fn finish(&mut self, tape: &mut Tape) -> Result<(), NotStrict> {
        if self.open.is_empty() {
            if let Expected::InNumber(number) = self.expected {
                self.end_number(number, tape)?;
            }
            if matches!(self.expected, Expected::Nothing) {
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
    pub(super) fn plain_string(&self) -> Option<NodeId> {
        match &self.expected {
            Expected::InString(token, StringStage::Shown) if token.is_plain() => self.slot.node,
            _ => None,
        }
    }

    /// Reads one token, or its part in `delta`.
    #[inline]
    pub(super) fn step(&mut self, delta: &str, at: &mut usize, tape: &mut Tape) -> Result<(), NotStrict> {
        let byte = delta.as_bytes()[*at];
        match &mut self.expected {
            Expected::InString(token, stage) => {
                let node = self.slot.node;
                let is_whole = match (*stage, node) {
                    (StringStage::Shown, Some(node)) => {
                        tape.write(node, |text| token.read(delta, at, text))?
                    }
                    _ => token.read(delta, at, &mut self.token)?,
                };
                if let (StringStage::Short(bytes), Some(node)) = (*stage, node)
                    && self.token.len() > bytes
                {
                    *stage = StringStage::Shown;
                    tape.begin_string(node, true);
                    tape.append(node, &self.token);
                }
                if is_whole {
                    let stage = *stage;
                    self.end_string(stage, tape);
                }
                Ok(())
            }
            Expected::InKey(token) => {
                if token.read(delta, at, &mut self.token)? {
                    // The quote belongs to the part that is not strict.
                    *at -= 1;
                    self.end_key(tape)?;
                    *at += 1;
                }
                Ok(())
            }
            Expected::InNumber(token) => {
                if let Some(next) = token.with(byte) {
                    *token = next;
                    self.token.push(char::from(byte));
                    *at += 1;
                    return Ok(());
                }
                let number = *token;
                self.end_number(number, tape)
            }
            Expected::InWord(word) => {
                if word.read(byte)? {
                    let data = word.meaning().map_or(Data::Null, Data::Bool);
                    self.end_scalar(data, tape);
                }
                *at += 1;
                Ok(())
            }
            _ if matches!(byte, b' ' | b'\n' | b'\t' | b'\r') => {
                *at += 1;
                Ok(())
            }
            _ => {
                self.mark(byte, tape)?;
                *at += 1;
                Ok(())
            }
        }
    }

    fn end_number(&mut self, number: NumberToken, tape: &mut Tape) -> Result<(), NotStrict> {
        let number = number.end(&self.token)?;
        let keeps_digits = || self.slot.place.is_some_and(|place| self.guide.keeps_digits(place));
        if number.is_f64() && keeps_digits() {
            if let Some(digits) = digits::written_out(&self.token) {
                self.token = digits.into_owned();
            }
            self.end_string(StringStage::Held, tape);
        } else {
            self.end_scalar(Data::Number(number), tape);
        }
        Ok(())
    }

    /// Reads a byte between tokens, or the first byte of a token.
    fn mark(&mut self, byte: u8, tape: &mut Tape) -> Result<(), NotStrict> {
        match (&self.expected, byte) {
            (Expected::FirstItem, b']') | (Expected::FirstKey, b'}') => self.close(tape),
            (Expected::Value | Expected::FirstItem, _) => return self.begin(byte, tape),
            (Expected::FirstKey | Expected::Key, b'"') => {
                self.token.clear();
                self.expected = Expected::InKey(StringToken::default());
            }
            (Expected::Colon, b':') => self.expected = Expected::Value,
            (Expected::Next, _) => {
                let bracket = self.open.last().ok_or(NotStrict)?.bracket;
                if !matches!((bracket, byte), (_, b',') | (Bracket::List, b']') | (Bracket::Object, b'}')) {
                    return Err(NotStrict);
                }
                self.settle(tape);
                match (bracket, byte) {
                    (Bracket::List, b']') | (Bracket::Object, b'}') => self.close(tape),
                    (Bracket::List, _) => self.expect_item(Expected::Value),
                    (Bracket::Object, _) => self.expected = Expected::Key,
                }
            }
            _ => return Err(NotStrict),
        }
        Ok(())
    }
}
