//! A value that was found.

use std::ops::Range;

use super::super::{node::Node, note::Note, parse::Parsed};
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
}

impl<'t> Candidate<'t> {
    /// What was parsed, as it stands in the reply.
    pub(super) fn of(Parsed { node, notes, is_cut, is_guessed }: Parsed<'t>) -> Self {
        let span = node.span.clone();
        Self { node, notes, span, is_cut, is_guessed, is_doubtful: false }
    }

    /// Whether it is a value for sure, and not prose in brackets.
    pub(in crate::reading) fn is_value(&self) -> bool {
        !self.is_doubtful && !self.notes.iter().any(|note| note.loss == Loss::Lossy)
    }
}
