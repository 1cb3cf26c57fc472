//! A value that was found.

use std::ops::Range;

use super::{
    super::{
        node::{Data, Node},
        note::Note,
        parse::Parsed,
    },
    earnest::is_earnest,
};
use crate::change::Loss;

/// A value in a reply.
#[derive(Debug, Clone)]
pub(in crate::reading) struct Candidate<'t> {
    pub(in crate::reading) node: Node<'t>,
    pub(in crate::reading) notes: Vec<Note>,
    /// The bytes it takes.
    pub(in crate::reading) span: Range<usize>,
    /// Whether the reply ends inside it.
    pub(in crate::reading) is_cut: bool,
    /// Whether its end was guessed: its last quote is missing.
    pub(in crate::reading) is_guessed: bool,
    /// Whether it only counts if it fits: plain words, or what stands inside another value.
    pub(in crate::reading) is_doubtful: bool,
    /// Where the text before it starts that is not reasoning.
    pub(super) answer: usize,
}

impl<'t> Candidate<'t> {
    /// What was parsed, as it stands in the reply.
    pub(super) fn of(Parsed { node, notes, is_cut, is_guessed }: Parsed<'t>) -> Self {
        let span = node.span.clone();
        Self { node, notes, span, is_cut, is_guessed, is_doubtful: false, answer: 0 }
    }

    /// Takes everything but the place.
    pub(super) fn take(&mut self) -> Self {
        let (span, nothing) = (self.span.clone(), Node::new(0..0, Data::Null));
        let (node, notes) = (std::mem::replace(&mut self.node, nothing), std::mem::take(&mut self.notes));
        Self { node, notes, span, ..*self }
    }

    /// What stands before and after it that is not reasoning.
    pub(in crate::reading) fn around<'r>(&self, reply: &'r str) -> (&'r str, &'r str) {
        (&reply[self.answer..self.span.start], &reply[self.span.end..])
    }

    /// Whether what was cut was meant as a value.
    pub(in crate::reading) fn is_meant(&self, reply: &str) -> bool {
        let is_bracket = matches!(reply.as_bytes()[self.span.start], b'{' | b'[');
        !is_bracket || !self.is_doubtful && is_earnest(reply, self.span.start)
    }

    /// Whether it is a value for sure, and not prose in brackets.
    pub(super) fn is_value(&self) -> bool {
        !self.is_doubtful && !self.notes.iter().any(|note| note.loss == Loss::Lossy)
    }
}
