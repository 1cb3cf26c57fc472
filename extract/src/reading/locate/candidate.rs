//! Values that were found in a reply, and the brackets that may open one.

use std::ops::Range;

use super::super::{
    node::Node,
    parse::{self, Parsed},
    prose::{first_bytes, last_bytes, last_line},
    receipt::Note,
    slip::Slips,
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// A value in a reply.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
pub(crate) struct Candidate<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) notes: Vec<Note>,
    /// The bytes that it spans.
    pub(crate) span: Range<usize>,
    /// Whether the reply ends inside it.
    pub(crate) is_cut: bool,
    /// Whether its end was guessed: its last quote is missing.
    pub(crate) is_guessed: bool,
    /// Whether it counts only if it fits: plain words, or a value found inside another one.
    pub(crate) is_doubtful: bool,
    /// Whether its bracket starts a value rather than prose.
    pub(crate) is_earnest: bool,
    /// Whether it is several values of the reply, as one list.
    pub(crate) is_joined: bool,
    /// How its brackets and commas may be repaired, if they do not nest.
    pub(crate) slips: Option<Slips>,
    /// Where the text before it starts, after any reasoning.
    pub(crate) answer: usize,
    /// Where the text after it ends, before another turn.
    pub(crate) end: usize,
}

impl<'t> Candidate<'t> {
    /// A parsed value, at its own position in the reply.
    pub(crate) fn of(Parsed { node, notes, is_cut, is_guessed }: Parsed<'t>) -> Self {
        let span = node.span.clone();
        Self {
            node,
            notes,
            span,
            is_cut,
            is_guessed,
            is_doubtful: false,
            is_earnest: true,
            is_joined: false,
            slips: None,
            answer: 0,
            end: usize::MAX,
        }
    }

    /// Returns whether it is an object without its first bracket.
    pub(crate) fn is_unopened(&self) -> bool {
        let at = self.node.span.start;
        self.notes
            .iter()
            .any(|note| note.kind == ChangeKind::Bracket && note.span == (at..at) && note.after == "{")
    }

    /// The text before and after it, without reasoning.
    pub(crate) fn around<'r>(&self, reply: &'r str) -> (&'r str, &'r str) {
        (
            &reply[self.answer..self.span.start],
            &reply[self.span.end..self.end.clamp(self.span.end, reply.len())],
        )
    }

    /// Returns whether it is the text of a literal of a programming language, with escapes that were not undone:
    /// `'{"a": "\\\\n"}'`.
    pub(crate) fn is_in_literal(&self, reply: &str) -> bool {
        let (text, after) = (&reply[self.span.clone()], &reply[self.span.end..]);
        let before = reply[..self.span.start].trim_end();
        let quote = before.chars().next_back().filter(|quote| after.trim_start().starts_with(*quote));
        let is_undone =
            || self.notes.iter().any(|note| note.kind == ChangeKind::Escape && note.span == self.span);
        let has_escapes = match quote {
            Some('"') => text.contains(r"\\"),
            // SQL doubles its quotes.
            Some('\'') => text.contains(r"\\") || text.contains("''"),
            _ => false,
        };
        has_escapes && !is_undone()
    }

    /// Returns whether it was meant as a value, if it was cut.
    pub(crate) fn is_meant(&self, reply: &str) -> bool {
        let is_bracket = matches!(reply.as_bytes()[self.span.start], b'{' | b'[');
        !is_bracket || !self.is_doubtful && is_earnest(reply, self.span.start)
    }

    /// Returns whether it is a value, and not prose in brackets.
    pub(super) fn is_value(&self) -> bool {
        // A bracket of the wrong kind is as likely in a value as in prose.
        let is_prose = |note: &Note| note.loss == Loss::Lossy && note.kind != ChangeKind::Bracket;
        !self.is_doubtful && (self.is_earnest || !self.notes.iter().any(is_prose))
    }
}

/// Bytes after a bracket that are long enough to tell what it opens.
const LOOK: usize = 256;

/// Returns whether the unclosed bracket at byte `bracket` starts a value rather than prose: only
/// text that may occur in a value follows it.
pub(super) fn is_earnest(reply: &str, bracket: usize) -> bool {
    // Templates double the braces of objects.
    let doubled = if reply.as_bytes()[bracket] == b'{' { '{' } else { ',' };
    let rest = first_bytes(&reply[bracket + 1..], LOOK)
        .trim_start_matches(|c| parse::is_space(c) || c == ',' || c == doubled);
    let Some(next) = rest.chars().next() else { return true };
    if ends_quotation(reply, bracket) {
        return false;
    }
    if parse::starts_with_quote(rest)
        || rest.starts_with(['\\', '#'])
        || rest.starts_with("//")
        || rest.starts_with("/*")
    {
        return true;
    }
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let after = rest[word.len()..].trim_start().chars().next();
    match (reply.as_bytes()[bracket], next) {
        (b'{', '}') | (b'[', '{' | '[' | ']' | '-') => true,
        (b'{', _) => is_key(rest),
        (_, '0'..='9') => matches!(after, Some(',' | '.' | ']') | None),
        _ => matches!(word, "true" | "false" | "null") && matches!(after, Some(',' | ']') | None),
    }
}

/// Returns whether a quotation that started on its line ends right after the bracket at byte `bracket`:
/// `it starts with "I, ["`.
fn ends_quotation(reply: &str, bracket: usize) -> bool {
    let before = last_bytes(&reply[..bracket], LOOK);
    let line = last_line(before);
    let after = reply[bracket + 1..].strip_prefix('"');
    line.matches('"').count() % 2 == 1
        && after.is_some_and(|after| after.is_empty() || after.starts_with(['\n', '\r', '.']))
}

/// Returns whether the bracket at byte `bracket` may start a value in which a bracket is of the
/// wrong kind.
pub(super) fn may_be_slip(reply: &str, bracket: usize) -> bool {
    let next = first_bytes(&reply[bracket + 1..], LOOK).trim_start_matches(parse::is_space).chars().next();
    matches!((reply.as_bytes()[bracket], next), (b'{', Some('[' | ']')) | (b'[', Some('}')))
}

/// Returns whether `text` starts with words and a colon.
fn is_key(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-. ".contains(&byte);
    let end = text.bytes().take(64).position(|byte| !is_part(byte));
    end.is_some_and(|end| end > 0 && text.as_bytes()[end] == b':')
}
