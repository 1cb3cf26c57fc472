//! The checksum of each entry.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use std::fmt;

use redb::Error;
use sha2::{Digest as _, Sha256};

/// Bytes of a checksum: the first of a SHA-256. It finds accidents, not forgeries.
const SUM: usize = 16;

/// An entry of a journal. Its checksum covers where it is and its content, so an entry that has
/// moved to another key does not match either.
#[derive(Debug, Clone, Copy)]
pub(super) enum JournalEntry<'k> {
    Outcome(&'k str),
    Intent(&'k str),
    /// A reply about a document, by the digest of the request.
    Reply(&'k str, &'k str),
    /// The requests of the batch with this mark.
    BatchLines(&'k str),
    /// The id of the batch with this mark.
    BatchId(&'k str),
    /// The answer to a request about a document in a batch, in format 2 of journals.
    Answer(&'k str, &'k str),
    /// Many such answers.
    AnswerPack(u64),
    /// The documents of a job with batches that are in flight.
    InFlight,
    /// The key of the document with this number in the last source.
    Order(u64),
}

impl fmt::Display for JournalEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome(key) => write!(f, "the outcome of `{key}`"),
            Self::Intent(key) => write!(f, "the state of `{key}`"),
            Self::Reply(key, _) => write!(f, "a reply about `{key}`"),
            Self::BatchLines(mark) => write!(f, "the requests of batch `{mark}`"),
            Self::BatchId(mark) => write!(f, "the id of batch `{mark}`"),
            Self::Answer(key, _) => write!(f, "an answer about `{key}`"),
            Self::AnswerPack(number) => write!(f, "pack {number} of the answers"),
            Self::InFlight => f.write_str("the documents in flight"),
            Self::Order(number) => write!(f, "the key of document {number}"),
        }
    }
}

impl JournalEntry<'_> {
    fn sum(self, content: &[u8]) -> [u8; SUM] {
        let number;
        let (table, parts): (u8, [&[u8]; 2]) = match self {
            Self::Outcome(key) => (0, [key.as_bytes(), b""]),
            Self::Intent(key) => (1, [key.as_bytes(), b""]),
            Self::Reply(key, request) => (2, [key.as_bytes(), request.as_bytes()]),
            Self::BatchLines(mark) => (4, [mark.as_bytes(), b""]),
            Self::BatchId(mark) => (5, [mark.as_bytes(), b""]),
            Self::Answer(key, name) => (6, [key.as_bytes(), name.as_bytes()]),
            Self::InFlight => (7, [b"", b""]),
            Self::Order(document) => {
                number = document.to_le_bytes();
                (3, [&number, b""])
            }
            Self::AnswerPack(pack) => {
                number = pack.to_le_bytes();
                (8, [&number, b""])
            }
        };
        let mut hash = Sha256::new();
        hash.update([table]);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(content);
        let digest: [u8; 32] = hash.finalize().into();
        let mut sum = [0; SUM];
        sum.copy_from_slice(&digest[..SUM]);
        sum
    }

    /// The bytes for the journal: the checksum, then the content.
    pub(super) fn sealed(self, content: &[u8]) -> Vec<u8> {
        [&self.sum(content), content].concat()
    }

    /// The content of `bytes` from the journal.
    ///
    /// # Errors
    ///
    /// If it does not match its checksum.
    pub(super) fn content(self, bytes: &[u8]) -> Result<&[u8], Error> {
        match bytes.split_first_chunk::<SUM>() {
            Some((sum, content)) if *sum == self.sum(content) => Ok(content),
            _ => Err(Error::Corrupted(format!("{self} does not match its checksum"))),
        }
    }

    /// `read` of its content.
    ///
    /// # Errors
    ///
    /// If it does not match its checksum, or `read` finds nothing.
    pub(super) fn read<T>(self, bytes: &[u8], read: impl FnOnce(&[u8]) -> Option<T>) -> Result<T, Error> {
        read(self.content(bytes)?).ok_or_else(|| self.unreadable())
    }

    /// The error for content that makes no sense.
    pub(super) fn unreadable(self) -> Error {
        Error::Corrupted(format!("{self} cannot be read"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_other_place_is_found() {
        let entries = [
            JournalEntry::Outcome("a"),
            JournalEntry::Intent("a"),
            JournalEntry::Reply("a", "b"),
            JournalEntry::Reply("ab", ""),
            JournalEntry::BatchLines("a"),
            JournalEntry::BatchId("a"),
            JournalEntry::Answer("a", "b"),
            JournalEntry::AnswerPack(97),
            JournalEntry::InFlight,
            JournalEntry::Order(97),
            JournalEntry::Outcome("b"),
        ];
        for (number, entry) in entries.into_iter().enumerate() {
            let bytes = entry.sealed(b"an answer");
            assert_eq!(entry.content(&bytes).unwrap(), b"an answer");
            for bit in 0..8 * bytes.len() {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(entry.content(&flipped).is_err(), "{entry}, bit {bit}");
            }
            for length in 0..bytes.len() {
                assert!(entry.content(&bytes[..length]).is_err(), "{entry}, {length} bytes");
            }
            let others = entries.iter().enumerate().filter(|(other, _)| *other != number);
            for (_, other) in others {
                assert!(other.content(&bytes).is_err(), "{other} read {entry}");
            }
        }
    }
}
