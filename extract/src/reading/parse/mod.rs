//! JSON as models write it, in one pass from a place in a text on.
//!
//! Whatever is strict JSON is read as strict JSON reads it. Everything else is read by what surrounds it, and written
//! down. Looking ahead is bounded by a constant, so time is linear.

mod by_key;
mod closing;
mod commas;
mod growth;
mod horizon;
mod list;
mod look;
pub(super) mod number;
mod object;
mod space;
mod string;
mod text;
mod triple;
mod word;

use std::{borrow::Cow, ops::Range};

pub(super) use self::look::is_space;

use self::horizon::Horizon;
use super::{
    keys::Keys,
    node::Node,
    note::{self, Note},
};
use crate::change::{ChangeKind, Loss};

/// What was read from a place on.
#[derive(Debug, Clone)]
pub(super) struct Parsed<'t> {
    pub(super) node: Node<'t>,
    pub(super) notes: Vec<Note>,
    /// Whether the text ended inside.
    pub(super) is_cut: bool,
    /// Whether the last string lacks its quote, and the brackets behind it were taken for those that close the value.
    pub(super) is_guessed: bool,
}

/// The start of a value.
#[derive(Debug)]
pub(super) struct Prefix<'t> {
    pub(super) node: Node<'t>,
    /// What ends up to this byte stays as it is.
    pub(super) sure: usize,
    /// Where the string starts that the text ends in, if it only grows.
    pub(super) growing: Option<usize>,
}

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unreadable {
    /// There are more [gaps](MAX_GAPS) than in anything that was meant as JSON.
    TooBroken,
    /// There are more brackets inside each other than allowed.
    TooDeep,
}

/// Brackets, keys and values of one value that may be missing; commas, colons and quotes too where not even its start
/// looks like JSON. What holds more is not JSON that needs repair, and each of them would take many times the bytes that
/// it stands for.
const MAX_GAPS: usize = 1 << 11;

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// The text is this value and nothing else.
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

#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
struct Parser<'t> {
    text: &'t str,
    at: usize,
    notes: Vec<Note>,
    /// The opening brackets around this place.
    open: Vec<u8>,
    lists: usize,
    objects: usize,
    calls: usize,
    max_depth: usize,
    is_cut: bool,
    is_guessed: bool,
    /// What was missing.
    gaps: usize,
    /// Whether commas, colons and quotes are counted too.
    is_doubtful: bool,
    /// Whether the object around this place has keys without quotes.
    has_bare_keys: bool,
    /// Those of the contract.
    keys: Option<&'t Keys>,
    /// What depends on the end of the text.
    horizon: Horizon,
}

/// The value that starts with the bracket at byte `start` of `text`; `is_doubtful` says that it may be prose.
pub(super) fn bracketed<'t>(
    text: &'t str,
    start: usize,
    max_depth: usize,
    is_doubtful: bool,
    keys: Option<&'t Keys>,
) -> Result<Parsed<'t>, Unreadable> {
    let mut parser = Parser { is_doubtful, keys, ..Parser::new(text, start, max_depth) };
    let node = match text.as_bytes().get(start) {
        Some(b'[') => parser.list(),
        _ => parser.object(),
    }?;
    Ok(parser.finish(node))
}

/// The start of the value that starts with the bracket at the first byte of `text`, which goes on.
pub(super) fn prefix<'t>(text: &'t str, max_depth: usize, keys: &'t Keys) -> Result<Prefix<'t>, Unreadable> {
    let mut parser =
        Parser { keys: Some(keys), horizon: Horizon::of(text), ..Parser::new(text, 0, max_depth) };
    let node = if text.starts_with('[') { parser.list() } else { parser.object() }?;
    let Horizon { sure, growing, .. } = parser.horizon;
    Ok(Prefix { node, sure, growing })
}

/// The value that all of `text` from byte `start` on is; `None` when there is more or nothing.
pub(super) fn whole(text: &str, start: usize, max_depth: usize) -> Option<Parsed<'_>> {
    let mut parser = Parser::new(text, start, max_depth);
    parser.space();
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

/// The object that all of `text` from byte `start` on is, if it starts with a key and only its first bracket is missing:
/// it was part of the question. Without its last one it was cut.
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
    let node = parser.members(start).ok()?;
    parser.space();
    parser.rest().is_empty().then(|| parser.finish(node))
}

/// Whether `text` starts with a quote of any kind.
pub(super) fn starts_with_quote(text: &str) -> bool {
    look::quote_at(text, 0).is_some()
}

/// Where the name of a call with named arguments starts whose bracket stands at byte `bracket`.
pub(super) fn keyword_call(text: &str, bracket: usize) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let before = text.as_bytes()[..bracket].iter().rev();
    let name = bracket - before.take(64).take_while(|byte| is_part(byte)).count();
    let parser = Parser::new(text, name, 0);
    parser.is_keyword_call(bracket).then_some(name)
}

/// The call with named arguments that starts at byte `start`, as an object.
pub(super) fn whole_call(text: &str, start: usize, max_depth: usize) -> Option<Parsed<'_>> {
    let mut parser = Parser::new(text, start, max_depth);
    let node = parser.word(Context::Item).ok()??;
    Some(parser.finish(node))
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, at: usize, max_depth: usize) -> Self {
        Self {
            text,
            at,
            notes: Vec::new(),
            open: Vec::new(),
            lists: 0,
            objects: 0,
            calls: 0,
            max_depth,
            is_cut: false,
            is_guessed: false,
            gaps: 0,
            is_doubtful: false,
            has_bare_keys: false,
            keys: None,
            horizon: Horizon::default(),
        }
    }

    fn finish(self, node: Node<'t>) -> Parsed<'t> {
        Parsed { node, notes: self.notes, is_cut: self.is_cut, is_guessed: self.is_guessed }
    }

    /// The next value; `None` when the text ends before it says anything.
    fn value(&mut self, context: Context) -> Result<Option<Node<'t>>, Unreadable> {
        match self.peek() {
            None => {
                self.cut();
                Ok(None)
            }
            Some(b'{') => self.object().map(Some),
            Some(b'[') => self.list().map(Some),
            Some(_) => match look::quote_at(self.text, self.at) {
                Some(_) => Ok(self.text(context)),
                None => self.word(context),
            },
        }
    }

    fn enter(&mut self, bracket: u8) -> Result<(), Unreadable> {
        if self.open.len() >= self.max_depth {
            return Err(Unreadable::TooDeep);
        }
        self.open.push(bracket);
        *self.counter(bracket) += 1;
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(bracket) = self.open.pop() {
            *self.counter(bracket) -= 1;
        }
    }

    /// Whether this place stands between the brackets of a call and in no other.
    fn is_in_call(&self) -> bool {
        self.open.last() == Some(&b'(')
    }

    fn counter(&mut self, bracket: u8) -> &mut usize {
        match bracket {
            b'[' => &mut self.lists,
            b'{' => &mut self.objects,
            _ => &mut self.calls,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
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

    /// The same where it costs something to say what a part was read as.
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
        // A receipt does not list more, so no more are kept apart.
        let is_listed = self.notes.len() < note::MAX_CHANGES;
        note::add(&mut self.notes, if is_listed { note.after(after()) } else { note });
    }

    /// The text ends here, inside a value.
    fn cut(&mut self) {
        if !self.is_cut {
            self.is_cut = true;
            let end = self.text.len();
            self.note(ChangeKind::Cut, Loss::Lossy, end..end, "");
        }
    }

    /// Takes `...` or `…`, which stand for what was not written.
    fn ellipsis(&mut self) -> bool {
        let length = if self.starts_with("...") || self.starts_with("…") { 3 } else { return false };
        self.note(ChangeKind::Ellipsis, Loss::Lossy, self.at..self.at + length, "");
        self.at += length;
        true
    }
}
