//! Turns notes into changes: what surrounds the value, where each change is, how many there are.

use super::{
    align::Fitted,
    node::{Data, Entry, Node},
    note::{MAX_CHANGES, Note, STEP, path_room},
};
use crate::vocabulary::{
    change::{Change, ChangeKind},
    path::Path,
};

/// All changes made in reading `reply`: the notes `around` the value first, then the notes taken
/// from `chosen`.
pub(super) fn changes(reply: &str, chosen: &mut Fitted<'_>, around: Vec<Note>) -> Vec<Change> {
    let mut notes = around;
    notes.append(&mut chosen.candidate.notes);
    // A note that represents several changes is listed last, with those beyond the limit.
    if notes.iter().any(|note| note.is_rest) {
        notes.sort_by_key(|note| note.is_rest);
    }
    let listed = notes.iter().take(MAX_CHANGES).take_while(|note| !note.is_rest).count();
    let mut rest = notes.split_off(listed);
    let root = &chosen.candidate.node;
    let mut left = path_room(reply);
    let mut changes = Vec::with_capacity(notes.len() + 1);
    for mut note in notes {
        let path = note.path.take().or_else(|| place(root, note.span.start, &mut left));
        match path {
            Some(path) => changes.push(note.into_change(path, reply)),
            None => rest.push(note),
        }
    }
    changes.extend(beyond(&rest, reply));
    changes
}

/// The entry that represents all changes beyond those listed.
fn beyond(rest: &[Note], reply: &str) -> Option<Change> {
    let loss = rest.iter().map(|note| note.loss).max()?;
    let start = rest.iter().map(|note| note.span.start).min()?;
    let end = rest.iter().map(|note| note.span.end).max()?;
    let count: usize = rest.iter().map(|note| note.count).sum();
    let note = Note::new(ChangeKind::Others, loss, start..end).after(format!("{count} more changes"));
    Some(note.into_change(Path::root(), reply))
}

/// The path of the innermost value around byte `at`; `None` if the room for paths is used up.
fn place(root: &Node<'_>, at: usize, left: &mut usize) -> Option<Path> {
    let mut path = Path::root();
    let mut node = root;
    while let Some((entry, index, inner)) = step(node, at) {
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
