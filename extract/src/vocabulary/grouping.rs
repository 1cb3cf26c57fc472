//! Items with the same key.

use std::{collections::HashMap, hash::Hash};

/// Returns the items of each key, in the order of the first of each.
pub(crate) fn grouped<K: Eq + Hash, V>(items: impl IntoIterator<Item = (K, V)>) -> Vec<Vec<V>> {
    let mut groups: Vec<Vec<V>> = Vec::new();
    let mut known = HashMap::new();
    for (key, item) in items {
        let group = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}
