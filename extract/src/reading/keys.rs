//! The keys of a contract, which show where a string ends that lacks its quote.

use std::collections::HashSet;

/// The keys of all objects of a contract.
#[derive(Debug, Default)]
pub(super) struct Keys {
    all: HashSet<String>,
    required: HashSet<String>,
}

impl Keys {
    /// Adds those of one object.
    pub(super) fn add<'k>(&mut self, all: impl Iterator<Item = &'k str>, required: &[String]) {
        self.all.extend(all.map(str::to_owned));
        self.required.extend(required.iter().cloned());
    }

    /// Whether an object of the contract has `key`.
    pub(super) fn has(&self, key: &str) -> bool {
        self.all.contains(key)
    }

    /// Whether an object of the contract has to have `key`.
    pub(super) fn requires(&self, key: &str) -> bool {
        self.required.contains(key)
    }
}
