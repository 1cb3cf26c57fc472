//! The receipt: notes of changes, as they are recorded during reading, become changes with their paths
//! and texts.

use std::{borrow::Cow, ops::Range};

use super::node::{Data, Entry, Node};
use crate::vocabulary::{
    change::{Change, ChangeKind, Loss},
    path::{Path, Segment},
    text::cut,
};

/// All changes made in reading `reply`, by their `notes`: first those around the value `root`, then its
/// own.
pub(super) fn changes(reply: &str, root: &Node<'_>, mut notes: Vec<Note>) -> Vec<Change> {
    // A note that represents several changes is listed last, with those beyond the limit.
    if notes.iter().any(|note| note.is_rest) {
        notes.sort_by_key(|note| note.is_rest);
    }
    let listed = notes.iter().take(MAX_CHANGES).take_while(|note| !note.is_rest).count();
    let mut rest = notes.split_off(listed);
    let mut left = path_room(reply);
    let mut changes = Vec::with_capacity(notes.len() + 1);
    for mut note in notes {
        let path = note.path.take().or_else(|| place(root, note.span.start, &mut left));
        match path {
            Some(path) => changes.push(note.into_change(path, reply)),
            None => rest.push(note),
        }
    }
    changes.extend(beyond(rest, reply));
    changes
}

/// The entry that represents all changes beyond those listed.
fn beyond(rest: Vec<Note>, reply: &str) -> Option<Change> {
    let all = rest.into_iter().map(Note::unlisted).reduce(|mut all, note| {
        all.absorb(&note);
        all
    })?;
    let after = format!("{} more changes", all.count);
    Some(all.after(after).into_change(Path::root(), reply))
}

/// The path of the innermost value around byte `at`; `None` if the room for paths is used up. The
/// members of an object that was read from a string all have the string's bytes, so none is around it.
fn place(root: &Node<'_>, at: usize, left: &mut usize) -> Option<Path> {
    let mut path = Path::root();
    let mut node = root;
    while let Some((entry, index, inner)) = step(node, at) {
        if entry.is_some() && inner.span == node.span {
            break;
        }
        *left = left.checked_sub(STEP + entry.map_or(0, |entry| entry.key.len()))?;
        path = match entry {
            Some(entry) => path.key(entry.key.as_ref()),
            None => path.index(index),
        };
        node = inner;
        if node.span.start > at {
            break;
        }
    }
    Some(path)
}

/// The entry or element of `node` around byte `at`, with its value.
fn step<'n, 't>(node: &'n Node<'t>, at: usize) -> Option<(Option<&'n Entry<'t>>, usize, &'n Node<'t>)> {
    match &node.data {
        Data::Object(entries) => {
            let index = entries.partition_point(|entry| entry.start <= at).checked_sub(1)?;
            let entry = &entries[index];
            let is_inside = at < entry.value.span.end.max(entry.start + 1);
            is_inside.then_some((Some(entry), index, &entry.value))
        }
        Data::List(items) => {
            let index = items.partition_point(|item| item.span.start <= at).checked_sub(1)?;
            (at < items[index].span.end).then_some((None, index, &items[index]))
        }
        _ => None,
    }
}

/// Characters of `before` and `after` that a change keeps; the span says where the rest is.
const KEPT_CHARS: usize = 400;

/// Most entries of one receipt. All later changes share one entry of kind [`ChangeKind::Others`].
pub(super) const MAX_CHANGES: usize = 1_000;

/// `after` of several values that are read as one list.
pub(super) const JOINED: &str = "one list";

/// `after` of a value that is wrapped in a list.
pub(super) const LIST_OF_IT: &str = "a list of it";

/// A change whose text, and perhaps path, is not known yet.
#[derive(Debug, Clone)]
pub(super) struct Note {
    /// `None` until it is looked up by the span.
    pub(super) path: Option<Path>,
    pub(super) span: Range<usize>,
    pub(super) kind: ChangeKind,
    pub(super) after: Cow<'static, str>,
    pub(super) loss: Loss,
    /// How many changes this note represents.
    pub(super) count: usize,
    /// Whether it represents changes that are not listed.
    pub(super) is_rest: bool,
}

impl Note {
    pub(super) fn new(kind: ChangeKind, loss: Loss, span: Range<usize>) -> Self {
        Self { path: None, span, kind, after: Cow::Borrowed(""), loss, count: 1, is_rest: false }
    }

    pub(super) fn after(mut self, after: impl Into<Cow<'static, str>>) -> Self {
        self.after = after.into();
        self
    }

    pub(super) fn at(mut self, path: Path) -> Self {
        self.path = Some(path);
        self
    }

    /// Merges another note into this one.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.kind = ChangeKind::Others;
        self.after = Cow::Borrowed("");
        self.loss = self.loss.max(other.loss);
        self.span = self.span.start.min(other.span.start)..self.span.end.max(other.span.end);
        self.count += other.count;
        self.is_rest = true;
    }

    /// Returns whether it is only about the notation of a value that a string holds as `text`. Nothing else looks at
    /// what such a value leaves over.
    pub(super) fn is_notation(&self, text: &str) -> bool {
        let is_last =
            || text.get(self.span.end..).is_some_and(|rest| rest.trim_start().starts_with(['}', ']']));
        match self.kind {
            ChangeKind::Comma => is_last(),
            ChangeKind::Comment | ChangeKind::Bracket | ChangeKind::Colon => false,
            _ => self.loss < Loss::Lossy,
        }
    }

    /// Turns it into a note that is not listed by itself.
    pub(super) fn unlisted(mut self) -> Self {
        (self.kind, self.is_rest) = (ChangeKind::Others, true);
        self
    }

    pub(super) fn into_change(self, path: Path, reply: &str) -> Change {
        Change {
            path,
            before: kept(reply.get(self.span.clone()).unwrap_or_default()),
            span: self.span,
            kind: self.kind,
            after: kept(&self.after),
            loss: self.loss,
            chunk: None,
        }
    }
}

/// Adds `note` to `notes`. Once the receipt is full, the last note represents all others.
pub(super) fn add(notes: &mut Vec<Note>, note: Note) {
    let has_room = notes.len() < MAX_CHANGES;
    match notes.last_mut().filter(|last| last.is_rest) {
        Some(last) => last.absorb(&note),
        None => notes.push(if has_room { note } else { note.unlisted() }),
    }
}

/// Adds each of `more` to `notes`.
pub(super) fn extend(notes: &mut Vec<Note>, more: impl IntoIterator<Item = Note>) {
    more.into_iter().for_each(|note| add(notes, note));
}

/// Bytes that the paths of all changes in one reply may take. A deep path with long keys counts in
/// full for each change. Changes beyond this are counted with the rest.
pub(super) fn path_room(reply: &str) -> usize {
    (1 << 16) + 8 * reply.len()
}

/// Bytes that one step of a path takes besides its key.
pub(super) const STEP: usize = size_of::<Segment>();

/// Largest text, in bytes, whose characters are counted. A thousand changes may concern the same
/// long text.
const COUNTED: usize = 1 << 16;

fn kept(text: &str) -> String {
    if text.len() <= COUNTED {
        return cut(text, KEPT_CHARS);
    }
    let end = text.char_indices().nth(KEPT_CHARS).map_or(text.len(), |(end, _)| end);
    format!("{}… ({} more bytes)", &text[..end], text.len() - end)
}
