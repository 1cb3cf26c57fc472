//! From notes to changes: what surrounds the value, where each change is, how many there are.

use std::ops::Range;

use super::{
    change::{Change, ChangeKind, Loss, MAX_CHANGES, Note},
    choose::{Choice, Chosen},
    node::{Data, Node},
};
use crate::Path;

/// All changes that the reading of `reply` made, those around the value first.
pub(super) fn changes(reply: &str, chosen: &Chosen, choice: &Choice) -> Vec<Change> {
    let mut notes = surroundings(reply, &chosen.span, &choice.others);
    notes.extend(chosen.aligned.notes.iter().cloned());
    // One that stands for many is listed last, with those that are beyond the limit.
    notes.sort_by_key(|note| note.count > 1);
    let listed = notes.iter().take(MAX_CHANGES).take_while(|note| note.count == 1).count();
    let rest = notes.split_off(listed);
    let root = &chosen.aligned.node;
    let mut changes: Vec<_> = notes
        .into_iter()
        .map(|note| {
            let path = note.path.clone().unwrap_or_else(|| place(root, note.span.start));
            note.into_change(path, reply)
        })
        .collect();
    changes.extend(others(&rest, reply));
    changes
}

/// One note for each part of the reply that is not the value.
fn surroundings(reply: &str, span: &Range<usize>, others: &[Range<usize>]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut ignore = |kind, start: usize, end: usize| {
        if start < end && !reply[start..end].trim().is_empty() {
            notes.push(Note::new(kind, Loss::Ignored, start..end).at(Path::root()));
        }
    };
    let mut at = 0;
    let mut parts: Vec<_> = others.iter().map(|other| (other.clone(), false)).collect();
    parts.push((span.clone(), true));
    parts.sort_by_key(|(part, _)| part.start);
    for (part, is_value) in parts {
        if part.start < at {
            continue;
        }
        ignore(ChangeKind::Surroundings, at, part.start);
        if !is_value {
            ignore(ChangeKind::OtherValue, part.start, part.end);
        }
        at = part.end;
    }
    ignore(ChangeKind::Surroundings, at, reply.len());
    notes
}

/// The entry that stands for all changes beyond those listed.
fn others(rest: &[Note], reply: &str) -> Option<Change> {
    let loss = rest.iter().map(|note| note.loss).max()?;
    let start = rest.iter().map(|note| note.span.start).min()?;
    let end = rest.iter().map(|note| note.span.end).max()?;
    let count: usize = rest.iter().map(|note| note.count).sum();
    let note = Note::new(ChangeKind::Others, loss, start..end).after(format!("{count} more changes"));
    Some(note.into_change(Path::root(), reply))
}

/// The path of the innermost value around byte `at`.
fn place(root: &Node, at: usize) -> Path {
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
                path = path.key(&*entry.key);
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
