//! Consecutive values, which together may be the wanted list.

use std::ops::Range;

use super::{
    super::{
        node::{Data, Node},
        note::{self, JOINED, Note},
        parse::Parsed,
    },
    between::First,
    candidate::Candidate,
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Most values of one list: a fixed number, plus one for so many bytes of the reply. A line of JSON
/// is longer.
const FREE_ITEMS: usize = 1 << 11;
const BYTES_PER_ITEM: usize = 16;

/// Values separated only by punctuation, or objects that the text between them presents as one
/// list.
#[derive(Debug)]
pub(super) struct Run<'t> {
    /// Where the first one starts.
    pub(super) start: usize,
    /// The surroundings of the first one, if all are objects.
    first: Option<First>,
    /// Whether there are words between them.
    is_spread: bool,
    /// The values that are no longer candidates of their own.
    items: Vec<Node<'t>>,
    notes: Vec<Note>,
    most: usize,
    is_too_long: bool,
}

impl<'t> Run<'t> {
    pub(super) fn new(reply: &str) -> Self {
        let most = FREE_ITEMS + reply.len() / BYTES_PER_ITEM;
        let (items, notes) = (Vec::new(), Vec::new());
        Self { start: 0, first: None, is_spread: false, items, notes, most, is_too_long: false }
    }

    /// Appends `candidate`, which follows a value that ended at `last`. If it does not belong to
    /// the values before, it starts a new run.
    pub(super) fn follow(&mut self, reply: &str, last: Option<usize>, candidate: &Candidate<'_>) {
        let start = candidate.span.start;
        let is_object = matches!(candidate.node.data, Data::Object(_));
        // Three dots stand for values that were not written.
        let is_whole = |text: &str| !text.contains("...") && !text.contains('…');
        let between =
            last.and_then(|end| Some((end, reply.get(end..start)?))).filter(|(_, text)| is_whole(text));
        let is_adjacent = |text: &str| !text.split("```json").any(|text| text.contains(char::is_alphabetic));
        match between {
            Some((_, text)) if is_adjacent(text) => self.first = self.first.take().filter(|_| is_object),
            Some((end, _)) if is_object && self.is_followed(reply, end, &candidate.span) => {
                self.is_spread = true;
                let between = Note::new(ChangeKind::Surroundings, Loss::Ignored, end..start);
                note::add(&mut self.notes, between.at(Path::root()));
            }
            _ => {
                let first = is_object.then(|| First::at(reply, start));
                *self = Self { start, first, most: self.most, ..Self::new("") };
            }
        }
    }

    fn is_followed(&self, reply: &str, end: usize, span: &Range<usize>) -> bool {
        self.first.as_ref().is_some_and(|first| first.is_followed_by(reply, end, span))
    }

    /// Returns whether the last value follows words and equals an earlier one: more likely it was
    /// repeated than meant twice.
    pub(super) fn repeats(&self, last: &[Candidate<'_>]) -> bool {
        let Some((last, before)) = last.split_last().filter(|_| self.is_spread) else { return false };
        let before = before.iter().map(|candidate| &candidate.node).chain(&self.items);
        before.into_iter().any(|node| node.is_same(&last.node))
    }

    /// Takes over a value that is no longer a candidate of its own.
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
        note::extend(&mut self.notes, candidate.notes);
    }

    /// Joins all values and the `last` ones into one list; `None` if there are too many.
    pub(super) fn joined(mut self, last: &[Candidate<'t>]) -> Option<Candidate<'t>> {
        let span = self.start..last.last()?.span.end;
        let mut notes =
            vec![Note::new(ChangeKind::Wrapper, Loss::Lossless, span.clone()).after(JOINED).at(Path::root())];
        note::extend(&mut notes, self.notes);
        for candidate in last {
            self.items.push(candidate.node.clone());
            note::extend(&mut notes, candidate.notes.iter().cloned());
        }
        let node = Node::new(span.clone(), Data::List(self.items));
        let parsed = Parsed { node, notes, is_cut: false, is_guessed: false };
        let candidate = Candidate { is_doubtful: true, is_joined: true, ..Candidate::of(parsed) };
        (!self.is_too_long).then_some(candidate)
    }
}
