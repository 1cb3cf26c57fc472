//! Values that stand one after the other: together they may be the list that is wanted.

use super::{
    super::{
        node::{Data, Node},
        note::{self, JOINED, Note},
        parse::Parsed,
    },
    candidate::Candidate,
};
use crate::change::{ChangeKind, Loss};

/// Values of which one list may be made, and one more for so many bytes of the reply. A line of JSON is longer.
const FREE_ITEMS: usize = 1 << 11;
const BYTES_PER_ITEM: usize = 16;

/// Values with nothing but punctuation between them.
#[derive(Debug)]
pub(super) struct Run<'t> {
    /// Where the first one starts.
    pub(super) start: usize,
    /// Those that are no candidates of their own any more.
    items: Vec<Node<'t>>,
    notes: Vec<Note>,
    most: usize,
    is_too_long: bool,
}

impl<'t> Run<'t> {
    pub(super) fn new(reply: &str) -> Self {
        let most = FREE_ITEMS + reply.len() / BYTES_PER_ITEM;
        Self { start: 0, items: Vec::new(), notes: Vec::new(), most, is_too_long: false }
    }

    /// A value starts at byte `start`; the one before it ended at `last`.
    pub(super) fn follow(&mut self, reply: &str, last: Option<usize>, start: usize) {
        let between = last.map(|end| reply.get(end..start).unwrap_or("-"));
        let is_adjacent = |text: &str| !text.split("```json").any(|text| text.contains(char::is_alphabetic));
        if !between.is_some_and(is_adjacent) {
            *self = Self { start, items: Vec::new(), notes: Vec::new(), most: self.most, is_too_long: false };
        }
    }

    /// A value is no candidate of its own any more.
    pub(super) fn pass(&mut self, candidate: Candidate<'t>) {
        if candidate.span.start < self.start {
            return;
        }
        self.is_too_long |= self.items.len() >= self.most;
        if self.is_too_long {
            self.items = Vec::new();
            return;
        }
        self.items.push(candidate.node);
        for note in candidate.notes {
            note::add(&mut self.notes, note);
        }
    }

    /// All of them and the last ones as one list; `None` when there are too many.
    pub(super) fn joined(mut self, last: &[Candidate<'t>]) -> Option<Candidate<'t>> {
        let span = self.start..last.last()?.span.end;
        let mut notes = vec![Note::new(ChangeKind::Wrapper, Loss::Lossless, span.clone()).after(JOINED)];
        for note in self.notes {
            note::add(&mut notes, note);
        }
        for candidate in last {
            self.items.push(candidate.node.clone());
            for note in &candidate.notes {
                note::add(&mut notes, note.clone());
            }
        }
        let node = Node::new(span.clone(), Data::List(self.items));
        let parsed = Parsed { node, notes, is_cut: false, is_guessed: false };
        let candidate = Candidate { is_doubtful: true, ..Candidate::of(parsed) };
        (!self.is_too_long).then_some(candidate)
    }
}
