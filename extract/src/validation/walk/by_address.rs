//! Maps with addresses as keys. A reply cannot choose them, so the hash need not withstand an
//! attack.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

use serde_json::Value;

pub(super) type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// By the addresses of a schema and of a value.
pub(super) type ByBoth<V> = HashMap<(usize, usize), V, BuildHasherDefault<AddressHasher>>;
pub(super) type AddressPairs = HashSet<(usize, usize), BuildHasherDefault<AddressHasher>>;

pub(super) fn address(part: &Value) -> usize {
    std::ptr::from_ref(part).addr()
}

/// A multiplication for each number, as rustc does for its own maps.
#[derive(Default)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = self.0.wrapping_add(number as u64).wrapping_mul(0xf135_7aea_2e62_a9c5);
    }

    fn finish(&self) -> u64 {
        // The lower bits of an address vary little, and the map uses the lower bits of the hash.
        self.0.rotate_left(26)
    }
}
