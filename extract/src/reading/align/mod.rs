//! Brings a value into the form that the contract asks for, if only one reading is possible.
//!
//! Nothing is guessed, invented, rounded or dropped. A value that cannot be aligned stays as it is,
//! and validation reports what is wrong with it.

mod list;
mod object;
mod root;
mod scalar;
mod union;

use std::borrow::Cow;

use serde_json::Number;

pub(super) use self::root::{Fitted, said_before};
use super::{
    node::{Data, Node},
    receipt::{self, MAX_CHANGES, Note, STEP, path_room},
    shape::{Id, NullReading, Shape, ShapeScope, Shapes, kind},
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Misfit of a value of the wrong type; each missing required key adds 2.
const WRONG_KIND: usize = 100;

/// Misfit of a value that is not among the listed ones.
const WRONG_CHOICE: usize = 10;

/// A value as close as possible to the form that the contract asks for.
#[derive(Debug)]
struct Aligned<'a> {
    node: Node<'a>,
    notes: Vec<Note>,
    /// How badly it still fits; 0 is a perfect fit.
    misfit: usize,
}

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
    null_reading: NullReading,
    /// Whether any string was read as null, even in an alternative that was not taken.
    pub(super) has_read_null: bool,
    notes: Vec<Note>,
    path: Vec<Step<'a>>,
    /// How many more values may be visited or copied. Trying alternatives uses these up.
    looks: usize,
    /// How many values may be held in copies at the same time.
    copies: usize,
    /// Bytes left for paths; see [`path_room`].
    path_room: usize,
    /// The shapes of the value of which a part or an alternative is aligned.
    around: Vec<&'a Shape>,
}

impl<'a> Aligner<'a> {
    pub(super) fn new(
        reply: &'a str,
        shapes: &'a Shapes,
        max_depth: usize,
        null_reading: NullReading,
    ) -> Self {
        Self {
            reply,
            shapes,
            max_depth,
            null_reading,
            has_read_null: false,
            notes: Vec::new(),
            path: Vec::new(),
            looks: (1 << 16) + 16 * reply.len(),
            copies: 0,
            path_room: path_room(reply),
            around: Vec::new(),
        }
    }

    /// Aligns `node` to the shape `id` and returns its misfit; 0 is a perfect fit.
    ///
    fn align(&mut self, node: &mut Node<'a>, id: Id, scope: ShapeScope) -> usize {
        if self.looks == 0 || self.path.len() > self.max_depth + 8 {
            return 1;
        }
        self.looks -= 1;
        let shapes = self.shapes;
        let shape = shapes.get(id);
        if !shape.allows(kind_of(node)) && !self.convert(node, shape) {
            return WRONG_KIND;
        }
        if shape.is_decimal {
            self.keep_digits(node);
        }
        if shape.is_date {
            self.write_date(node);
        }
        let mut misfit = self.choose(node, shape);
        misfit += match &mut node.data {
            Data::Object(entries) => self.object(entries, shape, scope),
            Data::List(items) => self.list(items, shape),
            _ => 0,
        };
        self.around.push(shape);
        for part in &shape.all_of {
            misfit += self.align(node, *part, ShapeScope::Part);
        }
        let scope = scope.of_unions(shape);
        for branches in &shape.unions {
            misfit += self.union(node, branches, scope);
        }
        self.around.pop();
        misfit
    }

    /// Aligns the value at one step from here.
    fn align_at(&mut self, step: Step<'a>, node: &mut Node<'a>, id: Id) -> usize {
        self.path.push(step);
        let around = std::mem::take(&mut self.around);
        self.null_string(node, id);
        let misfit = self.align(node, id, ShapeScope::Whole);
        self.note_spelling(node, id);
        self.around = around;
        self.path.pop();
        misfit
    }

    /// Corrects the spelling of a value, if it can mean only one of the listed ones.
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

    /// Records a change of `node`, at the current path.
    fn note<A: Into<Cow<'static, str>>>(
        &mut self,
        kind: ChangeKind,
        loss: Loss,
        node: &Node<'_>,
        after: impl FnOnce() -> A,
    ) {
        self.note_at(None, Note::new(kind, loss, node.span.clone()), after);
    }

    /// Records a change at the current path, or under its `key`.
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
        // Once the receipt is full, a change needs neither its path nor its result.
        let room = self.path_room.checked_sub(size).filter(|_| self.notes.len() < MAX_CHANGES);
        let note = match room {
            None => note.unlisted(),
            Some(room) => {
                self.path_room = room;
                let path = key.into_iter().fold(self.here(), Path::key);
                note.after(after()).at(path)
            }
        };
        receipt::add(&mut self.notes, note);
    }

    /// Returns the current path.
    fn here(&self) -> Path {
        self.path.iter().fold(Path::root(), |path, step| match step {
            Step::Key(key) => path.key(key.as_ref()),
            Step::Index(index) => path.index(*index),
        })
    }

    /// Runs `attempt` if `count` copies of `node` may be held for it. `attempt` receives the size
    /// of one copy.
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

    /// Uses up `count` looks; `false` if there were not enough.
    fn look(&mut self, count: usize) -> bool {
        let left = self.looks.checked_sub(count);
        self.looks = left.unwrap_or(0);
        left.is_some()
    }

    /// Runs `attempt` on a copy of `node`. Keeps the copy and its notes only if it fits perfectly.
    fn try_perfect(
        &mut self,
        node: &mut Node<'a>,
        attempt: impl FnOnce(&mut Self, &mut Node<'a>) -> usize,
    ) -> bool {
        let tried = self.with_copies(1, node, |aligner, size| {
            let tried = aligner.look(size).then(|| aligner.trial(node, attempt));
            tried.filter(|tried| tried.misfit == 0)
        });
        tried.flatten().map(|tried| self.keep(node, tried)).is_some()
    }

    /// Runs `attempt` on a copy of `node`, with notes of its own.
    fn trial(
        &mut self,
        node: &Node<'a>,
        attempt: impl FnOnce(&mut Self, &mut Node<'a>) -> usize,
    ) -> Aligned<'a> {
        let before = std::mem::take(&mut self.notes);
        let mut node = node.clone();
        let misfit = attempt(self, &mut node);
        Aligned { node, notes: std::mem::replace(&mut self.notes, before), misfit }
    }

    /// Replaces `node` by what a trial made of it.
    fn keep(&mut self, node: &mut Node<'a>, tried: Aligned<'a>) {
        *node = tried.node;
        receipt::extend(&mut self.notes, tried.notes);
    }
}

fn kind_of(node: &Node<'_>) -> kind::JsonKinds {
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
