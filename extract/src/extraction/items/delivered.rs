//! The items that were delivered to the caller.

use std::{
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use crate::{
    judging::AcceptedParts,
    validation::canonical,
    vocabulary::{
        path::{Path, Segment},
        text::{counted, quoted},
        violation::{Code, Violation},
    },
};

/// How many differences from delivered items are listed.
const MAX_LISTED: usize = 100;

/// The items that were delivered, by their index. A later attempt may not change them.
#[derive(Debug)]
pub(super) struct DeliveredItems {
    list: Path,
    /// Whether values must not be quoted.
    is_sensitive: bool,
    items: Mutex<CanonicalTexts>,
}

/// Items as [`canonical`] text, one after the other. They are kept until the extraction ends, and
/// this is the smallest form that still identifies an item.
#[derive(Debug, Default)]
struct CanonicalTexts {
    text: String,
    /// The range of the text for each index; empty if that item was not delivered.
    parts: Vec<Range<usize>>,
}

impl CanonicalTexts {
    fn insert(&mut self, index: usize, item: &str) {
        let start = self.text.len();
        self.text.push_str(item);
        self.parts.resize(self.parts.len().max(index + 1), 0..0);
        self.parts[index] = start..self.text.len();
    }

    fn get(&self, index: usize) -> Option<&str> {
        let part = self.parts.get(index).filter(|part| !part.is_empty())?;
        Some(&self.text[part.clone()])
    }

    /// The items with their indexes, in ascending order.
    fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        (0..self.parts.len()).filter_map(|index| Some((index, self.get(index)?)))
    }
}

impl DeliveredItems {
    /// An empty record for the list at `list`.
    pub(super) fn of(list: Path, is_sensitive: bool) -> Arc<Self> {
        Arc::new(Self { list, is_sensitive, items: Mutex::default() })
    }

    pub(super) fn insert(&self, index: usize, value: &Value) {
        self.items().insert(index, &canonical(value));
    }

    /// Returns whether `value` equals the item delivered at `index`; `None` if none was delivered
    /// there.
    pub(super) fn has(&self, index: usize, value: &Value) -> Option<bool> {
        self.items().get(index).map(|item| *item == *canonical(value))
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.items().get(index).is_some()
    }

    /// Their indexes, in ascending order.
    pub(super) fn indexes(&self) -> Vec<usize> {
        self.items().iter().map(|(index, _)| index).collect()
    }

    /// No user code runs while the lock is held.
    fn items(&self) -> MutexGuard<'_, CanonicalTexts> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The violations of an item that was `old` and is `new`.
    fn compare(&self, old: &str, new: &Value, path: Path, found: &mut Vec<Violation>) {
        match serde_json::from_str(old) {
            Ok(old) if !self.is_sensitive => differences(&old, new, path, found),
            // Neither its values nor its keys may be quoted.
            _ => found.push(Violation::new(path, Code::Changed, CHANGED)),
        }
    }
}

const CHANGED: &str = "this was accepted before as something else, and may not change";

/// Lists where `new` differs from `old`, as deep inside as possible.
fn differences(old: &Value, new: &Value, path: Path, found: &mut Vec<Violation>) {
    if found.len() >= MAX_LISTED {
        // Nothing in this item may change, and some of its changes are already listed.
        return;
    }
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, old) in old {
                let path = path.clone().key(key);
                match new.get(key) {
                    Some(new) => differences(old, new, path, found),
                    None if found.len() < MAX_LISTED => found.push(changed(path).expected(quoted(old))),
                    None => {}
                }
            }
            let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
            for (key, new) in added.take(MAX_LISTED.saturating_sub(found.len())) {
                let violation = changed(path.clone().key(key)).expected("no such key").actual(quoted(new));
                found.push(violation);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, path.clone().index(index), found);
            }
        }
        _ if canonical(old) == canonical(new) => {}
        _ => found.push(changed(path).expected(quoted(old)).actual(quoted(new))),
    }
}

fn changed(path: Path) -> Violation {
    Violation::new(path, Code::Changed, CHANGED)
}

impl AcceptedParts for DeliveredItems {
    fn changes_in(&self, value: &Value) -> Vec<Violation> {
        let items = self.items();
        let Some((highest, _)) = items.iter().next_back() else { return Vec::new() };
        let list = self.list.resolve(value).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        if list.len() <= highest {
            let missing = "items that were accepted before are missing";
            found.push(
                Violation::new(self.list.clone(), Code::Changed, missing)
                    .expected(format!("at least {}", counted(highest + 1, "item")))
                    .actual(counted(list.len(), "item")),
            );
        }
        let mut unlisted = 0_usize;
        for ((index, old), new) in items.iter().filter_map(|item| Some((item, list.get(item.0)?))) {
            if canonical(new) == old {
                continue;
            }
            if found.len() < MAX_LISTED {
                self.compare(old, new, self.list.clone().index(index), &mut found);
            } else {
                unlisted += 1;
            }
        }
        if unlisted > 0 {
            let more = format!("{} changed", counted(unlisted, "more item"));
            found.push(Violation::new(self.list.clone(), Code::More, more));
        }
        found
    }

    fn include(&self, path: &Path) -> bool {
        let inside = path.segments().strip_prefix(self.list.segments());
        match inside.and_then(<[Segment]>::first) {
            Some(Segment::Index(index)) => self.contains(*index),
            _ => false,
        }
    }

    fn are_within(&self, path: &Path) -> bool {
        self.list.is_within(path) && !self.items().parts.is_empty()
    }
}

/// An element of a list that was accepted before the list was complete, from
/// [`Items`](super::Items).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item<V> {
    /// Its position in the list, from 0.
    pub index: usize,
    /// The element.
    pub value: V,
}

impl<V> Item<V> {
    pub(super) fn new(index: usize, value: V) -> Self {
        Self { index, value }
    }
}
