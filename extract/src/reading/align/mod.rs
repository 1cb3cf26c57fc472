//! Bringing a value into the form that the contract asks for, where only one reading is possible.
//!
//! Nothing is guessed, made up, rounded or dropped: what cannot be aligned stays as it is, and
//! validation says what is wrong with it.

mod candidate;
mod list;
mod null_string;
mod object;
mod other;
mod root;
mod scalar;
mod union;

use std::borrow::Cow;

use serde_json::Number;

pub(super) use self::{candidate::Fitted, root::Aligned};
use super::{
    node::{Data, Node},
    note::{self, MAX_CHANGES, Note, STEP, path_room},
    shape::{Id, Shape, Shapes, kind},
};
use crate::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// How badly a value of the wrong type fits, in missing keys.
const WRONG_KIND: usize = 100;

/// How badly a value that is not one of the listed ones fits.
const WRONG_CHOICE: usize = 10;

/// One step into a value.
#[derive(Debug, Clone)]
enum Step<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

pub(super) struct Aligner<'a> {
    reply: &'a str,
    shapes: &'a Shapes,
    max_depth: usize,
    /// Whether keys stay as they are spelled.
    keeps_names: bool,
    /// Whether strings that mean null are read as null.
    reads_nulls: bool,
    /// Whether one was, be it in an alternative that was not taken.
    has_read_null: bool,
    notes: Vec<Note>,
    path: Vec<Step<'a>>,
    /// Values that may still be looked at or copied; trying alternatives takes from it.
    looks: usize,
    /// Values of which copies may be held at the same time.
    copies: usize,
    /// What may still be spent on paths; see [`path_room`].
    path_room: usize,
}

impl<'a> Aligner<'a> {
    pub(super) fn new(reply: &'a str, shapes: &'a Shapes, max_depth: usize) -> Self {
        Self {
            reply,
            shapes,
            max_depth,
            keeps_names: false,
            reads_nulls: false,
            has_read_null: false,
            notes: Vec::new(),
            path: Vec::new(),
            looks: (1 << 16) + 16 * reply.len(),
            copies: 0,
            path_room: path_room(reply),
        }
    }

    /// Leaves keys as they are spelled.
    pub(super) fn keep_names(self, keeps_names: bool) -> Self {
        Self { keeps_names, ..self }
    }

    /// Reads strings that mean null as null.
    pub(super) fn read_nulls(self, reads_nulls: bool) -> Self {
        Self { reads_nulls, ..self }
    }

    /// Aligns `node` to the shape `id` and says how badly it fits then; 0 is a perfect fit.
    ///
    /// `is_whole` is false where the shape is only a part of what is asked of the value.
    fn align(&mut self, node: &mut Node<'a>, id: Id, is_whole: bool) -> usize {
        if self.looks == 0 || self.path.len() > self.max_depth + 8 {
            return 1;
        }
        self.looks -= 1;
        let shapes = self.shapes;
        let shape = shapes.get(id);
        if !shape.allows(kind_of(node)) && !self.convert(node, shape) {
            return WRONG_KIND;
        }
        self.settle();
        let mut misfit = self.choose(node, shape);
        misfit += match &mut node.data {
            Data::Object(entries) => self.object(entries, shape, is_whole),
            Data::List(items) => self.list(items, shape),
            _ => 0,
        };
        for part in &shape.all_of {
            misfit += self.align(node, *part, false);
        }
        let is_whole = is_whole && shape.is_only_union();
        for branches in &shape.unions {
            misfit += self.union(node, branches, is_whole);
        }
        misfit
    }

    /// Lets what was recorded beyond the limit stand as one.
    fn settle(&mut self) {
        if self.notes.len() > MAX_CHANGES + 1 {
            let beyond = self.notes.split_off(MAX_CHANGES);
            self.add_all(beyond);
        }
    }

    /// Aligns the value at one step from here.
    fn align_at(&mut self, step: Step<'a>, node: &mut Node<'a>, id: Id) -> usize {
        self.path.push(step);
        self.null_string(node, id);
        let misfit = self.align(node, id, true);
        self.note_lost_digits(node, id);
        self.path.pop();
        misfit
    }

    /// Brings a value into the spelling of the only listed one that it can mean.
    fn choose(&mut self, node: &mut Node<'a>, shape: &'a Shape) -> usize {
        let Some(choices) = &shape.choices else { return 0 };
        if choices.iter().any(|choice| node.is_value(choice)) {
            return 0;
        }
        let Data::Text(text) = &node.data else { return WRONG_CHOICE };
        let Some(option) = shape.choice(text) else { return WRONG_CHOICE };
        self.note(ChangeKind::Choice, Loss::Lossless, node, || format!("{option:?}"));
        node.data = Data::Text(Cow::Borrowed(option));
        0
    }

    /// Records a change of `node`, which stands here.
    fn note<A: Into<Cow<'static, str>>>(
        &mut self,
        kind: ChangeKind,
        loss: Loss,
        node: &Node<'_>,
        after: impl FnOnce() -> A,
    ) {
        self.note_at(None, Note::new(kind, loss, node.span.clone()), after);
    }

    /// Records a change here, or under `key` of this place.
    fn note_at<A: Into<Cow<'static, str>>>(
        &mut self,
        key: Option<&str>,
        note: Note,
        after: impl FnOnce() -> A,
    ) {
        let length = |step: &Step<'_>| match step {
            Step::Key(key) => key.len(),
            Step::Index(_) => 0,
        };
        let size = self.path.iter().map(|step| STEP + length(step)).sum::<usize>() + key.map_or(0, str::len);
        // Beyond the changes that a receipt lists, nobody asks where it is and what became of it.
        let room = self.path_room.checked_sub(size).filter(|_| self.notes.len() < MAX_CHANGES);
        let note = match room {
            None => note.unlisted(),
            Some(room) => {
                self.path_room = room;
                let path = key.into_iter().fold(self.here(), Path::key);
                note.after(after()).at(path)
            }
        };
        note::add(&mut self.notes, note);
    }

    /// The path of this place.
    fn here(&self) -> Path {
        self.path.iter().fold(Path::root(), |path, step| match step {
            Step::Key(key) => path.key(key.as_ref()),
            Step::Index(index) => path.index(*index),
        })
    }

    /// Runs `attempt` if so many copies of `node` may be held for it. It is given the size of one.
    fn with_copies<R>(
        &mut self,
        count: usize,
        node: &Node<'a>,
        attempt: impl FnOnce(&mut Self, usize) -> R,
    ) -> Option<R> {
        let size = node.size();
        self.copies = self.copies.checked_sub(count * size)?;
        let result = attempt(self, size);
        self.copies += count * size;
        Some(result)
    }

    /// Takes so many looks; `false` when they are used up.
    fn look(&mut self, count: usize) -> bool {
        let left = self.looks.checked_sub(count);
        self.looks = left.unwrap_or(0);
        left.is_some()
    }

    /// Runs `attempt` on a copy of `node`. Keeps both what it did and what it recorded if nothing
    /// misfits then.
    fn try_perfect(
        &mut self,
        node: &mut Node<'a>,
        attempt: impl FnOnce(&mut Self, &mut Node<'a>) -> usize,
    ) -> bool {
        let tried = self.with_copies(1, node, |aligner, size| {
            let mut copy = node.clone();
            let before = std::mem::take(&mut aligner.notes);
            let is_perfect = aligner.look(size) && attempt(aligner, &mut copy) == 0;
            let notes = std::mem::replace(&mut aligner.notes, before);
            is_perfect.then_some((copy, notes))
        });
        let Some((copy, notes)) = tried.flatten() else { return false };
        *node = copy;
        self.add_all(notes);
        true
    }

    fn add_all(&mut self, notes: Vec<Note>) {
        for note in notes {
            note::add(&mut self.notes, note);
        }
    }
}

fn kind_of(node: &Node<'_>) -> u8 {
    match &node.data {
        Data::Null => kind::NULL,
        Data::Bool(_) => kind::BOOL,
        Data::Number(_) | Data::Numeral(_) if node.data.number().is_some_and(Number::is_f64) => kind::NUMBER,
        Data::Number(_) | Data::Numeral(_) => kind::INTEGER,
        Data::Text(_) => kind::TEXT,
        Data::List(_) => kind::LIST,
        Data::Object(_) => kind::OBJECT,
    }
}
