//! A batch that is being filled, before it is sent.

use std::hash::{BuildHasher as _, RandomState};

use sha2::{Digest as _, Sha256};

use super::record::BatchLine;
use crate::identity::hex;

/// Hexadecimal digits of marks. Providers allow 64 characters, and some marks need 16 of them.
const MARK_DIGITS: usize = 48;

/// Bytes of a line that are taken for a token, where the queue of a provider is limited by tokens.
const BYTES_PER_TOKEN: usize = 4;

/// A batch that is being filled.
#[derive(Default)]
pub(super) struct BatchDraft {
    pub(super) lines: Vec<BatchLine>,
    pub(super) file: Vec<u8>,
    pub(super) tokens: u64,
    /// Whether it is one request that was refused alone before.
    pub(super) is_repeated: bool,
}

impl BatchDraft {
    pub(super) fn push(&mut self, line: BatchLine, bytes: &[u8]) {
        self.tokens += tokens_of(bytes);
        self.lines.push(line);
        self.file.extend_from_slice(bytes);
        self.file.push(b'\n');
    }
}

/// Returns an estimate of the tokens of a request.
pub(super) fn tokens_of(line: &[u8]) -> u64 {
    (line.len() / BYTES_PER_TOKEN) as u64 + 1
}

/// Returns a mark for a new batch, which no earlier batch has.
pub(super) fn new_mark(lines: &[BatchLine]) -> String {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line.id.as_bytes());
    }
    // Its keys are random. A clock may be set back.
    hash.update(RandomState::new().hash_one(lines.len()).to_le_bytes());
    let mut mark = hex(&hash.finalize());
    mark.truncate(MARK_DIGITS);
    mark
}
