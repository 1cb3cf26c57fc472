//! Vocabulary that all rooms share: paths, violations, changes, tokens, and helpers for text and for
//! items with the same key.

pub(crate) mod attempt_status;
pub(crate) mod base64;
pub(crate) mod change;
pub mod context;
pub(crate) mod digits;
pub(crate) mod json_pointer;
pub mod path;
pub(crate) mod redaction;
pub(crate) mod rejection;
pub(crate) mod repetition;
pub(crate) mod suggest;
pub(crate) mod text;
pub(crate) mod time_limit;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod violation;

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
