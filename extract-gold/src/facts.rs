//! What a job has to know of documents that shots are chosen from.

use serde_json::Value;

/// The identity of documents, and how long they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShotFacts {
    /// Differs if a text or a value differs.
    pub(crate) hash: u64,
    /// Characters of a text and its value, on average.
    pub(crate) chars: usize,
}

impl ShotFacts {
    /// Computes the facts of texts with their values.
    pub(crate) fn of<'d>(documents: impl ExactSizeIterator<Item = (&'d str, &'d Value)>) -> Self {
        // FNV-1a (Fowler, Noll, Vo), which is the same on every machine and in every version.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        let (mut chars, count) = (0, documents.len().max(1));
        for (text, value) in documents {
            let value = value.to_string();
            chars += text.chars().count() + value.chars().count();
            add(text.as_bytes());
            add(value.as_bytes());
        }
        Self { hash, chars: chars / count }
    }
}
