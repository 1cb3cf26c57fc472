//! Names of definitions and of types in a notation.

use std::collections::{HashMap, HashSet};

/// Names that differ from each other.
#[derive(Default)]
pub(crate) struct DistinctNames {
    taken: HashSet<String>,
    /// The last number given to each name.
    numbers: HashMap<String, usize>,
}

impl DistinctNames {
    /// Others than these.
    pub(crate) fn beside(taken: impl IntoIterator<Item = String>) -> Self {
        Self { taken: taken.into_iter().collect(), numbers: HashMap::new() }
    }

    /// `wanted`, with a number if it is taken.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_owned()) { wanted.to_owned() } else { self.numbered(wanted) }
    }

    /// `wanted` with a number, from 2.
    pub(crate) fn numbered(&mut self, wanted: &str) -> String {
        let number = self.numbers.entry(wanted.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{wanted}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
