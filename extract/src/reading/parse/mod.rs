//! Parses JSON as models write it, in one pass.
//!
//! Strict JSON is read as strict JSON. Everything else is read by its surroundings, and recorded.
//! Lookahead is bounded by a constant, so parsing takes linear time.

mod closing;
mod list;
mod look;
pub(super) mod number;
mod object;
mod string;
mod word;

use std::{borrow::Cow, ops::Range};

use super::{
    keys::{Keys, UnknownValues},
    node::Node,
    receipt::{self, Note},
    slip::{Edit, Slip},
};
use crate::vocabulary::change::{ChangeKind, Loss};

pub(super) use self::{
    look::is_space,
    word::{is_one_value, keeps_argument},
};

/// A parsed value.
#[derive(Debug, Clone)]
pub(super) struct Parsed<'t> {
    pub(super) node: Node<'t>,
    pub(super) notes: Vec<Note>,
    /// Whether the text ended inside it.
    pub(super) is_cut: bool,
    /// Whether the last string lacks its closing quote, and the brackets after it were taken as the
    /// end of the value.
    pub(super) is_guessed: bool,
}

/// The start of a value.
#[derive(Debug)]
pub(super) struct Prefix<'t> {
    pub(super) node: Node<'t>,
    /// Everything that ends before this byte is final.
    pub(super) sure: usize,
    /// Where the string at the end of the text starts, if it can only grow.
    pub(super) growing: Option<usize>,
}

/// Why a value could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unreadable {
    /// More [gaps](MAX_GAPS) than in anything that was meant as JSON.
    TooBroken,
    /// More nested brackets than allowed.
    TooDeep,
    /// More values under unknown keys than in any answer.
    MostlyUnknown,
}

/// Most gaps in one value: missing brackets, keys and values, and also missing commas, colons and
/// quotes if its start does not look like JSON. A text with more is not JSON in need of repair, and
/// each gap would take many times the bytes that it represents.
const MAX_GAPS: usize = 1 << 11;

/// The surroundings of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Nothing: the text is this value alone.
    Root,
    /// The argument of a call.
    Argument,
    /// An element of a list.
    Item,
    /// The value of a key.
    Member,
    /// A key.
    Key,
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
struct Parser<'t> {
    text: &'t str,
    at: usize,
    notes: Vec<Note>,
    /// The open brackets around the current position.
    open: Vec<u8>,
    max_depth: usize,
    is_cut: bool,
    is_guessed: bool,
    /// The number of missing parts.
    gaps: usize,
    /// Whether missing commas, colons and quotes count too.
    is_doubtful: bool,
    /// Whether the current object has unquoted keys.
    has_bare_keys: bool,
    /// Whether the current value is an argument of a function, so that a bare word is a variable.
    is_in_function: bool,
    /// The keys of the contract.
    keys: Option<&'t Keys>,
    unknown: UnknownValues,
    /// The part that depends on the end of the text.
    horizon: Horizon,
    /// The repair of one sign, if that is how the text is read.
    slip: Option<Slip>,
    /// Whether each string ends at its first quote that is not escaped.
    has_clean_strings: bool,
}

/// Parses the value that starts with the bracket at byte `start` of `text`. `is_doubtful` says that
/// it may be prose.
pub(super) fn bracketed<'t>(
    text: &'t str,
    start: usize,
    max_depth: usize,
    is_doubtful: bool,
    keys: Option<&'t Keys>,
) -> Result<Parsed<'t>, Unreadable> {
    let mut parser = Parser { is_doubtful, keys, ..Parser::new(text, start, max_depth) };
    let node = parser.list_or_object()?;
    Ok(parser.finish(node))
}

/// Parses the start of a value. `text` starts with its bracket and may continue.
pub(super) fn prefix<'t>(text: &'t str, max_depth: usize, keys: &'t Keys) -> Result<Prefix<'t>, Unreadable> {
    let mut parser =
        Parser { keys: Some(keys), horizon: Horizon::of(text), ..Parser::new(text, 0, max_depth) };
    let node = parser.list_or_object()?;
    let Horizon { sure, growing, .. } = parser.horizon;
    Ok(Prefix { node, sure, growing })
}

/// Parses all of `text` from byte `start` on as one value; `None` if there is more than one or
/// none.
pub(super) fn whole(text: &str, start: usize, max_depth: usize) -> Option<Parsed<'_>> {
    let mut parser = Parser::new(text, start, max_depth);
    parser.space();
    if parser.is_text_after_comment() {
        // The comment is a heading of Markdown, and a part of the text.
        parser = Parser::new(text, look::past_space(text, start), max_depth);
    }
    let node = parser.value(Context::Root).ok()??;
    parser.space();
    let rest = parser.at;
    parser.at +=
        parser.rest().len() - parser.rest().trim_start_matches([';', ',', ' ', '\n', '\r', '\t']).len();
    if rest < parser.at {
        parser.note(ChangeKind::Comma, Loss::Lossless, rest..parser.at, "");
    }
    parser.rest().is_empty().then(|| parser.finish(node))
}

/// Parses all of `text` from byte `start` on as an object without its opening bracket, which was
/// part of the question. The text must start with a key. If the closing bracket is missing too, the
/// object was cut.
pub(super) fn unopened(text: &str, start: usize, max_depth: usize) -> Option<Parsed<'_>> {
    let mut parser = Parser::new(text, start, max_depth);
    parser.space();
    let start = parser.at;
    look::quote_at(text, start)?;
    parser.string(Context::Key)?;
    parser.space();
    if parser.is_cut || parser.peek() != Some(b':') {
        return None;
    }
    parser.at = start;
    parser.notes.clear();
    parser.note(ChangeKind::Bracket, Loss::Lossless, start..start, "{");
    let node = parser.members(start, b'{').ok()?;
    parser.space();
    parser.rest().is_empty().then(|| parser.finish(node))
}

/// Parses the value that starts at byte `start` of `text` with one sign repaired by `slip`. `None` if
/// that is not all that its brackets and commas need.
pub(super) fn repaired<'t>(
    text: &'t str,
    start: usize,
    max_depth: usize,
    slip: Slip,
    keys: Option<&'t Keys>,
) -> Option<Parsed<'t>> {
    let mut parser =
        Parser { slip: Some(slip), has_clean_strings: true, keys, ..Parser::new(text, start, max_depth) };
    parser.space();
    let is_bracket = matches!(parser.peek()?, b'[' | b'{');
    let node = is_bracket.then(|| parser.list_or_object().ok())??;
    let is_structural =
        |note: &Note| matches!(note.kind, ChangeKind::Bracket | ChangeKind::Missing | ChangeKind::Cut);
    if parser.slip.is_some() || parser.notes.iter().any(is_structural) {
        return None;
    }
    let (span, after) = slip.change();
    let kind = if matches!(after, "," | "") && !slip.is_bracket(text) {
        ChangeKind::Comma
    } else {
        ChangeKind::Bracket
    };
    parser.note(kind, Loss::Lossless, span, after);
    Some(parser.finish(node))
}

/// Returns whether `text` starts with a quote of any kind.
pub(super) fn starts_with_quote(text: &str) -> bool {
    look::quote_at(text, 0).is_some()
}

/// Where the name of a call with named arguments starts, given its bracket at byte `bracket`.
pub(super) fn keyword_call(text: &str, bracket: usize) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let before = text.as_bytes()[..bracket].iter().rev();
    let name = bracket - before.take(64).take_while(|byte| is_part(byte)).count();
    let parser = Parser::new(text, name, 0);
    parser.is_keyword_call(bracket).then_some(name)
}

/// Parses the call with named arguments at byte `start` as an object.
pub(super) fn whole_call(text: &str, start: usize, max_depth: usize) -> Option<Parsed<'_>> {
    let mut parser = Parser::new(text, start, max_depth);
    let node = parser.word(Context::Item).ok()??;
    Some(parser.finish(node))
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, at: usize, max_depth: usize) -> Self {
        Self { text, at, max_depth, ..Self::default() }
    }

    fn finish(mut self, node: Node<'t>) -> Parsed<'t> {
        if let Some(span) = look::sign_in_string(self.text, &node, &self.notes) {
            self.note(ChangeKind::Quote, Loss::Lossy, span, "");
        }
        Parsed { node, notes: self.notes, is_cut: self.is_cut, is_guessed: self.is_guessed }
    }

    /// Parses the next value; `None` if the text ends before it starts.
    fn value(&mut self, context: Context) -> Result<Option<Node<'t>>, Unreadable> {
        match self.peek() {
            None => {
                self.cut();
                Ok(None)
            }
            Some(b'{' | b'[') => self.list_or_object().map(Some),
            Some(_) => match look::quote_at(self.text, self.at) {
                Some(_) => Ok(self.text(context)),
                None => self.word(context),
            },
        }
    }

    /// Returns whether the text here is no value of JSON, and a comment is before it.
    fn is_text_after_comment(&self) -> bool {
        let is_value = || {
            let rest = self.rest().trim_end();
            matches!(self.peek(), Some(b'{' | b'[' | b'(')) || look::is_number_or_constant(rest)
        };
        let has_comment = self.notes.iter().any(|note| note.kind == ChangeKind::Comment);
        has_comment && look::quote_at(self.text, self.at).is_none() && !is_value()
    }

    /// Parses the list or the object that starts with the bracket here.
    fn list_or_object(&mut self) -> Result<Node<'t>, Unreadable> {
        if self.peek() == Some(b'[') { self.list() } else { self.object() }
    }

    fn enter(&mut self, bracket: u8) -> Result<(), Unreadable> {
        if self.open.len() >= self.max_depth {
            return Err(Unreadable::TooDeep);
        }
        self.open.push(bracket);
        Ok(())
    }

    /// Returns whether a `bracket` is open.
    fn is_in(&self, bracket: u8) -> bool {
        self.open.contains(&bracket)
    }

    /// Returns whether the innermost open bracket belongs to a call.
    fn is_in_call(&self) -> bool {
        self.open.last() == Some(&b'(')
    }

    /// The byte here, as it is read.
    fn peek(&self) -> Option<u8> {
        match self.slip {
            Some(Slip { at, edit: Edit::Insert(sign) | Edit::Replace(sign), .. }) if at == self.at => {
                Some(sign)
            }
            _ => self.byte(self.at),
        }
    }

    /// Consumes the sign here.
    fn bump(&mut self) {
        match self.slip.take_if(|slip| slip.at == self.at) {
            Some(Slip { edit: Edit::Insert(_), .. }) => {}
            _ => self.at += 1,
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.rest().as_bytes().starts_with(prefix.as_bytes())
    }

    fn note(
        &mut self,
        kind: ChangeKind,
        loss: Loss,
        span: Range<usize>,
        after: impl Into<Cow<'static, str>>,
    ) {
        self.note_with(kind, loss, span, || after);
    }

    /// Like [`note`](Self::note), for a replacement that is costly to build.
    fn note_with<A: Into<Cow<'static, str>>>(
        &mut self,
        kind: ChangeKind,
        loss: Loss,
        span: Range<usize>,
        after: impl FnOnce() -> A,
    ) {
        let is_gap = match kind {
            ChangeKind::Bracket | ChangeKind::Missing => true,
            ChangeKind::Comma | ChangeKind::Colon | ChangeKind::Quote => self.is_doubtful,
            _ => false,
        };
        self.gaps += usize::from(is_gap);
        let note = Note::new(kind, loss, span);
        // A receipt does not list more, so the rest is merged.
        let is_listed = self.notes.len() < receipt::MAX_CHANGES;
        receipt::add(&mut self.notes, if is_listed { note.after(after()) } else { note });
    }

    /// Records that the text ends here, inside a value.
    fn cut(&mut self) {
        if !self.is_cut {
            self.is_cut = true;
            let end = self.text.len();
            self.note(ChangeKind::Cut, Loss::Lossy, end..end, "");
        }
    }

    /// Consumes `...` or `…`, which stands for omitted values.
    fn ellipsis(&mut self) -> bool {
        let length = if self.starts_with("...") || self.starts_with("…") { 3 } else { return false };
        self.note(ChangeKind::Ellipsis, Loss::Lossy, self.at..self.at + length, "");
        self.at += length;
        true
    }
}

// How much of a value is certain while its text may continue.
//
// The parse at a position depends on the text before it and on a lookahead over a bounded number
// of bytes, not counting whitespace. Anything that ends [`LOOK`] bytes before the end of the text
// is therefore read the same whatever follows. Only reads that run to the end of the text (a
// string without its closing quote, words) or backtrack from there report it themselves.

/// Bytes, not counting whitespace, that must follow a certain part: more than twice one lookahead,
/// because one may follow another.
const LOOK: usize = 320;

/// The state that a parser keeps for a text that may continue.
#[derive(Debug)]
struct Horizon {
    /// Decisions made beyond this byte may change with more text.
    at: usize,
    pub(super) sure: usize,
    pub(super) growing: Option<usize>,
}

impl Default for Horizon {
    /// For a text that does not continue.
    fn default() -> Self {
        Self { at: usize::MAX, sure: usize::MAX, growing: None }
    }
}

impl Horizon {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.bytes().enumerate().rev().filter(|(_, byte)| !byte.is_ascii_whitespace());
        let at = bytes.take(LOOK).last().map_or(0, |(at, _)| at);
        Self { at, sure: at, growing: None }
    }

    /// The bytes from `start` on were parsed with a look at everything before `end`.
    pub(super) fn looked(&mut self, start: usize, end: usize) {
        if end > self.at {
            self.sure = self.sure.min(start);
        }
    }

    /// The string that starts at byte `start` has no end yet.
    pub(super) fn grows(&mut self, start: usize) {
        self.growing = Some(start).filter(|start| *start <= self.at.min(self.sure));
    }
}
