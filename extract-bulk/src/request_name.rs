//! The names of requests, in a journal and in files of batches.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::{
    identity::{Hash, hex},
    packed::PackedFields,
};

/// The name of a request among those of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestName {
    /// Of everything that is sent to the agent.
    pub(super) digest: Hash,
    /// How often the same request was made before.
    pub(super) number: u32,
}

impl RequestName {
    /// Reads what `Display` writes.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (digest, number) = text.split_once('-')?;
        Some(Self { digest: bytes_of(digest)?, number: number.parse().ok()? })
    }

    pub(super) fn push_to(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.digest);
        bytes.extend_from_slice(&self.number.to_le_bytes());
    }

    pub(super) fn of_packed(fields: &mut PackedFields<'_>) -> Option<Self> {
        Some(Self { digest: fields.array()?, number: fields.u32()? })
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", hex(&self.digest), self.number)
    }
}

/// The id of a request in the files of batches: half of a digest of its document's key and its
/// name. Providers allow 64 characters, and some marks need 16 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestId([u8; 24]);

impl RequestId {
    pub(super) fn new(key: &str, name: RequestName) -> Self {
        let mut hash = Sha256::new();
        hash.update((key.len() as u64).to_le_bytes());
        hash.update(key);
        hash.update(name.to_string());
        let digest: Hash = hash.finalize().into();
        let mut id = [0; 24];
        id.copy_from_slice(&digest[..24]);
        Self(id)
    }

    /// Reads what `Display` writes.
    pub(super) fn read(text: &str) -> Option<Self> {
        bytes_of(text).map(Self)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The bytes that [`hex`] shows.
fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(digits[0])? << 4 | digit(digits[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_read_as_they_were_written_and_nothing_else_is() {
        let name = RequestName { digest: [0xA7; 32], number: 12 };
        assert_eq!(RequestName::read(&name.to_string()), Some(name));
        let id = RequestId::new("a key", name);
        assert_eq!(RequestId::read(&id.to_string()), Some(id));
        for wrong in ["", "a7-0", &"g7".repeat(24), &"é".repeat(24), &"A7".repeat(24)] {
            assert_eq!((RequestName::read(wrong), RequestId::read(wrong)), (None, None), "{wrong}");
        }
        assert_eq!(RequestName::read(&"a7".repeat(32)), None);
    }

    #[test]
    fn an_id_is_that_of_earlier_versions() {
        // Batches that are open have it.
        let name = RequestName { digest: [0; 32], number: 0 };
        let mut hash = Sha256::new();
        hash.update([5, 0, 0, 0, 0, 0, 0, 0]);
        hash.update(format!("a key{}-0", "0".repeat(64)));
        let expected = hex(&hash.finalize());
        assert_eq!(RequestId::new("a key", name).to_string(), expected[..48]);
    }
}
