//! Finds many strings in one pass.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
};

use super::units::{CharacterUnit, SurroundedUnits};

/// Maximum bytes between two characters of a string that is found: the separators of digits, or a
/// wrapped line.
const LARGEST_GAP: usize = 16;

/// Any odd number with many bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The strings to find, as rolling hashes (Karp and Rabin). One pass finds all strings, and a
/// string takes eight bytes per character. A hash collision, one in 2^64, redacts too much and
/// never too little.
///
/// A string longer than the window is stored as all its parts of that length, so that a part is
/// found too.
#[derive(Debug, Clone)]
pub(super) struct HashedGrams {
    window: usize,
    /// Indexed by number of characters, up to the window. Empty if there are no strings.
    by_length: Vec<HashSet<u64, BuildHasherDefault<IdentityHasher>>>,
}

/// An occurrence of one of the strings.
pub(super) struct GramHit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) first: char,
    pub(super) last: char,
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

impl HashedGrams {
    pub(super) fn new(window: usize) -> Self {
        Self { window, by_length: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_length.iter().all(HashSet::is_empty)
    }

    pub(super) fn insert(&mut self, string: &[char]) {
        let length = string.len().min(self.window);
        if length == 0 {
            return;
        }
        self.by_length.resize_with(self.window + 1, HashSet::default);
        let power = power(length);
        let mut hash = 0_u64;
        for (index, char) in string.iter().enumerate() {
            hash = pushed(hash, *char);
            if index >= length {
                hash = hash.wrapping_sub(pushed(0, string[index - length]).wrapping_mul(power));
            }
            if index + 1 >= length {
                self.by_length[length].insert(hash);
            }
        }
    }

    /// Calls `hit` for every occurrence in `units`.
    pub(super) fn find(&self, units: impl Iterator<Item = CharacterUnit>, hit: &mut dyn FnMut(GramHit)) {
        let lengths: Vec<_> = (1..self.by_length.len())
            .filter(|length| !self.by_length[*length].is_empty())
            .map(|length| (length, power(length), &self.by_length[length]))
            .collect();
        if lengths.is_empty() {
            return;
        }
        let mut seen = RecentCharacters::new(self.window);
        for (unit, after) in SurroundedUnits::new(units) {
            seen.push(unit);
            for (length, power, known) in &lengths {
                let Some(hash) = seen.hash_of_last(*length, *power) else { break };
                if known.contains(&hash) {
                    hit(seen.hit(*length, unit, after));
                }
            }
        }
    }
}

fn power(length: usize) -> u64 {
    (0..length).fold(1_u64, |power, _| power.wrapping_mul(BASE))
}

fn pushed(hash: u64, char: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(char) + 1)
}

/// The last characters, in a ring.
struct RecentCharacters {
    /// The hash of everything up to the character, its start, and the character.
    ring: Vec<(u64, usize, char)>,
    count: usize,
    /// The number of characters since the last gap.
    run: usize,
    hash: u64,
    end: usize,
}

impl RecentCharacters {
    fn new(window: usize) -> Self {
        Self { ring: vec![(0, 0, '\0'); window + 1], count: 0, run: 0, hash: 0, end: 0 }
    }

    fn push(&mut self, unit: CharacterUnit) {
        if unit.start.saturating_sub(self.end) > LARGEST_GAP {
            self.run = 0;
        }
        self.end = unit.end;
        self.hash = pushed(self.hash, unit.char);
        let slot = self.count % self.ring.len();
        self.ring[slot] = (self.hash, unit.start, unit.char);
        self.count += 1;
        self.run += 1;
    }

    /// The character `back` positions before the last one.
    fn back(&self, back: usize) -> Option<(u64, usize, char)> {
        let index = self.count.checked_sub(back + 1)?;
        Some(self.ring[index % self.ring.len()])
    }

    /// `None` if there are fewer since the last gap.
    fn hash_of_last(&self, length: usize, power: u64) -> Option<u64> {
        if self.run < length {
            return None;
        }
        let before = self.back(length).map_or(0, |(hash, ..)| hash);
        Some(self.hash.wrapping_sub(before.wrapping_mul(power)))
    }

    fn hit(&self, length: usize, last: CharacterUnit, after: Option<char>) -> GramHit {
        let (_, start, first) = self.back(length - 1).unwrap_or((0, last.start, last.char));
        let before = self.back(length).map(|(_, _, char)| char);
        GramHit { start, end: last.end, first, last: last.char, before, after }
    }
}

/// The keys are hashes already.
#[derive(Debug, Default, Clone)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash.rotate_left(32).wrapping_mul(BASE);
    }
}
