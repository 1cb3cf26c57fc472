//! Values that were found in a reply.

use std::ops::Range;

use super::{
    super::{
        node::{Data, Node},
        note::Note,
        parse::Parsed,
        slip::Slips,
    },
    earnest::is_earnest,
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

    /// Takes the value out and leaves its span.
    pub(super) fn take(&mut self) -> Self {
        let (span, nothing) = (self.span.clone(), Node::new(0..0, Data::Null));
        let (node, notes) = (std::mem::replace(&mut self.node, nothing), std::mem::take(&mut self.notes));
        Self { node, notes, span, slips: self.slips.take(), ..*self }
    }

    /// The text before and after it, without reasoning.
    pub(crate) fn around<'r>(&self, reply: &'r str) -> (&'r str, &'r str) {
        (
            &reply[self.answer..self.span.start],
            &reply[self.span.end..self.end.clamp(self.span.end, reply.len())],
        )
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
