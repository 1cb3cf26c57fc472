//! Notes: changes as they are recorded during reading.

use std::{borrow::Cow, ops::Range};

use crate::vocabulary::{
    change::{Change, ChangeKind, Loss},
    path::{Path, Segment},
    text::cut,
};

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

    /// Turns it into a note that is not listed by itself.
    pub(super) fn unlisted(mut self) -> Self {
        (self.kind, self.is_rest) = (ChangeKind::Others, true);
        self
    }

    pub(super) fn into_change(self, path: Path, reply: &str) -> Change {
        Change {
            path,
            before: kept(Cow::Borrowed(reply.get(self.span.clone()).unwrap_or_default())),
            span: self.span,
            kind: self.kind,
            after: kept(self.after),
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

fn kept(text: Cow<'_, str>) -> String {
    if text.len() <= KEPT_CHARS {
        return text.into_owned();
    }
    if text.len() <= COUNTED {
        return cut(&text, KEPT_CHARS);
    }
    let end = text.char_indices().nth(KEPT_CHARS).map_or(text.len(), |(end, _)| end);
    format!("{}… ({} more bytes)", &text[..end], text.len() - end)
}
