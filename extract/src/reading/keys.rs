//! The keys of a contract. They show where a string without a closing quote ends.

use std::collections::HashSet;

/// The keys of all objects of a contract.
#[derive(Debug, Default)]
pub(super) struct Keys {
    all: HashSet<String>,
    required: HashSet<String>,
}

impl Keys {
    /// Adds the keys of one object.
    pub(super) fn add<'k>(&mut self, all: impl Iterator<Item = &'k str>, required: &[String]) {
        self.all.extend(all.map(str::to_owned));
        self.required.extend(required.iter().cloned());
    }

    /// Whether any object of the contract has `key`.
    pub(super) fn has(&self, key: &str) -> bool {
        self.all.contains(key)
    }

    /// Whether any object of the contract requires `key`.
    pub(super) fn requires(&self, key: &str) -> bool {
        self.required.contains(key)
    }
}
