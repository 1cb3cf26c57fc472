//! The identity of a result: what it is an answer to.

use extract::{Contract, QuestionFingerprint};
use sha2::{Digest as _, Sha256};

use super::doc::Doc;

pub(super) type Hash = [u8; 32];

/// Returns the bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS[usize::from(half & 15)];
    let mut text = Vec::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.extend_from_slice(&[digit(byte >> 4), digit(*byte)]);
    }
    // Digits are always UTF-8.
    String::from_utf8(text).unwrap_or_default()
}

/// The question that a result answers, and who is asked with which settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    /// Key, content, schema and versions.
    pub(super) question: Hash,
    /// Agents, instructions, and the settings that matter.
    pub(super) asker: Hash,
}

/// The part of the identity that all documents of a job share.
#[derive(Clone)]
pub(super) struct JobIdentity {
    question: Sha256,
    asker: Hash,
}

impl JobIdentity {
    /// `version` is the one set by the user.
    pub(super) fn new(contract: &Contract, fingerprint: &QuestionFingerprint, version: &str) -> Self {
        let mut question = Sha256::new();
        field(&mut question, &QuestionFingerprint::VERSION.to_le_bytes());
        field(&mut question, version.as_bytes());
        field(&mut question, contract.schema().to_string().as_bytes());
        let mut asker = Sha256::new();
        field(&mut asker, fingerprint.question.as_bytes());
        field(&mut asker, fingerprint.asker.as_bytes());
        Self { question, asker: asker.finalize().into() }
    }

    pub(super) fn of(&self, doc: &Doc) -> Identity {
        let mut question = self.question.clone();
        field(&mut question, doc.key.as_bytes());
        // A conversation is always JSON.
        let prompt = serde_json::to_vec(doc.prompt.conversation()).unwrap_or_default();
        field(&mut question, &prompt);
        let text = doc.document.as_ref().map_or("", |document| document.text());
        field(&mut question, &[u8::from(doc.document.is_some())]);
        field(&mut question, text.as_bytes());
        field(&mut question, format!("{:?}", doc.chunks).as_bytes());
        Identity { question: question.finalize().into(), asker: self.asker }
    }
}

/// Hashes a field with its length, so that different lists of fields never have the same bytes.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}
