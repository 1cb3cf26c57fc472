//! The keys of a contract. They show where a string without a closing quote ends, and what nobody
//! asked for.

use std::collections::{HashMap, HashSet};

use super::spelling;

/// The keys of all objects of a contract.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// In the order of the contract, which is mostly the order of a reply.
    ordered: Vec<String>,
    /// The position of each key in that order.
    all: HashMap<String, usize>,
    required: HashSet<String>,
    /// The [bare](spelling::bare) forms of all keys.
    bare: HashSet<String>,
    /// The descriptions of so many words that no value equals one by chance.
    descriptions: HashSet<String>,
    /// Their lengths, a bit for each.
    description_lengths: u128,
    /// Whether some value of the contract takes keys that it does not name.
    pub(super) takes_any: bool,
}

/// Most values under keys that the contract does not name, if it takes no such keys. They would be
/// ignored anyway, and each takes a hundred bytes of memory for two in the reply.
const MAX_UNKNOWN: usize = 1 << 15;

/// Fewest words of a description that is looked for among the values.
const MIN_DESCRIPTION: usize = 3;

/// The length, in bytes, from which a description is not looked for. A bit stands for each length below it.
const MAX_DESCRIPTION: usize = 128;

/// Counts the values of one reply that are under unknown keys.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UnknownValues {
    count: usize,
    /// Whether the current value is under an unknown key.
    is_inside: bool,
    /// The position of the key that mostly comes next.
    next: usize,
}

impl Keys {
    /// Adds the keys of one object.
    pub(super) fn add<'k>(&mut self, all: impl Iterator<Item = &'k str>, required: &[String]) {
        for key in all {
            if !self.has(key) {
                self.all.insert(key.to_owned(), self.ordered.len());
                self.ordered.push(key.to_owned());
                self.bare.insert(spelling::bare(key));
            }
        }
        self.required.extend(required.iter().cloned());
    }

    /// Adds the description of a part of the contract, unless it has so few words that a value may equal it by chance.
    pub(super) fn add_description(&mut self, description: &str) {
        let is_telling = description.split_whitespace().count() >= MIN_DESCRIPTION;
        if is_telling && description.len() < MAX_DESCRIPTION {
            self.description_lengths |= 1 << description.len();
            self.descriptions.insert(description.to_owned());
        }
    }

    /// Returns whether `text` is one of the descriptions, which weak models repeat instead of a value.
    #[inline]
    pub(super) fn has_description(&self, text: &str) -> bool {
        let has_length = text.len() < MAX_DESCRIPTION && self.description_lengths >> text.len() & 1 == 1;
        has_length && self.descriptions.contains(text)
    }

    /// Returns whether there are keys that the contract neither names, in any spelling, nor takes.
    pub(super) fn are_limited(&self) -> bool {
        !self.takes_any && !self.ordered.is_empty()
    }

    /// Returns whether `key` is such a key. `next` is the position of the key that it probably is,
    /// and becomes that of the one that probably follows.
    fn is_unknown(&self, key: &str, next: &mut usize) -> bool {
        if !self.are_limited() {
            return false;
        }
        if self.ordered.get(*next).is_none_or(|expected| expected != key) {
            match self.all.get(key) {
                Some(position) => *next = *position,
                None => return !self.bare.contains(&spelling::bare(key)),
            }
        }
        *next += 1;
        false
    }

    /// Returns whether any object of the contract has `key`.
    pub(super) fn has(&self, key: &str) -> bool {
        self.all.contains_key(key)
    }

    /// Returns whether any object of the contract requires `key`.
    pub(super) fn requires(&self, key: &str) -> bool {
        self.required.contains(key)
    }
}

impl UnknownValues {
    /// Enters the value of `key`. Returns the state to go [back](Self::leave) to afterwards.
    pub(super) fn enter(&mut self, key: &str, keys: &Keys) -> bool {
        let is_unknown = keys.is_unknown(key, &mut self.next);
        std::mem::replace(&mut self.is_inside, is_unknown)
    }

    /// Counts the value that ends here, and leaves it for a value that `was_inside`.
    pub(super) fn leave(&mut self, was_inside: bool) {
        self.count_value();
        self.is_inside = was_inside;
    }

    /// Counts an element of a list, or any other value.
    pub(super) fn count_value(&mut self) {
        self.count += usize::from(self.is_inside);
    }

    /// Returns whether there are more than any reply has by mistake.
    pub(super) fn are_too_many(self) -> bool {
        self.count > MAX_UNKNOWN
    }
}
