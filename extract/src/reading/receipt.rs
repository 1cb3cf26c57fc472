//! From notes to changes: what surrounds the value, where each change is, how many there are.

use std::ops::Range;

use super::{
    change::{Change, ChangeKind, Loss, MAX_CHANGES, Note},
    choose::Chosen,
    node::{Data, Node},
};
use crate::Path;

/// All changes that the reading of `reply` made, those around the value first.
///
/// Takes the notes of `chosen` and the places of the `others`.
pub(super) fn changes(reply: &str, chosen: &mut Chosen<'_>, others: &mut Vec<Range<usize>>) -> Vec<Change> {
    let mut notes = surroundings(reply, &chosen.span, std::mem::take(others));
    notes.append(&mut chosen.aligned.notes);
    // One that stands for many is listed last, with those that are beyond the limit.
    if notes.iter().any(|note| note.count > 1) {
        notes.sort_by_key(|note| note.count > 1);
    }
    let listed = notes.iter().take(MAX_CHANGES).take_while(|note| note.count == 1).count();
    let rest = notes.split_off(listed);
    let root = &chosen.aligned.node;
    let mut changes = Vec::with_capacity(notes.len() + 1);
    changes.extend(notes.into_iter().map(|mut note| {
        let path = note.path.take().unwrap_or_else(|| place(root, note.span.start));
        note.into_change(path, reply)
    }));
    changes.extend(beyond(&rest, reply));
    changes
}

/// One note for each part of the reply that is not the value, up to as many as are listed.
fn surroundings(reply: &str, span: &Range<usize>, others: Vec<Range<usize>>) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let mut ignore = |kind, start: usize, end: usize| {
        if start >= end || reply[start..end].trim().is_empty() {
            return;
        }
        match notes.last_mut().filter(|last| last.count > 1) {
            Some(last) => last.absorb(Loss::Ignored, &(start..end)),
            None => notes.push(Note::new(kind, Loss::Ignored, start..end).at(Path::root())),
        }
        if notes.len() > MAX_CHANGES
            && let Some(last) = notes.pop()
            && let Some(before) = notes.last_mut()
        {
            before.absorb(last.loss, &last.span);
        }
    };
    let mut at = 0;
    let mut parts = others;
    parts.push(span.clone());
    parts.sort_by_key(|part| part.start);
    for part in parts {
        if part.start < at {
            continue;
        }
        ignore(ChangeKind::Surroundings, at, part.start);
        if part != *span {
            ignore(ChangeKind::OtherValue, part.start, part.end);
        }
        at = part.end;
    }
    ignore(ChangeKind::Surroundings, at, reply.len());
    notes
}

/// The entry that stands for all changes beyond those listed.
fn beyond(rest: &[Note], reply: &str) -> Option<Change> {
    let loss = rest.iter().map(|note| note.loss).max()?;
    let start = rest.iter().map(|note| note.span.start).min()?;
    let end = rest.iter().map(|note| note.span.end).max()?;
    let count: usize = rest.iter().map(|note| note.count).sum();
    let note = Note::new(ChangeKind::Others, loss, start..end).after(format!("{count} more changes"));
    Some(note.into_change(Path::root(), reply))
}

/// The path of the innermost value around byte `at`.
fn place(root: &Node<'_>, at: usize) -> Path {
    let mut path = Path::root();
    let mut node = root;
    loop {
        match &node.data {
            Data::Object(entries) => {
                let index = entries.partition_point(|entry| entry.start <= at);
                let Some(entry) = index.checked_sub(1).map(|index| &entries[index]) else { return path };
                if at >= entry.value.span.end.max(entry.start + 1) {
                    return path;
                }
                path = path.key(entry.key.as_ref());
                node = &entry.value;
            }
            Data::List(items) => {
                let index = items.partition_point(|item| item.span.start <= at);
                let Some(index) = index.checked_sub(1) else { return path };
                if at >= items[index].span.end {
                    return path;
                }
                path = path.index(index);
                node = &items[index];
            }
            _ => return path,
        }
        if node.span.start > at {
            return path;
        }
    }
}
