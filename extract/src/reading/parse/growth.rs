//! Lists and objects that grow during reading, using little more memory than they hold.

use std::collections::HashMap;

use super::Parser;
use crate::reading::node::Entry;

/// Number of entries from which duplicates are removed before the object grows.
const MANY: usize = 64;

/// Adds `item`. Grows by half rather than doubling, because every other byte may be a value.
pub(super) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 2 + 2);
    }
    items.push(item);
}

/// Frees the spare room of a list of one or two, because there may be as many lists as bytes.
pub(super) fn fit<T>(items: &mut Vec<T>) {
    if items.len() < 3 {
        items.shrink_to_fit();
    }
}

impl Parser<'_> {
    /// Drops entries whose keys are repeated later, if most are, before `entries` grows.
    pub(super) fn thin_out(&mut self, entries: &mut Vec<Entry<'_>>) {
        if entries.len() < MANY || entries.len() < entries.capacity() {
            return;
        }
        let mut last: HashMap<&str, usize> = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            last.insert(&entry.key, index);
        }
        if last.len() > entries.len() / 2 {
            return;
        }
        let is_last: Vec<bool> =
            entries.iter().enumerate().map(|(index, entry)| last[&*entry.key] == index).collect();
        for (entry, is_last) in entries.iter().zip(&is_last) {
            if !is_last {
                self.note_duplicate(entry, &entries[last[&*entry.key]]);
            }
        }
        let mut kept = is_last.into_iter();
        entries.retain(|_| kept.next().unwrap_or(true));
    }
}
