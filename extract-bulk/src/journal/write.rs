//! Writes to a journal.

use serde::{Deserialize, Serialize};

use super::answers::AnswerPack;
use crate::{
    batches::BatchRecord,
    identity::{Hash, hex},
    packed::{PackedFields, push_field},
};

/// The first byte of packed documents in flight. Format 2 has JSON.
const PACKED: u8 = 1;

/// A document that is in progress, or was when a run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Intent {
    /// The question, in hexadecimal. Crashes count only for the same question.
    pub(crate) question: String,
    /// How many runs crashed while it was in flight among few.
    pub(crate) crashes: u32,
    /// How many runs crashed while it was in flight among more.
    #[serde(default)]
    pub(crate) crowded: u32,
    /// Whether it is in flight now.
    pub(crate) is_open: bool,
}

impl Intent {
    pub(super) fn bytes(&self) -> Vec<u8> {
        // An intent is always JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// The documents of a job with batches that are in flight now, as one entry.
#[derive(Debug)]
pub(crate) struct InFlight {
    bytes: Vec<u8>,
}

impl Default for InFlight {
    fn default() -> Self {
        Self { bytes: vec![PACKED] }
    }
}

impl InFlight {
    /// Adds a document.
    pub(crate) fn push(&mut self, key: &str, question: &Hash, (crashes, crowded): (u32, u32)) {
        push_field(&mut self.bytes, key.as_bytes());
        self.bytes.extend_from_slice(question);
        self.bytes.extend_from_slice(&crashes.to_le_bytes());
        self.bytes.extend_from_slice(&crowded.to_le_bytes());
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The documents in an entry, with their intents.
    pub(super) fn read(bytes: &[u8]) -> Option<Vec<(String, Intent)>> {
        let Some((&PACKED, packed)) = bytes.split_first() else {
            return serde_json::from_slice(bytes).ok();
        };
        let (mut fields, mut documents) = (PackedFields::of(packed), Vec::new());
        while !fields.is_empty() {
            let (key, question) = (fields.text()?.to_owned(), fields.array::<32>()?);
            let (crashes, crowded) = (fields.u32()?, fields.u32()?);
            documents.push((key, Intent { question: hex(&question), crashes, crowded, is_open: true }));
        }
        Some(documents)
    }
}

/// A change to a journal. Several are committed at once.
#[derive(Debug)]
pub(crate) enum Write {
    /// The document with this number has this key.
    Order(u64, String),
    /// The document is about to be processed, or was released without an outcome.
    Intent(String, Intent),
    /// All documents of a job with batches that are in flight now, instead of an intent for each.
    InFlight(InFlight),
    /// The outcome of the document; closes the intent.
    Outcome(String, Vec<u8>),
    /// A reply about a document that needs several: key, digest of the request, reply.
    Reply(String, String, Vec<u8>),
    /// A batch is about to be sent: its mark, when, and the bytes of its
    /// [record](crate::batches::BatchRecord).
    BatchIntent { mark: String, at: u64, record: Vec<u8> },
    /// The id of the batch with this mark.
    BatchId(String, String),
    /// All answers of the batch with this mark are in the journal.
    BatchEnded(String),
    /// Answers of a batch.
    Answers(AnswerPack),
    /// The source has this many documents.
    Documents(u64),
}

impl Write {
    pub(crate) fn intent_of(mark: &str, record: &BatchRecord) -> Self {
        Self::BatchIntent { mark: mark.to_owned(), at: record.at, record: record.bytes() }
    }

    pub(crate) fn is_outcome(&self) -> bool {
        matches!(self, Self::Outcome(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_in_flight_are_read_as_they_were_written_by_this_version_and_an_earlier_one() {
        let intent = |question: &Hash, crashes, crowded| Intent {
            question: hex(question),
            crashes,
            crowded,
            is_open: true,
        };
        let expected =
            vec![("a".to_owned(), intent(&[7; 32], 2, 0)), ("ä/[1]".to_owned(), intent(&[9; 32], 0, 5))];
        let mut in_flight = InFlight::default();
        assert_eq!(InFlight::read(in_flight.bytes()), Some(Vec::new()));
        in_flight.push("a", &[7; 32], (2, 0));
        in_flight.push("ä/[1]", &[9; 32], (0, 5));
        assert_eq!(InFlight::read(in_flight.bytes()).as_ref(), Some(&expected));
        assert_eq!(InFlight::read(&serde_json::to_vec(&expected).unwrap()), Some(expected));
        assert_eq!(InFlight::read(&in_flight.bytes()[..30]), None);
    }
}
